"""Each package says what it offers: `__all__` is complete and every name in it exists."""

import importlib
from types import ModuleType

import pytest

from tests.layers import LAYERS

PACKAGES = [f"zkagent.{name}" for name in LAYERS]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_exported_name_exists(name: str) -> None:
    package = importlib.import_module(name)
    assert len(set(package.__all__)) == len(package.__all__)
    assert [member for member in package.__all__ if not hasattr(package, member)] == []


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_member_is_exported(name: str) -> None:
    package = importlib.import_module(name)
    public = {
        member
        for member, value in vars(package).items()
        if not member.startswith("_") and not isinstance(value, ModuleType)
    }
    assert public - set(package.__all__) == set()


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_says_what_it_is_for(name: str) -> None:
    docstring = importlib.import_module(name).__doc__
    assert docstring
    assert len(docstring) > 80
