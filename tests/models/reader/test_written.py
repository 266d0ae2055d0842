"""The prompts that were written for training: what is marked in them is among the candidates."""

from zkagent.models.reader.filling import READINGS, WRITTEN_NAMES, given_of
from zkagent.models.reader.kinds import ParamType
from zkagent.models.reader.written import written


def test_lines_are_read_with_tools_types_and_spans() -> None:
    first = written()[0]
    assert first.tool.name == "Strike"
    assert first.types == {"enemy": ParamType.STRING}
    start, end = first.asked.arguments["enemy"]
    assert first.asked.prompt[start:end] == "troll"
    assert all("{" not in line.asked.prompt for line in written())
    assert len({line.tool.name for line in written()}) > 80


def test_what_is_marked_is_among_the_candidates() -> None:
    missed = []
    for line in written():
        (given,) = given_of(line.asked, line.tool, line.types, WRITTEN_NAMES)
        for name, (start, end) in line.asked.arguments.items():
            found = given.found[READINGS.index(line.types[name])]
            if not any(start <= each.start and each.end <= end for each in found):
                missed.append((line.asked.prompt, name))
    assert missed == []


def test_every_marked_name_is_a_parameter_of_its_tool() -> None:
    for line in written():
        assert set(line.asked.arguments) <= set(line.types), line.asked.prompt
