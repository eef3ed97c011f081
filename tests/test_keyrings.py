"""Keys in the keyring of the system, by a backend of the tests."""

import pytest
from typer.testing import CliRunner

from spacy_dxprivacy.cli import dx_cli
from spacy_dxprivacy.errors import DxError, UsageError
from spacy_dxprivacy.files.keyrings import SERVICE, taken_from_keyring
from spacy_dxprivacy.files.keys import BYTES, check_apart, make_key, read_key

keyring = pytest.importorskip("keyring")

NOTE = "Dr. Maria Lopez saw Mr. John Smith on March 5, 2023.\n"


class Memory(keyring.backend.KeyringBackend):
    """A keyring that is gone with the test."""

    priority = 1

    def __init__(self, *, keeps=True, fails=False):
        super().__init__()
        self.held, self.keeps, self.fails = {}, keeps, fails

    def get_password(self, service, username):
        if self.fails:
            raise RuntimeError("locked, said Maria Lopez")
        return self.held.get((service, username))

    def set_password(self, service, username, password):
        if self.keeps:
            self.held[service, username] = password

    def delete_password(self, service, username):
        del self.held[service, username]


@pytest.fixture
def use():
    """Puts a keyring in the place of the system's."""
    before = keyring.get_keyring()
    taken_from_keyring.cache_clear()

    def put(backend):
        keyring.set_keyring(backend)
        return backend

    yield put
    keyring.set_keyring(before)
    taken_from_keyring.cache_clear()


def dx(*arguments):
    return CliRunner().invoke(dx_cli, [str(argument) for argument in arguments])


def test_a_key_is_made_once_and_read_again(use, tmp_path):
    held = use(Memory()).held
    make_key("keyring:study")
    assert list(held) == [(SERVICE, "study")]
    assert len(read_key("keyring:study")) == BYTES
    check_apart("keyring:study", tmp_path)
    with pytest.raises(UsageError, match="exists already"):
        make_key("keyring:study")
    make_key("keyring:other")
    assert read_key("keyring:other") != read_key("keyring:study")


def test_what_cannot_be_used_says_so_without_what_the_backend_says(use):
    use(Memory())
    with pytest.raises(DxError, match=r"DX171.*keyring:none"):
        read_key("keyring:none")
    use(Memory(keeps=False))
    with pytest.raises(DxError, match=r"DX170.*not kept"):
        make_key("keyring:study")
    use(Memory(fails=True))
    with pytest.raises(DxError, match=r"DX170.*RuntimeError") as raised:
        read_key("keyring:study")
    assert "Maria" not in str(raised.value)
    for name in ("keyring:", "keyring: a", "keyring:a\n"):
        with pytest.raises(UsageError, match="keyring:NAME"):
            read_key(name)


def test_a_system_without_a_keyring(use):
    use(keyring.backends.fail.Keyring())
    done = dx("key", "keyring:study")
    assert done.exit_code == 2 and "DX170" in done.stderr and "dx key FILE" in done.stderr


def test_what_is_no_key_is_refused(use):
    use(Memory()).held[SERVICE, "study"] = "hunter2"
    with pytest.raises(DxError, match="DX111") as raised:
        read_key("keyring:study")
    assert "hunter2" not in str(raised.value)


def test_a_table_by_a_key_in_the_keyring_and_back(use, tmp_path, space_path):
    pytest.importorskip("cryptography")
    use(Memory())
    (tmp_path / "in").mkdir()
    (tmp_path / "note.txt").write_text(NOTE)
    out, table = tmp_path / "out" / "note.txt", tmp_path / "keys" / "t.dx"
    fast = ["-m", "laplace", "-e", "0.01", "--space", space_path]
    kept = ["--table", table, "--table-key", "keyring:study"]
    note = ["sanitize", tmp_path / "note.txt", out, "--entities", "person", *kept, *fast]
    missing = dx(*note)
    assert missing.exit_code == 2 and "DX171" in missing.stderr and not out.exists()
    made = dx("key", "keyring:study")
    assert made.exit_code == 0 and "keyring:study: a new key" in made.stderr
    done = dx(*note)
    assert done.exit_code == 0, done.output
    assert "Maria" not in out.read_text() and table.stat().st_mode & 0o777 == 0o600
    assert dx("restore", out, *kept).stdout == NOTE


def test_stand_ins_of_a_corpus_by_a_key_in_the_keyring(use, tmp_path, space_path):
    use(Memory())
    make_key("keyring:study")
    (tmp_path / "note.txt").write_text(NOTE)
    fast = ["-q", "-m", "laplace", "-e", "0.01", "--space", space_path]
    one, other = (
        dx("sanitize", tmp_path / "note.txt", "--entities", "person", "--key", key, *fast)
        for key in ["keyring:study"] * 2
    )
    assert one.exit_code == 0 and one.stdout == other.stdout != NOTE
