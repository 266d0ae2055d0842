"""The beginning of an agent of one's own: a contract, a test of it, a model where its kind has one,
and what plain forge needs."""

from zkagent.verifier_contracts.scaffold.project import (
    KINDS,
    Kind,
    Project,
    check_name,
    load_project,
    new_project,
)

__all__ = ["KINDS", "Kind", "Project", "check_name", "load_project", "new_project"]
