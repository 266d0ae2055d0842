"""A chain that stands still, of which single answers are other than they are."""

from collections.abc import Callable
from typing import Any

from eth_abi.abi import encode

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import Block
from zkagent.executor.chain.reader import ContractReader
from zkagent.verifier_contracts.errors import RevertError

Answer = Callable[[bytes, str], bytes]


class AlteredReader(ContractReader):
    """codes: by address, in lower case. answers: from the honest answer and the caller to another,
    by address and selector. number: the chain's, if it is to be another. What is asked twice is
    asked of the node once; kept: what it answered."""

    def __init__(self, honest: ContractReader, kept: dict[Any, Any]) -> None:
        super().__init__(honest.web3)
        self.kept = kept
        self.codes: dict[str, bytes] = {}
        self.answers: dict[tuple[str, bytes], Answer] = {}
        self.number: int | None = None

    @property
    def chain_id(self) -> int:
        if self.number is not None:
            return self.number
        return int(self._once("chain", lambda: self.web3.eth.chain_id))

    def code(self, address: str, block: Block) -> bytes:
        at = address.lower()
        if at in self.codes:
            return self.codes[at]
        ask = super().code
        return bytes(self._once((at, block.number), lambda: ask(address, block)))

    def call(
        self,
        to: str,
        data: bytes,
        block: Block,
        sender: str = abi.NO_HANDLER,
        errors: Any = (),
        **limit: Any,
    ) -> bytes:
        ask = super().call
        key = (to.lower(), data, block.number, sender.lower())
        found = self._once(key, lambda: ask(to, data, block, sender, errors, **limit))
        answer = self.answers.get((to.lower(), data[:4]))
        return answer(found, sender.lower()) if answer else found

    def constructed(self, *arguments: Any) -> bytes:
        ask = super().constructed
        return bytes(self._once(("constructed", repr(arguments[1:])), lambda: ask(*arguments)))

    def _once(self, key: Any, ask: Callable[[], Any]) -> Any:
        if key not in self.kept:
            try:
                self.kept[key] = ask()
            except RevertError as exc:
                self.kept[key] = exc
        if isinstance(self.kept[key], RevertError):
            raise self.kept[key]
        return self.kept[key]

    def says(self, to: str, method: abi.Method, change: Callable[..., Any]) -> None:
        """From now on `to` answers what `change` makes of its results."""

        def answer(honest: bytes, sender: str) -> bytes:
            changed = change(*method.results(honest))
            return encode([t.replace("string", "bytes") for t in method.outputs], changed)

        self.answers[to.lower(), method.selector] = answer


def with_word(code: bytes, offsets: tuple[int, ...], value: bytes) -> bytes:
    """Code with other 32 bytes at each of these places."""
    changed = bytearray(code)
    for at in offsets:
        changed[at : at + 32] = value
    return bytes(changed)
