"""HTTP as a tool, to allowed hosts only.

    http_tool(HttpRules(hosts=("api.example.org",), secrets={"api.example.org":
              {"Authorization": SecretHeader("API_TOKEN", "Bearer {}")}}))

A host's name is looked up once for each request, its addresses are checked, and what was checked is
connected to. Redirects are followed by the same rules; what is secret stays with its host. Secrets
are named by whoever makes the tool: a planner can neither choose nor see them, and what a host says
of them is left out of its answer.
"""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from zkagent.errors import in_line
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    ToolFault,
    ToolInputRefused,
    ToolTimeout,
)
from zkagent.executor.runtime.core.json_values import Json
from zkagent.executor.runtime.core.tools import (
    CallContext,
    Interrupted,
    ToolDefinition,
    ToolOutput,
)
from zkagent.executor.runtime.tools.secret_texts import SecretTexts
from zkagent.executor.runtime.tools.threads import in_thread
from zkagent.prover.errors import AddressRefused, AddressUnresolved
from zkagent.prover.outbound.exchange import (
    TIMEOUTS,
    TROUBLE,
    UNSENT,
    AnswerTooLong,
    Exchange,
)
from zkagent.prover.outbound.hosts import HostRules, check_rule

READING = ("GET", "HEAD", "OPTIONS")
IDEMPOTENT = (*READING, "PUT", "DELETE")
METHODS = (*IDEMPOTENT, "POST", "PATCH")
HEAD_BYTES = 1 << 16  # of an answer's status line and headers
AGAIN = (429, 502, 503, 504)
REDIRECTS = (301, 302, 303, 307, 308)
TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}", re.ASCII)
VALUE = re.compile(r"[\x20-\x7e\t]{0,4000}", re.ASCII)
#: Whoever sets one of these speaks for somebody else, or of another message than is sent.
OURS = {
    "authorization", "connection", "content-length", "cookie", "expect", "forwarded", "host",
    "keep-alive", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
    "x-forwarded-for", "x-forwarded-host", "x-http-method", "x-http-method-override",
    "x-method-override", "x-real-ip",
}  # fmt: skip
SHOWN = {"cache-control", "content-type", "date", "etag", "last-modified", "link", "location"}
SHOWN |= {"retry-after"}


@dataclass(frozen=True, slots=True)
class SecretHeader:
    """A header's value, by the secret's name; form: with {} for the secret."""

    name: str
    form: str = "{}"


@dataclass(frozen=True)
class HttpRules:
    """hosts: as HostRules has them; private: also at private addresses, never at link-local ones.

    secrets: of each host (as in its address, without the port) the headers that are sent to it and
    to no other. key_header: carries the call's idempotency key, where something is changed; a host
    that honours it lets a call be tried again. attempts: in all, of what may be tried again; of the
    longer waits the runner takes care. answer_bytes: of one answer, without its head.
    """

    hosts: tuple[str, ...]
    methods: tuple[str, ...] = ("GET", "HEAD")
    private: bool = False
    secrets: Mapping[str, Mapping[str, SecretHeader]] = field(default_factory=dict)
    key_header: str | None = "Idempotency-Key"
    honours_keys: bool = False
    interrupted: Interrupted = "fail"
    redirects: int = 5
    attempts: int = 2
    wait_s: float = 0.2
    step_timeout_s: float = 10.0
    answer_bytes: int = 1 << 20
    content_bytes: int = 1 << 20

    def check(self) -> None:
        """Raises AgentConfigRefused."""
        hosts: object = self.hosts
        if isinstance(hosts, str):
            raise AgentConfigRefused(f"HTTP hosts are a list: write [{hosts!r}]")
        try:
            list(map(check_rule, self.hosts))
        except ValueError as exc:
            raise AgentConfigRefused(f"HTTP hosts: {exc}") from exc
        if not self.hosts:
            raise AgentConfigRefused("an HTTP tool needs hosts that it may call: HttpRules(hosts=)")
        if unknown := set(self.methods) - set(METHODS):
            raise AgentConfigRefused(f"{sorted(unknown)[0]!r} is no method: {', '.join(METHODS)}")


