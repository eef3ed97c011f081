"""User names and secrets in paths, logs, commands and settings."""

import pytest

from spacy_dxprivacy.io.build import make_pipeline

LABELS = "person gpe org date time address email phone url id secret".split()
TOKEN = "Zq4vN8rT2mX6pL0dW3sK"


@pytest.fixture(scope="module")
def nlp():
    return make_pipeline(entities=LABELS)


@pytest.fixture(scope="module")
def ruler(nlp):
    return nlp.get_pipe("dx_entity_ruler")


def found(nlp, ruler, text, label):
    return [ent.text for ent in ruler(nlp.make_doc(text)).ents if ent.label_ == label]


@pytest.mark.parametrize("form", [
    "See /home/{0}/notes/plan.txt please.", "It is in /Users/{0}/Library/Logs now.",
    "rm -r /home/{0}",
    r"Open C:\Users\{0}\Desktop\plan.docx now.", r"Open C:\\Users\\{0}\\plan.docx now.",
    r"From D:\Documents and Settings\{0}\plan.doc it came.", "At C:/Users/{0}/AppData it is.",
    "cd ~{0}/src", "PATH=~{0}/bin:/usr/bin", r"Login failed for ACME\{0} today.",
    r"User corp\{0} left.",
    r"Copy it to \\files\home\{0}\docs please.", r"Mount \\files\users\{0} first.",
    "tar: /export/home/{0}/x: denied", "mkdir /mnt/c/Users/{0}/x",
    "-rw-r--r-- 1 {0} staff 4096 May 12 09:14 main.py", "drwx------. 2 root {0} 6 Mai 12 09:14 bin",
    "-rw-r--r-- {0}/staff 512 2024-05-12 09:14 main.py",
    "{0} 4711 0.0 0.1 12000 900 ? Ss 09:14 0:00 vim",
    "{0} pts/0 2024-05-12 09:14 (192.0.2.7)", "{0}:x:1001:1001::/srv:/bin/bash",
    "May 12 09:14:01 web1 sudo: {0} : TTY=pts/0 ; PWD=/srv ; USER=root ; COMMAND=/bin/ls",
    "May 12 09:14:01 web1 sudo:  root : TTY=pts/0 ; PWD=/srv ; USER={0} ; COMMAND=/bin/ls",
    "sshd[812]: Accepted publickey for {0} from 192.0.2.7 port 51122 ssh2",
    "sshd[812]: Invalid user {0} from 192.0.2.7", "CRON[99]: ({0}) CMD (/usr/local/bin/sync)",
    "sshd[812]: session opened for user {0}(uid=1001) by (uid=0)",
    "uid=1001({0}) gid=1001(staff)",
    '192.0.2.7 - {0} [12/May/2024:09:14:01 +0000] "GET / HTTP/1.1" 200 5',
    'x.example:80 192.0.2.7 - {0} [12/May/2024:09:14:01 +0000] "GET / HTTP/1.1" 200 5',
    "ssh {0}@build7 uptime", "scp plan.txt {0}@build7:/srv", "rsync -av src/ {0}@10.0.0.5:dst",
    "{0}@build7:~/src$ make", "[{0}@build7 src]$ make", "ssh -p 22 -l {0} build7",
    "git+ssh://{0}@build7/x",
    "chown {0}:staff plan.docx", "chown -R root:{0} /srv", "sudo -u {0} ls", "su - {0}",
    "sudo useradd -m {0}",
    "usermod -aG docker {0}", "passwd {0}", "psql -U {0} -h db", "mysql -u {0} app",
    "crontab -u {0} -l",
    "docker run --user {0} x", "The mail is in /var/mail/{0} now.",
    "ls /var/spool/cron/crontabs/{0}",
    "*/5 * * * * {0} /usr/local/bin/sync.sh", "0 4 * * mon {0} cd /srv && make",
    'FATAL: role "{0}" does not exist', "Access denied for user '{0}'@'localhost'",
    "net user {0} /add", "net localgroup Administrators {0} /add",
    "User {0} logged in from 192.0.2.7",
    "SubjectUserName={0}", "LOGNAME={0}", "systemd[1]: Started Session 4 of user {0}.",
    "systemd[1]: Created slice User Slice of {0}.", "su: (to root) {0} on pts/1",
    "su[812]: pam_unix(su:auth): auth could not identify password for [{0}]",
    "FAILED LOGIN (1) on '/dev/tty1' FOR '{0}', Authentication failure",
    "sshd[1]: Connection closed by authenticating user {0} 192.0.2.7 port 22 [preauth]",
    "sshd[1]: Disconnected from user {0} 192.0.2.7 port 22", "sshd: {0}@pts/0", "sshd: {0} [priv]",
    "doas -u {0} ls", "docker run -u {0} x", "kubectl --as {0} get pods",
    "gh pr list --author {0}", "git config user.name {0}", "chown {0}: x.txt",
    "setfacl -m u:{0}:rw x", "icacls x /grant {0}:F", "'username': '{0}'", "<user>{0}</user>",
    "WARN login failed for {0}", "login failed for user {0}", "password changed for {0}",
    "crontab: ({0}) RELOAD",
    "vsftpd: [{0}] OK LOGIN", "LDAP: uid={0},ou=people,dc=x,dc=y", "GRANT ALL ON x TO '{0}'@'%';",
    "CREATE USER {0} WITH PASSWORD", "{0} ALL=(ALL) NOPASSWD: ALL",
    'type=USER_AUTH uid=0 acct="{0}" exe="/usr/bin/sudo"',
    "Siehe /home/{0}/Notizen und dann geht es weiter mit der Arbeit.",
])  # fmt: skip
@pytest.mark.parametrize("name", ["kzielwq", "j.halloran2"])
def test_user_names_are_found_and_nothing_beside_them(nlp, ruler, form, name):
    if name[-1] == "2" and form.startswith("{0} pts"):
        name = "halloran2"  # not of the form of an address
    assert found(nlp, ruler, form.format(name), "ID") == [name]


