"""Runs instructions on a wallet agent: each decision proven, one transaction for each run.

    python run_agent.py "deposit 5 USDC" "withdraw all my USDC"

starts a demo agent on a chain of its own. For an agent of yours, which `zkagent deploy` makes, add
--rpc URL --deployment FILE --key-file FILE.
"""

import argparse
import sys

import zkagent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prompts", nargs="+")
    parser.add_argument("--rpc")
    parser.add_argument("--deployment")
    parser.add_argument("--key-file")
    given = parser.parse_args()
    with zkagent.agent(
        given.rpc, deployment=given.deployment, key_file=given.key_file, progress=print
    ) as agent:
        for prompt in given.prompts:
            show(prompt, agent.run(prompt))


def show(prompt: str, run: zkagent.Run) -> None:
    print(f"\n> {prompt}")
    for decision, observed in zip(run.decisions, run.observations, strict=False):
        arguments = ", ".join(f"{a.slot}={a.text}" for a in decision.arguments)
        print(f"  {decision.action}({arguments}): {observed}")
    print(f"{run.answer}\ntransaction {run.transaction}, {run.gas_used:,} gas")
    print(f"receipt {run.path}")


if __name__ == "__main__":
    try:
        main()
    except zkagent.ZkagentError as exc:
        sys.exit(f"no run: {exc}")
