"""Every check of an audit is needed: of an honest deployment one thing is made other than it is,
and the check that is for it says so. What contracts of others do is in test_hostile_contracts.py.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.crypto import keccak

from tests.support.altered_chain import AlteredReader, with_word
from zkagent.circuits.artifacts import Circuit
from zkagent.executor.audit import sources
from zkagent.executor.audit.agent import audit_agent, pool_of
from zkagent.executor.audit.code import Code, Place
from zkagent.executor.audit.model import (
    Audited,
    audit,
    model_contract_checks,
    registered_checks,
)
from zkagent.executor.audit.wiring import (
    MOST_SHOWN,
    NOBODY,
    places,
    pool_place,
    read_wiring,
    token_place,
)
from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import BatchVerifier, Block
from zkagent.executor.chain.embedded import EmbeddedChain
from zkagent.executor.chain.limits import MOST_BATCH, MOST_COMPONENTS, MOST_TOOLS
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.chain.web3_agent import Web3Agent, read_book
from zkagent.executor.chain.web3_registry import Web3Registry
from zkagent.executor.errors import CannotVerify, NoAgentThere
from zkagent.executor.receipts.verdicts import Check
from zkagent.executor.runs.session import Session
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import contract

STRANGER = "0x" + "77" * 20
FOREIGN = bytes.fromhex("5f355f55")
DELEGATED = bytes.fromhex("ef0100" + "77" * 20)


@dataclass
class Scene:
    """An honest deployment, read through a reader whose answers may be altered."""

    reader: AlteredReader
    block: Block
    agent: str
    decoder: str
    model: Model
    circuit: Circuit

    @property
    def code(self) -> Code:
        return Code(self.reader, self.block)

    def wiring(self) -> Any:
        return read_wiring(self.reader, self.agent, self.block)

    def audited(self) -> list[Check]:
        return list(audit_agent(self.code, self.wiring(), self.decoder))

    def problems(self) -> list[str]:
        return [str(check) for check in self.audited() if not check.held]

    def only(self) -> Check:
        """The one check that does not hold."""
        (found,) = [check for check in self.audited() if not check.held]
        return found

    def bound_to(self, **others: Any) -> Audited:
        wiring = self.wiring()
        bound = Web3Registry(self.reader, wiring.registry).model(wiring.model_id, self.block)
        given = Audited(self.code, wiring.registry, bound, self.model, self.circuit)
        return replace(given, executor=wiring.executor, **others)

    def pointed(self, place: Place, name: str) -> str:
        return self.code.recognised(place).address(name)


@pytest.fixture(scope="module")
def kept() -> dict[Any, Any]:
    return {}


@pytest.fixture(scope="module")
def standing(opened: tuple[Session, EmbeddedChain]) -> Iterator[Block]:
    """The block that all tests read."""
    return ContractReader(opened[1].web3).block("latest")


@pytest.fixture
def scene(
    opened: tuple[Session, EmbeddedChain],
    kept: dict[Any, Any],
    standing: Block,
    wallet: Model,
    wallet_circuit: Circuit,
) -> Scene:
    chain = opened[1]
    reader = AlteredReader(ContractReader(chain.web3), kept)
    there = chain.deployment
    agent, decoder = there.agent.lower(), there.contracts.decoder
    return Scene(reader, standing, agent, decoder, wallet, wallet_circuit)


def test_the_honest_deployment_has_no_problem(scene: Scene) -> None:
    checks = scene.audited()
    assert [str(check) for check in checks if not check.held or check.note] == []
    said = [(check.subject, check.claim) for check in checks]
    assert len(said) == len(set(said)) > 25
    assert [str(c) for c in audit(scene.bound_to()) if not c.held] == []


def every_value(scene: Scene) -> Iterator[tuple[Place, str]]:
    wiring, code = scene.wiring(), scene.code
    listed = read_book(scene.reader, wiring.book, scene.block)[1]
    chosen = (pool_place(pool_of(code, wiring)), *map(token_place, listed))
    for place in (*places(wiring, code), *chosen):
        for name in contract(place.names[0]).immutables:
            yield place, name


def test_every_value_in_every_code_is_compared(scene: Scene) -> None:
    """One that no place says what it has to be is followed further, or is the owner's choice."""
    followed, compared = set(), 0
    for place, name in every_value(scene):
        code = scene.code.reader.code(place.address, scene.block)
        offsets = contract(place.names[0]).immutables[name]
        other = (int.from_bytes(code[offsets[0] : offsets[0] + 32], "big") + 1).to_bytes(32, "big")
        scene.reader.codes[place.address.lower()] = with_word(code, offsets, other)
        found = scene.code.check(place)
        if place.expected[name] is None:
            followed.add((place.names[0], name))
        else:
            compared += 1
            assert f"it was made with {name} = 0x{other.hex()}" in found.problem
        assert not found.unknown
        del scene.reader.codes[place.address.lower()]
    assert compared > 30
    assert followed == {
        ("WalletAgent", "_config"),
        ("WalletAgent", "_blob"),
        ("SimpleSmartContractTool", "_blob"),
        ("SimpleSmartContractTool", "_converter"),
        ("AgentWallet", "_pool"),
    }