@pytest.mark.parametrize("stamp", [
    "[2023-11-20 21:14:09]", "[21:14]", "[20/11/2023, 21:14]", "[20.11.23 21:14:09]",
    "2023-11-20T21:14:09", "[11/20/23 9:14 PM]",
])  # fmt: skip
def test_a_nick_after_a_stamp_is_found(nlp, ruler, stamp):
    assert found(nlp, ruler, f"{stamp} <kzielwq> it boots", "ID") == ["kzielwq"]


@pytest.mark.parametrize("text", [
    "[2023-11-20 21:14:09] <b>it boots</b>", "At 21:14 <br> it boots.", "If a <b> c, then",
    "[11/20] <p> it boots",
])  # fmt: skip
def test_a_tag_is_no_nick(nlp, ruler, text):
    assert not found(nlp, ruler, text, "ID")


@pytest.mark.parametrize("name", ["root", "www-data", "nobody", "daemon", "admin", "ubuntu"])
@pytest.mark.parametrize("form", [
    "See /home/{0}/x.", r"It is C:\Users\{0}\x here.", "chown {0}:{0} x", "ssh {0}@build7 ls",
    "-rw-r--r-- 1 {0} {0} 4096 May 12 09:14 x", "*/5 * * * * {0} /usr/bin/x", "USER={0}",
    '192.0.2.7 - {0} [12/May/2024:09:14:01 +0000] "GET / HTTP/1.1" 200 5', "sudo -u {0} ls",
    r"ACME\{0}",
])  # fmt: skip
def test_accounts_of_systems_stay(nlp, ruler, form, name):
    ents = ruler(nlp.make_doc(form.format(name))).ents
    assert not [ent.text for ent in ents if name in ent.text]


