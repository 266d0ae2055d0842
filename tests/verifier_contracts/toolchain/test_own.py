"""Contracts of one's own: whose libraries they are compiled with."""

from pathlib import Path

import pytest

from zkagent.verifier_contracts.errors import CompileError
from zkagent.verifier_contracts.toolchain.compile import SOURCES, with_imports
from zkagent.verifier_contracts.toolchain.install import Toolchain
from zkagent.verifier_contracts.toolchain.own import _remapped, compile_file, remapping_lines

TOKEN = "@openzeppelin/contracts/token/ERC20/IERC20.sol"


@pytest.fixture
def folder(tmp_path: Path, toolchain: Toolchain) -> Path:
    (tmp_path / "vendor").mkdir()
    return tmp_path


def remapped(folder: Path, *lines: str) -> dict[str, Path]:
    (folder / "remappings.txt").write_text("".join(f"{line}\n" for line in lines))
    return _remapped(folder)


@pytest.mark.parametrize("path", ["vendor", "vendor/", "nowhere/", "/usr", "../vendor/"])
@pytest.mark.parametrize(
    ("prefix", "ours"),
    [
        ("@openzeppelin/", "@openzeppelin/"),
        ("@openzeppelin/contracts/", "@openzeppelin/"),
        ("@openzeppelin/contracts/token/", "@openzeppelin/"),
        (TOKEN, "@openzeppelin/"),
        ("@open", "@openzeppelin/"),
        ("", "zkagent/"),
        ("solady/", "solady/"),
        ("solady/src/utils/", "solady/"),
        ("zkagent/", "zkagent/"),
        ("zkagent/agents/", "zkagent/"),
        ("src/", "src/"),
        ("s", "src/"),
        ("forge-std/", "forge-std/"),
    ],
)
def test_what_comes_with_us_is_replaced_by_no_line_and_whoever_wrote_it_is_told(
    folder: Path, prefix: str, ours: str, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    without = remapped(folder, "mine/=vendor/")
    assert caplog.messages == []
    assert remapped(folder, "mine/=vendor/", f"{prefix}={path}") == without
    (told,) = caplog.messages
    assert f"remappings.txt:2: not {Path(path)}, but" in told.replace(path, str(Path(path)))
    assert f"is imported as {ours};" in told


def test_ours_of_another_machine_are_ours(folder: Path) -> None:
    """Git carries to colleagues what `agent init` wrote."""
    lines = remapping_lines()
    assert remapped(folder, *lines) == remapped(folder)
    elsewhere = []
    for line in lines:
        prefix, _, path = line.partition("=")
        elsewhere.append(f"{prefix}=/home/colleague/x/{'/'.join(Path(path).parts[-2:])}/")
    assert remapped(folder, *elsewhere) == remapped(folder)
    gone = [f"{line.partition('=')[0]}=/home/colleague/x/" for line in lines]
    assert remapped(folder, *gone) == remapped(folder)


@pytest.mark.parametrize("prefix", ["mine/", "@openzeppelin/contracts-mine/", "@mine/", "solady2/"])
def test_more_may_be_added(folder: Path, prefix: str) -> None:
    assert remapped(folder, f"{prefix}=vendor/")[prefix] == folder / "vendor"


LATIN = "// \u00a9 M\u00fcller\ncontract B {}\n".encode("latin-1")


@pytest.mark.parametrize("name", ["A.sol", "B.sol", "remappings.txt"])
def test_what_is_no_text_in_utf_8_is_named(folder: Path, name: str) -> None:
    """Whether it is what was given, what that imports, or where imports are."""
    (folder / "A.sol").write_text('import "./B.sol";\ncontract A {}\n')
    (folder / "B.sol").write_text("contract B {}\n")
    (folder / name).write_bytes(LATIN)
    with pytest.raises(CompileError, match=rf"{name}.* cannot be read: it is no text in UTF-8"):
        compile_file(folder / "A.sol")


def test_an_import_that_cannot_be_read_is_named(folder: Path) -> None:
    (folder / "A.sol").write_text('import "/proc/self/mem";\ncontract A {}\n')
    with pytest.raises(CompileError, match=r"/proc/self/mem.* cannot be read: Input/output error"):
        compile_file(folder / "A.sol")


def test_ours_come_first_whatever_is_added(folder: Path, toolchain: Toolchain) -> None:
    (folder / "vendor" / "contracts").mkdir()
    (folder / "vendor" / "AgentBase.sol").write_text("// a stranger's")
    more = dict.fromkeys(("@openzeppelin/", "src/", "solady/"), folder / "vendor")
    sources = {"a.sol": f'import "{TOKEN}";\nimport "src/agents/AgentBase.sol";\n'}
    units = with_imports(sources, toolchain, more)
    assert units["src/agents/AgentBase.sol"] == (SOURCES / "agents/AgentBase.sol").read_text()
    kept = toolchain.node_modules / TOKEN
    assert units[TOKEN] == kept.read_text()


def test_a_contract_is_compiled_with_ours_beside_a_line_of_a_stranger(folder: Path) -> None:
    """Such lines are in many a project that has the libraries in folders of its own."""
    theirs = folder / "vendor/contracts/token/ERC20/IERC20.sol"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("contract Theirs {}")
    (folder / "A.sol").write_text(f'import {{IERC20}} from "{TOKEN}";\ncontract A {{ IERC20 b; }}')
    (folder / "remappings.txt").write_text("@openzeppelin/=vendor/\n")
    assert list(compile_file(folder / "A.sol")) == ["A"]
    (folder / "remappings.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(CompileError, match=r"remappings.txt cannot be read"):
        compile_file(folder / "A.sol")
