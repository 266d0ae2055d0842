"""A sender whose transactions are in a block once they were handed over, where the node makes a
block for each: Anvil answers before that block is there."""

import time

from eth_utils.crypto import keccak

from zkagent.executor.chain.web3_sender import Web3Sender

LONGEST_S, PAUSE_S = 10.0, 0.01


class WaitingSender(Web3Sender):
    """For tests that look at the chain right behind an operator's turn. Of a transaction that no
    block takes nothing is said after LONGEST_S: the test's own look at the chain does."""

    def broadcast(self, raw: bytes) -> None:
        super().broadcast(raw)
        transaction, until = "0x" + keccak(raw).hex(), time.monotonic() + LONGEST_S
        while self._mines_at_once() and time.monotonic() < until:
            if self.mined(transaction):
                return
            time.sleep(PAUSE_S)

    def _mines_at_once(self) -> bool:
        return bool(self.web3.manager.request_blocking("anvil_getAutomine", []))  # type: ignore[arg-type]
