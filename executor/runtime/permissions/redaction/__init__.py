"""Secrets and personal data become typed tokens such as `<card:1>`.

`redactor` works on JSON values, `kinds` says what there is to look for. What is found depends on
form, checksums and context, never on a model; docs/permissions.md has the rates.
"""

__all__: list[str] = []
