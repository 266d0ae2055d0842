"""Numbers of an operator, as Prometheus reads them."""

import urllib.error
import urllib.request

import pytest

from zkagent.executor.operating.events import Answered, Lost, Proven, PutOff, Sent, Suspended
from zkagent.executor.operating.metrics import Metrics, served


def test_events_are_counted_and_served_on_this_machine() -> None:
    metrics = Metrics()
    metrics(Proven(1, 2, 1.5))
    metrics(Sent(1, "0x01", 0, 9, replaces=False))
    metrics(Sent(1, "0x02", 0, 9, replaces=True))
    metrics(Answered(1, "0x02", fee=10, cost_wei=4))
    metrics(PutOff(2, "no", 2.0))
    metrics(Suspended(3, "0x03", cost_wei=7))
    metrics(Lost(3, "refunded", cost_wei=7))
    metrics.open, metrics.waiting = 3, 2
    with served(metrics, 0) as port:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/")
    for name, value in {
        "sent_total": 2,
        "replaced_total": 1,
        "answered_total": 1,
        "fees_wei_total": 10,
        "gas_wei_total": 11,
        "suspended_total": 1,
        "waiting_requests": 2,
        "put_off_total": 1,
        "proving_seconds_total": 1.5,
        "open_requests": 3,
        "lost_total": 1,
    }.items():
        assert f"zkagent_operator_{name} {value}" in lines