def test_what_stands_at_every_address_is_told_apart(scene: Scene) -> None:
    """Nothing, an account that is delegated, code of others, another contract of ours."""
    wiring = scene.wiring()
    registry = scene.reader.code(wiring.registry, scene.block)
    executor = scene.reader.code(wiring.executor, scene.block)
    for place in list(places(wiring, scene.code)):
        other = executor if place.names == ("ModelRegistry",) else registry
        for code, unknown, said in (
            (b"", False, f"there is no contract at {place.address}"),
            (DELEGATED, False, f"delegated to 0x{DELEGATED[3:].hex()}"),
            (FOREIGN, True, "is not ours: nobody here compiled it (4 bytes"),
            (other, False, f", expected {place.names[0]}"),
        ):
            scene.reader.codes[place.address.lower()] = code
            found = scene.code.check(place)
            assert (found.held, found.unknown) == (False, unknown), (place, code)
            assert said in found.problem
            assert any(check == found for check in scene_checks(scene, wiring))
        del scene.reader.codes[place.address.lower()]


def scene_checks(scene: Scene, wiring: Any) -> list[Check]:
    return list(audit_agent(scene.code, wiring, scene.decoder))


def test_trust_is_for_unknown_code_at_these_addresses_alone(scene: Scene) -> None:
    wiring = scene.wiring()
    pool = pool_place(pool_of(scene.code, wiring))
    scene.reader.codes[pool.address] = FOREIGN
    assert ", the owner's choice: nobody here" in scene.code.check(pool).problem
    trusting = replace(scene.code, trusted={pool.address})
    assert trusting.check(pool).note == "nobody's here, and trusted on request"
    scene.reader.codes[pool.address] = b""
    assert not replace(scene.code, trusted={pool.address}).check(pool).held


def test_trust_is_for_a_role_and_for_no_other(scene: Scene) -> None:
    """Whoever vouches for a pool does not vouch for a registry at the same address."""
    pool = pool_place(pool_of(scene.code, scene.wiring()))
    registry = Place("registry", pool.address, ("ModelRegistry",))
    book = Place("symbol book", pool.address, ("SymbolBook",))
    token = Place("token registry", pool.address, ("DemoToken",), choice=True)
    scene.reader.codes[pool.address] = FOREIGN

    def held(trusted: str) -> list[str]:
        code = replace(scene.code, trusted={trusted})
        return [p.role for p in (pool, registry, book, token) if code.check(p).held]

    assert held(pool.address) == ["pool", "token registry"]
    assert held(f"pool={pool.address}") == ["pool"]
    assert held(f"registry={pool.address}") == ["registry"]
    assert held(f"book={pool.address}") == ["symbol book"]
    assert held(f"token={pool.address}") == ["token registry"]
    assert f"--trust registry={pool.address} vouches" in scene.code.check(registry).problem


