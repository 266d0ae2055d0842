"""A ZKAGENT_HOME that cannot be used is refused by name, whoever asks for a folder of it first."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.homes import BAD_HOMES, bad_home
from zkagent.circuits.errors import HomeRefused
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.store import list_circuits
from zkagent.circuits.support.cache import cache_folder, cache_root
from zkagent.executor.receipts.file import check_place
from zkagent.prover.service.queue.database import data_folder
from zkagent.verifier_contracts.toolchain.install import toolchain

ASKS: dict[str, Callable[[], object]] = {
    "a circuit": list_circuits,
    "a set-up": lambda: development_srs(5),
    "a receipt's place": lambda: check_place(None),
    "the service's folder": data_folder,
    "the toolchain": toolchain,
}


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("kind", BAD_HOMES)
def test_a_home_that_cannot_be_is_refused_by_name(
    kind: str, ask: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = bad_home(kind, tmp_path)
    monkeypatch.setenv("ZKAGENT_HOME", home)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(HomeRefused) as caught:
        ASKS[ask]()
    assert str(caught.value).startswith(f"ZKAGENT_HOME is {home!r}, and that cannot be used (")
    assert str(caught.value).endswith(
        "set ZKAGENT_HOME to the absolute path of a folder that can be written"
    )
    assert sorted(tmp_path.rglob("*")) == before


def test_a_home_may_begin_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ZKAGENT_HOME", "~/zk")
    assert cache_root() == tmp_path / "zk"
    assert cache_folder("circuits") == tmp_path / "zk" / "circuits"
    assert (tmp_path / "zk" / "circuits").is_dir()


def test_the_platform_s_folder_is_named_when_it_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ZKAGENT_HOME", raising=False)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(HomeRefused, match=r"our folder is .*/file/zkagent, and that cannot"):
        list_circuits()
