"""What a deployment believes of a node, listed by hand: an answer that goes into a signature, a
record or a result is computed here instead, or it is argued here why it may be lied about."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("verifier_contracts/deployment", "executor/cli")
#: web3's way to an answer, and ours.
ASKING = {"call", "get_code", "get_transaction_count", "view", "Web3Registry", "Web3Agent"}
ASKING |= {"get_balance", "get_block", "get_transaction_receipt", "get_transaction"}
ASKING |= {"estimate_gas", "quantity", "is_known", "spent_on"}
ETH = ("eth.chain_id", "eth.block_number", "eth.gas_price")

#: (file, function, what it asks for): why that may be a lie.
ARGUED = {
    ("deployment/foundations.py", "find_foundations", "registry"): (
        "an agent's constructor refuses an executor of another registry; shown before signing"
    ),
    ("deployment/foundations.py", "listed_tokens", "entries"): (
        "shown as the node's word; a run's terms hold symbols and decimals against the book"
    ),
    ("deployment/foundations.py", "_decimals", "decimals"): (
        "shown as the node's word; the book asks the token itself when it lists it"
    ),
    ("deployment/foundations.py", "_check_code", "get_code"): (
        "goes into nothing: what is refused is not built on, and an audit by another node tells"
    ),
    ("deployment/foundations.py", "_require_code", "get_code"): "goes into nothing: see above",
    ("deployment/journalled.py", "_receipt", "get_transaction_receipt"): (
        "whether something was included is a node's word; of which transaction and with which new "
        "address is checked"
    ),
    ("deployment/journalled.py", "_broadcast", "is_known"): "decides on an error alone",
    ("deployment/journalled.py", "_used_nonces", "quantity"): (
        "decides whether to sign the same anew; what is signed then is the step that was agreed to"
    ),
    ("deployment/journalled.py", "_check_void", "get_code"): "decides on an error alone",
    ("deployment/journalled.py", "_check_void", "spent_on"): "decides on an error alone",
    ("deployment/journalled.py", "_done_by_another", "spent_on"): (
        "a transaction of the step's own content, whose receipt is looked at as any: see there"
    ),
    ("deployment/journalled.py", "_gas", "estimate_gas"): (
        "decides on an error alone: what is signed is the rehearsal's limit"
    ),
    ("deployment/own_model.py", "_found", "getModel"): (
        "a model that is none of the account's is looked for, or passed over: what is taken is "
        "what the commitment is of, which is computed here"
    ),
    ("deployment/own_model.py", "_found", "getBinding"): (
        "the addresses go into the commitment, which the agent's constructor holds against the "
        "registry and against the code that stands there"
    ),
    ("deployment/own_model.py", "_found", "commitmentHash"): (
        "compared with the one that is computed, which is what is signed"
    ),
    ("deployment/own_model.py", "_commitment", "get_code"): (
        "chooses between two forms of a verifier that were both compiled here"
    ),
    ("deployment/rehearsal.py", "carry", "get_transaction"): "asked of a chain of our own",
    ("cli/deploying.py", "here", "get_block"): "tells journals apart; goes into no signature",
    ("cli/deploying.py", "_resumed", "block_number"): (
        "says how old is what is taken up, which nobody has to believe; decides nothing"
    ),
    ("cli/deploying.py", "_check_funds", "get_balance"): "decides on an error alone",
    ("cli/executor_option.py", "executor_of", "view"): (
        "a desk's constructor refuses an executor that is not the one its agent tells; what else "
        "is made with it is its maker's, and runs nothing by another executor"
    ),
    ("cli/agent_serves.py", "served", "view"): (
        "shown, and an error when it is not what was signed; goes into no signature"
    ),
    ("cli/takeover.py", "check", "view"): (
        "whether to refuse before anything is paid for; a false yes ends in the contracts' refusal"
    ),
    ("cli/takeover.py", "_pairs", "view"): (
        "which rules go on: a pair that the guard does not know is refused by it, one that is left "
        "out lets the new tool do nothing"
    ),
    ("cli/takeover.py", "_announced", "view"): (
        "whether to announce the call that was agreed to, or make it, which the guard refuses "
        "unless it was announced"
    ),
    ("cli/takeover.py", "_guard_of_successor", "view"): (
        "whether to have it guarded, which it refuses a second time; and an error when it is not "
        "what was signed"
    ),
    ("cli/guard_deploy.py", "_check_may_guard", "setGuard"): (
        "whether to refuse before anything is paid for; a false yes ends in the agent's refusal"
    ),
    ("cli/guard_deploy.py", "deploy_command", "view"): (
        "shown and asked about: tools, of which an agent calls its own alone, and the wallet, "
        "which --wallet names instead"
    ),
    ("cli/guard_wiring.py", "told_wiring", "view"): (
        "shown and asked about; the guard refuses what its tool does not tell it as well"
    ),
    ("cli/guard_manifest.py", "_issuer", "view"): (
        "a number that is too low is refused by the guard, a higher one serves as well"
    ),
    ("cli/guard_manifest.py", "issue_command", "chain_id"): (
        "held against --chain-id; printed with what is signed"
    ),
    ("cli/guard_manifest.py", "_read", "chain_id"): (
        "decides on an error alone: the guard holds the signature against its own chain"
    ),
    ("cli/agent_accept.py", "accept_command", "pinnedCommitment"): (
        "an error when it is not what was signed; what is printed is what was signed"
    ),
    ("cli/agent_accept.py", "_hashes", "agentExecutor"): "on the way to the registry: see there",
    ("cli/agent_accept.py", "_hashes", "registry"): "on the way to the registry: see there",
    ("cli/agent_accept.py", "_hashes", "modelId"): "on the way to the registry: see there",
    ("cli/agent_accept.py", "_hashes", "commitmentHash"): (
        "shown and asked about, and refused by the agent where its registry has another"
    ),
    ("cli/agent_accept.py", "_hashes", "pinnedCommitment"): (
        "only says that there is nothing to do; nothing is signed"
    ),
    ("cli/register_batch.py", "register_batch_command", "commitmentHash"): (
        "an error when it is not what was signed; what is printed is what was signed"
    ),
    ("cli/register_batch.py", "_bound_model", "Web3Registry"): (
        "a verifier that it lists is kept only when it is built here or named; the rest goes into "
        "the commitment that is printed, which agents hold against their registry"
    ),
    ("cli/model.py", "_agent", "Web3Agent"): "`decide` signs and records nothing",
    ("cli/called.py", "called_by_tools", "view"): "asked of a chain of our own, code compiled here",
}


def asked(path: Path) -> Iterator[tuple[str, str]]:
    """The function and what it asks a node for."""
    for function in ast.walk(ast.parse(path.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in _own(function):
            if isinstance(node, ast.Call) and (name := _asks(node)):
                yield function.name, name
            elif isinstance(node, ast.Attribute) and ast.unparse(node).endswith(ETH):
                yield function.name, node.attr


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Without the functions inside."""
    left: list[ast.AST] = list(function.body)
    while left:
        node = left.pop()
        if not isinstance(node, ast.FunctionDef):
            yield node
            left += ast.iter_child_nodes(node)


def _asks(node: ast.Call) -> str:
    """`call(web3, found.functions.registry())` asks for registry, `eth.get_code(...)` for that."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    if name not in ASKING:
        return ""
    if name != "call":
        return name
    inner = [each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)]
    return next((each for each in inner if each not in {"functions", "web3"}), ast.unparse(node))


def test_every_word_of_a_node_that_a_deployment_takes_is_argued() -> None:
    found = {
        (path.relative_to(ROOT / folder.split("/")[0]).as_posix(), *each)
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for each in asked(path)
    }
    assert found == set(ARGUED)


def test_an_answer_that_is_new_is_noticed(tmp_path: Path) -> None:
    source = tmp_path / "new.py"
    source.write_text(
        "def wallet(web3, agent):\n"
        "    found = agent.functions.wallet()\n"
        "    return call(web3, agent.functions.wallet()), web3.eth.chain_id, "
        "web3.eth.get_code(found)\n"
    )
    assert set(asked(source)) == {("wallet", w) for w in ("wallet", "chain_id", "get_code")}
