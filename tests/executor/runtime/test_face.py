"""The face of the runtime: what it offers is there, and costs nothing until it is used."""

import pkgutil
import subprocess
import sys

from zkagent.executor import runtime


def test_every_name_of_the_face_exists() -> None:
    assert [name for name in runtime.__all__ if not hasattr(runtime, name)] == []
    assert sorted(runtime.__all__) == runtime.__all__
    assert set(runtime._MODULES) == set(runtime.__all__)


def test_no_room_has_the_name_of_something_in_the_face() -> None:
    """Importing such a room would put it in the place of what the face offers."""
    rooms = {room.name for room in pkgutil.iter_modules(runtime.__path__)}
    assert rooms & set(runtime.__all__) == set()


def test_each_name_is_the_same_after_all_rooms_were_imported() -> None:
    code = (
        "import importlib, types\n"
        "from zkagent.executor import runtime\n"
        "for name in sorted({m for m in runtime._MODULES.values()}):\n"
        "    importlib.import_module(name)\n"
        "found = {n: getattr(runtime, n) for n in runtime.__all__}\n"
        "for name, module in runtime._MODULES.items():\n"
        "    assert found[name] is getattr(importlib.import_module(module), name), name\n"
        "    assert not isinstance(found[name], types.ModuleType), name\n"
        "print(callable(found['replay']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    assert not hasattr(runtime, "Aggent")


def test_importing_the_face_loads_no_room() -> None:
    code = (
        "import sys, zkagent.executor.runtime; print([m for m in sys.modules if 'runtime.' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
