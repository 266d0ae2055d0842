"""HTTP goes to allowed hosts at checked addresses, and tells no secrets."""

import asyncio
import base64
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.hasty_loop import jump
from tests.support.liars import bomb, drips, endless, hangs, lying_service
from tests.support.local_http import Answer, Asked, LocalHttp, local_http
from tests.support.tool_calls import CONTEXT, call
from zkagent.executor.runtime.core.errors import (
    AgentConfigRefused,
    ToolFault,
    ToolInputRefused,
    ToolTimeout,
)
from zkagent.executor.runtime.core.tools import ToolDefinition, ToolOutput
from zkagent.executor.runtime.tools.http import HttpRules, SecretHeader, http_tool
from zkagent.executor.runtime.tools.schema import checked_tool

SECRET = 's3cr3t/t"ken+1'
DIGITS = "8675309"
#: Both secrets, as other writers of JSON put them.
ESCAPED = rb"""{"a": "s3cr3t\/t\"ken+1", "\u00733cr3t/t\u0022ken+1": 8675309, "b": 8675}"""
ALL = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH")


class Site:
    """What the local server answers."""

    def __init__(self) -> None:
        self.failures = 0

    def __call__(self, asked: Asked) -> Answer:
        path = asked.path.partition("?")[0]
        if self.failures:
            self.failures -= 1
            return 503, {}, b"busy"
        if path.startswith("/to/"):
            return int(asked.headers.get("x-status", "302")), {"location": path[4:]}, b""
        basic = base64.b64encode(b"x:" + SECRET.encode()).decode()
        is_json = {"content-type": "application/json"}
        pages: dict[str, Answer] = {
            "/loop": (302, {"location": "/loop"}, b""),
            "/missing": (404, {}, b"not here"),
            "/nan": (200, is_json, b"[NaN]"),
            "/escaped": (200, is_json, ESCAPED),
            "/echo": (200, is_json, json.dumps({**asked.headers, "basic": basic}).encode()),
        }
        plain = {"content-type": "text/plain", "x-more": "1"}
        return pages.get(path, (200, plain, b"hello \xff"))


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def local(site: Site) -> Iterator[LocalHttp]:
    with local_http(site) as found:
        yield found


def tool_for(*origins: str, **more: Any) -> ToolDefinition:
    rules = {"private": True, "methods": ALL, "wait_s": 0.0, "step_timeout_s": 2.0, **more}
    return http_tool(HttpRules(origins, **rules))


def got(output: ToolOutput) -> dict[str, Any]:
    assert isinstance(output.output, dict)
    return output.output


def test_a_page_is_fetched(local: LocalHttp) -> None:
    found = call(tool_for(local.origin), {"url": f"{local.origin}/a#part", "query": {"q": "ä b"}})
    assert found.ok
    assert got(found)["text"] == "hello \ufffd"
    assert got(found)["headers"]["content-type"] == "text/plain"
    assert "x-more" not in got(found)["headers"]
    assert local.asked[0].path == "/a?q=%C3%A4+b"
    assert local.asked[0].headers["host"] == f"localhost:{local.port}"


def test_a_page_that_is_not_there_is_an_answer(local: LocalHttp) -> None:
    found = call(tool_for(local.origin), {"url": f"{local.origin}/missing"})
    assert (found.ok, got(found)["status"], got(found)["text"]) == (False, 404, "not here")


def test_what_only_says_that_it_is_json_is_text(local: LocalHttp) -> None:
    assert got(call(tool_for(local.origin), {"url": f"{local.origin}/nan"}))["text"] == "[NaN]"


def test_json_is_sent_with_the_key_of_the_call(local: LocalHttp) -> None:
    given = {"url": f"{local.origin}/a", "method": "POST", "json": {"a": [1]}}
    call(tool_for(local.origin), given)
    asked = local.asked[0]
    assert json.loads(asked.body) == {"a": [1]}
    assert asked.headers["idempotency-key"] == CONTEXT.key
    assert asked.headers["content-type"] == "application/json"