def test_who_vouches_for_an_agent_vouches_for_what_of_it_cannot_be_told(scene: Scene) -> None:
    """For what it names nobody as, and for where its data lie, but not for its other contracts, nor
    for anything that is wrong."""

    def refused(honest: bytes, sender: str) -> bytes:
        raise RevertError("no such function", data=b"")

    scene.reader.codes[scene.agent] = FOREIGN
    for method in (abi.WALLET, abi.SYMBOL_BOOK):
        scene.reader.answers[scene.agent, method.selector] = refused
    wiring = scene.wiring()

    def about(code: Code) -> dict[str, Check]:
        found = audit_agent(code, wiring, scene.decoder)
        return {f"{check.subject}: {check.claim}": check for check in found}

    unsure, trusting = (
        about(scene.code),
        about(replace(scene.code, trusted={f"agent={scene.agent}"})),
    )
    changed = [name for name in unsure if unsure[name] != trusting[name]]
    assert changed == [
        f"agent: {scene.agent} is WalletAgent",
        "wallet: the agent has one",
        "symbol book: the agent has one",
        "pool: the wallet has one",
        "agent: its configuration is what it says",
        "agent: its description is what it says",
    ]
    assert all(unsure[name].unknown and trusting[name].held for name in changed)
    assert {trusting[name].note for name in changed[1:]} == {
        "cannot be told, and trusted on request"
    }
    assert unsure["pool: the wallet has one"].problem == "the agent names no wallet"
    scene.reader.codes[scene.agent] = b""
    assert not about(replace(scene.code, trusted={f"agent={scene.agent}"}))[changed[0]].held


DATA = {
    "agent: its configuration is what it says": (0, "_config"),
    "agent: its description is what it says": (0, "_blob"),
}


@pytest.mark.parametrize("claim", DATA)
def test_data_of_the_agent_that_are_others_are_found(scene: Scene, claim: str) -> None:
    index, name = DATA[claim]
    place = list(places(scene.wiring(), scene.code))[index]
    at = scene.pointed(place, name)
    honest = scene.reader.code(at, scene.block)
    for other in (honest[:-1] + bytes([honest[-1] ^ 1]), honest[1:], honest + b"\0", b""):
        scene.reader.codes[at] = other
        assert str(scene.only()) == f"{claim}: the data at {at} are others"


def test_the_description_of_every_tool_and_the_list_are_compared(scene: Scene) -> None:
    wiring = scene.wiring()
    for place in places(wiring, scene.code):
        if place.role.startswith("tool"):
            at = scene.pointed(place, "_blob")
            scene.reader.codes[at] = scene.reader.code(at, scene.block) + b"!"
            assert scene.only().subject == place.role
            del scene.reader.codes[at]
    (at,) = scene.reader.view(wiring.book, abi.POINTER, scene.block)
    code = scene.reader.code(at, scene.block)
    scene.reader.codes[at.lower()] = code + b"!"
    assert {check.subject for check in scene.audited() if not check.held} == {"symbol book"}
    scene.reader.codes[at.lower()] = code[:-1] + bytes([code[-1] ^ 1])  # another token's address
    words = f"symbol book: its list is what it says: the data at {at} are others"
    assert words in scene.problems()


@pytest.mark.parametrize("method", [abi.NAME, abi.DESCRIPTION, abi.DESCRIBE_INPUT])
@pytest.mark.parametrize("who", ["the decoder", "the executor", "anybody"])
def test_a_tool_that_tells_anybody_else_something_else_is_found(
    scene: Scene, method: abi.Method, who: str
) -> None:
    wiring = scene.wiring()
    tool = wiring.tools[1]
    asker = {"the decoder": scene.decoder, "the executor": wiring.executor, "anybody": NOBODY}[who]

    def two_faced(honest: bytes, sender: str) -> bytes:
        return honest + b"\0" if sender == asker.lower() else honest

    def refusing(honest: bytes, sender: str) -> bytes:
        if sender == asker.lower():
            raise RevertError("no", data=b"")
        return honest

    for face, said in ((two_faced, f"and {who} "), (refusing, f"refuses {who}")):
        scene.reader.answers[tool.address.lower(), method.selector] = face
        found = scene.only()
        assert found.claim == "says the same to all"
        assert found.subject == f"tool {tool.name.decode()!r}"
        assert method.name in found.problem
        assert said in found.problem


def test_long_words_of_tools_are_neither_kept_nor_repeated(scene: Scene) -> None:
    tools = scene.wiring().tools
    decoder, long = scene.decoder.lower(), bytes(100_000)

    def answer(honest: bytes, sender: str) -> bytes:
        return encode(["bytes"], [b"other" if sender == decoder else long])

    for tool in tools:
        scene.reader.answers[tool.address.lower(), abi.NAME.selector] = answer
    wiring = scene.wiring()
    assert len(repr(wiring)) < 50_000
    checks = scene.audited()
    shown = repr("\0" * MOST_SHOWN) + "..."
    assert {tool.role for tool in wiring.tools} == {f"tool {shown}"}
    problem = f"it has two faces: name() tells the agent {shown}, and the decoder 'other'"
    assert [check.problem for check in checks].count(problem) == len(tools)
    assert max(len(check.subject) + len(check.problem) for check in checks) < 1000


