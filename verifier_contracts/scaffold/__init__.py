"""The beginning of an agent of one's own: a contract, a test of it, and what plain forge needs."""

from zkagent.verifier_contracts.scaffold.project import check_name, new_project

__all__ = ["check_name", "new_project"]
