"""What people really use as a password is taken out of every notation, in every language of its name."""

from collections.abc import Iterable
from html import escape
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.requirements import requirement
from tests.soak import times

from recollect.redaction.redact import find, redact

HERE = Path(__file__).parent
PASSWORDS = tuple((HERE / "common_passwords.txt").read_text("utf-8").splitlines())
WITHOUT_BLANKS = tuple(password for password in PASSWORDS if " " not in password)
NOTATIONS = {
    "shell": "{NAME}={p}",
    "export": "export DB_{NAME}={p}",
    "quoted shell": '{NAME}="{p}"',
    "yaml": "db:\n  {name}: {p}\n  port: 5432",
    "json": '{{"user": "app", "{name}": "{p}"}}',
    "toml": '[db]\n{name} = "{p}"\nport = 5432',
    "ini": "[client]\nuser = app\n{name} = {p}\n",
    "properties": "app.datasource.{name}={p}\napp.port=1",
    "code": "const db{Name} = '{p}';",
    "keyword argument": 'connect("db", user="app", {name}="{p}")',
    "long option": "tool --user app --{name} {p} --verbose",
    "option with a sign": "tool --{name}={p} run",
    "header": "POST /login HTTP/1.1\nX-{Name}: {p}\nAccept: */*",
    "xml": "<db><{name}>{p}</{name}></db>",
    "docker": "FROM a\nENV APP_{NAME} {p}\n",
    "next line": "{Name}:\n{p}\n",
}
NAMES = (
    *("password", "Passwort", "Kennwort", "contraseña", "senha", "пароль", "密码", "パスワード"),
    *("mot_de_passe", "wachtwoord", "hasło", "비밀번호", "passphrase"),
)
PARTS = max(1, 4 // times(1))  # a name is tried with one part of the passwords
SENTENCES = (
    *("the root password is {p}", "The password for the staging server is {p}.", "{p} is the password"),
    *(
        "log in as root with password {p}",
        "we changed the admin password to {p}",
        "Das Passwort ist {p}",
    ),
    *("Le mot de passe est {p}", "La contraseña es {p}", "A senha é {p}", "Пароль: {p}", "密码是 {p}"),
    *("パスワードは {p} です", "Passwort: {p}", "Mot de passe : {p}", "Contraseña: {p}", "密码：{p}"),
    *("パスワード：{p}", "user: app, password: '{p}'"),
)
WITH_QUOTES = ("quoted shell", "json", "toml", "code", "keyword argument", "xml")


def left(template: str, passwords: Iterable[str], name: str = "") -> list[str]:
    """The passwords that the gate leaves in a text."""
    texts = {
        p: template.format(p=p, name=name, NAME=name.upper(), Name=name[:1].upper() + name[1:])
        for p in passwords
    }
    return [p for p, text in texts.items() if p in redact(text)[0]]


def test_there_are_three_hundred_of_them() -> None:
    assert len(set(PASSWORDS)) == len(PASSWORDS) >= 300


@requirement("redaction:passwords:any")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_password_that_people_use_is_taken_out(notation: str, name: str) -> None:
    passwords = PASSWORDS if notation in WITH_QUOTES else WITHOUT_BLANKS
    passwords = passwords[NAMES.index(name) % PARTS :: PARTS]
    if notation == "xml":
        passwords = tuple(escape(password) for password in passwords)

    assert left(NOTATIONS[notation], passwords, name) == []


@requirement("redaction:passwords:any")
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_password_is_taken_out_of_a_sentence(sentence: str) -> None:
    assert left(sentence, WITHOUT_BLANKS) == []


@requirement("redaction:passwords:any")
def test_a_password_is_taken_out_of_an_address() -> None:
    assert (
        left("postgres://app:{p}@db/shop", [quote(password, safe="") for password in PASSWORDS]) == []
    )


@requirement("redaction:passwords:sentences")
def test_sentences_about_passwords_tokens_and_keys_stay_as_they_are() -> None:
    lines = (HERE / "ordinary_sentences.txt").read_text("utf-8").splitlines()

    changed = [line for line in lines if find(line)]

    assert len(lines) >= 500
    assert len(changed) <= 5, changed