def test_a_pin_that_is_another_is_found(scene: Scene) -> None:
    def repinned(addresses: Any, pins: Any) -> Any:
        return addresses, [pins[0], b"\x07" * 32, *pins[2:]]

    scene.reader.says(scene.agent, abi.TOOLS, repinned)
    name = scene.wiring().tools[1].name.decode()
    found = [check for check in scene.audited() if not check.held]
    claims = [check.claim for check in found if check.subject == f"tool {name!r}"]
    assert claims == ["is the tool that the agent pinned"]


@pytest.mark.parametrize(
    ("method", "role"), [(abi.WALLET, "wallet"), (abi.SYMBOL_BOOK, "symbol book")]
)
def test_an_agent_that_names_none_is_not_known(scene: Scene, method: abi.Method, role: str) -> None:
    def refused(honest: bytes, sender: str) -> bytes:
        raise RevertError("no such function", data=b"")

    scene.reader.answers[scene.agent, method.selector] = refused
    found = next(check for check in scene.audited() if check.subject == role)
    assert (found.claim, found.unknown) == ("the agent has one", True)
    assert found.problem == f"the agent names no {role}"


def test_an_agent_whose_model_is_no_number_is_none(scene: Scene) -> None:
    scene.reader.says(scene.agent, abi.MODEL_ID, lambda number: (b"0x1",))
    with pytest.raises(NoAgentThere, match="its model id is b'0x1', expected a number"):
        scene.wiring()


def test_a_list_that_cannot_be_read_is_a_problem(scene: Scene) -> None:
    book = scene.wiring().book
    scene.reader.answers[book.lower(), abi.ENTRIES.selector] = lambda honest, sender: b"\x01"
    assert {check.subject for check in scene.audited() if not check.held} == {"symbol book"}


