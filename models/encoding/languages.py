"""Whether a prompt is, in whole or in part, in another language than the model knows. Mirrored by
`encoding/Languages.sol`.

Networks learn English alone. Of "ne pas envoyer 5 usdc a bob" they see an amount, an asset and a
payee among words that they do not know, and may take it for an order. So words that a model does
not know are counted against those that it knows, and some are looked up: what orders are given with
in languages that many write, and is no English word. The contract holds these in a Bloom filter
(Bloom 1970), which finds one other word in ten thousand or fewer by mistake; so does Python.
"""

from collections.abc import Sequence
from functools import cache

from zkagent.models.encoding.hashing import keccak_int

#: How many more words have to be unknown than known, for that alone to be another language.
MARGIN = 2
FILTER_BYTES = 1024
#: Bits of a word in the filter, each by other bits of its hash.
PROBES, PROBE_BITS = 8, 16
#: In lower case, as they are written without accents: orders, refusals and what goes with them in
#: Spanish, French, German, Italian, Portuguese, Dutch, Polish, Turkish, Indonesian, Swedish,
#: Russian, Hindi, Tagalog, Vietnamese, Czech and Swahili. None that is an English word, a common
#: name or a likely slip for one.
WORDS = tuple(
    """
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
    """.encode().split()
)


def doubted(unknown: Sequence[bytes], known: int) -> int | None:
    """Which of a prompt's words says that it is in another language: the first that is listed, or
    else the first if so many more are unknown than known. None: it is taken for English.

    unknown: the words that the model does not know, in lower case, in order. known: how many it
    knows. Names count as neither.
    """
    listed = (place for place, word in enumerate(unknown) if is_listed(word))
    return next(listed, 0 if len(unknown) >= known + MARGIN else None)


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


__all__ = ["FILTER_BYTES", "MARGIN", "WORDS", "doubted", "is_listed", "word_filter"]