@pytest.mark.parametrize("text", [
    "We talked at work/home/school.", "It takes ~five days.", r"Write R\alpha and foo\bar.",
    "5 @ 10 each",
    "He passed the test and the user said so.", r"Line one\nThe next line", "su hijo y su madre",
    "waiting for user input by user feedback", "user: string", "login: required", "user=None",
    "The user logged in and the login failed for hours.", "PWD=/srv/app ; COMMAND=/bin/ls",
    "On the /users/login page, click /home/index.html.",
])  # fmt: skip
def test_prose_and_code_have_no_user_names(nlp, ruler, text):
    assert not found(nlp, ruler, text, "ID")


def test_a_user_name_follows_the_surrogate_of_its_person(nlp):
    text = "Priya Whitcombe wrote. See /home/pwhitcombe/x and ssh priya.whitcombe@build7 ls."
    words = nlp(text).text.split()
    first, last = (word.lower() for word in words[:2])
    assert f"/home/{first[0]}{last}/x" in words and f"{first}.{last}@build7" in words


def test_a_user_name_has_one_surrogate_and_its_path_stays(nlp):
    text = "Open C:\\Users\\kzielwq\\plan.docx by ssh kzielwq@build7, /home/kzielwq/x"
    released = nlp(text).text
    user = released.split("\\")[2]
    assert user != "kzielwq" and released == text.replace("kzielwq", user)


@pytest.mark.parametrize("name", [
    "main.py", "report.docx", "a.test.js", "README.md", "setup.cfg", "index.html", "app.log",
    "run.sh",
    "main.py:12", "lib.rs", "package.json", "docker-compose.yml",
])  # fmt: skip
def test_names_of_files_are_no_addresses_of_the_web(nlp, ruler, name):
    for form in ("Please open {} now.", "It fails in src/{}.", "See ({}), please."):
        assert not ruler(nlp.make_doc(form.format(name))).ents


@pytest.mark.parametrize("address", [
    "example.com", "www.main.py", "https://x.org/main.py", "docs.example.org/a.html",
    "shop.example.co.uk",
    "allegro.pl",
])  # fmt: skip
def test_addresses_of_the_web_stay_so(nlp, ruler, address):
    assert found(nlp, ruler, f"Please open {address} now.", "URL") == [address]


@pytest.mark.parametrize("form", ["See {} now.", "See {}.", "[the page]({})", "<{}>", "'{}'"])
@pytest.mark.parametrize("address", [
    "http://localhost:8080/patients/jroe", "http://intranet/p/jroe/2", "https://ehr:8443/p/jroe?id=3",
    "http://192.168.0.1/p/jroe", "ftp://nas/p/jroe.zip",
])  # fmt: skip
def test_the_path_of_an_address_belongs_to_it(nlp, ruler, form, address):
    """Also where its host is one word, behind which tokenizers split it."""
    assert found(nlp, ruler, form.format(address), "URL") == [address]
    assert "jroe" not in nlp(form.format(address)).text


WHATEVER = [
    "1971-08-23", "23.08.1971", "20230314T235000Z", "10:45:30", "0161-496-0808", "AB/2231/7",
    "219-09-9999", "PLATE-AB12-CDE", "14-March-2021", "1971-08-23T10:45:30Z",
]  # fmt: skip


@pytest.mark.parametrize("form", ["See {} now.", "See {}, too.", "<{}>", "URL: {}", "Date: {}"])
@pytest.mark.parametrize("held", WHATEVER)
def test_an_address_is_one_whatever_is_in_it(nlp, ruler, form, held):
    """So that it is found where addresses are asked for, and dates and numbers are not."""
    for address in (
        f"https://x.example.org/p/jroe/{held}/cv.pdf", f"www.example.org/jroe?on={held}&of=jroe",
        f"example.org/jroe/{held}", f"http://intranet/p/jroe/{held}/2",
        f"HTTPS://EXAMPLE.ORG/JROE/{held}", f"ftp://x.example.org/jroe/{held}.zip",
    ):  # fmt: skip
        assert found(nlp, ruler, form.format(address), "URL") == [address]


