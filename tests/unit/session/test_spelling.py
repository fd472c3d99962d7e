"""What is taken for a word, which dictionaries are asked, and what a person adds to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tavern_desktop.session.spelling import (
    ENGLISH,
    OWN_WORDS,
    Speller,
    dictionaries,
    keep_own_word,
    languages_for,
    read_own_words,
    words_of,
)
from tavern_desktop.storage.errors import StorageError


@pytest.fixture(scope="module")
def english() -> Speller:
    return Speller((ENGLISH,), dictionaries())


def dictionary(folder: Path, language: str, words: Sequence[str], encoding: str = "UTF-8") -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{language}.aff").write_bytes(f"SET {encoding}\nTRY aeiou\n".encode())
    (folder / f"{language}.dic").write_bytes("\n".join((str(len(words)), *words, "")).encode(encoding))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("She's well-known, isn’t she?", ["She's", "well", "known", "isn’t", "she"]),
        ("{{user}} takes `code` from https://a.b/cde www.x.org me@here.org <b>now</b>", ["takes", "from", "now"]),
        ("room 101b and x_1 at 3pm", ["room", "and", "at"]),
        ("小月 said *слово* 😀 ok", ["小月", "said", "слово", "ok"]),
        ("x" * 61, []),
        ("", []),
    ],
)
def test_words_are_prose(text: str, words: list[str]) -> None:
    found = list(words_of(text))
    assert [word.text for word in found] == words
    assert all(text[word.start : word.end] == word.text for word in found)


def test_english_comes_with_the_package(english: Speller) -> None:
    assert english.languages == (ENGLISH,)
    wrong = [word.text for word in english.wrong_words("I recieve the “lettre”, don’t I? {{chr}} Definately.")]
    assert wrong == ["recieve", "lettre", "Definately"]
    assert english.suggestions("recieve")[0] == "receive"
    assert "don’t" in english.suggestions("dont’t") or english.suggestions("does’nt")[0] == "doesn’t"


def test_a_script_that_no_dictionary_knows_is_nobody_s_mistake(english: Speller) -> None:
    assert list(english.wrong_words("小月 слово שלום こんにちは")) == []
    assert english.suggestions("слово") == []


def test_a_word_is_right_if_it_is_in_any_language(tmp_path: Path) -> None:
    dictionary(tmp_path, "de_XX", ["Brücke", "Ufer"], "ISO8859-1")
    dictionary(tmp_path, "ru_XX", ["мост", "берег"])
    folders = dictionaries([tmp_path])
    speller = Speller(("de_XX", "ru_XX"), folders)
    assert [word.text for word in speller.wrong_words("Brücke Ufer мост Brucke мозт 小月")] == ["Brucke", "мозт"]


def test_own_words_are_learnt_and_kept(english: Speller, tmp_path: Path) -> None:
    speller = Speller((ENGLISH,), dictionaries(), {"Lanternfolk"})
    assert speller.is_right("Lanternfolk")
    assert not speller.is_right("Tockling")
    speller.learn("Tockling")
    assert speller.is_right("Tockling")
    speller.unlearn("Tockling")
    assert not speller.is_right("Tockling")


def test_own_words_are_kept_one_by_one(tmp_path: Path) -> None:
    keep_own_word(tmp_path / "new", "Tockling")
    keep_own_word(tmp_path / "new", "Lanternfolk")
    assert read_own_words(tmp_path / "new") == {"Lanternfolk", "Tockling"}
    keep_own_word(tmp_path / "new", "Tockling", knows=False)
    assert read_own_words(tmp_path / "new") == {"Lanternfolk"}
    assert read_own_words(tmp_path / "nowhere") == frozenset()


def test_words_that_are_no_text_are_kept_as_they_are(tmp_path: Path) -> None:
    (tmp_path / OWN_WORDS).write_bytes(b"\xff\n\nword \n")
    keep_own_word(tmp_path, "more")
    assert sorted((tmp_path / OWN_WORDS).read_bytes().split()) == [b"more", b"word", b"\xff"]


def test_words_that_cannot_be_read_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / OWN_WORDS).mkdir()  # whatever the reason: reading it fails
    with pytest.raises(StorageError):
        keep_own_word(tmp_path, "Tockling")
    assert (tmp_path / OWN_WORDS).is_dir()
    assert read_own_words(tmp_path) == frozenset()


def test_which_dictionaries_there_are(tmp_path: Path) -> None:
    dictionary(tmp_path / "a", "de_XX", ["a"])
    dictionary(tmp_path / "b", "de_XX", ["b"])
    dictionary(tmp_path / "b", "hyph_de", ["b"])
    (tmp_path / "b" / "half.aff").write_bytes(b"")
    assert dictionaries([tmp_path / "none", tmp_path / "a", tmp_path / "b"]) == {"de_XX": tmp_path / "a"}
    assert ENGLISH in dictionaries()


def test_which_languages_are_asked() -> None:
    there = {"de_DE", "en_US", "fr_FR"}
    assert languages_for((), "de_DE", there) == ("de_DE", "en_US")
    assert languages_for((), "en_US", there) == ("en_US",)
    assert languages_for(("fr_FR", "xx"), "de_DE", there) == ("fr_FR",)


def test_without_dictionaries_everything_is_right(tmp_path: Path) -> None:
    (tmp_path / "de_XX.aff").write_bytes(b"SET nonsense\n")
    (tmp_path / "de_XX.dic").write_bytes(b"")
    assert list(Speller((), {}).wrong_words("zzqq")) == []
    Speller(("de_XX",), {"de_XX": tmp_path}).is_right("zzqq")
    assert list(Speller(("gone",), {"gone": tmp_path}).wrong_words("zzqq")) == []
