"""Real services and workers in processes of their own, and a Postgres server for them."""

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.ports import HeldPort
from tests.support.processes import marked
from zkagent.prover.client import ServiceClient
from zkagent.prover.service.fakes.catalogue import FakeCatalogue
from zkagent.prover.service.queue.database import Database
from zkagent.prover.service.queue.engine import prepare_engine
from zkagent.prover.service.queue.tables import proofs

MARK = "ZKAGENT_TEST_FLEET"
POSTGRES_FOLDERS = "/usr/lib/postgresql"


@dataclass
class Member:
    """One process of a fleet. `said`: its first line on stdout."""

    name: str
    process: subprocess.Popen[str]
    said: str
    log: Path

    def kill(self) -> None:
        """SIGKILL, as an out-of-memory killer would."""
        self.process.kill()
        self.process.wait()

    def stop(self, timeout_s: float = 120.0) -> int:
        """SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        return self.process.wait(timeout_s)

    @property
    def pid(self) -> int:
        return self.process.pid


@dataclass
class Fleet:
    """Services and workers on one database. catalogue: None for real circuits in `home`. logs:
    where what they say goes, `home` by default."""

    home: Path
    database_url: str
    catalogue: FakeCatalogue | None
    options: tuple[str, ...] = ()
    logs: Path | None = None
    environment: dict[str, str] = field(default_factory=dict)
    members: list[Member] = field(default_factory=list)
    held: HeldPort | None = None
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def serve(self, *options: str, slots: int = 1) -> Member:
        """Start a service; later ones take over its port."""
        self.held = self.held or HeldPort()
        return self._start("serve", "--port", str(self.port), "--slots", str(slots), *options)

    def work(self, *options: str, catalogue: FakeCatalogue | None = None) -> Member:
        """Start a worker; catalogue: its own, if it is unlike the others."""
        return self._start("worker", *options, catalogue=catalogue)

    def client(self, key: str | None = None, patience_s: float = 60.0) -> ServiceClient:
        return ServiceClient(self.url, key=key, patience_s=patience_s)

    @property
    def port(self) -> int:
        """Of the services; raises AssertionError before the first."""
        assert self.held
        return self.held.number

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def database(self) -> Iterator[Database]:
        database = Database(self.database_url)
        try:
            yield database
        finally:
            database.close()

    def proof(self, proof_id: str) -> sa.Row[tuple[object, ...]]:
        """The proof's row in the database."""
        with self.database() as database, database.read() as connection:
            return connection.execute(sa.select(proofs).where(proofs.c.id == proof_id)).one()

    def prepare(self) -> None:
        """Create the tables before the first process."""
        with self.database() as database:
            database.prepare()
            prepare_engine(database)

    def end(self) -> None:
        for member in self.members:
            if member.process.poll() is None:
                member.process.send_signal(signal.SIGCONT)
                member.process.terminate()
        for member in self.members:
            with contextlib.suppress(subprocess.TimeoutExpired):
                member.process.wait(120)
            member.process.kill()
            member.process.wait()
            assert member.process.stdout
            member.process.stdout.close()
        if self.held:
            self.held.close()

    def survivors(self) -> list[str]:
        """Command lines of what this fleet has started, children included, and still runs."""
        return [command for _, command in marked(f"{MARK}={self.mark}")]

    def _start(self, command: str, *options: str, catalogue: FakeCatalogue | None = None) -> Member:
        name = f"{command}-{next(self._numbers)}"
        log = (self.logs or self.home) / f"{name}.log"
        words = [
            sys.executable,
            "-m",
            "zkagent",
            command,
            "--database",
            self.database_url,
        ]
        words += [*options, *self.options]
        if catalogue := catalogue or self.catalogue:
            path = (self.home if catalogue is self.catalogue else catalogue.folder) / "fake.json"
            catalogue.write(path)
            words += ["--fake", str(path)]
        environment = {**os.environ, "ZKAGENT_HOME": str(self.home), MARK: self.mark}
        environment |= self.environment
        with log.open("w") as errors:
            process = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
            )
        member = Member(name, process, "", log)
        self.members.append(member)
        assert process.stdout
        member.said = process.stdout.readline().strip()
        if not member.said:
            self.end()
            raise AssertionError(f"{name} did not start: {log.read_text()[-2000:]}")
        return member


def eventually(condition: Callable[[], object], timeout_s: float = 120.0) -> None:
    """Wait for a condition to hold."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"not within {timeout_s} s"
        time.sleep(0.02)


@contextmanager
def postgres() -> Iterator[str]:
    """A Postgres server of our own on a free port: its URL. Skips where there is none."""
    folder = postgres_programs()
    if folder is None:
        pytest.skip("Postgres is not installed; .ci/postgres installs it on Debian")
    with HeldPort() as held, tempfile.TemporaryDirectory(prefix="zkagent-pg-") as data:
        as_user = _unprivileged(Path(data))
        _run(folder / "initdb", "-D", f"{data}/db", "-A", "trust", "-U", "zkagent", user=as_user)
        options = f"-p {held.number} -c listen_addresses=127.0.0.1 -k {data} -c fsync=off"
        log = f"{data}/log"
        control = (folder / "pg_ctl", "-D", f"{data}/db", "-w", "-l", log)
        _run(*control, "-o", options, "start", user=as_user)
        try:
            yield f"postgresql://zkagent@127.0.0.1:{held.number}/postgres"
        finally:
            _run(*control, "-m", "immediate", "stop", user=as_user)


@contextmanager
def restart_postgres(url: str) -> Iterator[None]:
    """The server behind this URL of `postgres` is killed, and started again at the end."""
    folder = postgres_programs()
    assert folder
    with sa.create_engine(Database(url).url).connect() as connection:
        data = str(connection.exec_driver_sql("SHOW data_directory").scalar_one())
    user = Path(data).owner() if os.getuid() == 0 else None
    port = sa.make_url(url).port
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {Path(data).parent} -c fsync=off"
    control = (folder / "pg_ctl", "-D", data, "-w", "-l", Path(data).parent / "log")
    _run(*control, "-m", "immediate", "stop", user=user)
    try:
        yield
    finally:
        _run(*control, "-o", options, "start", user=user)


def emptied(url: str) -> str:
    """A database whose tables, ours and the engine's, have been emptied: its URL."""
    query = """SELECT string_agg(format('%%I.%%I', schemaname, tablename), ', ') FROM pg_tables
        WHERE schemaname IN ('public', 'dbos') AND tablename NOT LIKE '%%migrations'"""
    engine = sa.create_engine(Database(url).url)
    with engine.begin() as connection:
        if tables := connection.exec_driver_sql(query).scalar_one():
            connection.exec_driver_sql(f"TRUNCATE {tables} CASCADE")
    engine.dispose()
    return url


def postgres_programs() -> Path | None:
    """The folder with initdb and pg_ctl, of the newest version."""
    found = sorted(Path(POSTGRES_FOLDERS).glob("*/bin/pg_ctl"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("pg_ctl")
    return Path(on_path).resolve().parent if on_path else None


def _unprivileged(data: Path) -> str | None:
    """Postgres does not run as root: give its folder to a user who may."""
    if os.getuid() != 0:
        return None
    user = next(
        n for n in ("postgres", "nobody") if n in {entry.pw_name for entry in pwd.getpwall()}
    )
    shutil.chown(data, user)
    return user


def _run(*words: object, user: str | None) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
    subprocess.run(
        [str(word) for word in words],
        check=True,
        stdout=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        cwd="/",
        user=user,
        env=environment,
    )
