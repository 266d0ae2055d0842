"""Settings that would accept false proofs are refused, whoever made them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.small_networks import network, node, relu_network
from zkagent.circuits.errors import SettingsRefused
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.build import build_circuit
from zkagent.circuits.halo2.settings import (
    RunArguments,
    canonical,
    check_settings,
    choose_logrows,
    default_arguments,
    fewest_logrows,
    instance_count,
    least_logrows,
    to_bytes,
)
from zkagent.circuits.halo2.srs import development_srs
from zkagent.circuits.visibility import Visibility


@pytest.fixture(scope="module")
def settings(square_onnx: Path) -> dict[str, object]:
    return ezkl_engine.make_settings(square_onnx, RunArguments(), 12)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"disable_freivalds": False}, "disable_freivalds is False, must be True"),
        ({"parameter_visibility": "public"}, "parameter_visibility is public, must be fixed or"),
        ({"parameter_visibility": "polycommit"}, "parameter_visibility is polycommit"),
        ({"input_visibility": "fixed"}, "input_visibility is fixed, must be public or hashed"),
        ({"input_visibility": "hashed/private/0"}, "input_visibility is hashed/private/0"),
        ({"output_visibility": "private"}, "output_visibility is private, must be public or"),
    ],
)
def test_unsound_arguments_are_refused(
    square_onnx: Path, tmp_path: Path, change: dict[str, object], rule: str
) -> None:
    arguments = replace(RunArguments(), **change)  # type: ignore[arg-type]
    with pytest.raises(SettingsRefused, match=rule):
        build_circuit(square_onnx, cache=tmp_path, arguments=arguments)


@pytest.mark.parametrize(
    ("key", "value"),
    [("disable_freivalds", False), ("param_visibility", "Private"), ("input_visibility", "Hashed")],
)
def test_unsound_settings_are_refused_as_ezkl_writes_them(
    settings: dict[str, dict[str, object]], key: str, value: object
) -> None:
    changed = {**settings, "run_args": {**settings["run_args"], key: value}}
    with pytest.raises(SettingsRefused, match=rf"run_args\.{key} is {value}"):
        check_settings(changed, integer=True)


HASHED = {"Hashed": {"hash_is_public": True, "outlets": []}}


def test_settings_show_what_was_asked_for_and_nothing_else(settings: dict[str, Any]) -> None:
    """As ezkl writes it; a hash that only the circuit sees is none."""
    run, seen = settings["run_args"], Visibility(inputs="hashed", weights="private")
    shown = {"input_visibility": HASHED, "param_visibility": "Private"}
    check_settings({**settings, "run_args": {**run, **shown}}, True, seen)
    unseen = {"Hashed": {"hash_is_public": False, "outlets": [0]}}
    for change in ({"input_visibility": unseen}, {"param_visibility": "Fixed"}):
        changed = {**settings, "run_args": {**run, **shown, **change}}
        with pytest.raises(SettingsRefused, match=rf"run_args\.{next(iter(change))} is"):
            check_settings(changed, True, seen)
    with pytest.raises(SettingsRefused, match="input_visibility is Public"):
        check_settings(settings, True, seen)


def test_arguments_say_what_is_shown() -> None:
    assert RunArguments().visibility.open
    hidden = Visibility("private", "hashed", "hashed")
    asked = RunArguments().showing(hidden)
    assert asked.visibility == hidden
    assert asked.showing(hidden) == asked
    with pytest.raises(SettingsRefused, match="visibility is inputs private, outputs hashed"):
        asked.showing(Visibility())


def test_what_is_hidden_has_legs_for_all_integers_of_63_bits() -> None:
    for hidden in (Visibility(inputs="private"), Visibility(weights="hashed")):
        arguments = default_arguments(True, hidden)
        assert arguments.decomposition_base**arguments.decomposition_legs == 2**63
    for shown in (Visibility(), Visibility(outputs="hashed"), Visibility(weights="private")):
        assert default_arguments(True, shown) == RunArguments()


def test_real_settings_with_freivalds_columns_are_refused(tmp_path: Path) -> None:
    batch = tmp_path / "batch.onnx"
    batch.write_bytes(
        network(
            [
                node("Reshape", ["x", "s"], "r"),
                node("MatMul", ["r", "w"], "m"),
                node("Reshape", ["m", "f"], "y"),
            ],
            {"s": [4, 4], "w": [[1, 2], [3, 4], [5, 6], [7, 8]], "f": [1, 8]},
            inputs=16,
            outputs=8,
        )
    )
    made = ezkl_engine.make_settings(batch, RunArguments(disable_freivalds=False), 12)
    made["run_args"]["disable_freivalds"] = True  # so that only the columns give it away
    with pytest.raises(SettingsRefused, match=r"total_einsum_col_size is [1-9]"):
        check_settings(made, integer=True)
    check_settings(ezkl_engine.make_settings(batch, RunArguments(), 12), integer=True)


def test_scales_and_tables_have_no_place_in_an_exact_circuit(
    settings: dict[str, object],
) -> None:
    with pytest.raises(SettingsRefused, match="scales of inputs and outputs"):
        check_settings({**settings, "model_output_scales": [7]}, integer=True)
    with pytest.raises(SettingsRefused, match="required_lookups"):
        check_settings({**settings, "required_lookups": [{"Sigmoid": {}}]}, integer=True)


def test_canonical_settings_do_not_depend_on_order_or_time(tmp_path: Path) -> None:
    relu = tmp_path / "relu.onnx"
    relu.write_bytes(relu_network())
    first = ezkl_engine.make_settings(relu, default_arguments(False), 12)
    second = ezkl_engine.make_settings(relu, default_arguments(False), 12)
    for key in ("required_range_checks", "required_lookups"):
        second[key] = second[key][::-1]
    second["einsum_params"]["equations"] = second["einsum_params"]["equations"][::-1]
    assert first["timestamp"]
    assert to_bytes(canonical(first)) == to_bytes(canonical({**second, "timestamp": 1}))


@pytest.mark.parametrize(("rows", "logrows"), [(4, 6), (55, 6), (56, 7), (4087, 12), (4088, 13)])
def test_the_smallest_k_leaves_room_for_blinding(
    settings: dict[str, object], rows: int, logrows: int
) -> None:
    assert least_logrows({**settings, "num_rows": rows}) == logrows


def test_public_values_range_checks_and_tables_need_rows_too(settings: dict[str, object]) -> None:
    small = {**settings, "num_rows": 4}
    hashed = {**small, "module_sizes": {"polycommit": [], "poseidon": [4000, [1]]}}
    assert least_logrows(hashed) == fewest_logrows(hashed) == 12
    assert instance_count(hashed) == instance_count(small) + 1 == 7
    assert least_logrows({**small, "model_instance_shapes": [[1, 100], [1, 28]]}) == 8
    assert least_logrows({**small, "required_range_checks": [[-1, 1], [0, 127]]}) == 8
    assert least_logrows({**small, "required_lookups": [{"Sigmoid": {}}]}) == 17


def test_a_circuit_larger_than_any_ceremony_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(SettingsRefused, match="make the model smaller"):
        least_logrows({**settings, "num_rows": 2**26})


@pytest.mark.parametrize(("inputs", "rows", "spills"), [(2043, 4087, False), (2044, 4089, True)])
def test_reserved_rows_are_as_many_as_ezkl_needs(
    tmp_path: Path, inputs: int, rows: int, spills: bool
) -> None:
    """The most rows that stay in one block of columns at k = 12; a second block doubles the key."""
    onnx, settings = tmp_path / "dot.onnx", tmp_path / "settings.json"
    weights = [[1 + index % 7] for index in range(inputs)]
    onnx.write_bytes(
        network([node("MatMul", ["x", "w"], "y")], {"w": weights}, inputs=inputs, outputs=1)
    )
    made = ezkl_engine.make_settings(onnx, RunArguments(), 12)
    assert (made["num_rows"], least_logrows(made) > 12) == (rows, spills)
    settings.write_bytes(to_bytes(canonical(made)))
    ezkl_engine.compile_network(onnx, settings, tmp_path / "compiled")
    srs = development_srs(12, tmp_path)
    ezkl_engine.make_keys(tmp_path / "compiled", srs.path, tmp_path / "vk", tmp_path / "pk")
    assert ((tmp_path / "vk").stat().st_size > 6000) == spills


def test_more_blocks_of_columns_allow_fewer_rows(settings: dict[str, object]) -> None:
    large = {**settings, "num_rows": 4000, "model_instance_shapes": [[1, 100], [1, 28]]}
    assert choose_logrows(large, None) == 12
    assert choose_logrows(large, 10) == 10
    assert choose_logrows(large, fewest_logrows(large)) == 8
    with pytest.raises(SettingsRefused, match="logrows is 7, must be at least 8 for tables"):
        choose_logrows(large, 7)
