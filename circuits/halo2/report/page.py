"""A report as one HTML file that needs nothing else: no script, no font, no picture from elsewhere,
and a policy in its head that lets a browser load none."""

from zkagent.circuits.halo2.report.deviations import Comparison, Deviations
from zkagent.circuits.halo2.report.markup import Markup, element, joined
from zkagent.circuits.halo2.report.nodes import CircuitNode
from zkagent.circuits.halo2.report.sheet import Section, Sheet, figures, share, shown
from zkagent.errors import plain

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
#: By which a page is known that may be written over.
MARK = "<title>Circuit "
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
code, .digest { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; }
td, th { padding: .15rem .6rem .15rem 0; vertical-align: top; overflow-wrap: anywhere; }
td.number, th.number { text-align: right; white-space: nowrap; }
rect { fill: #4a76b8; } text { font: 11px system-ui, sans-serif; fill: #555; }
pre { background: #f4f4f4; padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.note { color: #666; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818; } pre { background: #262626; }
  text { fill: #aaa; } .note { color: #999; }
}
"""
BAR, WIDTH, HEIGHT = 160, 560, 120  # of drawings, in pixels


def page(sheet: Sheet) -> str:
    """The whole file."""
    title = f"Circuit {sheet.digest[:16]}"
    head = element(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", title),
        element("style", Markup(STYLE)),
    )
    body = element(
        "body",
        element("h1", title),
        element("p", sheet.digest, class_="digest"),
        *map(_section, sheet.sections),
        _changes(sheet.changes),
        _graph(sheet.nodes, sheet.cells),
        _comparison(sheet.comparison),
        _commands(sheet.commands),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _section(section: Section) -> Markup:
    rows = [
        element("tr", element("th", label), element("td", plain(value)))
        for label, value in section.lines
    ]
    return joined(element("h2", section.title), element("table", *rows))


def _changes(changes: tuple[str, ...]) -> Markup:
    if not changes:
        return Markup("")
    lines = [element("li", shown(line)) for line in changes]
    return joined(element("h2", "Changes before the circuit"), element("ul", *lines))


def _graph(nodes: tuple[CircuitNode, ...], cells: int) -> Markup:
    names = ("", "node", "operation", "takes")
    head = element(
        "tr",
        *(element("th", name) for name in names),
        element("th", "cells", class_="number"),
        element("th", ""),
    )
    rows = [_node(node, cells) for node in nodes]
    note = (
        "Nodes as ezkl reads them, in the order in which it lays them out, with the cells that it "
        "counts for each; rows are cells by columns of gates. The last node's include those that "
        "fix the outputs."
    )
    return joined(
        element("h2", "Graph"), element("p", note, class_="note"), element("table", head, *rows)
    )


def _node(node: CircuitNode, cells: int) -> Markup:
    part = share(node, cells)
    bar = element("rect", x=0, y=3, width=round(BAR * part, 1), height=10)
    drawn = element("svg", bar, width=BAR, height=16, role="img", aria_label=f"{part:.1%}")
    return element(
        "tr",
        element("td", str(node.number), class_="number"),
        element("td", shown(node.name)),
        element("td", shown(node.operation)),
        element("td", ", ".join(map(str, node.inputs))),
        element("td", f"{node.cells:,}", class_="number"),
        element("td", drawn),
    )


def _comparison(comparison: Comparison | None) -> Markup:
    title = element("h2", "Error against onnxruntime")
    if comparison is None:
        return joined(title, element("p", "No samples were given: --data FILE compares on some."))
    told = (
        f"{comparison.samples:,} samples of {shown(comparison.file)} "
        f"(sha256 {comparison.sha256}); {comparison.outside:,} of them outside the circuit's ranges"
    )
    return joined(title, element("p", told), *map(_output, comparison.outputs))


def _output(of: Deviations) -> Markup:
    heading = element("h3", shown(of.name))
    line = element("p", figures(of))
    return joined(heading, line, _histogram(of)) if of.counts else joined(heading, line)


def _histogram(of: Deviations) -> Markup:
    """The circuit's number minus onnxruntime's, how often."""
    most, step = max(of.counts), WIDTH / len(of.counts)
    bars = []
    for place, count in enumerate(of.counts):
        height = round(HEIGHT * count / most, 1)
        said = element("title", f"{of.edges[place]:.3g} to {of.edges[place + 1]:.3g}: {count:,}")
        bars.append(
            element(
                "rect",
                said,
                x=round(place * step + 1, 1),
                y=round(HEIGHT - height, 1),
                width=round(step - 2, 1),
                height=height,
            )
        )
    marks = [
        element("text", f"{value:.3g}", x=x, y=HEIGHT + 14, text_anchor=anchor)
        for value, x, anchor in (
            (of.edges[0], 0, "start"),
            (0, WIDTH / 2, "middle"),
            (of.edges[-1], WIDTH, "end"),
        )
    ]
    return element(
        "svg", *bars, *marks, viewBox=f"0 0 {WIDTH} {HEIGHT + 18}", role="img", width=WIDTH
    )


def _commands(commands: tuple[tuple[str, str], ...]) -> Markup:
    lines = [
        joined(element("p", what), element("pre", element("code", plain(command))))
        for command, what in commands
    ]
    return joined(element("h2", "Commands to reproduce"), *lines)


__all__ = ["MARK", "page"]
