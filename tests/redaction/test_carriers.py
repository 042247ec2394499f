"""Secrets in what carries them: Kubernetes, tables, commands, calls, encodings, key files."""

import base64
import unicodedata

import pytest
from tests.redaction.sample_keys import ALNUM, drawn
from tests.requirements import requirement

from recollect.redaction.gate import gate
from recollect.redaction.redact import find, redact


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


KUBERNETES = (
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  code: @@\n  user: YXBw\n",
    "kind: Secret\nstringData:\n  code: @@\ntype: Opaque",
    "kind: Secret\nstringData:\n  app.yaml: |\n    code: @@\n    port: 1\ntype: Opaque",
    'kind: "Secret"\ndata: {code: @@, user: YXBw}',
    '{"kind":"Secret","apiVersion":"v1","data":{"code":"@@"}}',
    "data:\n  # of the database\n  tls.key: '@@'  # rotate\nkind: Secret\n",
    "items:\n- kind: Secret\n  data:\n    code: @@\n- kind: ConfigMap\n",
    "env:\n- name: DB_PASSWORD\n  value: @@\n- name: PORT\n  value: '1'",
    'env:\n- name: API_TOKEN\n  value: "@@"\n',
)
TABLES = (
    "user,password,role\nalice,@@,admin\n",
    "name;passwort\nalice;@@\n",
    "user\tpassword\nalice\t@@\n",
    '"user","password"\n"alice","@@"\n',
    "| user | password |\n|---|---|\n| alice | @@ |\n",
    "| user | `Root password` | x |\n|:--|--:|--|\n| alice | `@@` | 1 |\n",
    " id | name | password \n----+------+----------\n  1 | al   | @@\n",
    "<tr><td>Password</td><td>@@</td></tr>",
    "<property><name>db.password</name><value>@@</value></property>",
    "Password:\n@@\n",
    "Root password:\n    @@\n",
)
COMMANDS = (
    *("mongo -u admin -p @@ db", "mongosh mongodb://h -u a -p '@@'", "docker login -u a -p @@ r.io"),
    *("az login --service-principal -u x -p @@ --tenant y", "keytool -genkey -storepass @@ -alias a"),
    *("keytool -keypass @@", "echo @@ | sudo -S apt update", "echo '@@' | sudo -S -k ls"),
    *("sudo -S ls <<< '@@'", "printf '@@\\n' | sudo -S x", "redis-cli -a @@ ping", "unzip -P @@ a.zip"),
    *(
        "7z x -p@@ a.7z",
        "ldapsearch -x -D cn=a -w @@ -b dc",
        "plink -ssh a@b -pw @@",
        "sshpass -p @@ ssh a@b",
    ),
    *(
        "sqlcmd -S h -U sa -P @@",
        "mysql -uroot -p@@ db",
        "mysqldump -u root -p@@ db > x",
        "sqlplus scott/@@@db",
    ),
    *(
        "net user bob @@ /add",
        "rabbitmqctl add_user bob @@",
        "xfreerdp /u:a /p:@@ /v:h",
        "lftp -u bob,@@ h",
    ),
    *("echo 'root:@@' | chpasswd", "smbclient //h/s -U 'bob%@@'", "Server=db;UID=sa;PWD=@@;"),
    *("jdbc:mysql://h/db?user=u&password=@@", "echo @@ | docker login -u a --password-stdin r.io"),
)
CALLS = (
    *("HTTPBasicAuth('u','@@')", "HTTPDigestAuth('u', \"@@\")", 'new NetworkCredential("u", "@@")'),
    *("smtp.login('me', '@@')", 'new UsernamePasswordCredentials("u", "@@")', "auth=('u', '@@')"),
    *('DriverManager.getConnection(url, "sa", "@@")', 'AuthTokens.basic("neo4j", "@@")'),
    *('request.setBasicAuth("u", "@@")', "client.authenticate('u', '@@')"),
)
SPOKEN = (
    "@@ is the password",
    "I think `@@` is the root password.",
    "it runs as app with password @@.",
)
DISGUISES = (
    *("password%3D@@%26x%3D1", "?next=%2Flogin%3Fpassword%3D@@", "%7B%22password%22%3A%22@@%22%7D"),
    *(
        "\\u0022password\\u0022: \\u0022@@\\u0022",
        "&quot;password&quot;: &quot;@@&quot;",
        "pass\u200bword: @@",
    ),
)
ALL = (*KUBERNETES, *TABLES, *COMMANDS, *CALLS, *SPOKEN, *DISGUISES)


@requirement("redaction:carriers:passwords")
@pytest.mark.parametrize("carrier", ALL)
@pytest.mark.parametrize("password", ["swordfish", "Sommer2024!", "monkey"])
def test_a_password_is_taken_out_of_what_carries_it(carrier: str, password: str) -> None:
    assert password not in redact(carrier.replace("@@", password))[0]


@requirement("redaction:carriers:passwords")
@pytest.mark.parametrize("carrier", ALL)
@pytest.mark.parametrize("placeholder", ["changeme", "${PASSWORD}", "<password>"])
def test_a_placeholder_in_its_place_stays(carrier: str, placeholder: str) -> None:
    text = carrier.replace("@@", placeholder)

    assert placeholder in redact(text)[0]


