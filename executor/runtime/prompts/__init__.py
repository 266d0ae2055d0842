"""Prompt templates as versioned, audited resources, rendered in a sandbox without calls.

    prompts = PromptStore(store.collections())
    await prompts.put(NewTemplate("greeting", "Answer {{ name }} in one line."), author="ann")
    rendered = await prompts.render("greeting", {"name": "Bob"})

See docs/memory.md for the language and its limits.
"""

__all__: list[str] = []
