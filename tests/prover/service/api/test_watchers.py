"""Who may wait at once: many of one key or address leave room for others."""

import asyncio
import threading
import time
from contextlib import ExitStack

import pytest
from starlette.requests import ClientDisconnect

from zkagent.prover.service.api.routes import EventStream
from zkagent.prover.service.api.watchers import (
    LOOKING_AT_ONCE,
    MOST_PER_ADDRESS,
    MOST_PER_KEY,
    Watchers,
)
from zkagent.prover.service.errors import QuotaExceeded


def test_one_key_does_not_wait_more_often_than_it_may_and_others_do() -> None:
    watchers = Watchers()
    with ExitStack() as stack:
        for number in range(MOST_PER_KEY):
            stack.enter_context(watchers.following("alice", f"1.1.1.{number}"))
        with pytest.raises(QuotaExceeded, match="at once per key"):
            stack.enter_context(watchers.following("alice", "2.2.2.2"))
        stack.enter_context(watchers.following("bob", "1.1.1.1"))
    with watchers.following("alice", "1.1.1.1"):
        pass


def test_one_address_does_not_wait_more_often_than_it_may_and_others_do() -> None:
    watchers = Watchers()
    with ExitStack() as stack:
        for number in range(MOST_PER_ADDRESS):
            stack.enter_context(watchers.following(f"key {number}", "1.1.1.1"))
        with pytest.raises(QuotaExceeded, match="at once per address"):
            stack.enter_context(watchers.following("alice", "1.1.1.1"))
        stack.enter_context(watchers.following("alice", "1.1.1.2"))


def test_all_addresses_of_one_network_of_ipv6_are_one() -> None:
    watchers = Watchers()
    with ExitStack() as stack:
        for number in range(MOST_PER_ADDRESS):
            stack.enter_context(watchers.following(f"key {number}", f"2001:db8::{number:x}"))
        with pytest.raises(QuotaExceeded, match="at once per address"):
            stack.enter_context(watchers.following("alice", "2001:db8::ffff"))
        stack.enter_context(watchers.following("alice", "2001:db8:0:1::1"))


def test_those_who_wait_look_a_few_at_a_time() -> None:
    watchers, lock = Watchers(), threading.Lock()
    now, most, all_there = 0, 0, threading.Barrier(LOOKING_AT_ONCE)

    def ask(number: int) -> int:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        if number < LOOKING_AT_ONCE:
            all_there.wait(120)
        time.sleep(0.005)
        with lock:
            now -= 1
        return number

    async def all_of_them() -> list[int]:
        return await asyncio.gather(*(watchers.look(ask, number) for number in range(40)))

    assert asyncio.run(all_of_them()) == list(range(40))
    assert most == LOOKING_AT_ONCE


def test_a_signal_in_the_middle_of_a_change_lets_everybody_go() -> None:
    """Its handler runs on the thread that it interrupts, whatever that one holds."""
    watchers = Watchers()

    def interrupted() -> None:
        with watchers._lock:
            watchers.close()

    thread = threading.Thread(target=interrupted, daemon=True)
    thread.start()
    thread.join(120)
    assert not thread.is_alive()
    assert watchers.closing


def test_a_stream_whose_peer_is_gone_before_the_first_word_counts_no_longer() -> None:
    watchers = Watchers()

    async def stream() -> None:
        async def words():  # type: ignore[no-untyped-def]
            yield "never"

        async def gone(_: object) -> None:
            raise OSError

        held = ExitStack()
        held.enter_context(watchers.following("alice", "1.1.1.1"))
        answer = EventStream(words(), held)
        with pytest.raises(ClientDisconnect):
            await answer({"type": "http", "asgi": {"spec_version": "2.4"}}, asyncio.sleep, gone)

    asyncio.run(stream())
    with ExitStack() as stack:
        for _ in range(MOST_PER_KEY):
            stack.enter_context(watchers.following("alice", "1.1.1.1"))
