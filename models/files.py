"""A model's folder: a manifest, and files whose digests the manifest names.

Both kinds of models lie on disk this way (catalogue.py, classifier/files.py).
"""

import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from zkagent.models.errors import CorruptModel, DatasetError, ManifestError
from zkagent.models.strict_json import MOST_BYTES, load_json

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

#: Where a process finds what it was started with.
INHERITED = (Path("/dev/fd"), Path("/proc/self/fd"))


class Record(BaseModel):
    """Part of a manifest: frozen, and without fields that nobody knows."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ManifestRecord(Record):
    """A whole manifest, in one canonical text."""

    def to_json(self) -> str:
        """The canonical text: two-space indent, fields in order of definition, a final newline."""
        return json.dumps(self.model_dump(mode="json"), indent=2) + "\n"

    @property
    def digest(self) -> str:
        """SHA-256 hex of the canonical text."""
        return sha256(self.to_json().encode())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read and check `path`. Raises ManifestError with the first field that is wrong."""
        try:
            content = read_limited(path)
            load_json(content)
            return cls.model_validate_json(content)
        except OSError as exc:
            raise ManifestError(
                f"{path} cannot be read ({exc.strerror}): give a folder that "
                "`zkagent model train` or `train-classifier` wrote"
            ) from exc
        except ValidationError as exc:
            first = exc.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "the document"
            raise ManifestError(f"{path}: {where}: {first['msg']}: restore the file") from exc
        except ValueError as exc:
            raise ManifestError(f"{path}: {exc}: restore the file") from exc


MOST_MODEL_BYTES = 1 << 28  # of one of a model's files


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def open_regular(path: Path) -> BufferedReader:
    """A file of the disk for reading, or a pipe that this process was started with, as shells do
    for `<(command)`. Raises OSError, also for any other pipe, on which whoever opens it would wait
    for somebody to write, and for a device, which may have no end."""
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(number).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if stat.S_ISFIFO(mode) and path.parent in INHERITED:
            os.set_blocking(number, True)
        elif not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
    except OSError:
        os.close(number)
        raise
    return os.fdopen(number, "rb")


def read_limited(path: Path, most: int = MOST_BYTES) -> bytes:
    """A stranger's file, which may be long. Raises OSError, also for a longer one."""
    with open_regular(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is longer than {most:,} bytes", str(path))
    return content


def json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """Where each row stands (file and line), and its value; blank lines are none. Raises
    DatasetError."""
    try:
        lines = read_limited(path, MOST_MODEL_BYTES).decode().split("\n")
    except OSError as exc:
        raise DatasetError(f"{path} cannot be read ({exc.strerror})") from exc
    except UnicodeDecodeError as exc:
        raise DatasetError(f"{path} is not UTF-8 text (byte {exc.start}): save it as such") from exc
    for number, line in enumerate(lines, start=1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                yield where, load_json(line)
            except ValueError as exc:
                raise DatasetError(
                    f"{where} is not JSON ({exc}): write one object per line"
                ) from exc


def read_checked(path: Path, expected: str) -> bytes:
    """The file, if it has the digest that its manifest names. Raises CorruptModel."""
    try:
        data = read_limited(path, MOST_MODEL_BYTES)
    except OSError as exc:
        if exc.errno == errno.EFBIG:
            raise CorruptModel(str(path), expected, "(too long)") from exc
        raise CorruptModel(str(path), expected, "(missing)") from exc
    if sha256(data) != expected:
        raise CorruptModel(str(path), expected, sha256(data))
    return data


__all__ = [
    "MOST_BYTES",
    "ManifestRecord",
    "Record",
    "Sha256",
    "open_regular",
    "read_checked",
    "read_limited",
    "sha256",
]
