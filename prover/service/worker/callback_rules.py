"""Where callbacks may go: to allowed hosts, at public addresses, never inwards."""

from dataclasses import dataclass

from zkagent.prover.errors import AddressRefused, AddressUnresolved
from zkagent.prover.outbound.hosts import HostRules
from zkagent.prover.service.errors import CallbackFailed, CallbackRefused


@dataclass(frozen=True)
class CallbackRules:
    """Where callbacks may go, as HostRules say."""

    hosts: tuple[str, ...] = ()
    private: bool = False

    def check(self, url: str) -> None:
        """Without looking anything up. Raises CallbackRefused."""
        try:
            self._rules.check(url)
        except AddressRefused as exc:
            raise CallbackRefused(exc.url, exc.reason) from exc

    def resolve(self, url: str) -> str:
        """The address to connect to. Raises CallbackRefused, or CallbackFailed without one."""
        try:
            return self._rules.resolve(url)[0]
        except AddressRefused as exc:
            raise CallbackRefused(exc.url, exc.reason) from exc
        except AddressUnresolved as exc:
            raise CallbackFailed(url, exc.reason) from exc

    @property
    def _rules(self) -> HostRules:
        return HostRules(self.hosts, self.private, "see zkagent serve --allow-callback")


__all__ = ["CallbackRules"]