def http_tool(rules: HttpRules, id: str = "http_request") -> ToolDefinition:
    """Destructive unless its methods only read. Raises AgentConfigRefused."""
    rules.check()
    texts: dict[str, Json] = {"type": "object", "additionalProperties": {"type": "string"}}
    properties: dict[str, Json] = {
        "url": {"type": "string", "description": f"of one of: {', '.join(rules.hosts)}"},
        "method": {"enum": list(rules.methods), "default": rules.methods[0]},
        "query": {**texts, "description": "is added to the address"},
        "headers": texts,
        "json": {"description": "sent as JSON"},
        "text": {"type": "string", "description": "sent as it is"},
    }
    changes = not set(rules.methods) <= set(READING)
    return ToolDefinition(
        id=id,
        description="Send an HTTP request; gives status, headers and the answer as json or text.",
        schema={
            "type": "object",
            "properties": properties,
            "required": ["url"],
            "additionalProperties": False,
        },
        run=_Client(rules).run,
        destructive=changes,
        honours_keys=rules.honours_keys or not changes,
        interrupted=rules.interrupted,
        timeout_s=rules.step_timeout_s * (rules.redirects + 1),
    )


class _Client:
    def __init__(self, rules: HttpRules) -> None:
        self._rules = rules
        self._hosts = HostRules(rules.hosts, rules.private, "HttpRules(hosts=)")

    async def run(self, given: dict[str, Any], context: CallContext) -> ToolOutput:
        """An answer of any status is an output; `ok` is whether it is one below 400. Raises
        ToolInputRefused, ToolTimeout; ToolFault, which is retriable where nothing was changed, the
        request did not get there, or the host honours keys."""
        request = _request(given, self._rules, context)
        hidden = SecretTexts()
        for attempt in range(1, self._rules.attempts + 1):
            try:
                output = await self._followed(request, context, hidden)
            except ToolFault as fault:
                if not fault.retriable or attempt == self._rules.attempts:
                    raise
            else:
                status = output.meta["status"]
                last = attempt == self._rules.attempts or not self._repeatable(request)
                if status not in AGAIN or last:
                    return output
            await asyncio.sleep(self._rules.wait_s * 2 ** (attempt - 1))
        raise AssertionError("each attempt ends or is followed by another")

    async def _followed(
        self, request: Exchange, context: CallContext, hidden: SecretTexts
    ) -> ToolOutput:
        """A redirect to what may not be done here is an answer."""
        first = request
        for _ in range(self._rules.redirects + 1):
            try:
                answer = await self._once(request, context, hidden)
            except ToolFault as fault:
                if request is not first:  # which got there, and is what would be sent again
                    fault.retriable = fault.retriable and self._repeatable(first)
                raise
            target = answer.headers.get("location")
            if answer.status not in REDIRECTS or target is None:
                return answer.output(request.url, hidden)
            further = _redirected(request, answer.status, target)
            if further.method not in self._rules.methods:
                return answer.output(request.url, hidden)
            request = further
        shown = hidden.without(request.url)
        raise ToolFault(f"more than {self._rules.redirects} redirects, the last to {shown:.200}")

    async def _once(
        self, request: Exchange, context: CallContext, hidden: SecretTexts
    ) -> "_Answer":
        """Whatever goes wrong is told without the secrets."""
        sent = replace(
            request, headers={**request.headers, **self._secret(request, context, hidden)}
        )
        try:
            return await self._sent(sent)
        except AddressRefused as exc:
            raise ToolInputRefused(hidden.without(str(exc)), path="url") from None
        except AddressUnresolved as exc:
            raise ToolFault(hidden.without(str(exc)), retriable=True) from None
        except AnswerTooLong:
            most = self._rules.answer_bytes
            raise ToolFault(f"the answer has more than {most:,} bytes") from None
        except TIMEOUTS as exc:
            unsent = isinstance(exc, UNSENT)
            again = unsent or self._repeatable(request)
            message = f"no answer within {self._rules.step_timeout_s:g} s"
            kind = ToolFault if unsent else ToolTimeout
            raise kind(message, retriable=again) from None
        except TROUBLE as exc:
            again = isinstance(exc, UNSENT) or self._repeatable(request)
            why = hidden.without(in_line(f"{type(exc).__name__}: {exc}", 200))
            raise ToolFault(f"the request failed: {why}", retriable=again) from None

    async def _sent(self, request: Exchange) -> "_Answer":
        looked_up = in_thread(self._hosts.resolve, request.url)
        addresses = await asyncio.wait_for(looked_up, self._rules.step_timeout_s)
        for address in addresses[:-1]:
            try:
                return await self._at(request, address)
            except UNSENT:
                continue
        return await self._at(request, addresses[-1])

    async def _at(self, request: Exchange, address: str) -> "_Answer":
        content = bytearray()
        async with (
            asyncio.timeout(self._rules.step_timeout_s),
            request.at(address) as answer,
        ):
            headers = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in answer.headers
            }
            async for part in answer.aiter_stream():
                content += part
                if len(content) > self._rules.answer_bytes:
                    raise AnswerTooLong
        return _Answer(answer.status, headers, bytes(content))

    def _secret(
        self, request: Exchange, context: CallContext, hidden: SecretTexts
    ) -> dict[str, str]:
        """The secret headers of the request's host, in small letters, hidden from now on."""
        found = dict[str, str]()
        host = (urlsplit(request.url).hostname or "").rstrip(".")
        for name, secret in self._rules.secrets.get(host, {}).items():
            if context.secrets is None:
                raise ToolFault(f"the secret {secret.name} is needed, and this run has none")
            try:
                value = context.secrets(secret.name)
            except (KeyError, OSError):
                raise ToolFault(f"there is no secret {secret.name}") from None
            hidden.add(secret.name, value)
            found[name.lower()] = told = secret.form.format(value)
            if not VALUE.fullmatch(told):
                raise ToolFault(f"the secret {secret.name} cannot stand in a header")
        return found

    def _repeatable(self, request: Exchange) -> bool:
        keyed = self._rules.honours_keys and self._rules.key_header is not None
        return request.method in IDEMPOTENT or keyed


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    content: bytes

    def output(self, url: str, hidden: SecretTexts) -> ToolOutput:
        """Raises ToolFault."""
        if (coding := self.headers.get("content-encoding", "identity")) != "identity":
            raise ToolFault(
                f"the answer is packed ({in_line(coding, 40)}), which was not asked for"
            )
        found: dict[str, Json] = {"status": self.status, "url": hidden.without(url)}
        shown = {name: value for name, value in self.headers.items() if name in SHOWN}
        found["headers"] = {name: hidden.without(value) for name, value in shown.items()}
        text = self.content.decode("utf-8", "replace")
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json" or kind.endswith("+json"):
            try:
                found["json"] = hidden.without_in(json.loads(text, parse_constant=_no_constant))
            except (ValueError, RecursionError):
                found["text"] = hidden.without(text)
        else:
            found["text"] = hidden.without(text)
        return ToolOutput(self.status < 400, found, {"status": self.status})


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _request(given: Mapping[str, Any], rules: HttpRules, context: CallContext) -> Exchange:
    """Raises ToolInputRefused."""
    url, method = given["url"], given.get("method", rules.methods[0])
    url = url.partition("#")[0]
    if query := given.get("query"):
        url += ("&" if "?" in url else "?") + urlencode(query)
    if "json" in given and "text" in given:
        raise ToolInputRefused("give json or text, not both", path="text")
    headers = {"accept-encoding": "identity", **_headers(given.get("headers", {}), rules)}
    content = None
    if "json" in given:
        content = json.dumps(given["json"]).encode()
        headers.setdefault("content-type", "application/json")
    elif "text" in given:
        content = given["text"].encode("utf-8", "replace")
        headers.setdefault("content-type", "text/plain; charset=utf-8")
    if content is not None and len(content) > rules.content_bytes:
        raise ToolInputRefused(
            f"{len(content):,} bytes are more than the {rules.content_bytes:,} that may be sent"
        )
    if method not in READING:
        content = content or b""
        if rules.key_header:
            headers[rules.key_header.lower()] = context.key
    raw_bytes = rules.answer_bytes * 9 // 8 + 2 * HEAD_BYTES
    most = rules.answer_bytes + HEAD_BYTES
    return Exchange(method, url, headers, content, rules.step_timeout_s, most, raw_bytes)


def _headers(given: Mapping[str, str], rules: HttpRules) -> dict[str, str]:
    """In small letters. Raises ToolInputRefused."""
    ours = OURS | {name.lower() for secret in rules.secrets.values() for name in secret}
    for name, value in given.items():
        if not TOKEN.fullmatch(name) or not VALUE.fullmatch(value):
            raise ToolInputRefused(f"{in_line(name, 80)!r} is no header", path="headers")
        if name.lower() in ours:
            raise ToolInputRefused(
                f"{name} is not for a planner to say: see HttpRules(secrets=)", path="headers"
            )
    return {name.lower(): value for name, value in given.items()}


def _redirected(request: Exchange, status: int, target: str) -> Exchange:
    """As browsers do it: what was sent goes on only with 307 and 308. Secret headers are not in
    `request`, and so are found anew for where it leads."""
    url = urljoin(request.url, target).partition("#")[0]
    keeps = status in (307, 308) or request.method in ("GET", "HEAD", "OPTIONS")
    if keeps:
        return replace(request, url=url)
    headers = {k: v for k, v in request.headers.items() if not k.startswith("content-")}
    return replace(request, url=url, method="GET", content=None, headers=headers)


__all__ = ["HttpRules", "SecretHeader", "http_tool"]
