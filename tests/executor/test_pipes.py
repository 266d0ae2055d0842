"""Files that are none: whoever opens a pipe must not wait for somebody to write into it."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account

from tests.support.small_networks import network, node
from zkagent.circuits.errors import CircuitError
from zkagent.circuits.halo2.srs import import_srs
from zkagent.circuits.networks.network import read_network
from zkagent.circuits.networks.samples import load_samples
from zkagent.circuits.support.cache import file_digest
from zkagent.errors import ZkagentError
from zkagent.executor.cli.standard_input import read_some
from zkagent.executor.receipts.format import load_receipt
from zkagent.executor.runs.journal import Journal
from zkagent.executor.runs.keys import load_key
from zkagent.models.files import open_regular, read_checked, read_limited

PATIENCE_S = 120


@pytest.fixture
def impatient() -> Iterator[None]:
    """A reader that waits fails instead of waiting for ever."""

    def waited(number: int, frame: object) -> None:
        raise TimeoutError("it waits for a pipe")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(PATIENCE_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(path := tmp_path / "pipe.json")
    return path


def samples(path: Path) -> Any:
    onnx = path.with_name("model.onnx")
    onnx.write_bytes(network([node("Identity", ["x"], "y")], {}, outputs=4))
    return load_samples(path, read_network(onnx))


READERS: dict[str, Callable[[Path], Any]] = {
    "any file": read_limited,
    "a model's file": lambda path: read_checked(path, "00" * 32),
    "a receipt": load_receipt,
    "a set-up": import_srs,
    "a network": read_network,
    "samples": samples,
    "a digest": file_digest,
    "what a command names": read_some,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_pipe_is_refused(reader: Callable[[Path], Any], pipe: Path, impatient: None) -> None:
    with pytest.raises((ZkagentError, OSError)) as caught:
        reader(pipe)
    assert not isinstance(caught.value, TimeoutError)


def test_a_pipe_among_the_records_of_runs_is_a_damaged_one(pipe: Path, impatient: None) -> None:
    found, damaged = Journal(pipe.parent).look()
    assert found == ()
    (reason,) = damaged
    assert "it is no regular file" in str(reason)


def test_devices_and_folders_are_named_for_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no regular file"):
        read_limited(Path("/dev/zero"))
    with pytest.raises(IsADirectoryError):
        read_limited(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_limited(tmp_path / "nowhere")
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("file")
    with open_regular(tmp_path / "link") as file:
        assert file.read() == b"abc"


def test_a_pipe_of_a_set_up_says_so(pipe: Path, impatient: None) -> None:
    with pytest.raises(CircuitError, match="no regular file"):
        import_srs(pipe)


@pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd"])
def test_a_pipe_that_a_shell_opened_is_read_to_its_end(folder: str, impatient: None) -> None:
    """As in `--key-file <(command)`, whose command may take a while."""
    reading, writing = os.pipe()
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(read_limited, Path(folder) / str(reading))
        for part in (b"a", b"bc"):
            time.sleep(0.1)
            os.write(writing, part)
        os.close(writing)
        assert found.result(PATIENCE_S) == b"abc"
    os.close(reading)


def test_a_key_may_come_by_such_a_pipe(tmp_path: Path) -> None:
    key = "11" * 32
    reading, writing = os.pipe()
    os.write(writing, key.encode())
    os.close(writing)
    assert load_key(Path(f"/dev/fd/{reading}")).address == Account.from_key(key).address
    os.close(reading)
