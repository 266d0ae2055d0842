"""Checks a run again from its receipt: every proof, every feature vector, every decision.

    python verify_receipt.py RECEIPT [RPC]

Offline nothing shows that the recorded state was the chain's: that takes the address of a node.
Exits with 1 when the receipt does not hold.
"""

import sys

import zkagent


def main(path: str, rpc: str | None = None) -> int:
    try:
        report = zkagent.verify_receipt(path, rpc=rpc)
    except zkagent.ZkagentError as exc:
        print(f"there is no telling: {exc}")
        return 1
    for broken in report.problems:
        print(f"broken: {broken}")
    print(f"{sum(check.held for check in report.checks)} of {len(report.checks)} checks hold")
    if report.development_srs:
        print("development set-up: whoever made it could have forged these proofs")
    print("accepted" if report else "rejected")
    return 0 if report else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]) if sys.argv[1:] else __doc__)
