"""A page holds nothing of a stranger's but text, and needs nothing from elsewhere."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from zkagent.circuits.halo2.report.deviations import BINS, Comparison, Deviations
from zkagent.circuits.halo2.report.markup import Markup, element
from zkagent.circuits.halo2.report.nodes import CircuitNode
from zkagent.circuits.halo2.report.page import page
from zkagent.circuits.halo2.report.sheet import Section, Sheet
from zkagent.circuits.halo2.report.text import lines

HOSTILE = (
    "<script>alert(1)</script>",
    "\"onload='alert(1)",
    "</td></table><img src=x onerror=alert(1)>",
    "&lt;b&gt;",
    "a\x1b[2Jb\n<style>*{display:none}</style>",
)


def sheet(text: str) -> Sheet:
    """Of a circuit in which everything that can be named is named so."""
    nodes = (
        CircuitNode(0, text, "Input", (), 4),
        CircuitNode(1, text, text, (0,), 12),
        CircuitNode(2, "", "ADD", (0, 1), 0),
    )
    outputs = (
        Deviations.of(text, np.array([0.25, -0.5, 0.0, 0.0])),
        Deviations.of("exact", np.zeros(3)),
    )
    return Sheet(
        "ab" * 32,
        (Section("Network", (("input", text),)),),
        (text,),
        nodes,
        Comparison(text, "cd" * 32, 4, 1, outputs),
        ((f"zkagent circuit build '{text}'", "Build it"),),
    )


def parsed(text: str) -> ElementTree.Element:
    """The page as a tree: its own elements are all closed but for three."""
    html = page(sheet(text)).removeprefix("<!doctype html>\n")
    return ElementTree.fromstring(re.sub(r"(<meta [^>]*)>", r"\1/>", html))


@pytest.mark.parametrize("text", HOSTILE)
def test_names_are_text_whatever_they_hold(text: str) -> None:
    usual, found = parsed("Conv_0"), parsed(text)
    assert [each.tag for each in found.iter()] == [each.tag for each in usual.iter()]
    assert [sorted(each.attrib) for each in found.iter()] == [
        sorted(each.attrib) for each in usual.iter()
    ]


def test_a_page_needs_nothing_from_elsewhere() -> None:
    tree = parsed("<script>alert(1)</script>")
    tags = {each.tag for each in tree.iter()}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a"}
    attributes = {name for each in tree.iter() for name in each.attrib}
    assert not {name for name in attributes if name.startswith("on")} | attributes & {"src", "href"}
    assert not re.search(r"https?:|url\(|@import", page(sheet("x")))
    assert "default-src 'none'" in page(sheet("x"))


def test_a_name_is_shown_as_it_is() -> None:
    cells = [each.text for each in parsed(HOSTILE[0]).iter("td")]
    assert HOSTILE[0] in cells
    assert HOSTILE[3] in [each.text for each in parsed(HOSTILE[3]).iter("td")]


def test_only_markup_is_not_escaped() -> None:
    assert element("p", "<b>", element("i", "&")) == "<p>&lt;b&gt;<i>&amp;</i></p>"
    assert element("td", "x", title='"><b>') == '<td title="&quot;&gt;&lt;b&gt;">x</td>'
    assert isinstance(element("p"), Markup)


def test_bars_are_as_long_as_a_node_s_share() -> None:
    widths = [each.attrib["width"] for each in parsed("x").iter("rect")][:3]
    assert [float(width) for width in widths] == [40.0, 120.0, 0.0]


def test_a_histogram_counts_every_number() -> None:
    found = Deviations.of("y", np.array([0.25, -0.5, 0.0, 0.0]))
    assert (found.numbers, found.largest, found.mean) == (4, 0.5, 0.1875)
    assert sum(found.counts) == 4
    assert (len(found.counts), len(found.edges)) == (BINS, BINS + 1)
    assert found.counts[0] == 1  # -0.5
    assert found.counts[BINS // 2] == 2  # around 0
    assert Deviations.from_json(found.to_json()) == found
    assert Deviations.of("y", np.zeros(3)).counts == ()


@pytest.mark.parametrize("text", HOSTILE)
def test_text_acts_on_no_terminal_and_keeps_its_lines(text: str) -> None:
    usual, found = list(lines(sheet("Conv_0"))), list(lines(sheet(text)))
    assert len(found) == len(usual)
    assert all(line.isprintable() for line in found)
