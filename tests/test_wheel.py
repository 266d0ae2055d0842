"""The wheel, and the one built from the source distribution: all that a run needs, nothing else.

Both are built from a copy without what earlier builds left behind, by the setuptools that the dev
extra names, so without a network.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.layers import LAYERS
from tests.support.checkout import ROOT
from tests.support.small_networks import squares
from zkagent.models.wallet.text import handwritten

pytestmark = pytest.mark.slow

DATA = {".bin", ".cjs", ".js", ".json", ".jsonl", ".onnx", ".sol", ".srs", ".toml", ".txt"}
NEVER = (
    ".*",
    "build",
    "dist",
    "*.egg-info",
    "__pycache__",
    "node_modules",
    "out",
    "cache",
    "tests",
)
FOR_TESTS = "verifier_contracts/test"
#: What new agents are made of, texts for people among it.
SCAFFOLD = "verifier_contracts/scaffold"

COUNT_LINES = """
from zkagent.models.wallet.text import handwritten
print(handwritten.__file__)
lines = [line for path in handwritten.FOLDER.glob("*.txt") for line in path.open()]
print(len(lines), len(handwritten.instructions()), len(handwritten.declined()))
"""


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout as git would hand it out."""
    copy = tmp_path_factory.mktemp("source") / "zkagent"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*NEVER))
    return copy


def backend(call: str, folder: Path, out: Path) -> Path:
    """What setuptools builds from `folder`, as pip would ask it to."""
    script = f"from setuptools import build_meta; print(build_meta.{call}({str(out)!r}))"
    built = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, check=True, capture_output=True, text=True
    )
    return out / built.stdout.splitlines()[-1]


@pytest.fixture(scope="session")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return backend("build_wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def wheel_of_sdist(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sdist")
    with tarfile.open(backend("build_sdist", source, out)) as archive:
        archive.extractall(out, filter="data")
    (unpacked,) = (path for path in out.iterdir() if path.is_dir())
    return backend("build_wheel", unpacked, out)


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def needed() -> set[str]:
    """Modules and data of the checkout, by their names in the wheel."""
    found = {"zkagent/py.typed"}
    for folder in ("zkagent", *LAYERS):
        for path in (ROOT / folder).rglob("*"):
            inner = path.relative_to(ROOT)
            made = set(inner.parts) & set(NEVER) or inner.is_relative_to(FOR_TESTS)
            is_copied = path.is_file() and inner.is_relative_to(SCAFFOLD)
            if (path.suffix in DATA | {".py"} or is_copied) and not made:
                found.add((inner if folder == "zkagent" else "zkagent" / inner).as_posix())
    return found


def test_the_wheel_holds_the_modules_and_data_of_the_checkout_and_nothing_else(wheel: Path) -> None:
    ours = {name for name in names(wheel) if ".dist-info/" not in name}
    assert needed() - ours == set()
    assert ours - needed() == set()


def test_the_source_distribution_makes_the_same_wheel(wheel: Path, wheel_of_sdist: Path) -> None:
    assert names(wheel_of_sdist) == names(wheel)


@pytest.mark.parametrize(
    "name",
    [
        "models/wallet/model.onnx",
        "models/wallet/words.bin",
        "models/wallet/development.jsonl",
        "models/wallet/text/corpus/pairs_10.txt",
        "circuits/snarkjs/package-lock.json",
        "circuits/snarkjs/adapter.cjs",
        "verifier_contracts/foundry.toml",
        "verifier_contracts/src/wallet/AgentWallet.sol",
        "verifier_contracts/toolchain/pins.json",
        "verifier_contracts/toolchain/solc-adapter.js",
    ],
)
def test_files_that_only_a_run_misses_are_in_the_wheel(wheel: Path, name: str) -> None:
    assert f"zkagent/{name}" in names(wheel)


def test_site_packages_get_one_name(wheel: Path) -> None:
    tops = {name.split("/", maxsplit=1)[0] for name in names(wheel)}
    (info,) = tops - {"zkagent"}
    assert info.endswith(".dist-info")
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read(f"{info}/top_level.txt") == b"zkagent\n"


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of Python alone is installed by being unpacked."""
    folder = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_an_editable_installation_looks_for_nothing_in_the_folder_it_runs_in(
    source: Path, tmp_path: Path
) -> None:
    """For namespace packages it would put a relative name on sys.path, below which whoever made
    that folder may have laid plugins of our libraries."""
    with zipfile.ZipFile(backend("build_editable", source, tmp_path)) as archive:
        archive.extractall(tmp_path)
    code = f"import site, sys; site.addsitedir({str(tmp_path)!r}); import zkagent; print(*sys.path)"
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert str(source / "zkagent") not in found
    assert [path for path in found if not os.path.isabs(path)] == []  # noqa: PTH117


def test_what_an_earlier_installation_put_on_the_path_is_taken_off_it() -> None:
    """In helper processes as well, which begin by importing a module of ours."""
    name = "__editable__.zkagent-0.1.0.finder.__path_hook__"
    code = (
        f"import sys; sys.path.append({name!r}); import zkagent.errors; print({name!r} in sys.path)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert done.stdout == "False\n"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder with packages of a user's own, which must not be imported for ours."""
    for name in LAYERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise ImportError('the user\\'s {name}')")
    return tmp_path


def run(folder: Path, installed: Path, *arguments: str) -> str:
    """What a process prints that is started in `folder` and knows our code from `installed`."""
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_installed_wallet_is_trained_on_the_whole_corpus(
    installed: Path, elsewhere: Path
) -> None:
    corpus = Path(handwritten.__file__).parent / "corpus"
    lines = sum(len(path.read_text().splitlines()) for path in corpus.glob("*.txt"))
    expected = [lines, len(handwritten.instructions()), len(handwritten.declined())]
    place, counts = run(elsewhere, installed, "-c", COUNT_LINES).splitlines()
    assert Path(place).is_relative_to(installed)
    assert [int(count) for count in counts.split()] == expected
    assert lines > 5000


def test_commands_work_beside_a_user_s_own_packages_of_our_folders_names(
    installed: Path, elsewhere: Path
) -> None:
    decided = run(elsewhere, installed, "-m", "zkagent", "decide", "wallet", "withdraw all my USDC")
    assert decided == "ViewBalance(asset=USDC)\n"


def test_helper_processes_import_ours_too(
    installed: Path, elsewhere: Path, square_onnx: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZKAGENT_HOME", str(elsewhere / "home"))
    built = run(elsewhere, installed, "-m", "zkagent", "circuit", "build", str(square_onnx))
    assert "4 -> 2, exact" in built
    (elsewhere / "x.json").write_text("[3, -1, 4, 1]")
    proven = run(
        elsewhere, installed, "-m", "zkagent", "prove", str(square_onnx), "--input", "x.json"
    )
    assert json.loads(proven)["outputs"] == list(squares([3, -1, 4, 1]))
