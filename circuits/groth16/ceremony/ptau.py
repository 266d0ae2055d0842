"""Powers of tau: the first half of every set-up, made once for all circuits of a size (.ptau files
of snarkjs).

Whoever knows tau forges proofs under whatever goes on from it, so a file counts if it is one of a
public ceremony, told by its digest, or one that its user vouches for by saying the digest that its
makers published.
"""

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path

from zkagent.circuits.bn254.curve import Q
from zkagent.circuits.bn254.multiples import PointG1, PointG2
from zkagent.circuits.errors import PtauRefused
from zkagent.circuits.groth16.keys.sections import Sections, open_sections
from zkagent.circuits.groth16.keys.zkey import known_g1, known_g2, read_numbers
from zkagent.models.files import open_regular

HEADER, TAU_G1, ALPHA, BETA, BETA_G2, PREPARED = 1, 2, 4, 5, 6, 12
CHUNK_BYTES = 1 << 22
#: BLAKE2b of powersOfTau28_hez_final_08.ptau and so on, as snarkjs 0.7.6 lists them (README.md).
PUBLIC = {
    8: "d6a8fb3a04feb600096c3b791f936a578c4e664d262e4aa24beed1b7a9a96aa5"
    "eb72864d628db247e9293384b74b36ffb52ca8d148d6e1b8b51e279fdf57b583",
    9: "94f108a80e81b5d932d8e8c9e8fd7f46cf32457e31462deeeef37af1b71c2c1b"
    "3c71fb0d9b59c654ec266b042735f50311f9fd1d4cadce47ab234ad163157cb5",
    10: "6cfeb8cda92453099d20120bdd0e8a5c4e7706c2da9a8f09ccc157ed2464d921"
    "fd0437fb70db42104769efd7d6f3c1f964bcf448c455eab6f6c7d863e88a5849",
    11: "47c282116b892e5ac92ca238578006e31a47e7c7e70f0baa8b687f0a5203e28e"
    "a07bbbec765a98dcd654bad618475d4661bfaec3bd9ad2ed12e7abc251d94d33",
    12: "ded2694169b7b08e898f736d5de95af87c3f1a64594013351b1a796dbee393bd"
    "825f88f9468c84505ddd11eb0b1465ac9b43b9064aa8ec97f2b73e04758b8a4a",
    13: "58efc8bf2834d04768a3d7ffcd8e1e23d461561729beaac4e3e7a47829a1c906"
    "6d5320241e124a1a8e8aa6c75be0ba66f65bc8239a0542ed38e11276f6fdb4d9",
    14: "eeefbcf7c3803b523c94112023c7ff89558f9b8e0cf5d6cdcba3ade60f168af4"
    "a181c9c21774b94fbae6c90411995f7d854d02ebd93fb66043dbb06f17a831c1",
    15: "982372c867d229c236091f767e703253249a9b432c1710b4f326306bfa2428a1"
    "7b06240359606cfe4d580b10a5a1f63fbed499527069c18ae17060472969ae6e",
    16: "6a6277a2f74e1073601b4f9fed6e1e55226917efb0f0db8a07d98ab01df1ccf4"
    "3eb0e8c3159432acd4960e2f29fe84a4198501fa54c8dad9e43297453efec125",
    17: "6247a3433948b35fbfae414fa5a9355bfb45f56efa7ab4929e669264a0258976"
    "741dfbe3288bfb49828e5df02c2e633df38d2245e30162ae7e3bcca5b8b49345",
    18: "7e6a9c2e5f05179ddfc923f38f917c9e6831d16922a902b0b4758b8e79c2ab8a"
    "81bb5f29952e16ee6c5067ed044d7857b5de120a90704c1d3b637fd94b95b13e",
    19: "bca9d8b04242f175189872c42ceaa21e2951e0f0f272a0cc54fc37193ff66486"
    "00eaf1c555c70cdedfaf9fb74927de7aa1d33dc1e2a7f1a50619484989da0887",
    20: "89a66eb5590a1c94e3f1ee0e72acf49b1669e050bb5f93c73b066b564dca4e0c"
    "7556a52b323178269d64af325d8fdddb33da3a27c34409b821de82aa2bf1a27b",
    21: "9aef0573cef4ded9c4a75f148709056bf989f80dad96876aadeb6f1c6d062391"
    "f07a394a9e756d16f7eb233198d5b69407cca44594c763ab4a5b67ae73254678",
    22: "0d64f63dba1a6f11139df765cb690da69d9b2f469a1ddd0de5e4aa628abb28f7"
    "87f04c6a5fb84a235ec5ea7f41d0548746653ecab0559add658a83502d1cb21b",
    23: "3063a0bd81d68711197c8820a92466d51aeac93e915f5136d74f63c394ee6d88"
    "c5e8016231ea6580bec02e25d491f319d92e77f5c7f46a9caa8f3b53c0ea544f",
    24: "fa404d140d5819d39984833ca5ec3632cd4995f81e82db402371a4de7c2eae86"
    "87c62bc632a95b0c6aadba3fb02680a94e09174b7233ccd26d78baca2647c733",
    25: "0377d860cdb09a8a31ea1b0b8c04335614c8206357181573bf294c25d5ca7dff"
    "72387224fbd868897e6769f7805b3dab02854aec6d69d7492883b5e4e5f35eeb",
    26: "418dee4a74b9592198bd8fd02ad1aea76f9cf3085f206dfd7d594c9e264ae919"
    "611b1459a1cc920c2f143417744ba9edd7b8d51e44be9452344a225ff7eead19",
    27: "10ffd99837c512ef99752436a54b9810d1ac8878d368fb4b806267bdd664b4ab"
    "f276c9cd3c4b9039a1fa4315a0c326c0e8e9e8fe0eb588ffd4f9021bf7eae1a1",
    28: "55c77ce8562366c91e7cda394cf7b7c15a06c12d8c905e8b36ba9cf5e13eb37d"
    "1a429c589e8eaba4c591bc4b88a0e2828745a53e170eac300236f5c1a326f41a",
}


