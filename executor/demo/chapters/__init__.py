"""The chapters of `zkagent demo --all`: a file for each, registered in `catalogue.py`."""

__all__: list[str] = []
