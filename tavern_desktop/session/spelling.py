"""Whether words are spelled right: hunspell's dictionaries of this computer, English from the package, one's own words.

Reading a dictionary takes a tenth of a second and belongs on a thread; asking about a word takes microseconds.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Protocol

from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.publish import write_small_file

ENGLISH = "en_US"
"""The language whose dictionary comes with the package."""

OWN_WORDS = "dictionary.txt"
"""In our configuration folder: the person's words, one a line."""

MOST_SUGGESTIONS = 6
LONGEST_WORD = 60
"""Characters; what is longer is no word, and would take hunspell long."""
SAMPLED = 1 << 16
"""Bytes of a dictionary that are looked at for which script it is in."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NO_PROSE = re.compile(r"\{\{.*?\}\}|https?://\S+|www\.\S+|`[^`\n]*`|\S+@\S+\.\w+|</?[a-zA-Z][^>\n]*>|\w*[\d_]\w*")


class Word(NamedTuple):
    """A word of a text and where it stands."""

    start: int
    end: int
    text: str


class Dictionary(Protocol):
    """What is used of hunspell."""

    def spell(self, word: str) -> bool: ...

    def suggest(self, word: str) -> Sequence[str]: ...


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of a text that are prose: no macros, addresses, code, tags, nor anything with digits."""
    prose = _NO_PROSE.sub(lambda match: " " * (match.end() - match.start()), text)
    for match in _WORD.finditer(prose):
        if match.end() - match.start() <= LONGEST_WORD:
            yield Word(match.start(), match.end(), match[0])


def dictionaries(folders: Sequence[Path] | None = None) -> dict[str, Path]:
    """Return where the dictionary of each language is that this computer has: language to its folder."""
    found: dict[str, Path] = {}
    for folder in folders if folders is not None else (*_system_folders(), *_package_folder()):
        try:
            names = {entry.name for entry in os.scandir(folder)}
        except OSError:
            continue
        for name in sorted(names):
            stem, ending = os.path.splitext(name)
            if ending == ".aff" and f"{stem}.dic" in names and not stem.startswith("hyph_"):
                found.setdefault(stem, folder)
    return found


def languages_for(chosen: Collection[str], of_system: str, there: Collection[str]) -> tuple[str, ...]:
    """Return the languages to check in: those that were chosen, else the system's and English, as far as there."""
    wanted = list(chosen) or [of_system, ENGLISH]
    return tuple(dict.fromkeys(language for language in wanted if language in there))


class Speller:
    """Checks in several languages at once: a word is right if it is in any. Used on one thread at a time."""

    def __init__(self, languages: Sequence[str], folders: dict[str, Path], own: Collection[str] = ()) -> None:
        """Read the dictionaries; what cannot be read is left out."""
        self.languages: tuple[str, ...] = ()
        self._dictionaries: list[Dictionary] = []
        self._scripts: set[str] = set()
        self._known: dict[str, bool] = {}
        self.own = set(own)
        """The person's own words."""
        for language in languages:
            self._read(language, folders[language])

    def is_right(self, word: str) -> bool:
        """Say whether a word is right, or in a script that none of the languages is written in."""
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._look_up(word)
        return known

    def wrong_words(self, text: str) -> Iterator[Word]:
        """Yield the words of a text that are not right."""
        return (word for word in words_of(text) if not self.is_right(word.text))

    def suggestions(self, word: str) -> list[str]:
        """Return what may have been meant, the likeliest first. Takes up to some tenths of a second."""
        found: dict[str, None] = {}
        for dictionary in self._dictionaries:
            try:
                found |= dict.fromkeys(dictionary.suggest(_plain(word)))
            except UnicodeEncodeError:  # a word that this dictionary's letters cannot spell
                continue
        typographic = "’" in word
        return [each.replace("'", "’") if typographic else each for each in found][:MOST_SUGGESTIONS]

    def learn(self, word: str) -> None:
        """Take a word for right from now on."""
        self.own.add(_plain(word))
        self._known.clear()

    def unlearn(self, word: str) -> None:
        """Take a word of the person's own out again."""
        self.own.discard(_plain(word))
        self._known.clear()

    def _look_up(self, word: str) -> bool:
        plain = _plain(word)
        if not self._dictionaries or plain in self.own or plain.lower() in self.own:
            return True
        if _script(plain[0]) not in self._scripts:
            return True
        return any(_spells(dictionary, plain) for dictionary in self._dictionaries)

    def _read(self, language: str, folder: Path) -> None:
        from hunspell import Hunspell

        try:
            self._dictionaries.append(Hunspell(language, str(folder), "utf-8"))
            self._scripts |= _scripts_of(folder / f"{language}.dic", folder / f"{language}.aff")
        except (OSError, UnicodeError):
            return
        self.languages += (language,)


def read_own_words(folder: Path) -> frozenset[str]:
    """Return the person's own words; a file that cannot be read has none, for checking with."""
    try:
        return frozenset(_own_words(folder))
    except StorageError:
        return frozenset()


def keep_own_word(folder: Path, word: str, *, knows: bool = True) -> None:
    """Put a word among the person's own, or take it out; words that are in the file besides stay there.

    Raises StorageError; then the file is as it was, also where it could not be read.
    """
    words = _own_words(folder)
    (words.add if knows else words.discard)(_plain(word))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise from_os(error, "write", folder) from None
    text = "".join(f"{each}\n" for each in sorted(words))
    write_small_file(folder / OWN_WORDS, text.encode("utf-8", "surrogateescape"))


def _own_words(folder: Path) -> set[str]:
    file = folder / OWN_WORDS
    try:
        lines = file.read_text("utf-8", "surrogateescape").splitlines()
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise from_os(error, "read", file) from None
    return set(filter(None, map(str.strip, lines)))


def _plain(word: str) -> str:
    return unicodedata.normalize("NFC", word.replace("’", "'"))


def _spells(dictionary: Dictionary, word: str) -> bool:
    try:
        return dictionary.spell(word)
    except UnicodeEncodeError:
        return False


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").split(" ", 1)[0]


def _scripts_of(words: Path, rules: Path) -> set[str]:
    """Return the scripts a dictionary's words are in, by a piece from its middle. Raises OSError, LookupError."""
    with open(rules, "rb") as file:
        declared = re.search(rb"^\s*SET\s+(\S+)", file.read(SAMPLED), re.MULTILINE)
    encoding = declared[1].decode("ascii", "replace") if declared else "iso-8859-1"
    with open(words, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size // 2 - SAMPLED // 2))
        try:
            sample = file.read(SAMPLED).decode(encoding, "ignore")
        except LookupError:
            sample = ""
    return {_script(letter) for letter in set(sample) if letter.isalpha()} - {""} or {"LATIN"}


def _system_folders() -> tuple[Path, ...]:
    """Where systems and other programs keep dictionaries; a person's own before all."""
    told = tuple(Path(part) for part in os.environ.get("DICPATH", "").split(os.pathsep) if part)
    home = Path.home()
    if sys.platform == "darwin":
        return (*told, home / "Library/Spelling", Path("/Library/Spelling"))
    if sys.platform == "win32":
        return told
    shared = (Path("/usr/share/hunspell"), Path("/usr/share/myspell/dicts"), Path("/usr/share/myspell"))
    return (*told, home / ".local/share/hunspell", *shared)


def _package_folder() -> tuple[Path, ...]:
    spec = find_spec("hunspell")
    return (Path(spec.origin).parent / "dictionaries",) if spec is not None and spec.origin else ()