@requirement("redaction:carriers:encoded")
@pytest.mark.parametrize(
    "plain",
    [
        "DB_PASSWORD=swordfish",
        '{"user": "app", "password": "swordfish"}',
        "machine a.io login b password swordfish\n",
        "postgres://app:swordfish@db/shop",
    ],
)
def test_base64_of_a_text_with_a_secret_is_taken_out(plain: str) -> None:
    run = encoded(plain)

    assert run[:16] not in redact(f"config: {run} end")[0]
    assert run[:16] not in redact(f"blob\n{run[:20]}\n{run[20:]}\n")[0]


@requirement("redaction:carriers:encoded")
def test_no_invisible_character_hides_a_token() -> None:
    """Format and control characters, selectors and blank letters; some of the first show a sign.

    What ends a line is no part of a token.
    """
    token = "gh" + "p_" + drawn(36, ALNUM, 7)
    visible = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    visible |= set(range(0x13430, 0x13440))  # how hieroglyphs are joined
    blank = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180F, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10)}
    line_ends = {*range(0x9, 0xE), *range(0x1C, 0x20), 0x85}
    codes = (code for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cf", "Cc"))
    signs = set(codes) - visible - line_ends

    hiding = [
        hex(code)
        for code in sorted(signs | blank | set(range(0xE0100, 0xE01F0)))
        if token[-20:] in redact(f"see {token[:12]}{chr(code)}{token[12:]} ok")[0]
    ]

    assert hiding == []


@requirement("redaction:carriers:encoded")
@pytest.mark.parametrize(
    "sign", ["%5F", "%5f", "&#95;", "&#095", "&#x5f;", "&#x005F;", "&lowbar;", "\\u005f", "\\x5f"]
)
def test_no_escape_hides_a_token(sign: str) -> None:
    secret = drawn(36, ALNUM, 7)

    assert secret[-20:] not in redact(f"see ghp{sign}{secret} ok")[0]


@requirement("redaction:carriers:encoded")
@pytest.mark.parametrize(
    "sign", ["%3D", "%3a", "&#61;", "&#61", "&#x0003d;", "&equals;", "&colon;", "\\u003d", "\\x3d"]
)
def test_no_escape_hides_an_assignment(sign: str) -> None:
    assert "swordfish" not in redact(f"password{sign}swordfish")[0]


@requirement("redaction:carriers:key-files")
@pytest.mark.parametrize(
    "head",
    [
        b"openssh-key-v1\0\0\0\0\4none",
        bytes.fromhex("308209d102010330820997"),  # PKCS#12
        bytes.fromhex("308204be020100300d06092a864886f70d0101010500"),  # PKCS#8
        bytes.fromhex("308204a40201000282010100"),  # PKCS#1
        bytes.fromhex("308193020101"[:6] + "02010104"),  # SEC1
    ],
)
def test_a_key_file_without_its_header_is_taken_out(head: bytes) -> None:
    run = base64.b64encode(head + drawn(400).encode()).decode()
    lines = "\n".join(run[at : at + 64] for at in range(0, len(run), 64))

    assert run[-40:] not in redact(f"key: {run}\n")[0]
    assert redact(f"{lines}\n\nthe end")[0] == "[REDACTED]\n\nthe end"


@requirement("redaction:carriers:key-files")
def test_a_certificate_and_a_public_key_stay() -> None:
    for head in ("308203c1308202a9a003020102", "30820122300d06092a864886f70d01010105000382010f00"):
        run = base64.b64encode(bytes.fromhex(head) + drawn(400).encode()).decode()

        assert find(f"MII is how it begins: {run}\n") == []


@requirement("redaction:carriers:passwords")
def test_a_document_with_a_name_and_a_value_is_a_pair() -> None:
    clean, findings = gate({"env": [{"name": "DB_PASSWORD", "value": "swordfish"}]})

    assert clean == {"env": [{"name": "DB_PASSWORD", "value": "[REDACTED]"}]}
    assert [finding.field for finding in findings] == ["env[0].value"]


@pytest.mark.parametrize(
    "text",
    [
        "kind: ConfigMap\ndata:\n  mode: production\n",
        "kind: Deployment\nspec:\n  secretName: db\n",
        "| option | password |\n|---|---|\n| login | required |\n| ssh | no |\n",
        "| parameter | type | description |\n|---|---|---|\n| password | string | the password |\n",
        "from a import (\n    password,\n    token,\n)\n",
        "def login(\n    user, password,\n    host, port\n):\n",
        "host, port, user, password\nare read from the file, in this order, and then, connected\n",
        "docker run -p 8080:80 app",
        "ssh -p 2222 host | tee log",
        "mkdir -p src/app && az group list",
        "echo done | tee log",
        "if password:\n    return\n",
        "Password:\nLast login: Fri May 17\n",
        "login('alice', password)",
        "href='/a%20b%3Fpage%3D2'",
        encoded("the quick brown fox jumps over the lazy dog"),
    ],
)
def test_what_is_written_alike_stays(text: str) -> None:
    assert find(text) == []
