"""snarkjs comes in the pinned packages, all of them and no other."""

import json
import shutil
from pathlib import Path

import pytest

from zkagent.circuits.errors import PackagesMissing
from zkagent.circuits.snarkjs import install
from zkagent.circuits.snarkjs.install import check_installed, pins, snarkjs_folder
from zkagent.circuits.support.npm import Node


def test_every_package_is_pinned_with_its_integrity() -> None:
    found = pins()
    assert found["snarkjs"]["version"] == "0.7.6"
    assert "escodegen/node_modules/esprima" in found
    assert all(pin["integrity"].startswith("sha512-") for pin in found.values())


def test_it_is_installed_in_the_pinned_version() -> None:
    folder = snarkjs_folder()
    manifest = json.loads((folder / "package.json").read_text())
    assert (manifest["version"], manifest["license"]) == ("0.7.6", "GPL-3.0")
    check_installed(folder.parent.parent)


def served(tmp_path: Path, change: dict[str, dict[str, str]]) -> Path:
    """What npm says it installed, with this changed."""
    packages = {f"node_modules/{name}": dict(pin) for name, pin in pins().items()}
    for name, fields in change.items():
        packages.setdefault(f"node_modules/{name}", {}).update(fields)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/.package-lock.json").write_text(json.dumps({"packages": packages}))
    return tmp_path


def test_what_was_pinned_passes(tmp_path: Path) -> None:
    check_installed(served(tmp_path, {}))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"fastfile": {"integrity": "sha512-other"}}, "fastfile: integrity is sha512-other"),
        ({"snarkjs": {"version": "0.7.7"}}, "snarkjs: version is 0.7.7, expected 0.7.6"),
        ({"stranger": {"version": "1.0.0"}}, "npm installed stranger beside snarkjs"),
    ],
)
def test_another_package_is_refused(
    tmp_path: Path, change: dict[str, dict[str, str]], words: str
) -> None:
    with pytest.raises(PackagesMissing, match=words):
        check_installed(served(tmp_path, change))


def test_a_failed_installation_says_why_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho 'npm error network request failed' >&2\nexit 1\n")
    npm.chmod(0o755)
    node = Node(Path(shutil.which("node") or "node"), (str(npm),))
    monkeypatch.setattr(install, "find_node", lambda: node)
    with pytest.raises(PackagesMissing, match=r"not install snarkjs: network request failed$"):
        install._installed(tmp_path / "home")
    folder = tmp_path / "home" / "snarkjs"
    assert [path.name for path in folder.iterdir() if path.is_dir()] == []
