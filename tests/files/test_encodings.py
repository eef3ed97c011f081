"""Files in other encodings, or with lone carriage returns, are read as lines of UTF-8."""

import io
import os

import pytest

from spacy_dxprivacy import UsageError
from spacy_dxprivacy.files.encodings import as_utf8, normal_name

TEXTS = [
    "Zoë Müller wohnt in München.\nSie hat für 3 £ einen Kaffee gekauft.\n",
    "José Peña vive en Málaga desde 2019; llamó ayer por la mañana.\n",
    "naïve café\n",
    "Il a été opéré à l'hôpital, où sa mère l'a accompagné.\n",
    "Perché la città è così bella?\n",
    "Überweisung an Björn Åkesson\n",
]


def read(raw, encoding=None):
    handle, found = as_utf8(io.BytesIO(raw), encoding)
    return handle.read().decode("utf-8-sig"), found


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32"],
)
@pytest.mark.parametrize("text", TEXTS)
def test_an_encoding_is_detected(text, encoding):
    assert read(text.encode(encoding))[0] == text


@pytest.mark.parametrize("encoding", ["cp1250", "koi8-r", "shift_jis", "utf-16-be"])
def test_an_encoding_that_is_given_is_used(encoding):
    text = {"koi8-r": "Привет", "shift_jis": "こんにちは"}.get(encoding, "Žluťoučký kůň") + "\n"
    assert read(text.encode(encoding), encoding) == (text, encoding)


def test_a_letter_far_from_the_start_is_seen():
    text = "no accent here\n" * 200_000 + "café\n"
    decoded, found = read(text.encode("latin-1"))
    assert found == "cp1252" and decoded == text


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_lone_carriage_returns_end_lines_and_others_stay(encoding):
    assert read("a é\rb\rc".encode(encoding))[0] == "a é\nb\nc"
    assert read("a é\r\nb\rc\n".encode(encoding))[0] == "a é\r\nb\rc\n"


def test_bytes_that_are_invalid_in_the_given_encoding_stay_invalid():
    raw = as_utf8(io.BytesIO(b"a\x81b"), "cp1252").handle.read()
    with pytest.raises(UnicodeDecodeError):
        raw.decode()


@pytest.mark.parametrize("name", ["klingon", "base64", "rot13", "", "\0"])
def test_an_unknown_encoding_is_an_error(name):
    with pytest.raises(UsageError, match="encoding"):
        normal_name(name)


def test_a_stream_without_a_start_to_return_to_is_read():
    out, into = os.pipe()
    os.write(into, "café\n".encode("latin-1"))
    os.close(into)
    with os.fdopen(out, "rb") as handle:
        assert as_utf8(handle).handle.read().decode() == "café\n"
