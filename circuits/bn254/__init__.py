"""The curve that every proof system here uses: its field, its points, and files of points (KZG
set-ups)."""

__all__: list[str] = []
