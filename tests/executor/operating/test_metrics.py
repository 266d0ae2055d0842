"""Numbers of an operator, as Prometheus reads them."""

import urllib.error
import urllib.request

import pytest

from zkagent.executor.operating.events import Answered, Proven, PutOff, Sent
from zkagent.executor.operating.metrics import Metrics, served


def test_events_are_counted_and_served_on_this_machine() -> None:
    metrics = Metrics()
    metrics(Proven(1, 2, 1.5))
    metrics(Sent(1, "0x01", 0, 9, replaces=False))
    metrics(Sent(1, "0x02", 0, 9, replaces=True))
    metrics(Answered(1, "0x02", fee=10, cost_wei=4))
    metrics(PutOff(2, "no", 2.0))
    metrics.open = 3
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
        "gas_wei_total": 4,
        "put_off_total": 1,
        "proving_seconds_total": 1.5,
        "open_requests": 3,
        "lost_total": 0,
    }.items():
        assert f"zkagent_operator_{name} {value}" in lines
