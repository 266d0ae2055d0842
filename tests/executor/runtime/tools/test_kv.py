"""Values by key: each run has its own, unless they are shared."""

from typing import Any

import pytest

from tests.support.tool_calls import call
from zkagent.executor.runtime.core.errors import ToolFault, ToolInputRefused
from zkagent.executor.runtime.memory.in_memory import InMemoryStore
from zkagent.executor.runtime.tools.kv import KeyValues, KvLimits


def kept(where: str, **more: Any) -> KeyValues:
    return KeyValues(
        database=InMemoryStore().collections() if where == "database" else None, **more
    )


@pytest.mark.parametrize("where", ["process", "database"])
def test_values_are_kept_listed_and_forgotten(where: str) -> None:
    put, get, delete, listed = kept(where).tools()
    for value in ({"a": [1, None]}, None):
        call(put, {"key": "k", "value": value})
        assert call(get, {"key": "k"}).output == value
        assert call(get, {"key": "k"}).ok
    assert call(listed).output == ["k"]
    call(delete, {"key": "k"})
    assert not call(get, {"key": "k"}).ok


@pytest.mark.parametrize("where", ["process", "database"])
def test_no_run_sees_anothers_values_unless_they_are_shared(where: str) -> None:
    put, get, *_ = kept(where).tools()
    call(put, {"key": "k", "value": 1}, run_id="a")
    assert not call(get, {"key": "k"}, run_id="b").ok
    put, get, *_ = kept(where, scope="shared").tools()
    call(put, {"key": "k", "value": 1}, run_id="a")
    assert call(get, {"key": "k"}, run_id="b").output == 1


def test_shared_values_have_to_be_allowed_by_name() -> None:
    assert all(tool.safe_by_default for tool in KeyValues().tools())
    assert not any(tool.safe_by_default for tool in KeyValues("shared").tools())


def test_a_value_that_is_changed_later_is_kept_as_it_was() -> None:
    put, get, *_ = KeyValues().tools()
    value = [1]
    call(put, {"key": "k", "value": value})
    value.append(2)
    call(get, {"key": "k"}).output.append(3)
    assert call(get, {"key": "k"}).output == [1]


def test_values_and_keys_have_limits() -> None:
    put, *_ = KeyValues(limits=KvLimits(keys=1, value_bytes=10)).tools()
    call(put, {"key": "k", "value": "12345678"})
    call(put, {"key": "k", "value": "again"})
    with pytest.raises(ToolInputRefused, match="11 bytes"):
        call(put, {"key": "k", "value": "123456789"})
    with pytest.raises(ToolFault, match="1 keys"):
        call(put, {"key": "other", "value": 1})
    for key in ("", "k" * 201, 1):
        with pytest.raises(ToolInputRefused, match="key"):
            call(put, {"key": key, "value": 1})


def test_a_run_that_is_over_can_be_forgotten() -> None:
    kept = KeyValues()
    put, get, *_ = kept.tools()
    call(put, {"key": "k", "value": 1})
    kept.forget("run-0001")
    assert not call(get, {"key": "k"}).ok
