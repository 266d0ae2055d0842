"""`tools.yaml` of an agent's folder: what its tools say of themselves, and how people ask for them.

    tools:
      - tool: Move
        description: Walk across the field
        parameters:
          - name: direction
            type: string
            description: direction to go
        means:
          - go north
          - prompt: walk home
            arguments:
              direction: home
      - tool: LookAround
        description: Say what stands nearby
        looks: true
    nothing:
      - what a lovely morning

`zkagent agent build` makes Solidity of it (scaffold), `zkagent model train --agent` learns from it.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from zkagent.models.encoding.book import MAX_DECIMALS
from zkagent.models.encoding.symbols import checked_contact, checked_symbol
from zkagent.models.errors import RefusedContact, RefusedSymbol, ToolsRefused
from zkagent.models.files import read_limited
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.labelled import MOST_EXAMPLES, Parameter, Tool
from zkagent.models.strict_yaml import MOST_BYTES, load_yaml

TOOLS_FILE = "tools.yaml"
MOST_TOOLS, MOST_PARAMETERS = 8, 6
#: Of one file: more than anybody writes by hand.
MOST_PHRASES = 2000
LONGEST_PROMPT, LONGEST_TEXT = 512, 2000  # bytes: what an encoder reads of them
#: Types by the names that tools.yaml and Solidity have for them.
TYPES: Mapping[str, ParamType] = {
    "string": ParamType.STRING,
    "address": ParamType.ADDRESS,
    "bool": ParamType.BOOL,
    "int": ParamType.INT,
    "uint": ParamType.UINT,
    "string[]": ParamType.STRING_ARRAY,
    "address[]": ParamType.ADDRESS_ARRAY,
    "bool[]": ParamType.BOOL_ARRAY,
    "int[]": ParamType.INT_ARRAY,
    "uint[]": ParamType.UINT_ARRAY,
}
_NAME = r"^[A-Z][A-Za-z0-9]{0,31}$"
_PARAMETER = r"^[A-Za-z_][A-Za-z0-9_]{0,31}$"


def _allowed(check: Callable[[str], str], text: str) -> str:
    """Raises ValueError for a word that no book may list."""
    try:
        return check(text)
    except (RefusedSymbol, RefusedContact) as exc:
        raise ValueError(exc.why) from exc


def _plain(text: str, least: int, longest: int) -> str:
    """Raises ValueError for what an encoder would refuse, or a reader of Solidity misread."""
    if not least <= len(text) <= longest:
        raise ValueError(f"it has {len(text)} characters, {least} to {longest} are read")
    bad = next((c for c in text if not " " <= c <= "~"), None)
    if bad is not None:
        raise ValueError(f"the character {bad!r} is not printable ASCII: write it otherwise")
    return text


def _of_length(least: int, longest: int) -> AfterValidator:
    return AfterValidator(lambda text: _plain(text, least, longest))


def _type(name: str) -> str:
    if name not in TYPES:
        raise ValueError(f"it is none of {', '.join(TYPES)}")
    return name


def _flag(given: object) -> bool:
    if isinstance(given, bool):
        return given
    if given not in ("true", "false"):
        raise ValueError("write true where it changes nothing, false otherwise")
    return given == "true"


Prompt = Annotated[str, _of_length(1, LONGEST_PROMPT)]
Description = Annotated[str, _of_length(1, LONGEST_TEXT)]
Contact = Annotated[str, AfterValidator(lambda text: _allowed(checked_contact, text))]
Symbol = Annotated[str, AfterValidator(lambda text: _allowed(checked_symbol, text))]


def with_expected(given: Any) -> Any:
    """A tool as it is written, its prompts apart from the arguments that some of them say. Raises
    ValueError."""
    if not isinstance(given, dict) or not isinstance(given.get("means"), list | tuple):
        return given
    if "expected" in given:
        raise ValueError("expected: nothing is read by this name: write arguments under means")
    names = [p.get("name") for p in given.get("parameters") or () if isinstance(p, dict)]
    texts, expected = list(given["means"]), {}
    for place, entry in enumerate(texts):
        if isinstance(entry, dict):
            try:
                texts[place], arguments = _prompt_with(entry, names)
            except ValueError as exc:
                raise ValueError(f"means[{place + 1}]: {exc}") from exc
            expected[texts[place]] = arguments
    return {**given, "means": texts, "expected": expected}


def _prompt_with(entry: dict[str, Any], names: list[Any]) -> tuple[str, dict[str, str]]:
    if strange := next((key for key in entry if key not in ("prompt", "arguments")), None):
        raise ValueError(
            f"{strange!r:.60} is neither prompt nor arguments, and a prompt alone is a text: "
            "quote what has a colon"
        )
    prompt, arguments = entry.get("prompt"), entry.get("arguments") or {}
    if not isinstance(prompt, str):
        raise ValueError("prompt is missing: write what people say")
    if not isinstance(arguments, dict) or not all(isinstance(v, str) for v in arguments.values()):
        raise ValueError("arguments have to be keys with values: `direction: north`")
    if strange := next((name for name in arguments if name not in names), None):
        raise ValueError(f"the tool has no parameter {strange!r:.60}: its own are {_listed(names)}")
    return prompt, arguments


def _listed(names: list[Any]) -> str:
    return ", ".join(map(str, names)) or "none"


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SaidParameter(_Said):
    name: Annotated[str, Field(pattern=_PARAMETER)]
    type: Annotated[str, AfterValidator(_type)]
    description: Annotated[str, _of_length(0, LONGEST_TEXT)] = ""

    @property
    def param_type(self) -> ParamType:
        return TYPES[self.type]


class SaidTool(_Said):
    """means: prompts that ask for it. looks: whether it changes nothing, so that questions may call
    it."""

    tool: Annotated[str, Field(pattern=_NAME)]
    description: Description
    looks: Annotated[bool, BeforeValidator(_flag)] = False
    parameters: tuple[SaidParameter, ...] = ()
    means: tuple[Prompt, ...] = ()
    #: Of prompts that say with which arguments they mean the tool: by name, as they are written.
    expected: Annotated[dict[str, dict[str, str]], Field(exclude=True)] = {}

    @model_validator(mode="before")
    @classmethod
    def _split(cls, given: Any) -> Any:
        return with_expected(given)

    def as_tool(self, examples: Sequence[str]) -> Tool:
        """As a reader reads it, with these examples."""
        said = (Parameter(name=p.name, description=p.description) for p in self.parameters)
        return Tool(
            name=self.tool,
            description=self.description,
            parameters=tuple(said),
            examples=tuple(examples),
        )


class AgentTools(_Said):
    """nothing: prompts that ask for none of the tools. contacts, symbols (with decimals): that the
    prompts name, for tests; on chain those of the agent's books count."""

    tools: Annotated[tuple[SaidTool, ...], Field(min_length=1, max_length=MOST_TOOLS)]
    nothing: tuple[Prompt, ...] = ()
    contacts: tuple[Contact, ...] = ()
    symbols: dict[Symbol, Annotated[int, Field(ge=0, le=MAX_DECIMALS)]] = {}


