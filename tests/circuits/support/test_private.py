"""A temporary folder that nobody else enters, or puts another one in the place of."""

import stat
import tempfile
from pathlib import Path

import pytest

from zkagent.circuits.errors import HomeRefused
from zkagent.circuits.support.private import private_folder


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's temporary folder, two below one whose mode a test sets."""
    (below := tmp_path / "shared" / "below").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(below))
    return tmp_path / "shared"


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o775, 0o1777])
def test_it_is_the_owners_alone_and_goes(shared: Path, mode: int) -> None:
    shared.chmod(mode)
    with private_folder() as folder:
        assert folder.parent == shared / "below"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        (folder / "file").touch()
    assert list((shared / "below").iterdir()) == []


@pytest.mark.parametrize("which", ["shared", "below"])
def test_where_everybody_may_move_it_none_is_made(shared: Path, which: str) -> None:
    writable = shared if which == "shared" else shared / "below"
    writable.chmod(0o777)
    with pytest.raises(HomeRefused) as refused, private_folder():
        pass
    assert str(refused.value) == (
        f"the temporary folder is {shared / 'below'}, and that cannot be used (everybody may move "
        f"what lies in {writable}): set TMPDIR to the absolute path of a folder of your own"
    )
    assert list((shared / "below").iterdir()) == []
