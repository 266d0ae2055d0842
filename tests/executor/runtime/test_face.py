"""The face of the runtime: what it offers is there, and costs nothing until it is used."""

import subprocess
import sys

from zkagent.executor import runtime


def test_every_name_of_the_face_exists() -> None:
    assert [name for name in runtime.__all__ if not hasattr(runtime, name)] == []
    assert sorted(runtime.__all__) == runtime.__all__
    assert set(runtime._MODULES) == set(runtime.__all__)


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    assert not hasattr(runtime, "Aggent")


def test_importing_the_face_loads_no_room() -> None:
    code = (
        "import sys, zkagent.executor.runtime; print([m for m in sys.modules if 'runtime.' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
