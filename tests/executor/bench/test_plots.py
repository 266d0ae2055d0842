"""The pictures: valid, small, and with the right numbers in them."""

import builtins
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.executor.bench.made_results import evaluated, network, proven, results, two_networks
from zkagent.executor.bench import series
from zkagent.executor.bench.breakeven import crossings, interpolate
from zkagent.executor.bench.plots import DPI, PLOTS, SIZE_INCHES, draw_all, require_matplotlib
from zkagent.executor.bench.series import Style
from zkagent.executor.errors import BenchExtraMissing


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height out of the header (RFC 2083)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert data[12:16] == b"IHDR"
    assert data[-8:-4] == b"IEND"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def test_all_four_are_small_valid_pngs() -> None:
    drawn = draw_all(two_networks())
    assert list(drawn) == list(PLOTS)
    for data in drawn.values():
        assert png_size(data) == tuple(int(inches * DPI) for inches in SIZE_INCHES)
        assert len(data) < 100_000


def test_nothing_is_drawn_of_nothing() -> None:
    assert draw_all(results()) == {}


def test_proving_time_is_by_cells_with_a_series_for_each_form() -> None:
    ours, defaults = series.prove_time(two_networks())
    assert ours.label == "zkagent"
    assert ours.points == ((2000, 0.4), (2000, 0.4), (8000, 1.6), (32_000, 6.4))
    assert ours.errors[0] == pytest.approx((0.02, 0.04))
    assert defaults.label == "ezkl's own calibration"
    assert defaults.points == ((20_000, 4.0),)


def test_gas_per_decision_falls_with_the_batch_beside_the_evm_s_level() -> None:
    proofs, level = series.gas_by_batch(two_networks())
    assert proofs.points == ((1, 320_000), (4, 95_000), (16, 38_750))
    assert level.points == ((1, 20_000), (16, 20_000))
    assert level.style is Style.LEVEL
    assert proofs.group == level.group


def test_points_close_to_each_other_have_their_names_in_one() -> None:
    points = ((10.0, 1.0), (11.0, 2.0), (13.5, 3.0), (20.0, 4.0), (21.0, 5.0))
    drawn = series.Series("sizes", points, labels=("S", "M", "L", "XL", "XXL"))
    assert list(drawn.names()) == [("S, M", points[1]), ("L", points[2]), ("XL, XXL", points[4])]
    assert list(series.Series("no names", points).names()) == []


def test_accuracy_is_the_circuit_s_or_an_exact_network_s_own() -> None:
    measured = proven("mlp-square", agreement=None)
    made = two_networks()
    assert [one.style for one in series.accuracy(made)] == [Style.HOLLOW]  # ours was not compared
    agreeing = measured.model_copy(update={"agreement": made.networks[0].accuracy})
    assert agreeing.agreement is not None
    whole = agreeing.agreement.model_copy(update={"hits": 1000})
    exact = measured.model_copy(update={"agreement": whole})
    ours, defaults = series.accuracy(made.model_copy(update={"cases": (exact, *made.cases[3:4])}))
    assert ours.points == ((0.4, pytest.approx(99.4)),)
    assert (ours.label, defaults.label, defaults.group) == ("64-32-8 MLP", "", "64-32-8 MLP")
    assert defaults.points == ((4.0, 98.5),)


def test_the_lines_cross_where_ten_gas_for_a_multiply_add_reach_a_proof() -> None:
    one, four, sixteen = crossings(two_networks())
    assert one.multiply_adds == pytest.approx(32_000)
    assert four.multiply_adds == pytest.approx(9_500)
    assert sixteen.multiply_adds == pytest.approx(3_875)
    assert not one.measured  # no proof of more than 2,000 multiply-adds was measured
    assert [line.label for line in series.break_even(two_networks())] == [
        "computed by the EVM",
        "a proof for 1 decision",
        "a proof for 16 decisions",
    ]


def test_a_crossing_between_measured_costs_is_marked_as_measured() -> None:
    names = ("small", "large")
    made = results(
        [
            network(n, family="width", multiply_adds=m)
            for n, m in zip(names, (10, 100), strict=True)
        ],
        [
            *(proven(name, verify_gas=500) for name in names),
            evaluated("small", 100),
            evaluated("large", 1000),
        ],
    )
    (crossing,) = crossings(made)
    assert (crossing.multiply_adds, crossing.measured) == (pytest.approx(50), True)


def test_networks_with_as_many_multiply_adds_count_once_the_cheaper_one() -> None:
    sizes = {"small": 10, "large": 100, "dear": 100}
    made = results(
        [network(n, family="width", multiply_adds=m) for n, m in sizes.items()],
        [
            proven("small", verify_gas=500),
            *(evaluated(n, gas) for n, gas in (("small", 100), ("large", 1000), ("dear", 9000))),
        ],
    )
    (crossing,) = crossings(made)
    assert crossing.multiply_adds == pytest.approx(50)


def test_there_is_no_break_even_where_evaluation_never_costs_more() -> None:
    made = results(
        [network(n, family="width", multiply_adds=m) for n, m in (("a", 10), ("b", 100))],
        [proven("a"), evaluated("a", 100), evaluated("b", 90)],
    )
    assert crossings(made) == []


@pytest.mark.parametrize(("at", "value"), [(0, 1), (1, 1), (2, 2), (3, 3), (9, 3)])
def test_interpolation_is_flat_outside(at: float, value: float) -> None:
    assert interpolate([(1, 1), (3, 3)], at) == value


def test_missing_matplotlib_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(
        name: str,
        globals_: Mapping[str, Any] | None = None,
        locals_: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, globals_, locals_, fromlist, level)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(BenchExtraMissing, match=r"pip install -e '\.\[bench\]'"):
        require_matplotlib()
