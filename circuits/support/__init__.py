"""Child processes, files that notice damage, the cache's folder: nothing here knows circuits."""

__all__: list[str] = []
