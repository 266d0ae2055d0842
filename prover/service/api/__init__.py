"""The HTTP API: what is asked, checked, refused and answered. It proves nothing itself."""

__all__: list[str] = []