@pytest.mark.parametrize("role", ["agent", "executor", "pool"])
def test_who_was_made_by_another_constructor_is_found(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    wiring = scene.wiring()
    pool = pool_place(pool_of(scene.code, wiring))
    at = {p.role: p.address.lower() for p in (*places(wiring, scene.code), pool)}[role]
    honest = scene.reader.creations

    def creations(creation: bytes | None) -> Callable[[int], Iterator[tuple[str, bytes]]]:
        made = [(at, creation)] if creation is not None else []
        return lambda number: iter([*(e for e in honest(number) if e[0] != at), *made])

    monkeypatch.setattr(scene.reader, "creations", creations(FOREIGN))
    assert "by another constructor" in scene.only().problem
    assert (scene.only().subject, scene.only().unknown) == (role, False)
    monkeypatch.setattr(scene.reader, "creations", creations(None))
    assert scene.only().unknown
    assert "was made inside of a call in block" in scene.only().problem

    def pruned(number: int) -> Any:
        raise CannotVerify("no state")

    monkeypatch.setattr("zkagent.executor.audit.origin.first_block", lambda *a: pruned(0))
    assert {(c.claim, c.unknown) for c in scene.audited() if not c.held} == {
        ("was made by its constructor", True)
    }


# The model


def model_problems(audited: Audited) -> list[str]:
    return [str(check) for check in audit(audited) if not check.held]


@pytest.mark.parametrize("index", range(6))
def test_what_executors_obey_is_compared_value_by_value(scene: Scene, index: int) -> None:
    def other(found: Any) -> Any:
        changed = list(found)
        old = changed[index]
        others = {str: STRANGER, bytes: bytes(32)}
        changed[index] = others[type(old)] if type(old) in others else old + 1
        return (tuple(changed),)

    registry = scene.wiring().registry
    scene.reader.says(registry, abi.BINDING_OF, other)
    (problem,) = model_problems(scene.bound_to())
    assert "what executors obey is what is bound" in problem
    said = ("verifier that", "inputs", "outputs", "encoder that", "decoder that", "commitment hash")
    assert said[index] in problem


def test_the_executor_is_told_what_the_audit_is_told(scene: Scene) -> None:
    """A registry that knows who asks could tell an executor of another verifier."""
    wiring = scene.wiring()
    scene.reader.says(wiring.registry, abi.BINDING_OF, lambda found: ((STRANGER, *found[1:]),))
    other = scene.reader.answers.pop((wiring.registry.lower(), abi.BINDING_OF.selector))

    def knowing(honest: bytes, sender: str) -> bytes:
        return other(honest, sender) if sender == wiring.executor.lower() else honest

    scene.reader.answers[wiring.registry.lower(), abi.BINDING_OF.selector] = knowing
    assert len(model_problems(scene.bound_to())) == 1
    assert model_problems(replace(scene.bound_to(), executor=NOBODY)) == []


def test_a_withdrawn_model_is_found(scene: Scene) -> None:
    def withdrawn(commitment: Any, deprecated: bool, owner: str) -> Any:
        return commitment, True, owner

    scene.reader.says(scene.wiring().registry, abi.GET_MODEL, withdrawn)
    (problem,) = model_problems(scene.bound_to())
    assert "withdrawn is True, expected False" in problem


@pytest.mark.parametrize("field", ["manifest_digest", "onnx_digest", "inputs", "outputs"])
def test_other_files_are_found(scene: Scene, field: str) -> None:
    audited = scene.bound_to()
    found = getattr(audited.bound, field)
    other = bytes(32) if isinstance(found, bytes) else found + 1
    others = replace(audited, bound=replace(audited.bound, **{field: other}))
    broken = [check.claim for check in audit(others) if not check.held]
    assert "the files are the model's" in broken


@pytest.mark.parametrize("field", ["model_hash", "circuit_hash", "vk_hash", "proof_system_id"])
def test_each_hash_is_compared(scene: Scene, field: str) -> None:
    audited = scene.bound_to()
    bound = replace(audited.bound, **{field: b"\1" * len(getattr(audited.bound, field))})
    (problem,) = model_problems(replace(audited, bound=bound))
    assert "the hashes cover all of it" in problem


def test_tables_are_compared_one_by_one(scene: Scene) -> None:
    audited = scene.bound_to()
    for at in audited.bound.components:
        honest = scene.reader.code(at, scene.block)
        scene.reader.codes[at.lower()] = honest[:-1] + bytes([honest[-1] ^ 1])
        problems = model_problems(scene.bound_to())
        assert any(f"the tables are the model's: code at {at}" in problem for problem in problems)
        del scene.reader.codes[at.lower()]
    fewer = replace(audited.bound, components=audited.bound.components[1:])
    claimed = model_problems(replace(audited, bound=fewer))
    count = len(audited.bound.components)
    assert any(f"{count - 1} components, expected {count}" in problem for problem in claimed)


@pytest.mark.parametrize("role", ["encoder", "decoder"])
def test_every_value_of_encoder_and_decoder_is_compared(scene: Scene, role: str) -> None:
    audited = scene.bound_to()
    address = getattr(audited.bound, role)
    code = scene.reader.code(address, scene.block)
    immutables = contract({"encoder": "TextEncoder", "decoder": "ToolDecoder"}[role]).immutables
    for name, offsets in immutables.items():
        other = (int.from_bytes(code[offsets[0] : offsets[0] + 32], "big") + 1).to_bytes(32, "big")
        scene.reader.codes[address.lower()] = with_word(code, offsets, other)
        found = [c for c in audit(scene.bound_to()) if c.subject == role]
        assert f"it was made with {name} = 0x{other.hex()}" in found[0].problem
    assert len(immutables) > 3


def test_another_verifier_is_found(scene: Scene) -> None:
    at = scene.bound_to().bound.verifier
    honest = scene.reader.code(at, scene.block)
    for changed in (honest[:-1] + bytes([honest[-1] ^ 1]), honest[:-1], honest + b"\0", b""):
        scene.reader.codes[at.lower()] = changed
        (said,) = [p for p in model_problems(scene.bound_to()) if "the verifier is" in p]
        assert f"the code at {at} is" in said


@pytest.mark.parametrize("code", [b"", b"\0"])
def test_a_verifier_that_is_gone_or_was_made_again_has_not_the_registered_hash(
    scene: Scene, code: bytes
) -> None:
    """The registry's words are what they were: other code came behind its back."""
    audited, reader = with_batches(scene)
    assert batch_problems(audited) == []
    reader.codes[audited.bound.verifier.lower()] = code
    for claim in ("the verifier is", "the verifier for 2 dec", "the verifier for 4 dec"):
        assert any(claim in problem for problem in batch_problems(audited))
    broken = [str(check) for check in audit(audited) if not check.held]
    assert any("the hashes cover all of it: verifying key hash" in each for each in broken)


def batched(scene: Scene, **others: Any) -> Audited:
    """As if the model's verifier were registered for two and four decisions as well."""
    audited = scene.bound_to()
    bound, code = audited.bound, scene.reader.code_hashes([audited.bound.verifier], scene.block)[0]
    one = BatchVerifier(2, bound.verifier, bound.circuit_hash, code)
    batches = (replace(one, **others), replace(one, size=4))
    changed = replace(bound, batches=batches)
    circuits = {2: scene.circuit, 4: scene.circuit}
    return replace(audited, bound=changed, batches=circuits)


class Asked(AlteredReader):
    """Answers `batchVerifierFor`, which the honest registry refuses for this model."""

    batches: tuple[BatchVerifier, ...] = ()
    commitment = b""
    wrong_for = 0

    def call(
        self,
        to: str,
        data: bytes,
        block: Block,
        sender: str = NOBODY,
        errors: Any = (),
        **limit: Any,
    ) -> bytes:
        method = abi.BATCH_VERIFIER_FOR
        if data[:4] != method.selector:
            return super().call(to, data, block, sender, errors, **limit)
        _, decisions = method.arguments(data)
        batch = next(each for each in self.batches if each.size >= decisions)
        verifier = STRANGER if decisions == self.wrong_for else batch.verifier
        return encode(list(method.outputs), [verifier, batch.size, self.commitment])


def with_batches(scene: Scene, **others: Any) -> tuple[Audited, Asked]:
    reader = Asked(scene.reader, scene.reader.kept)
    scene = replace(scene, reader=reader)
    audited = batched(scene, **others)
    reader.batches, reader.commitment = audited.bound.batches, audited.bound.commitment_hash
    return audited, reader


def batch_problems(audited: Audited, sizes: Any = None) -> list[str]:
    return [str(c) for c in model_contract_checks(audited, sizes) if not c.held]


def obeyed_problems(audited: Audited) -> list[str]:
    claim = "what executors obey is what is bound"
    return [str(c) for c in registered_checks(audited) if c.claim == claim and not c.held]


def test_batch_verifiers_are_compared_for_every_number_of_decisions(scene: Scene) -> None:
    audited, reader = with_batches(scene)
    assert batch_problems(audited) == []
    for decisions in (2, 3, 4):
        reader.wrong_for = decisions
        (problem,) = obeyed_problems(audited)
        assert f"verifier for {decisions} decisions is" in problem
    reader.wrong_for = 5
    assert obeyed_problems(audited) == []


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"circuit_hash": bytes(32)}, "circuit hash is"),
        ({"code_hash": bytes(32)}, "code hash is"),
        ({"verifier": STRANGER}, "the verifier for 2 decisions is the circuit's"),
    ],
)
def test_a_batch_verifier_that_is_another_is_found(
    scene: Scene, others: dict[str, Any], said: str
) -> None:
    audited, _ = with_batches(scene, **others)
    problems = batch_problems(audited)
    assert len(problems) == 1
    assert said in problems[0]
    assert batch_problems(audited, [4]) == []
    without = batch_problems(replace(audited, batches={4: scene.circuit}))
    cheaper = "there is no circuit for 2 decisions" if "circuit_hash" in others else said
    assert any(cheaper in problem for problem in without)


