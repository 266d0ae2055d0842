"""The settings that a config file may hold: names, forms, meanings."""

from dataclasses import dataclass
from enum import StrEnum

from zkagent.circuits.support.urls import shown_url, url_problem

#: In place of any value: as if nobody had given one, whatever the sources below say.
NONE = "none"
MOST = (1 << 63) - 1  # what fits wherever a number goes


class Form(StrEnum):
    """What a value has to be, in the words of an error."""

    URL = "an address in quotes that begins with http:// or https://"
    NUMBER = f"a whole number from 1 to {MOST}"
    PATH = "the path of a file, in quotes"


@dataclass(frozen=True)
class Setting:
    """name: as in a file, and as the option without its dashes."""

    name: str
    form: Form
    meaning: str

    @property
    def option(self) -> str:
        return f"--{self.name}"

    @property
    def variable(self) -> str:
        return f"ZKAGENT_{self.name.replace('-', '_').upper()}"

    def fits(self, value: object) -> bool:
        """Whether a value that a file holds can be one of this setting. Nothing fits that a
        terminal would not show as it is."""
        if self.form is Form.NUMBER:
            return value == NONE or (type(value) is int and 0 < value <= MOST)
        if not isinstance(value, str) or not value.isprintable():
            return False
        return value == NONE or (not url_problem(value) if self.form is Form.URL else value != "")

    def shown(self, value: object) -> str:
        """The value without what may be secret in it: of an address only the host."""
        if self.form is not Form.URL or value == NONE:
            return str(value)
        return shown_url(str(value))


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("rpc", Form.URL, "address of the chain's node"),
        Setting("chain-id", Form.NUMBER, "the only chain to talk to"),
        Setting("deployment", Form.PATH, "deployment.json: the agent and its chain"),
        Setting("key-file", Form.PATH, "hex key or keystore of the agent's owner"),
        Setting("service", Form.URL, "address of a prover service"),
        Setting("srs", Form.PATH, "KZG set-up file"),
    )
}


__all__ = ["NONE", "SETTINGS", "Form", "Setting"]
