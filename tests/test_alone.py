"""Who runs alone waits until nobody is in the room, and is not kept waiting by who comes later."""

import fcntl
import threading
import time
from pathlib import Path

from tests.support.alone import room
from tests.support.fleet import eventually

PATIENCE_S = 120


class Visitor(threading.Thread):
    """Stays in the room until it is told to go."""

    def __init__(self, folder: Path, *, alone: bool = False) -> None:
        super().__init__(daemon=True)
        self._folder, self._alone = folder, alone
        self.inside, self.go = threading.Event(), threading.Event()
        self.start()

    def run(self) -> None:
        with room(self._folder, alone=self._alone):
            self.inside.set()
            self.go.wait(PATIENCE_S)

    def leave(self) -> None:
        self.go.set()
        self.join(PATIENCE_S)
        assert not self.is_alive()


def somebody_is_at_the_gate(folder: Path) -> bool:
    with (folder / "gate").open("a") as gate:
        try:
            fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_many_are_inside_together_and_one_alone(tmp_path: Path) -> None:
    first, second = Visitor(tmp_path), Visitor(tmp_path)
    assert first.inside.wait(PATIENCE_S)
    assert second.inside.wait(PATIENCE_S)
    alone = Visitor(tmp_path, alone=True)
    eventually(lambda: somebody_is_at_the_gate(tmp_path))
    late = Visitor(tmp_path)
    time.sleep(0.2)
    assert not alone.inside.is_set()
    assert not late.inside.is_set()
    first.leave()
    time.sleep(0.2)
    assert not alone.inside.is_set()
    second.leave()
    assert alone.inside.wait(PATIENCE_S)
    assert not late.inside.wait(0.2)
    alone.leave()
    assert late.inside.wait(PATIENCE_S)
    late.leave()