def test_a_development_setup_is_for_local_chains_alone(scene: Scene) -> None:
    audited = scene.bound_to()
    development = replace(scene.circuit, development_srs=True)
    ceremony = replace(scene.circuit, development_srs=False)
    claim = "its set-up suits the chain"

    def found(single: Circuit, *batches: Circuit) -> Check:
        given = dict(enumerate(batches, 2))
        checks = model_contract_checks(replace(audited, circuit=single, batches=given), ())
        return next(check for check in checks if check.claim == claim)

    assert (found(ceremony).held, found(ceremony).note) == (True, "")
    assert "for local chains alone" in found(development).note
    scene.reader.number = 5
    assert found(ceremony).held
    for circuits in ((development,), (ceremony, development)):
        assert "a development set-up on chain 5" in found(*circuits).problem


def test_an_agent_of_more_tools_than_we_ask_is_none(scene: Scene) -> None:
    """One answer of little gas must not make an audit, or a run, ask without end."""
    chain = Web3Agent(scene.reader.web3, scene.agent)
    chain.reader, chain._view = scene.reader, scene.reader.view
    for tools, pins, said in (
        (MOST_TOOLS + 1, MOST_TOOLS + 1, f"no more than {MOST_TOOLS}"),
        (500, 500, "names 500 tools"),
        (2, 1, "names 2 tools and 1 pins"),
    ):
        answered = (["0x" + "11" * 20] * tools, [bytes(32)] * pins)
        scene.reader.says(scene.agent, abi.TOOLS, lambda *_, answered=answered: answered)
        for asking in (scene.wiring, lambda: chain.reads(scene.block)):
            with pytest.raises(NoAgentThere, match=said):
                asking()


