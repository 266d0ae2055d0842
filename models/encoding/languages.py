"""Whether a prompt is, in whole or in part, in another language than the model knows. Mirrored by
`encoding/Languages.sol`.

Networks learn English alone. Of "ne pas envoyer 5 usdc a bob" they see an amount, an asset and a
payee among words that they do not know, and may take it for an order. So in each clause that has
such an argument words that a model does not know are counted against those that it knows, and
anywhere some are looked up: what orders are given with in languages that many write, and is no
English word. The contract holds these in a Bloom filter (Bloom 1970), which finds one other word in
ten thousand or fewer by mistake; so does Python.
"""

from collections.abc import Sequence
from enum import Enum, auto
from functools import cache

from zkagent.models.encoding.hashing import keccak_int

#: How many more words of a clause have to be unknown than known for that to be another language.
MARGIN = 2
FILTER_BYTES = 1024
#: Bits of a word in the filter, each by other bits of its hash.
PROBES, PROBE_BITS = 8, 16
#: In lower case, as they are written without accents: orders, refusals and what goes with them in
#: Spanish, French, German, Italian, Portuguese, Dutch, Polish, Turkish, Indonesian, Swedish,
#: Russian, Hindi, Tagalog, Vietnamese, Czech and Swahili. None that is an English word, a common
#: name or a likely slip for one.
WORDS = tuple(
    b"""
    ahora cuando cuenta deposita depositar desde dinero envia enviale enviame enviando enviar
    envie envies hacia ingresa ingresar manda mandale mandar mande mandes mueve necesito nunca
    paga pagar pague para pero poner ponga puedes quiero quisiera retira retirar saca sacar
    saque tambien todas todos transferir transfieras transfiere
    argent avec chez dans deposer deposez depuis envoie envoies envoyer envoyez jamais
    maintenant mettez mettre moi pas peux pouvez retirer retirez tous toutes transferez verser
    versez veuillez veux virement voudrais
    abheben auch auszahlen dann einen einzahlen fuer geld ich jetzt kein keine keinen lege
    meine meinen meiner mich mir moechte nach nicht niemals oder schick schicke schicken sende
    senden sendet uberweise uberweisen ueberweis ueberweise ueberweisen und zahle zahlen
    adesso anche dalla depositare invia inviagli inviami inviare inviate mandagli mandami
    mandare mettere metti miei preleva prelevare ritira ritirare soldi sposta spostare subito
    trasferire trasferisci tutte versare voglio vorrei
    agora aos coloca colocar coloque conta depois dinheiro gostaria levanta meu meus minha mova
    nao queria quero tambem transfira
    aan alsjeblieft geef geen graag haal halen het maak mijn naar niet nooit ook overmaken stort
    storten sturen stuur uit zet
    chce dla moich moje nie nigdy oraz poslij potem prosze przelac przelej przelewaj przeslij
    teraz wloz wplac wplacaj wszystkie wszystko wyplac wyplacaj wyslac wyslij wysylaj
    aktar aktarma butun cek degil gonder gonderin gonderme gondermeyin havuza havuzdan
    hesabina icin lutfen sakin simdi yatir yatirma yolla yollama
    ambil dari hantar jangan kepada kirim kirimkan kirimlah masukkan pindahkan saya sekarang
    semua setor setorkan simpan tidak tolong
    aldrig allt fra ikke inte mig overfor skicka skickar snalla
    deneg dlya hochu nado nikogda otprav otpravit otpravlyai otpravlyay perekin perevedi
    perevesti perevod perevodi polozhi pozhaluista pozhaluysta seychas snimay snimi teper vnesi
    vnosi vnosit vse vyvedi
    aur bhej bhejdo bhejiye bhejna bhejo daalo dalo jama kardo karna mera mujhe nahi nahin nikal
    nikalo paise saare
    huwag ideposito ilagay ilipat ipadala iyong kunin lahat magpadala mga ngayon padala padalhan
    tapos
    chuyen cua khoi khong nhe toi vao
    chci neposilej neprevadej nevkladej nikdy penize poslat posli preved prevest prosim vloz
    vlozit vsechno vsechny vyber vybrat
    halafu kamwe kutoka kutuma kuweka kwa kwenye mpe nataka sasa tafadhali tuma usimpe usitume
    usiweke weka yangu zangu
    """.split()
)


class Said(Enum):
    """What stands in a prompt beside unknown words."""

    END = auto()  # of a clause
    ARGUMENT = auto()  # a name or digits
    KNOWN = auto()  # a word that the model knows


def doubted(said: Sequence[Said | bytes]) -> int | None:
    """By which unknown word a prompt is seen to be in another language, by its place: the first
    that is listed, or else the first of the first clause that is. None: it is taken for English.

    said: in order, unknown words in lower case.
    """
    words = ((place, each) for place, each in enumerate(said) if isinstance(each, bytes))
    listed = (place for place, word in words if is_listed(word))
    return next(listed, _foreign_clause(said))


def _foreign_clause(said: Sequence[Said | bytes]) -> int | None:
    more, has_argument, first = 0, False, None
    for place, each in enumerate((*said, Said.END)):
        if isinstance(each, bytes):
            more += 1
            first = place if first is None else first
        elif each is Said.KNOWN:
            more -= 1
        elif each is Said.ARGUMENT:
            has_argument = True
        elif has_argument and more >= MARGIN:
            return first
        else:
            more, has_argument, first = 0, False, None
    return None


def is_listed(word: bytes) -> bool:
    """Whether the filter has all bits of a word in lower case."""
    found = word_filter()
    return all(found[bit // 8] >> bit % 8 & 1 for bit in _bits(word))


@cache
def word_filter() -> bytes:
    """Of `WORDS`: bit b is bit b mod 8 of byte b / 8."""
    found = bytearray(FILTER_BYTES)
    for bit in (bit for word in WORDS for bit in _bits(word)):
        found[bit // 8] |= 1 << bit % 8
    return bytes(found)


def _bits(word: bytes) -> list[int]:
    h = keccak_int(word)
    return [(h >> PROBE_BITS * i) % (8 * FILTER_BYTES) for i in range(PROBES)]


__all__ = ["FILTER_BYTES", "MARGIN", "WORDS", "Said", "doubted", "is_listed", "word_filter"]