def load_agent_tools(folder: Path) -> AgentTools:
    """What tools.yaml of the folder says. Raises ToolsRefused."""
    path = folder / TOOLS_FILE
    try:
        content = load_yaml(read_limited(path, MOST_BYTES))
    except OSError as exc:
        raise ToolsRefused(str(path), f"it cannot be read ({exc.strerror})") from exc
    except ValueError as exc:
        raise ToolsRefused(str(path), str(exc)) from exc
    if not isinstance(content, dict):
        raise ToolsRefused(str(path), "it is no mapping: begin with `tools:`")
    try:
        found = AgentTools.model_validate(_without_empty(content))
    except ValidationError as exc:
        raise ToolsRefused(str(path), _first(exc)) from exc
    _check_names(str(path), found)
    _check_phrases(str(path), found)
    return found


def _without_empty(content: Any) -> Any:
    """`nothing:` with nothing behind it is an empty list."""
    if isinstance(content, dict):
        lists = ("contacts", "means", "nothing", "parameters")
        return {
            key: [] if key in lists and value == "" else _without_empty(value)
            for key, value in content.items()
        }
    return [_without_empty(each) for each in content] if isinstance(content, list) else content


def _first(exc: ValidationError) -> str:
    """Where, what it is, and why not."""
    errors = exc.errors(include_url=False)
    # A misspelt key is missing under its own name, too: what is written is what there is to mend.
    found = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    where = "".join(f"[{p + 1}]" if isinstance(p, int) else f".{p}" for p in found["loc"]).lstrip(
        "."
    )
    given = found["input"]
    kept = isinstance(given, str) and found["type"] != "missing"
    what = f" {given[:60]!r}" if kept else ""
    said = _WORDS.get(found["type"]) or found["msg"].removeprefix("Value error, ")
    return f"{where}{what}: {said}"


_WORDS = {
    "missing": "it is missing: add it",
    "extra_forbidden": "nothing is read by this name: docs/own-agents.md has those that are",
    "too_long": "more than a reader takes: one to 8 tools",
    "too_short": "it is empty: name one tool at least",
    "tuple_type": "it has to be a list: begin each entry with a dash",
    "model_type": "it has to be keys with values: `name: text`",
    "string_type": "it has to be a text: quote what has a colon or begins with a mark",
    "string_pattern_mismatch": "1 to 32 letters and digits; a tool begins with a capital",
}


def _check_names(path: str, found: AgentTools) -> None:
    for names, what, most in (
        ([tool.tool for tool in found.tools], "the tool", MOST_TOOLS),
        *(([p.name for p in t.parameters], f"{t.tool}'s", MOST_PARAMETERS) for t in found.tools),
    ):
        if len(names) > most:
            raise ToolsRefused(path, f"{what} {names[most]}: at most {most} parameters are read")
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ToolsRefused(path, f"{what} {twice} stands twice: name one otherwise")


def _check_phrases(path: str, found: AgentTools) -> None:
    """None may mean two things."""
    phrases = [(text, tool.tool) for tool in found.tools for text in tool.means]
    phrases += [(text, "nothing") for text in found.nothing]
    if len(phrases) > MOST_PHRASES:
        raise ToolsRefused(path, f"{len(phrases):,} prompts: at most {MOST_PHRASES:,} are read")
    seen: dict[str, str] = {}
    for text, meaning in phrases:
        key = " ".join(text.lower().split())
        if key in seen:
            raise ToolsRefused(
                path, f"{text[:60]!r} means {seen[key]} and {meaning}: leave one of them out"
            )
        seen[key] = meaning


__all__ = [
    "MOST_EXAMPLES",
    "TOOLS_FILE",
    "TYPES",
    "AgentTools",
    "SaidParameter",
    "SaidTool",
    "load_agent_tools",
]
