"""The SQLite file: nothing in it can be read without its key, and nothing acknowledged is lost."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.executor.runtime.memory.stage import done
from tests.support.processes import environment
from zkagent.executor.runtime.core.errors import MemoryFault
from zkagent.executor.runtime.memory.encrypted import VARIABLE, new_key, read_key, rekey
from zkagent.executor.runtime.memory.retention import Limits, Retention
from zkagent.executor.runtime.memory.sqlite import open_sqlite

PLANTED = "4111111111111111-planted-Geheimnis"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store" / "agent.db"


def files_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_nothing_that_was_written_stands_in_any_file(path: Path, key_file: Path) -> None:
    """Values, names, words of the index; while it is open, after changes and clearings, closed."""
    store = open_sqlite(path, key_file=key_file, limits=Limits(streams=Retention(most=50)))
    notes, facts = store.streams(f"n-{PLANTED}"), store.collections()
    for number in range(100):
        done(notes.append(f"s-{PLANTED}", [PLANTED, "x" * 3000, number]))
    done(facts.write(f"c-{PLANTED}", f"k-{PLANTED}", {PLANTED: PLANTED}), notes.search("planted"))
    done(facts.clear(f"c-{PLANTED}"))
    during = files_of(path.parent)
    done(store.close())
    assert set(during) == {"agent.db", "agent.db-wal", "agent.db-shm"}
    key = key_file.read_text().strip()
    for name, content in {**during, **files_of(path.parent)}.items():
        lower = content.lower()
        for text in (PLANTED, "geheimnis", "planted", "zkagent", "SQLite format", "xxxxxxxx", key):
            assert text.lower().encode() not in lower, (name, text)
        assert bytes.fromhex(key) not in content


def test_the_same_search_finds_it_in_a_file_without_encryption(tmp_path: Path) -> None:
    """So that the test above could fail."""
    import sqlite3

    with sqlite3.connect(tmp_path / "plain.db") as connection:
        connection.execute("CREATE TABLE t (value)")
        connection.execute("INSERT INTO t VALUES (?)", [PLANTED])
    connection.close()
    assert PLANTED.encode() in (tmp_path / "plain.db").read_bytes()


def test_only_its_owner_may_read_the_file_and_the_key(path: Path, key_file: Path) -> None:
    store = open_sqlite(path, key_file=key_file)
    done(store.streams().append("notes", 1))
    for file in (*path.parent.iterdir(), key_file):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    done(store.close())


def test_with_another_key_it_is_refused_and_stays_as_it_is(
    path: Path, key_file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = open_sqlite(path, key_file=key_file)
    done(store.streams().append("notes", "kept"), store.close())
    before = files_of(path.parent)
    new_key(tmp_path / "other.key")
    with pytest.raises(
        MemoryFault, match=r"agent.db cannot be opened: it has another key"
    ) as caught:
        open_sqlite(path, key_file=tmp_path / "other.key")
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")
    assert files_of(path.parent) == before
    again = open_sqlite(path, key_file=key_file)
    assert done(again.streams().read("notes")) == ["kept"]
    done(again.close())


@pytest.mark.parametrize("content", [b"SQLite format 3\0" + bytes(4080), b"no database" * 500])
def test_what_is_no_file_of_ours_is_refused_and_stays(
    path: Path, key_file: Path, content: bytes
) -> None:
    path.write_bytes(content)
    with pytest.raises(MemoryFault, match="another key, or is damaged"):
        open_sqlite(path, key_file=key_file)
    assert files_of(path.parent) == {"agent.db": content}


def test_a_byte_that_was_changed_is_noticed(path: Path, key_file: Path) -> None:
    store = open_sqlite(path, key_file=key_file)
    done(*(store.streams().append("notes", "x" * 3000) for _ in range(20)), store.close())
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 + 100] ^= 1
    path.write_bytes(content)
    with pytest.raises(MemoryFault, match=r"agent.db"):
        done(open_sqlite(path, key_file=key_file).streams().read("notes"))


@pytest.mark.parametrize("text", ["", "ab" * 31, "zz" * 32, "ab" * 32 + "cd", "\x00"])
def test_a_key_is_64_digits_and_is_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / "bad.key").write_text(text)
    with pytest.raises(MemoryFault, match="64 hexadecimal digits") as caught:
        read_key(tmp_path / "bad.key")
    assert not text or text not in str(caught.value)
    monkeypatch.setenv(VARIABLE, "AB" * 32)
    assert read_key() == "ab" * 32
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(MemoryFault, match=f"{VARIABLE} has no key"):
        read_key()


def test_a_missing_key_file_says_so(tmp_path: Path, path: Path) -> None:
    with pytest.raises(MemoryFault, match=r"none.key cannot be read: No such file"):
        open_sqlite(path, key_file=tmp_path / "none.key")
    assert not path.exists()


def test_a_key_is_never_written_over_another(key_file: Path) -> None:
    before = key_file.read_text()
    with pytest.raises(MemoryFault, match="File exists"):
        new_key(key_file)
    assert key_file.read_text() == before


def test_with_a_new_key_it_opens_and_with_the_old_one_no_more(
    path: Path, key_file: Path, tmp_path: Path
) -> None:
    store = open_sqlite(path, key_file=key_file)
    done(store.streams().append("notes", "kept"), store.close())
    new_key(tmp_path / "new.key")
    rekey(path, read_key(key_file), read_key(tmp_path / "new.key"))
    with pytest.raises(MemoryFault, match="another key"):
        open_sqlite(path, key_file=key_file)
    again = open_sqlite(path, key_file=tmp_path / "new.key")
    assert done(again.streams().read("notes")) == ["kept"]
    done(again.close())


def test_an_open_file_keeps_its_key(path: Path, key_file: Path) -> None:
    store = open_sqlite(path, key_file=key_file)
    done(store.streams().append("notes", "kept"))
    with pytest.raises(MemoryFault, match=r"still the old one|in use"):
        rekey(path, read_key(key_file), "ab" * 32)
    assert done(store.streams().append("notes", 2), store.streams().read("notes")) == ["kept", 2]
    done(store.close())


REKEYER = """
import sys
from pathlib import Path
from zkagent.executor.runtime.memory.encrypted import read_key, rekey

