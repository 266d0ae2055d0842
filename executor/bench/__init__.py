"""What a proof costs, measured: `zkagent bench`.

Every model is proven by circuits of several forms (ours, tuned ones, what ezkl chooses by itself)
and evaluated by the EVM directly, in one run whose measurements are interleaved. What comes out is
a folder: results.json, report.md and plots. Only its commands import this room.

    suite -> runner -> (forms, proving, chain) -> results -> report, plots, compare
"""

__all__: list[str] = []
