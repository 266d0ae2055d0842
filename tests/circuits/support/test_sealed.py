"""Files that guard themselves: what lies in users' caches stays readable, damage is noticed."""

from pathlib import Path
from typing import Any

import pytest

from zkagent.circuits.errors import ArtifactCorrupted
from zkagent.circuits.support.sealed import read_sealed, write_sealed

CONTENT: dict[str, Any] = {"b": [1, 2.5], "a": {"d": None, "c": "x"}}
# sha256sum of {"a": {"c": "x", "d": null}, "b": [1, 2.5]}
DIGEST = "b15e4102f75a0c28c4c658649374dacfa8050fdff5bb6b3aef35161cf2fed00f"
AS_GIVEN = f"""{{
 "content": {{
  "b": [
   1,
   2.5
  ],
  "a": {{
   "d": null,
   "c": "x"
  }}
 }},
 "sha256": "{DIGEST}"
}}
"""
SORTED = f"""{{
 "content": {{
  "a": {{
   "c": "x",
   "d": null
  }},
  "b": [
   1,
   2.5
  ]
 }},
 "sha256": "{DIGEST}"
}}
"""


def whole(content: dict[str, Any]) -> dict[str, Any]:
    return content


@pytest.mark.parametrize(("sort_keys", "text"), [(False, AS_GIVEN), (True, SORTED)])
def test_the_form_is_the_one_of_files_that_users_have(
    tmp_path: Path, sort_keys: bool, text: str
) -> None:
    path = tmp_path / "it.json"
    write_sealed(path, CONTENT, sort_keys=sort_keys)
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]
    assert read_sealed(path, whole) == CONTENT


def test_what_was_there_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "it.json"
    write_sealed(path, CONTENT)
    write_sealed(path, {"new": True})
    assert read_sealed(path, whole) == {"new": True}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (AS_GIVEN.replace("2.5", "2.6"), "its digest does not fit its content"),
        (AS_GIVEN.replace(DIGEST, "0" * 64), "its digest does not fit its content"),
        (AS_GIVEN[:-5], "it cannot be read: JSONDecodeError"),
        ("[]", "it cannot be read: TypeError"),
        ("{}", "it cannot be read: KeyError"),
    ],
)
def test_damage_is_noticed(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "it.json"
    path.write_text(text)
    with pytest.raises(ArtifactCorrupted, match=reason):
        read_sealed(path, whole)


def test_a_missing_file_and_missing_fields_are_damage_too(tmp_path: Path) -> None:
    with pytest.raises(ArtifactCorrupted, match="it cannot be read: FileNotFoundError"):
        read_sealed(tmp_path / "nowhere.json", whole)
    path = tmp_path / "it.json"
    write_sealed(path, CONTENT)
    with pytest.raises(ArtifactCorrupted, match="it cannot be read: KeyError"):
        read_sealed(path, lambda content: content["e"])
