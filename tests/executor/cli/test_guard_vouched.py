"""`zkagent guard allow` of tools that do not tell what they wrap: by their owner's word alone."""

import pytest
from eth_abi.abi import encode

from tests.support.command_line import exit_code
from tests.support.guard_world import ALICE, World, by, shown
from tests.support.lying_node import LyingNode, lie_to

APPROVE = "approve(address,uint256)"


def test_a_tool_that_names_no_asset_is_said_to_move_unseen(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "names no asset, so that what it moves beside the budgets is not seen"
    mute = ("guard", "allow", world.token.address, *world.options())
    assert exit_code(*mute, "--trust-no-grants") == 0
    assert said in capsys.readouterr().err
    assert exit_code("guard", "allow", world.tool.address, "--wrapped", *world.options()) == 0
    assert said not in capsys.readouterr().err


def test_a_tool_that_tells_nothing_is_allowed_by_its_owners_word_alone(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """The token stands for one: it tells no wiring, as the ERC's own wrapper."""
    mute = world.token.address
    asked = ("guard", "allow", mute, *world.options())
    capsys.readouterr()
    assert exit_code(*asked) == 2
    said = capsys.readouterr().err
    assert f"{mute} does not tell what it wraps: say it with --wraps" in said
    assert shown(world, capsys)["tools"] == []
    assert exit_code(*asked, "--wraps", f"{mute}:{APPROVE}", "--trust-no-grants") == 2
    capsys.readouterr()
    assert exit_code(*asked, "--wraps", f"{mute}:approve(address,uint)") == 0
    word = f"which is 0x095ea7b3 of {mute} by its owner's word, for it tells nothing"
    assert word in capsys.readouterr().err
    (tool,) = shown(world, capsys)["tools"]
    assert (tool["selector"], tool["vouched"]) == ("0x095ea7b3", True)
    assert tool["words"] == [None, 1, None]
    assert exit_code("guard", "show", *world.options(None)) == 0
    assert word.lower() in capsys.readouterr().out.lower()
    assert exit_code(*asked, "--wraps", f"{mute}:0x095ea7b3") == 0
    assert exit_code(*asked, "--wraps", f"{mute}:multicall(bytes[])") == 1
    assert "GrantRefused" in capsys.readouterr().err
    assert exit_code(*asked, "--trust-no-grants") == 0
    warned = "grants nobody anything by its owner's word alone: no grant by it is counted"
    assert warned in capsys.readouterr().err
    assert exit_code("guard", "show", *world.options(None)) == 0
    assert warned in capsys.readouterr().out


def test_nobody_vouches_for_a_tool_that_tells_what_it_wraps(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("guard", "allow", world.tool.address, "--wrapped", *world.options())
    for other in (("--wraps", f"{world.wallet}:{APPROVE}"), ("--trust-no-grants",)):
        assert exit_code(*asked, *other) == 2
        assert f"{world.tool.address} tells that it wraps 0x" in capsys.readouterr().err
    same = f"{world.wallet}:transfer(address,uint256,address)"
    assert exit_code(*asked, "--wraps", same) == 0
    assert shown(world, capsys)["tools"][0]["vouched"] is False


@pytest.mark.parametrize(
    "wraps",
    [
        *("approve", ALICE, f"{ALICE}:", f"{ALICE}:approve", f"{ALICE}:(address)", f"{ALICE}:a(b)"),
        *(f"{ALICE}:f(uint256", f"{ALICE}:f(uint256)[]", f"{ALICE}:f(uint7)", f"{ALICE}:0x095ea7"),
        *(f"{ALICE}:f(uint256 amount)", f"{ALICE}:0x00000000", f"{ALICE[:-1]}:{APPROVE}"),
    ],
)
def test_what_is_no_function_of_a_contract_is_not_wrapped(wraps: str, world: World) -> None:
    asked = ("guard", "allow", world.token.address, *world.options(), "--wraps", wraps)
    assert exit_code(*asked) == 2


def test_a_node_cannot_have_a_tool_that_tells_nothing_taken_for_one_that_does(
    world: World, liar: LyingNode, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else what it grants would not be counted: the guard itself asks the tool."""
    transfer = bytes.fromhex(world.tool.functions.wiring().selector[2:])
    lie_to(liar, "wiring()", encode(["address", "address", "bytes4"], [ALICE, ALICE, transfer]))
    asked = ("guard", "allow", world.token.address, *world.options(), *by(liar))
    assert exit_code(*asked) == 1
    assert "ToolTellsNothing" in capsys.readouterr().err
    assert shown(world, capsys)["tools"] == []
