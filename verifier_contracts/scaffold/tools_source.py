"""Solidity that makes an agent's tools as its tools.yaml describes them: `NameTools.sol`.

Whoever compiles or audits the folder reads contracts alone; this file is how YAML gets into them.
"""

from collections.abc import Sequence
from pathlib import Path

from zkagent.models.files import read_limited
from zkagent.models.reader.agent_tools import (
    TOOLS_FILE,
    AgentTools,
    SaidParameter,
    SaidTool,
    load_agent_tools,
)
from zkagent.models.reader.tuned import examples_of, load_tuned
from zkagent.models.whole import write_file
from zkagent.verifier_contracts.errors import ToolsSourceInTheWay, ToolsSourceOld

MARK = f"// Made of {TOOLS_FILE} by `zkagent agent build`: change that file, not this one.\n"
_HEAD = f"""// SPDX-License-Identifier: MIT
{MARK}pragma solidity ^0.8.30;

import {{IERCAgentTool}} from "zkagent/interfaces/erc/IERCAgentTool.sol";
"""
_TOOL, _LOOKING, _CONVERTER = (
    f'import {{{name}}} from "zkagent/tools/{name}.sol";\n'
    for name in ("ExampleTool", "LookingTool", "TextConverter")
)


def tools_source(folder: Path, name: str) -> str:
    """What `NameTools.sol` of the folder has to say. Raises ToolsRefused."""
    said = load_agent_tools(folder)
    tuned = load_tuned(folder, said)
    return source_of(name, said, examples_of(said, tuned), tuned.caution if tuned else 0)


def write_tools_source(folder: Path, name: str) -> None:
    """Make it anew where tools.yaml says something else by now. Raises ToolsRefused, and
    ToolsSourceInTheWay where somebody wrote a file of that name by hand."""
    path, text = source_place(folder, name), tools_source(folder, name)
    there = _there(path)
    if there == text:
        return
    if there is not None and MARK not in there:
        raise ToolsSourceInTheWay(path)
    write_file(path, text.encode())


def check_tools_source(folder: Path, name: str) -> None:
    """Raises ToolsSourceOld where it is not what tools.yaml says, ToolsRefused."""
    path = source_place(folder, name)
    if _there(path) != tools_source(folder, name):
        raise ToolsSourceOld(path)


def source_place(folder: Path, name: str) -> Path:
    return folder / f"{name}Tools.sol"


def _there(path: Path) -> str | None:
    try:
        return read_limited(path).decode(errors="replace")
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise ToolsSourceInTheWay(path) from exc


def source_of(name: str, said: AgentTools, examples: Sequence[Sequence[str]], caution: int) -> str:
    """examples: what each tool says; caution: in hundredths of a log-odd."""
    made = "".join(_maker(tool, each) for tool, each in zip(said.tools, examples, strict=True))
    kinds = {tool.looks for tool in said.tools}
    return (
        f"{_HEAD}{_TOOL if False in kinds else ''}{_LOOKING if True in kinds else ''}"
        f"{_CONVERTER}\n/// @title What the tools of {name} say of themselves\n"
        f"library {name}Tools {{\n"
        "    /// @notice How sure the reader has to be, in hundredths of a log-odd; 0: as usual.\n"
        f"    uint256 internal constant CAUTION = {caution};\n"
        f"{made}}}\n"
    )


def _maker(tool: SaidTool, examples: Sequence[str]) -> str:
    lines = [f"p[{at}] = {_parameter(each)};" for at, each in enumerate(tool.parameters)]
    lines += [f"examples[{at}] = {_literal(text)};" for at, text in enumerate(examples)]
    body = "".join(f"        {line}\n" for line in lines)
    return f"""
    /// @notice {tool.tool}: calls `selector` of `target`, which returns what is answered.
    function make{tool.tool}(address agent, address target, bytes4 selector, TextConverter answer)
        internal
        returns (IERCAgentTool)
    {{
        IERCAgentTool.ParamDescription[] memory p =
            new IERCAgentTool.ParamDescription[]({len(tool.parameters)});
        string[] memory examples = new string[]({len(examples)});
{body}        return new {"LookingTool" if tool.looks else "ExampleTool"}(
            agent,
            {_literal(tool.tool)},
            {_literal(tool.description)},
            target,
            selector,
            IERCAgentTool.InputDescription(p),
            "",
            answer,
            examples
        );
    }}
"""


def _parameter(given: SaidParameter) -> str:
    kind = f"IERCAgentTool.ParamType.{given.param_type.name}"
    return (
        f"IERCAgentTool.ParamDescription({kind}, {_literal(given.name)}, "
        f"{_literal(given.description)})"
    )


def _literal(text: str) -> str:
    """Of printable ASCII, which tools.yaml is checked for."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


__all__ = ["MARK", "check_tools_source", "source_of", "source_place", "tools_source"]
__all__ += ["write_tools_source"]