@pytest.mark.parametrize("held", ["1971-08-23", "23.08.1971", "219-09-9999", "0161-496-0808"])
def test_an_address_of_mail_is_one_whatever_is_in_it(nlp, ruler, held):
    for mail in (f"{held}@example.org", f"jroe.{held}@example.org", f"jroe+{held}@x.example.org"):
        assert found(nlp, ruler, f"Write to {mail} now.", "EMAIL") == [mail]


def test_a_secret_ends_within_an_address_and_leaves_the_rest_of_it(nlp, ruler):
    text = "See https://x.example.org/jroe?password=kq8Zr5tt&of=jroe now."
    assert found(nlp, ruler, text, "SECRET") == ["kq8Zr5tt"]
    assert found(nlp, ruler, text, "URL") == ["https://x.example.org/jroe?password=", "of=jroe"]


def test_what_stands_behind_a_user_is_an_address_and_a_scheme_is_nobody(nlp, ruler):
    text = "Clone ssh://kzielwq@host.example/1971-08-23/jroe.git now."
    assert found(nlp, ruler, text, "URL") == ["host.example/1971-08-23/jroe.git"]
    assert nlp(text).text.startswith("Clone ssh://")


@pytest.mark.parametrize("form", [
    "More [here]({}). Mail me.", "- [the wiki here]({}) and", "![a photo of it here]({})",
    "[here]({})|[there]({})", "See [here](<{}>), too", '[here]({} "a title")',
])  # fmt: skip
@pytest.mark.parametrize("address", [
    "https://host.example/t/ezekiel-jroe/8812", "http://wiki.example/w/Jroe_(cook)",
    "www.host.example/jroe", "https://host.example/r?user=jroe&id=77", "https://jroe.example",
    "ftp://files.example/~jroe",
])  # fmt: skip
def test_the_address_of_a_link_goes_and_its_label_stays(nlp, ruler, form, address):
    text = form.format(*[address] * 2)
    assert set(found(nlp, ruler, text, "URL")) == {address}
    released = nlp(text).text
    assert "jroe" not in released.lower()
    assert "here](" in released


def test_a_link_to_a_mail_address_has_two_mentions_of_it(nlp, ruler):
    mail = "jroe@mail.example"
    text = f"Ask [{mail}](mailto:{mail}) or [me](mailto:{mail}?subject=Hi)."
    assert found(nlp, ruler, text, "EMAIL") == [mail] * 3
    assert "jroe" not in nlp(text).text


@pytest.mark.parametrize("name", ["okafor.docx", "halloran-scan.pdf", "priya.whitcombe.md"])
def test_a_file_with_the_name_of_a_person_is_found(nlp, name):
    words = nlp(f"Please open {name} now.").text.replace(".", " ").replace("-", " ").split()
    assert {"okafor", "halloran", "priya"}.isdisjoint(words)


@pytest.mark.parametrize("text", [
    'Traceback (most recent call last):\n  File "main.py", line 12, in <module>\n    run()',
    'ValueError: bad\n    raise KeyError("x")', "Exception in thread main", "Error: no such file",
    "UnhandledPromiseRejectionWarning: x", "java.lang.NullPointerException: x\n    at x",
    "RuntimeError!", "PWD=/srv/app ; COMMAND=/bin/ls", "export PATH=$PATH:/usr/local/bin",
])  # fmt: skip
def test_words_of_logs_are_no_persons(nlp, text):
    for _, pipe in nlp.pipeline[:-1]:
        doc = pipe(nlp.make_doc(text) if pipe is nlp.pipeline[0][1] else doc)  # noqa: F821
    assert not [ent.text for ent in doc.ents if ent.label_ == "PERSON"]


