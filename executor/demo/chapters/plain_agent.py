"""An agent that was written against the ERC alone: a runner gives its owner's runs proofs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from eth_account.signers.local import LocalAccount

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import RunCall
from zkagent.executor.demo.attacks.stage import FALSE_PROOF
from zkagent.executor.demo.chapters.chapter import Line, Tried, World, happened, refused
from zkagent.executor.demo.forgery import forged
from zkagent.executor.demo.plain import PlainAgentThere, plain_agent_there
from zkagent.executor.runs.runner import AgentRunner, ProvenRun

UNITS = 5_500_000


def plain_agent(world: World) -> Iterator[Line]:
    plain = _Plain(world, plain_agent_there(world.chain))
    runner = plain.there.runs(world.session)
    run = runner.prove(runner.plan(plain.prompt("5.5")))
    yield plain.unproven()
    for what, call, expected in (
        ("another output for its first decision than is proven", forged(run, 0), FALSE_PROOF),
        ("another output for its answer", forged(run), FALSE_PROOF),
        ("the same proofs for 500 tokens", plain.asking(run, "500"), "CallNotAgreed"),
        ("the same proofs for a withdrawal", plain.withdrawing(run), "ClaimForOtherFeatures"),
    ):
        yield plain.refuses(what, world.chain.owner, call, expected)
    what = "a stranger sends the run that is proven for the runner's owner"
    yield plain.refuses(what, world.chain.stranger, run.call, "CallerIsNotTheOwner")
    yield plain.done(runner, run)


@dataclass(frozen=True)
class _Plain:
    world: World
    there: PlainAgentThere

    @property
    def token(self) -> str:
        """By its address: such an agent has no book of symbols."""
        return self.world.chain.deployment.token("USDC").address

    def prompt(self, amount: str, verb: str = "deposit") -> bytes:
        return f"{verb} {amount} {self.token}".encode()

    def asking(self, run: ProvenRun, amount: str) -> RunCall:
        """What is proven does not depend on an amount's digits; what its sender agreed to does."""
        return replace(run.call, prompt=self.prompt(amount))

    def withdrawing(self, run: ProvenRun) -> RunCall:
        return replace(run.call, prompt=self.prompt("5.5", "withdraw"))

    def unproven(self) -> Line:
        """Its own `run`, as the ERC has it."""
        data = abi.RUN.call(abi.prompt_input(self.prompt("5.5")), abi.NO_HANDLER)
        what, to = "it is asked without a proof", self.there.agent
        stranger = self.world.chain.stranger
        return refused(
            self.world, Tried(what, stranger, to, data, "DecisionUnavailable", self.pooled)
        )

    def refuses(self, what: str, sender: LocalAccount, call: RunCall, expected: str) -> Line:
        data = abi.run_data(call)
        tried = Tried(what, sender, self.there.runner, data, expected, self.pooled)
        return refused(self.world, tried)

    def done(self, runner: AgentRunner, run: ProvenRun) -> Line:
        result = runner.send(run).result
        return happened(
            f'its owner has it run by way of a runner: "{run.plan.prompt.decode()}"',
            f'"{result.answer.decode()}", {len(run.plan.claims)} proven decisions, '
            f"{result.gas_used:,} gas",
            self.pooled() == UNITS,
            result.requester == self.there.runner.lower(),
            [each.decision.action for each in run.plan.decisions] == ["Deploy", "answer"],
        )

    def pooled(self) -> int:
        return self.there.pooled(self.token)