keys = [read_key(Path(name)) for name in sys.argv[2:]]
print("begins", flush=True)
rekey(Path(sys.argv[1]), *keys)
"""


@pytest.mark.parametrize("after_s", [0.0, 0.02, 0.06])
def test_whoever_is_killed_while_changing_the_key_leaves_one_that_opens_it(
    path: Path, key_file: Path, tmp_path: Path, after_s: float
) -> None:
    store = open_sqlite(path, key_file=key_file)
    done(*(store.streams().append("notes", [n, "x" * 900_000]) for n in range(10)), store.close())
    keys = [key_file, tmp_path / "new.key"]
    new_key(keys[1])
    words = [sys.executable, "-c", REKEYER, str(path), *map(str, keys)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdout
        process.stdout.readline()
        time.sleep(after_s)
        process.kill()
    found = [counted(path, key) for key in keys]
    assert sorted(found) == [0, 10]


def counted(path: Path, key_file: Path) -> int:
    """How many notes a key shows; 0 with a wrong one."""
    try:
        store = open_sqlite(path, key_file=key_file)
    except MemoryFault:
        return 0
    notes = done(store.streams().read("notes"))
    done(store.close())
    return len(notes)


WRITER = """
import asyncio, sys
from pathlib import Path
from zkagent.executor.runtime.memory.sqlite import open_sqlite

async def main():
    store = open_sqlite(Path(sys.argv[1]), key_file=Path(sys.argv[2]))
    for number in range(100_000):
        await store.streams().append("notes", [sys.argv[3], number])
        await store.collections().write("last", sys.argv[3], number)
        print(number, flush=True)

asyncio.run(main())
"""


def writer(path: Path, key_file: Path, name: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WRITER, str(path), str(key_file), name]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment())


def test_nothing_acknowledged_is_lost_when_writers_are_killed(
    path: Path, key_file: Path, tmp_path: Path
) -> None:
    """Two processes append to one stream, and end in the middle of it, without a word; then
    somebody tries another key on what they left."""
    done(open_sqlite(path, key_file=key_file).close())
    writers = {name: writer(path, key_file, name) for name in "ab"}
    acknowledged = {}
    for name, process in writers.items():
        assert process.stdout
        for _ in range(20):
            line = process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        rest = process.stdout.read().splitlines()
        process.wait()
        process.stdout.close()
        acknowledged[name] = int(([line, *rest])[-1])
    new_key(tmp_path / "other.key")
    before = files_of(path.parent)
    assert before["agent.db-wal"]
    with pytest.raises(MemoryFault, match="another key"):
        open_sqlite(path, key_file=tmp_path / "other.key")
    after = files_of(path.parent)
    assert (after["agent.db"], after["agent.db-wal"]) == (
        before["agent.db"],
        before["agent.db-wal"],
    )
    store = open_sqlite(path, key_file=key_file)
    found = done(store.streams().read("notes"))
    last = {name: done(store.collections().read("last", name)) for name in "ab"}
    done(store.close())
    for name, number in acknowledged.items():
        mine = [count for who, count in found if who == name]
        assert mine == list(range(len(mine)))
        assert len(mine) > number
        assert last[name] >= number
