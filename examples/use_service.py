"""Asks a proof service for several proofs at once, and verifies each of them here.

    zkagent serve --model wallet                   # in another shell
    python use_service.py http://127.0.0.1:8642

The service may be anyone's: a proof counts because `verify` says so, not because it was sent.
"""

import asyncio
import sys

import zkagent

PROMPTS = ("deposit 5 USDC", "withdraw 12.5 DAI from the pool", "what is my USDC balance?")


async def prove_all(
    url: str, circuit: zkagent.Circuit, rows: list[tuple[int, ...]]
) -> list[zkagent.Proof]:
    async with zkagent.AsyncServiceClient(url) as service:
        asked = (service.prove_features(circuit.digest, x, timeout_s=300) for x in rows)
        return await asyncio.gather(*asked)


def main(url: str) -> None:
    model = zkagent.load_model("wallet")
    circuit = zkagent.build_circuit(model)
    rows = [zkagent.encode(model, prompt) for prompt in PROMPTS]
    proofs = asyncio.run(prove_all(url, circuit, rows))
    for prompt, proof in zip(PROMPTS, proofs, strict=True):
        verdict = zkagent.verify(proof, circuit)
        decision = zkagent.decide(model, prompt)
        print(f"{prompt}: {decision.action}, {'proven' if verdict else verdict.reason}")


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    try:
        main(sys.argv[1])
    except zkagent.ZkagentError as exc:
        sys.exit(f"no proofs: {exc}")
