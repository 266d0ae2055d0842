"""`make` in an agent's folder finds the chain that was begun beside it, and asks settings else."""

import os
import subprocess
from pathlib import Path

import pytest

from zkagent.verifier_contracts.scaffold import project

URL = "http://127.0.0.1:41305"
#: What a make around the tests, or a user, may have said.
SAID = {"RPC", "KEY", "DEPLOYMENT", "ARGS", "PROMPT", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of an agent; `zkagent` says what it was told."""
    for name in ("bin", "Kennel"):
        (tmp_path / name).mkdir()
    told = tmp_path / "bin" / "zkagent"
    told.write_text('#!/bin/sh\nfor each in "$@"; do printf "%s|" "$each"; done\n')
    told.chmod(0o755)
    (tmp_path / "Kennel" / "Makefile").write_text((project.HERE / "Makefile.txt").read_text())
    return tmp_path / "Kennel"


def made(folder: Path, *words: str) -> list[str]:
    there = {key: text for key, text in os.environ.items() if key not in SAID}
    there |= {"PATH": f"{folder.parent / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["make", "-s", "-C", folder, "--no-print-directory", *words],
        env=there,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split("|")[:-1]


def test_the_chain_beside_the_folder_is_found(folder: Path) -> None:
    chain = folder.parent / "chain"
    chain.mkdir()
    for name in ("owner.key", "deployment.json"):
        (chain / name).write_text("")
    key = ["--key-file", "../chain/owner.key"]
    run = made(folder, "run", "PROMPT=feed Rex 200 grams", f"RPC={URL}")
    assert run == ["agent", "run", ".", "feed Rex 200 grams", "--rpc", URL, *key]
    deployment = ["--deployment", "../chain/deployment.json"]
    deploy = made(folder, "deploy", f"RPC={URL}", "ARGS=--arg feed=0x1")
    expected = ["agent", "deploy", ".", "--rpc", URL, *key, *deployment, "--arg", "feed=0x1"]
    assert deploy == expected
    assert (folder / key[1]).exists()


def test_what_is_neither_there_nor_said_is_left_to_settings(folder: Path) -> None:
    assert made(folder, "run", "PROMPT=feed Rex") == ["agent", "run", ".", "feed Rex"]
    assert made(folder, "deploy") == ["agent", "deploy", "."]
    assert made(folder, "audit") == ["agent", "audit", "."]
    assert made(folder, "run", "KEY=k", f"RPC={URL}") == [
        *("agent", "run", ".", "--rpc", URL, "--key-file", "k")
    ]
