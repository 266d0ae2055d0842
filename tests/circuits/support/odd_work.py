"""A call for tests: reports, warns, is refused or answers, as it is asked to."""

import logging
from typing import Any

from zkagent.circuits.errors import SettingsRefused
from zkagent.circuits.support.isolation import Report, answer_call

log = logging.getLogger("zkagent.odd_work")


def work(request: dict[str, Any], report: Report) -> Any:
    log.info("nobody needs to know")
    for text in request["warnings"]:
        log.warning("%s", text)
    for value in request["reports"]:
        report(value)
    if request["refused"]:
        raise SettingsRefused("the rule", "broken", "kept")
    return request["answer"]


if __name__ == "__main__":
    answer_call(work)