@dataclass(frozen=True)
class Powers:
    """A file for circuits of up to 2^power rows. copy: of it, which is what was read and what to
    read. digest: BLAKE2b of that, 64 bytes as hex."""

    path: Path
    copy: Path
    power: int
    alpha: PointG1
    beta: PointG1
    beta_g2: PointG2
    digest: str

    @property
    def is_public(self) -> bool:
        return is_public(self.digest)

    def check_vouched(self, digest: str | None) -> None:
        """digest: that its user gives. Raises PtauRefused."""
        if digest is not None and digest.lower() != self.digest:
            raise PtauRefused(
                self.path,
                f"its BLAKE2b is {self.digest}, expected {digest}",
                "get it again from whoever publishes it",
            )
        if digest is None and not self.is_public:
            raise PtauRefused(
                self.path,
                f"its BLAKE2b, {self.digest}, is of no file of the public ceremony, and whoever "
                "made its powers could forge proofs",
                "take one of powersOfTau28_hez_final, or give the digest that those published whom "
                "you trust with --ptau-digest",
            )


def is_public(digest: str) -> bool:
    """Whether a BLAKE2b is that of a file of the ceremony that Hermez finished, or cut from it."""
    return digest in PUBLIC.values()


def read_powers(path: Path, domain: int, *, shown: Path | None = None) -> Powers:
    """For a circuit of `domain` rows, a power of two. shown: which file `path` is a copy of. Raises
    PtauRefused."""
    needed, shown = domain.bit_length() - 1, shown or path
    try:
        with open_sections(path, b"ptau") as sections:
            power = _power(sections)
            if power < needed:
                raise PtauRefused(
                    shown,
                    f"it has 2^{power} powers of tau, the circuit takes 2^{needed} rows",
                    f"take one of 2^{needed} or more",
                )
            _check_prepared(shown, sections, domain)
            alpha, beta = (_g1(sections, number) for number in (ALPHA, BETA))
            beta_g2 = known_g2(read_numbers(sections.read(BETA_G2, 128), range(0, 128, 32)))
        return Powers(shown, path, power, alpha, beta, beta_g2, _digest(path))
    except OSError as exc:
        raise PtauRefused(shown, f"it cannot be read ({exc.strerror})", "give another") from exc
    except (ValueError, struct.error) as exc:
        raise PtauRefused(
            shown, f"it is no whole file of powers of tau ({exc})", "get it again"
        ) from exc


def _power(sections: Sections) -> int:
    """Raises ValueError, struct.error."""
    header = sections.read(HEADER, 44)
    size, order = struct.unpack("<I", header[:4])[0], int.from_bytes(header[4:36], "little")
    if (size, order) != (32, Q):
        raise ValueError("it is of another curve")
    power: int = struct.unpack("<I", header[36:40])[0]
    return power


def _check_prepared(path: Path, sections: Sections, domain: int) -> None:
    """snarkjs does not ask whether what it reads is there. Raises PtauRefused."""
    if PREPARED not in sections.found:
        raise PtauRefused(
            path, "it is not prepared", "run `snarkjs powersoftau prepare phase2` on it"
        )
    needed = {TAU_G1: 2 * domain - 1, ALPHA: domain, BETA: domain, BETA_G2: 2}
    needed |= {PREPARED: 4 * domain - 1} | dict.fromkeys((14, 15), 2 * domain - 1)
    needed[13] = 2 * (2 * domain - 1)
    for number, points in needed.items():
        if sections.size(number) < 64 * points:
            raise ValueError(f"its section {number} is too short")


def _g1(sections: Sections, number: int) -> PointG1:
    return known_g1(read_numbers(sections.read(number, 64), (0, 32)))


def _digest(path: Path) -> str:
    hasher = hashlib.blake2b()
    with open_regular(path) as file:
        while chunk := file.read(CHUNK_BYTES):
            hasher.update(chunk)
    return hasher.hexdigest()


__all__ = ["PUBLIC", "Powers", "is_public", "read_powers"]
