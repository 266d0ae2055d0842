"""The language of prompts: what it says, and that nothing leads out of it or goes on for ever."""

import time
from typing import Any

import pytest

from zkagent.executor.runtime.core.errors import PromptFault
from zkagent.executor.runtime.prompts.engine import Engine
from zkagent.executor.runtime.prompts.filters import MOST_CHARACTERS
from zkagent.executor.runtime.prompts.language import MOST_NESTED, MOST_SOURCE

PARAMS: dict[str, Any] = {
    "name": "Bob",
    "n": 3,
    "items": [{"a": 1}, {"a": 2}],
    "words": ["b", "a"],
    "map": {"k": "v", "keys": "mine", "__class__": "text"},
    "empty": [],
    "none": None,
}

MAPPED = "k=v;keys=mine;__class__=text;"


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Hi {{ name }}!\n", "Hi Bob!\n"),
        ("{{ map.k }}{{ map['k'] }}{{ items[1].a }}{{ name[0] }}{{ words[-1] }}", "vv2Ba"),
        ("{% for i in items %}{{ loop.index }}:{{ i.a }} {% endfor %}", "1:1 2:2 "),
        ("{% for w in words %}{{ w }}{% if not loop.last %},{% endif %}{% endfor %}", "b,a"),
        ("{% for i in empty %}x{% else %}none{% endfor %}", "none"),
        ("{% for k, v in map|items %}{{ k }}={{ v }};{% endfor %}", MAPPED),
        ("{% for w in words if w != 'b' %}{{ w }}{% endfor %}", "a"),
        ("{% if n > 2 and name in ['Bob', 'Al'] %}y{% elif n %}e{% else %}n{% endif %}", "y"),
        ("{{ 'y' if n is odd else 'n' }}{{ n + 1 - 2 }}{{ -n }}", "y2-3"),
        ("{{ other|default('z') }}{{ 'd' if other is defined else 'u' }}", "zu"),
        ("{{ name|upper|lower|title|trim|length }}", "3"),
        ("{{ words|sort|join(', ') }}{{ words|first }}{{ words|last }}", "a, bba"),
        ("{{ items|tojson }}{{ none|tojson }}", '[{"a": 1}, {"a": 2}]null'),
        ("{{ '12'|int + '0.5'|float }}{{ 'long text'|truncate(5) }}", "12.5long…"),
        ("{{ name|redact }}", "[redacted]"),
        ("{{ map.keys }}{{ map.__class__ }}", "minetext"),  # its own fields, not Python's
        ("{% raw %}{{ name }}{% endraw %}{# gone #}", "{{ name }}"),
        ("<b>{{ '<&>' }}</b>", "<b><&></b>"),
    ],
)  # fmt: skip
def test_a_template_says_what_prompts_need(template: str, text: str) -> None:
    assert Engine().check(template).errors == ()
    assert Engine().render(template, PARAMS) == text


def test_what_stands_in_a_parameter_is_text_and_no_template() -> None:
    injected = "{{ secret }}{% for i in items %}{{ i }}{% endfor %}"
    assert Engine().render("{{ name }}", {"name": injected, "secret": 7}) == injected


ESCAPES = [
    "{{ lipsum() }}",
    "{{ lipsum.__globals__ }}",
    "{{ cycler('a') }}",
    "{{ cycler.__init__ }}",
    "{{ joiner() }}",
    "{{ namespace(a=1) }}",
    "{{ dict(a=1) }}",
    "{{ range(10) }}",
    "{{ self }}",
    "{{ self._TemplateReference__context }}",
    "{{ _context }}",
    "{{ name.__class__ }}",
    "{{ name['__class__'] }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ name.format }}",
    "{{ name.upper() }}",
    "{{ '{0.__class__}'.format(name) }}",
    "{{ '%s' % name }}",
    "{{ name|format(1) }}",
    "{{ name|attr('__class__') }}",
    "{{ items|map('upper') }}",
    "{{ items|map(attribute='__class__')|first }}",
    "{{ items.append(1) }}",
    "{{ items.append }}",
    "{{ map.update }}",
    "{{ none.__class__ }}",
    "{{ n.real }}",
    "{{ n.__add__ }}",
    "{{ other.__class__ }}",
    "{{ (other|default).__class__ }}",
    "{% for i in items %}{{ loop }}{% endfor %}",
    "{% for i in items %}{{ loop.__class__ }}{% endfor %}",
    "{% for i in items %}{{ loop._iterator }}{% endfor %}",
    "{% for i in items %}{{ loop['index'] }}{% endfor %}",
    "{% for i in items %}{{ loop.cycle }}{% endfor %}",
    "{% for i in items recursive %}{% endfor %}",
    "{% set a = 1 %}",
    "{% set a %}x{% endset %}",
    "{% macro m() %}{% endmacro %}",
    "{% call name() %}{% endcall %}",
    "{% filter upper %}a{% endfilter %}",
    "{% include 'x' %}",
    "{% import 'x' as y %}",
    "{% from 'x' import y %}",
    "{% extends 'x' %}",
    "{% block b %}{% endblock %}",
    "{% with a = 1 %}{% endwith %}",
    "{% autoescape true %}{% endautoescape %}",
    "{{ caller }}",
    "{{ {'a': name} }}",
    "{{ [name, name] }}",
    "{{ name ~ name }}",
    "{{ name * 3 }}",
    "{{ 2 ** 3 }}",
    "{{ 7 // 2 }}",
    "{{ name + name }}",
    "{{ words + words }}",
    "{{ true + true }}",
    "{{ name is filter }}",
    "{{ name is callable }}",
    "{{ name|upper(*words) }}",
    "{{ name|default(**map) }}",
]


