"""Values of ZKAGENT_HOME with which nothing can be kept anywhere."""

from pathlib import Path

BAD_HOMES = (
    "empty",
    "relative",
    "a file",
    "below a file",
    "a stranger's",
    "not to be made",
    "long",
)


def bad_home(kind: str, folder: Path) -> str:
    """The value; what it needs to be bad is made in `folder`."""
    (folder / "file").write_text("in the way")
    return {
        "empty": "",
        "relative": "home/of/mine",
        "a file": str(folder / "file"),
        "below a file": str(folder / "file" / "home"),
        "a stranger's": "~nobody-of-this-name",
        "not to be made": "/proc/zkagent",
        "long": str(folder / ("x" * 300)),
    }[kind]


__all__ = ["BAD_HOMES", "bad_home"]
