"""Answers the requests of a desk, and makes them: what `zkagent operate`, `zkagent request` and
`zkagent estimate` do. A request is looked at, its run planned, proven and sent by the same means as
a run of one's own (`executor/runs`)."""

__all__: list[str] = []
