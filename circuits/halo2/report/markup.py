"""Writes HTML of which no part is a stranger's: whatever is no Markup is escaped."""

from html import escape


class Markup(str):
    """Text that is HTML already, made by `element` alone."""

    __slots__ = ()


def element(tag: str, *children: str, **attributes: object) -> Markup:
    """`<tag ...>children</tag>`. Attributes: `class_` is `class`, `stroke_width` `stroke-width`."""
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
    )
    return Markup(f"<{tag}{named}>{''.join(map(_inner, children))}</{tag}>")


def joined(*parts: Markup) -> Markup:
    return Markup("\n".join(parts))


def _inner(child: str) -> str:
    return child if isinstance(child, Markup) else escape(child)


__all__ = ["Markup", "element", "joined"]
