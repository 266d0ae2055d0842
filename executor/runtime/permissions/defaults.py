"""What an agent may do that was given no permissions: what is dangerous is denied until named."""

from collections.abc import Collection, Sequence

from zkagent.executor.runtime.core.config import AgentConfig
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.core.permissions import Place
from zkagent.executor.runtime.permissions.audit.recorder import Audit
from zkagent.executor.runtime.permissions.content import Size
from zkagent.executor.runtime.permissions.engine import PermissionEngine, Rule
from zkagent.executor.runtime.permissions.lists import KnownTool, SafeTools, ToolLists
from zkagent.executor.runtime.permissions.rates import DEFAULT_LIMITS, Limit, Rates, RateStore
from zkagent.executor.runtime.permissions.redaction.kinds import PAYMENT, SECRETS
from zkagent.executor.runtime.permissions.redactions import Redaction


def default_permissions(
    config: AgentConfig | None = None,
    *,
    allow: Collection[str] = (),
    destructive: Collection[str] = (),
    only: Collection[str] | None = None,
    deny: Collection[str] = (),
    redact: Collection[str] = SECRETS | PAYMENT,
    refuse_secrets_at: Collection[Place] = (),
    known_secrets: Sequence[str] = (),
    any_hex_key: bool = False,
    limits: Sequence[Limit] = DEFAULT_LIMITS,
    rate_store: RateStore | None = None,
    rules: Sequence[Rule] = (),
    audit: Audit | None = None,
    shared: bool = False,
) -> PermissionEngine:
    """Tools that are safe by default, sixty calls a minute of each; secrets, cards and IBANs become
    tokens.

    config: whose tools the lists must name, if it is given. allow: tools that are not safe by
    default; destructive: those whose doing cannot be undone; only, deny: see ToolLists. redact: the
    kinds of redaction/kinds.py that become tokens, in the place of the default ones, so
    `SECRETS | PAYMENT | {"email"}` is those and addresses. refuse_secrets_at: places, such as task,
    at which what has a secret (not a card or an IBAN) is refused. rules: of the owner, beside
    these. An agent is refused that has not each tool that rules, limits or `deny` name, unless they
    are shared: of several agents with other tools. Raises AgentConfigRefused.
    """
    named = {*allow, *destructive, *(only or ()), *deny}
    if config and (unknown := named - {tool.id for tool in config.tools}):
        raise AgentConfigRefused(
            f"agent {config.id} has no tool {min(unknown)!r} to permit or deny"
        )
    redaction = Redaction(
        redact, refuse_at=refuse_secrets_at, known=known_secrets, any_hex_key=any_hex_key
    )
    own = (KnownTool(), SafeTools(allow, destructive), ToolLists(only, deny))
    usual = (*own, *rules, redaction, Rates(limits, rate_store))
    engine = PermissionEngine((Size(), *usual), audit, shared=shared)
    if config:
        engine.check_tools(config.id, [tool.id for tool in config.tools])
    return engine


__all__ = ["default_permissions"]
