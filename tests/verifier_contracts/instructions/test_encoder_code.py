"""The encoder's code is the one that deployments sign for and audits expect."""

from dataclasses import replace

import pytest
from eth_utils.address import to_checksum_address

from tests.support.instruction_chain import InstructionChain
from tests.support.instruction_prompts import BOOKS, made_up_table
from tests.support.instructions import MANIFEST
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.deployment.model_code import build_instruction_code

TABLE = made_up_table(1)
DATA = "0x" + "00" * 20  # the decoder's, which no encoder has


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_a_vocabulary_of_so_many_contracts_stands_in_its_code(chain: Anvil, count: int) -> None:
    table = replace(TABLE, chunks=TABLE.chunks[:1] * count)
    contracts = InstructionChain(chain, table, BOOKS)
    values = build_instruction_code(MANIFEST, table).encoder_immutables(contracts.chunks, DATA)
    standing = bytes(chain.web3.eth.get_code(to_checksum_address(contracts.encoder)))
    assert len(set(contracts.chunks)) == count
    assert standing == contracts.contracts["InstructionEncoder"].runtime(values)


def test_a_list_without_contracts_is_no_vocabulary() -> None:
    """As somebody may have registered one."""
    values = build_instruction_code(MANIFEST, TABLE).encoder_immutables([], DATA)
    assert {values[f"_second{i}"] for i in range(8)} | {values["_first"]} == {0}
