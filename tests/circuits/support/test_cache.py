"""Where caches lie, for every package."""

from pathlib import Path

import pytest

from zkagent.circuits.support.cache import cache_root


def test_the_cache_is_where_zkagent_home_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path))
    assert cache_root() == tmp_path
    monkeypatch.delenv("ZKAGENT_HOME")
    assert cache_root().name == "zkagent"


def test_a_given_cache_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZKAGENT_HOME", str(tmp_path / "home"))
    assert cache_root(tmp_path / "given") == tmp_path / "given"