def test_as_many_tools_as_we_ask_are_read(scene: Scene) -> None:
    def often(addresses: Any, pins: Any) -> Any:
        return addresses[:1] * MOST_TOOLS, pins[:1] * MOST_TOOLS

    scene.reader.says(scene.agent, abi.TOOLS, often)
    assert len(scene.wiring().tools) == MOST_TOOLS


def test_a_model_of_more_parts_than_we_look_into_is_none(scene: Scene) -> None:
    wiring = scene.wiring()
    registry = Web3Registry(scene.reader, wiring.registry)
    many = [STRANGER] * (MOST_COMPONENTS + 1)
    scene.reader.says(wiring.registry, abi.GET_BINDING, lambda b: ((*b[:3], many, *b[4:]),))
    with pytest.raises(NoAgentThere, match="data contracts"):
        registry.model(wiring.model_id, scene.block)
    scene.reader.answers.clear()
    batches = [(size, STRANGER, bytes(32), bytes(32)) for size in range(2, MOST_BATCH + 3)]
    scene.reader.says(wiring.registry, abi.BATCH_VERIFIERS, lambda _: (batches,))
    with pytest.raises(NoAgentThere, match="batch verifiers"):
        registry.model(wiring.model_id, scene.block)


BATCHES: dict[str, tuple[int, bytes | None, bool, str]] = {
    "a token": (48, None, False, "it is DemoToken of this version"),
    "code of others": (48, FOREIGN, False, "has 4 bytes, the verifier for one decision"),
    "nothing": (16, b"", False, "has 0 bytes"),
    "too large": (MOST_BATCH + 1, FOREIGN, True, f"more than {MOST_BATCH} decisions"),
    "much too large": (65535, FOREIGN, True, f"more than {MOST_BATCH} decisions"),
}


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_verifier_that_cannot_be_one_makes_no_circuit(
    scene: Scene, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    size, standing, unknown, said = BATCHES[name]
    wiring = scene.wiring()
    address = STRANGER
    if standing is None:
        address = read_book(scene.reader, wiring.book, scene.block)[1][0].token
    else:
        scene.reader.codes[STRANGER] = standing
    code_hash = keccak(scene.reader.code(address, scene.block))
    registered = BatchVerifier(size, address, bytes(32), code_hash)
    bound = replace(scene.bound_to().bound, batches=(registered,))
    asked: list[int] = []

    def answered(registry: Web3Registry, number: int, decisions: int, *_: Any) -> Any:
        asked.append(decisions)
        return address, size, bound.commitment_hash

    monkeypatch.setattr(Web3Registry, "batch_for", answered)
    monkeypatch.setattr(sources, "own_circuit", lambda *_: pytest.fail("a circuit was built"))
    assert sources.own_batches(scene.code, bound, scene.model, None, lambda stage: None) == {}
    audited = scene.bound_to(bound=bound)
    (found,) = [each for each in model_contract_checks(audited) if not each.held]
    assert obeyed_problems(audited) == []
    assert found.unknown == unknown
    assert said in found.problem
    assert len(asked) < MOST_BATCH


def test_a_batch_verifier_that_may_be_one_is_compared_with_its_circuit(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound = scene.bound_to().bound
    code_hash = keccak(scene.reader.code(bound.verifier, scene.block))
    bound = replace(bound, batches=(BatchVerifier(2, bound.verifier, bytes(32), code_hash),))
    monkeypatch.setattr(sources, "own_circuit", lambda *given: given[-1])
    found: Any = sources.own_batches(scene.code, bound, scene.model, None, lambda stage: None)
    assert found == {2: 2}
    other = replace(bound, batches=(BatchVerifier(2, bound.verifier, bytes(32), bytes(32)),))
    assert sources.own_batches(scene.code, other, scene.model, None, lambda stage: None) == {}
