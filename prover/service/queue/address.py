"""The address of a database: which are taken, and what of one is shown.

A password may stand in many places of it: before the host, in the query, and wherever one with an @
or a / that is not escaped is taken for something else. So what can be read in two ways is refused,
and nothing but the host and the database's name is ever shown.

Connections speak UTF-8, whatever the address, the environment or the server would have.
"""

import re

import sqlalchemy as sa

from zkagent.prover.service.errors import DatabaseUnusable

EXPECTED = "expected postgresql://USER:PASSWORD@HOST/NAME or sqlite:///PATH"
ESCAPES = "write @, /, ? and # in its user, password and query as %40, %2F, %3F and %23"
SCHEME = re.compile(r"\w+(\+\w+)?://")
#: No @ but the one between the password and the host, and none of the other three before it.
UNAMBIGUOUS = re.compile(r"\w+(\+\w+)?://([^@/?#]*@)?[^@]*")
#: What the service sets itself, and arguments of psycopg that are none of libpq's, and no texts.
REFUSED = frozenset({"options", "autocommit", "conninfo", "context", "cursor_factory"})
REFUSED |= {"prepare_threshold", "row_factory"}
POOLING = "; a proxy before it has to pool sessions, not transactions"
ENCODING = {"client_encoding": "utf8"}


def read_address(given: str) -> sa.URL:
    """What was given, with our driver. Raises DatabaseUnusable."""
    try:
        url = sa.make_url(given)
    except (sa.exc.ArgumentError, ValueError):  # which quotes it
        raise DatabaseUnusable(_scheme(given), f"{EXPECTED}; {ESCAPES}") from None
    if url.get_backend_name() == "postgresql":
        if not UNAMBIGUOUS.fullmatch(given):
            raise DatabaseUnusable(_scheme(given), ESCAPES)
        for name in sorted(REFUSED & url.query.keys()):
            remedy = POOLING if name == "prepare_threshold" else ""
            reason = f"leave `{name}` out of its query{remedy}"
            raise DatabaseUnusable(shown_address(url), reason)
        return url.set(drivername="postgresql+psycopg").update_query_dict(ENCODING)
    if url != sa.URL.create("sqlite", database=url.database):
        raise DatabaseUnusable(_scheme(given), EXPECTED)
    return url


def shown_address(url: sa.URL) -> str:
    """Without anything that is, or may be, a secret."""
    kind = url.get_backend_name()
    bare = sa.URL.create(kind, host=url.host, port=url.port, database=url.database)
    return bare.render_as_string()


def _scheme(given: str) -> str:
    """Of one that cannot be read, whatever follows may be a password."""
    found = SCHEME.match(given)
    return f"{found[0]}..." if found else "that was given"


__all__ = ["read_address", "shown_address"]