def test_what_changes_nothing_is_not_destructive_and_all_else_is() -> None:
    assert not http_tool(HttpRules(("a.example",))).destructive
    assert http_tool(HttpRules(("a.example",), methods=("GET", "POST"))).destructive
    assert not http_tool(HttpRules(("a.example",))).safe_by_default


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9/",
        "https://evil.example/",
        "file:///etc/passwd",
        "gopher://localhost/",
        "http://localhost@evil.example/",
        "http://localhost\\@evil.example/",
        "//localhost",
        "",
    ],
)
def test_other_hosts_and_schemes_are_refused(local: LocalHttp, url: str) -> None:
    with pytest.raises(ToolInputRefused):
        call(tool_for(local.origin), {"url": url})
    assert local.asked == []


def test_private_addresses_are_refused_though_their_name_is_allowed(local: LocalHttp) -> None:
    with pytest.raises(ToolInputRefused, match="not a public address"):
        call(tool_for(local.origin, private=False), {"url": local.origin})
    assert local.asked == []


def test_an_address_is_looked_up_once_and_connected_to_as_it_was_checked(
    local: LocalHttp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host whose name leads elsewhere the second time (DNS rebinding)."""
    looked_up = list[str]()
    real = socket.getaddrinfo

    def rebinding(host: Any, port: Any, *more: Any, **named: Any) -> Any:
        if host != "rebinding.example":
            return real(host, port, *more, **named)  # of the address itself
        looked_up.append(host)
        address = "127.0.0.1" if len(looked_up) == 1 else "127.0.0.9"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    url = f"http://rebinding.example:{local.port}"
    assert call(tool_for(url), {"url": url}).ok
    assert looked_up == ["rebinding.example"]
    assert local.asked[0].headers["host"] == f"rebinding.example:{local.port}"


@pytest.mark.parametrize("inner", ["169.254.169.254", "10.1.2.3", "::ffff:127.0.0.1", "::1"])
def test_a_name_that_leads_inwards_is_refused(monkeypatch: pytest.MonkeyPatch, inner: str) -> None:
    family = socket.AF_INET6 if ":" in inner else socket.AF_INET
    found = [(family, socket.SOCK_STREAM, 6, "", (inner, 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(ToolInputRefused, match="not a public address"):
        call(http_tool(HttpRules(("a.example",))), {"url": "https://a.example/"})


def test_redirects_are_followed_within_the_allowed_hosts(local: LocalHttp) -> None:
    tool = tool_for(local.origin)
    found = call(tool, {"url": f"{local.origin}/to//a"})
    assert (got(found)["text"][:5], got(found)["url"]) == ("hello", f"{local.origin}/a")
    for target in ("http://127.0.0.1:9/", "https://evil.example/", "file:///etc/passwd"):
        with pytest.raises(ToolInputRefused, match="may not be called"):
            call(tool, {"url": f"{local.origin}/to/{target}"})


def test_redirects_end(local: LocalHttp) -> None:
    with pytest.raises(ToolFault, match="more than 3 redirects"):
        call(tool_for(local.origin, redirects=3), {"url": f"{local.origin}/loop"})
    assert len(local.asked) == 4


@pytest.mark.parametrize(("status", "method"), [("302", "GET"), ("303", "GET"), ("307", "POST")])
def test_what_was_sent_goes_on_only_where_that_is_asked_for(
    local: LocalHttp, status: str, method: str
) -> None:
    given = {"url": f"{local.origin}/to//a", "method": "POST", "text": "x"}
    call(tool_for(local.origin), {**given, "headers": {"x-status": status}})
    assert (local.asked[1].method, local.asked[1].body) == (method, b"x" * (method == "POST"))


def test_a_redirect_asks_nothing_that_may_not_be_asked(local: LocalHttp) -> None:
    given = {"url": f"{local.origin}/to//a", "method": "POST", "text": "x"}
    for status in ("301", "302", "303"):
        found = call(
            tool_for(local.origin, methods=("POST",)), {**given, "headers": {"x-status": status}}
        )
        assert (got(found)["status"], got(found)["headers"]["location"]) == (int(status), "/a")
    assert {asked.method for asked in local.asked} == {"POST"}
    call(tool_for(local.origin, methods=("POST", "GET")), given)
    assert local.asked[-1].method == "GET"


@pytest.mark.parametrize(("honours", "posts"), [(False, 1), (True, 2)])
def test_what_was_sent_and_led_on_to_nobody_is_sent_again_only_with_a_key(
    local: LocalHttp, honours: bool, posts: int
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        gone = f"http://127.0.0.1:{server.getsockname()[1]}"
    tool = tool_for(local.origin, gone, honours_keys=honours)
    given = {"url": f"{local.origin}/to/{gone}/a", "method": "POST", "text": "x"}
    with pytest.raises(ToolFault, match="failed") as fault:
        call(tool, {**given, "headers": {"x-status": "303"}})
    assert [asked.method for asked in local.asked] == ["POST"] * posts
    assert fault.value.retriable is honours


def test_secrets_are_left_out_of_json_however_it_is_written(local: LocalHttp) -> None:
    headers = {"X-A": SecretHeader("TOKEN"), "X-B": SecretHeader("PIN")}
    tool = tool_for(local.origin, secrets={"localhost": headers})
    secrets = {"TOKEN": SECRET, "PIN": DIGITS}
    assert json.loads(ESCAPED) == {"a": SECRET, SECRET: int(DIGITS), "b": 8675}
    found = call(tool, {"url": f"{local.origin}/escaped"}, secrets=secrets)
    assert got(found)["json"] == {
        "a": "[secret TOKEN]",
        "[secret TOKEN]": "[secret PIN]",
        "b": 8675,
    }


def test_a_header_that_is_a_secret_s_is_no_planner_s_in_whatever_letters(local: LocalHttp) -> None:
    tool = tool_for(local.origin, secrets={"localhost": {"X-Api-Key": SecretHeader("TOKEN")}})
    given = {"url": local.origin, "headers": {"x-api-key": "mine"}}
    with pytest.raises(ToolInputRefused, match="not for a planner"):
        call(tool, given, secrets={"TOKEN": SECRET})
    assert local.asked == []
    call(tool, {**given, "headers": {"x-api-kez": "mine"}}, secrets={"TOKEN": SECRET})
    assert local.asked[0].headers["x-api-key"] == SECRET


def test_a_secret_is_sent_to_its_host_alone_and_left_out_of_answers(local: LocalHttp) -> None:
    other = f"http://127.0.0.1:{local.port}"
    header = {"Authorization": SecretHeader("TOKEN", "Bearer {}")}
    tool = tool_for(local.origin, other, secrets={"localhost": header})
    found = call(tool, {"url": f"{local.origin}/echo"}, secrets={"TOKEN": SECRET})
    assert local.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    assert got(found)["json"]["authorization"] == "Bearer [secret TOKEN]"
    assert "secret TOKEN" in got(found)["json"]["basic"]
    call(tool, {"url": f"{local.origin}/to/{other}/echo"}, secrets={"TOKEN": SECRET})
    assert "authorization" in local.asked[1].headers
    assert "authorization" not in local.asked[2].headers


def test_a_secret_that_is_missing_or_no_header_is_told_by_name_only(local: LocalHttp) -> None:
    header = {"Authorization": SecretHeader("TOKEN")}
    tool = tool_for(local.origin, secrets={"localhost": header})
    for secrets in ({}, {"TOKEN": "abcd\r\nx: y"}):
        with pytest.raises(ToolFault, match="TOKEN") as fault:
            call(tool, {"url": local.origin}, secrets=secrets)
        assert "abcd" not in str(fault.value)
    assert local.asked == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "x"},
        {"host": "x"},
        {"a b": "x"},
        {"x": "a\r\nb: c"},
        {"Cookie": "a=b"},
        {"X-HTTP-Method-Override": "DELETE"},
        {"x-http-method": "DELETE"},
        {"X-Method-Override": "DELETE"},
    ],
)
def test_headers_that_a_planner_must_not_say_are_refused(
    local: LocalHttp, headers: dict[str, str]
) -> None:
    with pytest.raises(ToolInputRefused):
        call(tool_for(local.origin), {"url": local.origin, "headers": headers})
    assert local.asked == []


@pytest.mark.parametrize(
    ("method", "honours", "tries"),
    [("GET", False, 2), ("PUT", False, 2), ("POST", False, 1), ("POST", True, 2)],
)
def test_what_may_be_sent_twice_is_tried_again(
    site: Site, local: LocalHttp, method: str, honours: bool, tries: int
) -> None:
    site.failures = 1
    tool = tool_for(local.origin, honours_keys=honours)
    found = call(tool, {"url": local.origin, "method": method})
    assert (len(local.asked), found.ok) == (tries, tries == 2)
    assert len({asked.headers.get("idempotency-key") for asked in local.asked}) == 1


def test_an_endless_or_packed_answer_is_not_read() -> None:
    for lie, why in ((endless, "more than 1,000 bytes"), (bomb, "more than|packed")):
        with lying_service(lie) as url, pytest.raises(ToolFault, match=why):
            call(tool_for(url, answer_bytes=1000), {"url": url})


def test_a_packed_answer_is_refused() -> None:
    packed = local_http(lambda asked: (200, {"content-encoding": "gzip"}, b"x"))
    with packed as site, pytest.raises(ToolFault, match="packed"):
        call(tool_for(site.origin), {"url": site.origin})


@pytest.mark.parametrize("lie", [hangs, drips(b"HTTP/1.1 200 OK\r\nX: ")])
@pytest.mark.parametrize(("method", "again"), [("GET", True), ("POST", False)])
def test_no_answer_in_time_may_be_asked_for_again_where_nothing_is_changed(
    lie: Any, method: str, again: bool
) -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    def late(client: socket.socket) -> None:
        jump(loops[0], 1000)
        lie(client)

    async def asked(url: str) -> None:
        loops.append(asyncio.get_running_loop())
        tool = tool_for(url, attempts=1, step_timeout_s=600)
        await tool.run(checked_tool(tool, {"url": url, "method": method}), CONTEXT)

    with lying_service(late) as url, pytest.raises(ToolTimeout) as fault:
        asyncio.run(asked(url))
    assert fault.value.retriable is again


def test_where_nobody_answers_nothing_was_sent_and_it_may_be_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
    with pytest.raises(ToolFault) as fault:
        call(tool_for(url, attempts=1), {"url": url, "method": "POST"})
    assert fault.value.retriable


@pytest.mark.parametrize("rules", [{"hosts": ()}, {"hosts": ("*",)}, {"hosts": ("a.example/x",)}])
def test_rules_that_allow_no_host_or_any_are_refused(rules: dict[str, Any]) -> None:
    with pytest.raises(AgentConfigRefused):
        http_tool(HttpRules(**rules))
    with pytest.raises(AgentConfigRefused, match=r"write \['a\.example'\]"):
        http_tool(HttpRules("a.example"))  # type: ignore[arg-type]
    with pytest.raises(AgentConfigRefused, match="no method"):
        http_tool(HttpRules(("a.example",), methods=("TRACE",)))


def test_too_much_to_send_or_two_kinds_of_it_are_refused(local: LocalHttp) -> None:
    tool, given = tool_for(local.origin, content_bytes=3), {"url": local.origin, "method": "POST"}
    assert call(tool, {**given, "text": "abc"}).ok
    for more in ({"text": "abcd"}, {"text": "a", "json": 1}):
        with pytest.raises(ToolInputRefused):
            call(tool, {**given, **more})
