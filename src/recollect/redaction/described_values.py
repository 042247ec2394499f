"""Is a word or a phrase the password itself, or does it describe one? `Password: required`, `is wrong`."""

from __future__ import annotations

from recollect.redaction.value_check import word_set

# What a password, a field or an option is, in place of its value.
_STATES = word_set(
    "required optional mandatory needed necessary unnecessary missing absent present available unavailable",
    "valid invalid correct incorrect right wrong bad good fine ok okay ready weak strong safe unsafe secure",
    "insecure sensitive secret private public shared internal external local global personal confidential",
    "empty blank null none nil unset undefined unknown known default defaults custom random unique generated",
    "temporary permanent static dynamic constant same different identical similar equal old new current",
    "latest previous next first last only short long short-lived case-sensitive plain plaintext cleartext",
    "clear text raw encoded encrypted decrypted hashed salted peppered masked hidden visible obscured",
    "redacted stored saved cached kept sent set read written known stolen lost gone found taken given shown",
    "made held put left chosen broken forgotten bound built spelled typed spoken leaked exposed revoked",
    "rotated changed unchanged updated reset expired expiring pending working missing changing matching",
    "failing passing enabled disabled allowed denied forbidden rejected accepted supported unsupported",
    "deprecated ignored skipped protected verified unverified confirmed authenticated trusted",
    "yes no on off true false success failed failure error ask prompt interactive manual automatic",
    "string str text bytes int integer number boolean bool any object array list char varchar",
    "here there below above attached inside outside everywhere nowhere elsewhere now later then not never",
    "always also still already just too very really actually probably likely maybe enough important",
    "yours mine ours theirs hers his theirs it this that these those them such one two three",
    "authentication auth login logins signin sign-in grant grants protection prompts policy policies manager",
    "managers reset resets field fields hash hashes hashing rotation expiry change changes input access",
    "entry",
    "requires require needs specifies option flag argument parameter combination combinations pair pairs",
    "check checks exist exists match matches form stdin file files based or and but is are was were be been",
    "has have had can may must should will",
    "would could does do did to of for from in at by as with without if when unless until because so than",
    "base64 base32 hex utf-8 utf8 ascii bcrypt argon2 argon2id scrypt pbkdf2 md5 sha1 sha256 sha512 jwt",
    "pflichtfeld erforderlich falsch ungültig leer obligatoire incorrect requis invalide facultatif",
    "obligatoria obligatorio incorrecta incorrecto requerida opcional obrigatória obrigatório incorreta",
    "incorreto inválida inválido обязательно обязательное неверный неверен пуст необязательно",
    "必填 必须 必須 错误 錯誤 空 任意 필수 선택 verplicht onjuist wymagane obbligatoria zorunlu",
)
_STATE_ENDINGS = ("able", "ible", "less", "ful")
# A phrase with one of these speaks about a password; people choose none with them.
_ABOUT_FIELDS = word_set(
    "password passwords passwd passphrase passcode token tokens key keys secret secrets credential",
    "credentials user users username account accounts field required optional must should characters",
    "character enter please invalid incorrect empty least database service server login your used default",
    "contain contains digits symbols uppercase lowercase minimum maximum too expired forgot forgotten",
    "confirm reset change show hide not cannot e.g. string value values access api auth client sign stored",
    "passwort kennwort passe contraseña senha пароль пароля 密码 パスワード wachtwoord hasło bitte zeichen",
    "debe deve doit caractères caracteres символов",
)
_FEWEST_LETTERS = 3


def is_state(word: str) -> bool:
    """Whether a word says how a password is, not what it is."""
    low = word.lower().strip(".!?,;:()'\"`*_ 。、")
    if low in _STATES or ("|" in low and low.partition("|")[0] in _STATES):
        return True
    return len(low) >= 6 and low.isascii() and (low.endswith("ed") or low.endswith(_STATE_ENDINGS))


def is_description(phrase: str) -> bool:
    """Whether several words are a sentence about a password, and not a passphrase."""
    words = [word.strip("\"'`,;:()[]!?") for word in phrase.lower().split()]
    if len(words) > 10 or phrase.rstrip().endswith((".", ":", "?", "。")):
        return True
    return not _ABOUT_FIELDS.isdisjoint([*words, *[word.rstrip(".") for word in words]])


def is_passphrase(phrase: str) -> bool:
    """Whether words without quotes are a passphrase: four or more, plain, none that joins others."""
    words = phrase.split()
    if not 4 <= len(words) <= 8 or is_description(phrase):
        return False
    return all(
        len(word) >= _FEWEST_LETTERS and word.isalpha() and word.islower() and not is_state(word)
        for word in words
    ) and not _JOINING.intersection(words)


_JOINING = word_set("the and for with from that this into onto your our their its was are has via per")