@pytest.mark.parametrize("form", [
    "sk-proj-{0}", "sk-ant-api03-{0}", "sk-{0}", "my key is sk-svcacct-{0} ok",
    "AKIAQ3EXAMPLE7HZ2LMN",
    "ASIAQ3EXAMPLE7HZ2LMN", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzKEYabcd",
    "AWS secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzKEYabcd", "ghp_{0}a1B2c3D4e5F6g7H8",
    "github_pat_11ABCDEFG0_{0}a1B2c3D4e5", "gho_{0}a1B2c3D4e5F6g7H8", "xoxb-2345678901-{0}",
    "xoxp-1-{0}",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{0}",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nMIIE\n-----END PGP PRIVATE KEY BLOCK-----",
    "Authorization: Bearer {0}", "authorization: Bearer abc77x",
    "-H 'Authorization: Basic dXNlcjpw'",
    "Authorization: Token {0}", "'Authorization': 'Bearer {0}'",
    "postgres://svc:s3cr3t@db.internal:5432/app",
    "mongodb+srv://app:hunterpass@c0.example.net/x", "redis://:p4ss@10.0.0.5:6379/0",
    "Server=db;User Id=sa;Password=Pa55w0rd!;", "jdbc:mysql://db/x?user=sa&password=Pa55w0rd",
    "password: swordfish", "password: hunter22", "pwd=letmein", "pwd: correcthorse",
    "DB_PASSWORD=hunter",
    '"password": "swordfish"', "spring.datasource.password=swordfish",
    "<password>swordfish</password>",
    "login --password swordfish", "mysql -u root -pSwordfish9 x",
    "curl -u root:swordfish https://x.org",
    "sshpass -p 'hunter2' ssh x", "Passwort: Geheim", "mot de passe : soleil42",
    "contraseña: girasol",
    "wachtwoord: zonnebloem", "api: key: {0}", "api:\n  key: {0}", 'api_key = "{0}"',
    "X-Api-Key: {0}",
    "apikey=abcdefabcdef", "API key: {0}", "api-key {0}", "export OPENAI_API_KEY={0}", "token={0}",
    "client_secret: {0}", "--api-key={0}", "passcode: 4471", "PIN: 4471",
    "Kennwort: hunter22", "**Passwort:** hunter22", "**Password**: hunter22", "mdp : hunter22",
    "Passwort:\nhunter22", "Mein Passwort ist hunter22.", "Mon mot de passe est hunter22.",
    "Mi contraseña es hunter22", "La parola chiave è hunter22", "Zugangsdaten: hunter22",
    "usuario: x, clave: hunter22", "clave de acceso: hunter22", "clé secrète : hunter22",
    "chiave segreta: hunter22", "WLAN-Schlüssel: hunter22", "API-sleutel: hunter22",
    "pin-code: 4471", "PIN = 4471", "**PIN:** 4471", '"pin": "4471"', "Ma PIN est 4471",
    "Zugangscode: 4471", "Geheimzahl: 4471", "code secret : 4471", "code d'accès : 4471",
    "código secreto: 4471", "codice segreto: 4471", "toegangscode: 4471", "TAN: 447100",
    "CVC: 4471", "security code: 447100", "Sicherheitscode: 447100", "verificatiecode: 447100",
    "código de verificación: 447100", "code de vérification : 447100", "codice di verifica: 447100",
    "Das Passwort lautet so, und hier steht es auch: password: swordfish",
])  # fmt: skip
def test_secrets_are_found(nlp, ruler, form):
    secrets = found(nlp, ruler, form.format(TOKEN), "SECRET")
    assert len(secrets) == 1
    released = nlp(form.format(TOKEN)).text.lower()
    said = TOKEN, "swordfish", "hunter", "letmein", "geheim", "soleil", "s3cr3t", "pa55w0rd", "4471"
    assert not [word for word in said if word.lower() in released]


@pytest.mark.parametrize("text", [
    "password: required", "My password expired, and the password is wrong.", "Password = None",
    "password = getpass()", "password: str", "The token: a small thing.", "PWD=/srv/x ; ls",
    "PIN: 110001",
    "La clave: trabajar más.", "La clave: importante!", "La clé est ici.", "Die Losung: weiter so.",
    "The code is 4471 lines long.", "ICD code: 4471", "La chiave è sotto il tappeto.", "tan: brown",
    "api: the key is new", "Tokens and secrets are kept.", "pass: yes",
])  # fmt: skip
def test_what_is_said_of_secrets_is_none(nlp, ruler, text):
    assert not found(nlp, ruler, text, "SECRET")


