"""Tables from CSV files."""

from __future__ import annotations

import pytest

from tavern_desktop.cards.csv_table import NoTable, match_payload, read_csv, table_payload
from tavern_desktop.cards.payload import judge, parse
from tavern_desktop.cards.yaml_writing import write_payload


@pytest.mark.parametrize(
    "data",
    [
        b"name,amount\nsalt,12\nlamp oil,3.5\n",
        b"name;amount\r\nsalt;12\r\nlamp oil;3.5\r\n",
        b"\xef\xbb\xbfname\tamount\nsalt\t12\n\nlamp oil\t3.5",
        "name,amount\nsalt,12\nlamp oil,3.5".encode("utf-16"),
    ],
)
def test_tables_of_any_usual_form_are_read(data: bytes) -> None:
    table = read_csv(data)
    assert table.names == ("name", "amount")
    assert table.rows == [["salt", 12], ["lamp oil", 3.5]]


def test_only_plain_numbers_become_numbers() -> None:
    (row,) = read_csv(b"a,b,c,d,e,f,g\n007,+49,1e5,yes,,-3,2026-01-01\n").rows
    assert row == ["007", "+49", "1e5", "yes", None, -3, "2026-01-01"]


def test_rows_have_the_length_of_the_first_line() -> None:
    table = read_csv(b"a,b,\n1\n1,2,3,4\n")
    assert table.names == ("a", "b", "Column 3")
    assert table.rows == [[1, None, None], [1, 2, 3]]


def test_other_encodings_and_control_characters_are_no_obstacle() -> None:
    assert read_csv("Größe,x\nm,1\n".encode("cp1252")).names == ("Größe", "x")
    assert read_csv(b"a,b\nx\x00y,1\n").rows == [["xy", 1]]


@pytest.mark.parametrize(("data", "sentence"), [(b"", "empty"), (b"\n\n", "empty"), (b"," * 300, "more than 200")])
def test_what_is_no_table_is_said(data: bytes, sentence: str) -> None:
    with pytest.raises(NoTable, match=sentence):
        read_csv(data)


@pytest.mark.parametrize("cell", ["1", "yes", "x" * 500, "a: b #", "月" * 300])
def test_as_many_rows_are_kept_as_may_be_in_a_payload(cell: str) -> None:
    table = read_csv(("a,b\n" + f"{cell},{cell}\n" * 30_000).encode())
    payload = table_payload(table, "Many", "c_1")
    assert payload["totalRowCount"] == 30_000
    assert 0 < len(payload["rows"]) < 30_000
    assert parse(write_payload(payload)).state == "full"


def test_columns_of_the_same_name_are_matched() -> None:
    table = read_csv(b"goods,WEIGHT (lb),note\nsalt,12,\n")
    wanted = ({"name": "Goods"}, {"name": "weight lb"}, {"name": "Price", "required": False})
    payload = match_payload(table, wanted, "cargo", "c_1")
    assert judge(payload).state == "full"
    assert [entry["column"] for entry in payload["mappings"]] == ["goods", "WEIGHT (lb)", None]
    assert payload["previewColumns"][0] == {"name": "goods", "samples": ["salt"]}


def test_columns_of_one_name_are_offered_once() -> None:
    payload = match_payload(read_csv(b"a,a\n1,2\n"), ({"name": "A"},), "t", "c_1")
    assert [entry["name"] for entry in payload["previewColumns"]] == ["a"]