@pytest.mark.parametrize("template", ESCAPES)
def test_nothing_leads_out_of_the_sandbox(template: str) -> None:
    with pytest.raises(PromptFault) as caught:
        Engine().render(template, PARAMS)
    assert "\n" not in str(caught.value)


BIG = "x" * (MOST_CHARACTERS // 2)
LONG: dict[str, Any] = {"big": BIG, "other": BIG[1:] + "y", "many": list(range(3000))}
NESTED = "{% for a in many %}" * 3 + "{% endfor %}" * 3


def repeated(piece: str, times: int) -> str:
    return "{% for a in many %}" + piece * times + "{% endfor %}"


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (NESTED, "more than 10,000 times"),
        ("{% for a in big %}{% endfor %}", "more than 10,000 times"),
        ("{{ big }}" * 3, "the prompt has more than"),
        ("{% for a in many %}{{ big }}{% endfor %}", "the prompt has more than"),
        ("{{ many|join(big) }}", "a join would give more"),
        ("{{ big|join(big) }}", "a join would give more"),
        ("{{ other" + "|tojson" * 30 + "|length }}", "a filter gave more than"),
        (repeated("{% if big|upper == other %}{% endif %}", 500), "takes longer"),
        (repeated("{% if big == other %}{% endif %}", 900), "takes longer"),
        (repeated("{% if other in big %}{% endif %}", 900), "takes longer"),
    ],
)  # fmt: skip
def test_no_template_goes_on_for_ever_or_grows_without_bounds(template: str, words: str) -> None:
    began, time_s = time.monotonic(), 0.2 if words == "takes longer" else 600
    with pytest.raises(PromptFault, match=words):
        Engine(time_s=time_s).render(template, LONG)
    assert time.monotonic() - began < 60


def nested(times: int, after: str, before: str = "") -> str:
    return "{{ " + before * times + "n" + after * times + " }}"


def blocks(times: int) -> str:
    return "{% if n %}" * times + "{{ n }}" + "{% endif %}" * times


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ("x" * MOST_SOURCE, "x" * (MOST_SOURCE + 1), "at most 65,536"),
        (nested(MOST_NESTED - 2, "|int"), nested(MOST_NESTED - 1, "|int"), "nested deeper"),
        (nested(30, ")", "("), nested(300, ")", "("), "more than 500 words"),
        (nested(38, "", "not "), nested(39, "", "not "), "nested deeper"),
        (blocks(36), blocks(41), "nested deeper"),
        ("{{ name }}", "{{ name", "cannot be read, line 1"),
        ("{% if n %}a{% endif %}", "{% if n %}a", "cannot be read"),
        ("{{ n }}", "a\nb\n{{ n n }}", "line 3"),
        ("{{ n }}" * 500, "{{ n }}" * 500 + "{{ n", "cannot be read"),
        ("{{ n }}" * 200 + blocks(36), "{{ end_x }}" * 200 + blocks(500), "nested deeper"),
        ("{{ " + "1" * 300 + " }}", "{{ " + "1" * 5000 + " }}", "cannot be read"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(good: str, bad: str, words: str) -> None:
    assert Engine().check(good).errors == ()
    assert words in Engine().check(bad).errors[0]
    with pytest.raises(PromptFault, match=words):
        Engine().render(bad, PARAMS)


def test_all_that_is_wrong_is_said_with_its_line() -> None:
    found = Engine().check("{{ a() }}\n{{ b ~ c }}\n{{ d|nope }}{{ e is nope }}").errors
    assert [error[:7] for error in found] == ["line 1:", "line 2:", "line 3:", "line 3:"]
    assert "variable" in found[0]


def test_a_template_s_variables_are_known_needed_and_optional() -> None:
    text = "{{ a.x }}{% for i in b %}{{ i }}{{ c }}{% endfor %}"
    text += "{{ d|default('') }}{% if e is defined %}{{ e }}{% endif %}"
    checked = Engine().check(text)
    assert (sorted(checked.needed), sorted(checked.optional)) == (["a", "b", "c"], ["d", "e"])


def test_what_is_missing_is_a_fault_or_left_empty() -> None:
    template = "a{{ x }}{{ y.z|default(1) }}{{ x|upper }}b"
    assert Engine().render(template, {"y": {}}, strict=False) == "a1b"
    for missing in ("{{ x }}", "{{ x.y }}", "{{ x|upper }}", "{{ y.z }}", "{{ 'a' if x }}"):
        with pytest.raises(PromptFault, match="missing"):
            Engine().render(missing, {"y": {}})


FAILING = ["{{ s|int }}", "{{ s|items }}", "{{ m[s] }}", "{{ s + 1 }}", "{{ many|sort }}"]


@pytest.mark.parametrize("template", [*FAILING, "{{ s > 1 }}"])
def test_no_fault_shows_a_value(template: str) -> None:
    with pytest.raises(PromptFault) as caught:
        Engine().render(template, {"s": "hunter2", "m": {}, "many": ["hunter2", 1]})
    assert "hunter2" not in str(caught.value)


def test_a_redactor_of_one_s_own_says_what_stays() -> None:
    engine = Engine(lambda text: text.replace("4111", "****"))
    assert engine.render("{{ card|redact }}", {"card": "no 4111"}) == "no ****"
    assert engine.render("{{ n|redact }}", {"n": 4111}) == "****"