@pytest.mark.parametrize("form", [
    "RCPT TO:<{}> was sent.", "Reply-To:‹{}›", "From:{}", "mailto:{}", "It is mail({}), she says.",
    "mail={}, user=4", "Write →{}", "e-mail:{}.", "It is {}.",
])  # fmt: skip
@pytest.mark.parametrize("mail", ["ada.lind@corp.com", "o'hara.ada@corp.com", "adá.lind@corp.com"])
def test_an_address_of_mail_is_found_behind_any_sign(nlp, ruler, form, mail):
    assert found(nlp, ruler, form.format(mail), "EMAIL") == [mail]


@pytest.mark.parametrize(
    "text", ["https://ada:pw@corp.com/x", "<@ada>", "a=@ada.lind", "(ada@home)"]
)
def test_other_signs_are_no_address_of_mail(nlp, ruler, text):
    assert found(nlp, ruler, f"Run {text} then.", "EMAIL") == []


@pytest.mark.parametrize(("label", "value"), [
    ("Tel", "020 7946 0018"), ("Mob", "07700 900123"), ("Phone", "+447700900123"),
    ("DOB", "12/03/1980"), ("MRN", "48213377"), ("PO", "4471882"), ("Ref", "4471882"),
])  # fmt: skip
def test_a_label_that_is_joined_to_its_number_stays(nlp, ruler, label, value):
    ents = [ent.text for ent in ruler(nlp.make_doc(f"Please note {label}:{value} for it.")).ents]
    assert value in ents
    assert not any(label in text for text in ents)


@pytest.mark.parametrize("form", [
    "on Instagram, {}", "my Insta is {}", "Twitter {}", "on TikTok as {}", "Telegram: {}"
])  # fmt: skip
def test_a_user_name_behind_a_network_is_found(nlp, ruler, form):
    assert found(nlp, ruler, f"She is {form.format('tesfa.cooks')} there.", "ID") == ["tesfa.cooks"]


@pytest.mark.parametrize(("text", "user"), [
    ("# TODO(gpatel): remove this hack", "gpatel"), ("// FIXME(thabo.m) it leaks", "thabo.m"),
    ("`svetlana.m` pushed 3 commits to it.", "svetlana.m"),
    ("`reporter: qa_lindiwe`", "qa_lindiwe"),
    ("Please log in as brewdeck_mk then.", "brewdeck_mk"),
    ("9:02 AM **momshie_lovely88**: hi there", "momshie_lovely88"),
    ("@mkowal-abuse can you look?", "@mkowal-abuse"),
])  # fmt: skip
def test_users_of_tasks_code_and_chats_are_found(nlp, ruler, text, user):
    assert user in found(nlp, ruler, text, "ID")


@pytest.mark.parametrize("text", [
    "# TODO(later): fix it", "`main` merged into it.", "The reporter: unknown so far.",
])  # fmt: skip
def test_common_words_there_are_no_users(nlp, ruler, text):
    assert found(nlp, ruler, text, "ID") == []


@pytest.mark.parametrize("text", [
    "It was filed by somebody whose login is {}.", "My user name was {}, then.",
    "Last touched on 2 May by {}.", "Posted last night by {}.", "Ask for account {}-scan, please.",
])  # fmt: skip
@pytest.mark.parametrize("name", ["jmolinari", "tkovacs", "mokafor"])
def test_a_user_name_that_a_sentence_tells_is_found(nlp, ruler, text, name):
    assert any(name in user for user in found(nlp, ruler, text.format(name), "ID"))


@pytest.mark.parametrize("text", [
    "The login is broken again.", "Your user name is required.", "It was edited on Monday by hand.",
    "The account re-opened on it.", "It was deployed by root.", "It was written by candlelight.",
    "The account sign-in failed.", "It was posted by courier.", "A profile close-up was taken.",
])  # fmt: skip
def test_an_ordinary_word_in_such_a_sentence_is_none(nlp, ruler, text):
    assert found(nlp, ruler, text, "ID") == []
