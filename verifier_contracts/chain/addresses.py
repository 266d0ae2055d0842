"""Addresses as people write them."""

import re

from eth_utils.address import is_checksum_address, is_checksum_formatted_address

ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)


def is_address(text: str) -> bool:
    """Whether it is one: with its checksum, if it has one, so that mistyped ones are noticed."""
    if not ADDRESS.fullmatch(text):
        return False
    return is_checksum_address(text) or not is_checksum_formatted_address(text)


__all__ = ["is_address"]
