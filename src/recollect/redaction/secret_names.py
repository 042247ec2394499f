"""How strongly does a name suggest a secret? `DB_PASSWORD` a lot, `key` a little, `token_count` not."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from recollect.redaction.value_check import word_set, words

PASSWORD, SECRET, WEAK, NOTHING = "password", "secret", "weak", "nothing"
MOST_NAME = 80  # characters of a name that are read

_PASSWORDS = word_set(
    "password passwd passphrase passcode pass pw pwd psk passwords dbpass userpass mnemonic",
    "storepass keypass srcstorepass deststorepass keystorepass truststorepass sudopass rootpass adminpass",
    "mdp requirepass userpassword bindpw rootpw",
)
_PASSWORD_ENDINGS = ("password", "passwd", "passphrase", "pwd")
# The word for a password in other languages, as it ends a name: `DB_PASSWORT`, `数据库密码`.
FOREIGN = (
    *(
        "passwort",
        "passwörter",
        "kennwort",
        "motdepasse",
        "mot de passe",
        "mots de passe",
        "contraseña",
    ),
    *(
        "contrasena",
        "contraseñas",
        "senha",
        "palavra-passe",
        "wachtwoord",
        "hasło",
        "haslo",
        "lösenord",
    ),
    *(
        "losenord",
        "passord",
        "adgangskode",
        "kodeord",
        "salasana",
        "heslo",
        "jelszó",
        "parola",
        "parolă",
    ),
    *("şifre", "sifre", "kata sandi", "mật khẩu", "пароль", "пароля", "паролем", "паролю", "κωδικός"),
    *("密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호", "패스워드", "รหัสผ่าน"),
    *("पासवर्ड", "סיסמה", "סיסמא", "كلمة المرور", "كلمة السر"),
)
_SECRETS = word_set(
    "secret secrets token tokens credential credentials creds cred apikey accesskey secretkey privatekey",
    "authkey clientsecret masterkey encryptionkey signingkey bearer authorization licensekey",
    "accesskeys apikeys sharedkey accountkey sharedaccesskey appsecret appkey deploykey pat",
)
_SECRET_ENDINGS = ("secret", "token", "apikey", "accesskey", "secretkey", "credentials")
# `key` suggests a secret only after one of these.
_OF_KEYS = word_set(
    "api access secret private auth client app application account encryption signing master storage",
    "shared service license licence deploy admin root session consumer subscription server bot write",
    "ingest integration project publish publishable hmac jwt aes rsa ssh pgp gpg ssl tls crypto cipher",
    "wallet sas host function instrumentation data rest user team org organization personal security web",
    "live prod production test sandbox dev staging global my the our some x",
)
_WEAK = word_set(
    "key keys access auth client clientid accessid secretid keyid cookie session sessionid salt login dsn",
    "license webhook otp pin seed sid authentication",
)
# The last word of a name that is about a secret and does not hold one.
_ABOUT = word_set(
    "name names field fields url uri urls endpoint endpoints file files filename path paths dir folder",
    "type types kind length len size count counts limit limits min max expiry expires expiration expired",
    "ttl timeout at on policy policies regex pattern patterns rule rules label labels hint prompt title",
    "description help message messages error errors format version prefix suffix header headers param",
    "params parameter parameters env var variable variables algorithm alg issuer audience scope scopes",
    "store manager provider providers service services class factory handler validator reset page form",
    "input inputs button required enabled disabled valid usage used budget index offset position",
    "positions strategy mode method methods config configuration settings options option state status per",
    "rate cost price model encoder encoding parser stream list map table column columns row rows group",
    "groups role roles template ref reference references arn resource location region interval attempts",
    "check checks docs pages link links change changed update updated date time word words text ring",
    "board code codes event events strength exchange generator latency ms sec seconds speed share score",
    "embedding embeddings digest checksum hash hashes sha md5 commit revision integrity etag thumbprint",
    "fingerprint address addresses symbol identifier identity encryption",
)
# A token that says where a list continues.
_CURSORS = word_set("page next previous prev continuation cursor pagination resume")
# Anywhere in a name, these mean that everybody may read the value.
_PUBLIC = word_set(
    "public pub pubkey publickey csrf xsrf primary foreign sha sha256 md5 commit checksum digest",
    "integrity fingerprint sitekey socket",
)
# And these, that the value is likely a position or a piece of text.
_OPEN = word_set(
    "cache sort partition row column composite natural surrogate lookup hot keyboard shortcut object dict",
    "map hash index group routing dedup idempotency translation i18n localization locale css lexer next",
    "previous start end first last max min total num count used prompt completion input output pad eos",
    "bos unk cls mask sep stop special",
)
_PROVIDERS = word_set(
    "adafruit adobe airtable algolia alibaba amazon amplitude anthropic artifactory asana atlassian auth0",
    "authress aws azure beamer bitbucket bitly bittrex braintree bugsnag buildkite cisco clickhouse",
    "clojars cloudflare cloudinary codecov cohere coinbase confluent contentful databricks datadog",
    "deepgram deepl deepseek defined digitalocean discord docker docusign doppler drone droneci dropbox",
    "duffel dynatrace easypost elastic etsy facebook fastly finicity finnhub firebase flickr flutterwave",
    "flyio frameio freshbooks freshdesk gcp gemini gitter gocardless google grafana harness heroku honeycomb",
    "hubspot huggingface infracost instagram intercom jenkins jfrog jira kaggle klaviyo kraken kucoin",
    "launchdarkly linear linkedin lob logdna loggly looker mailchimp mailgun mailjet mandrill mapbox",
    "mattermost maxmind meraki messagebird mistral mixpanel mongodb mux netlify newrelic notion npm",
    "nytimes okta onelogin openai openweather opsgenie pagerduty paypal perplexity pinecone plaid",
    "planetscale postman postmark prefect privateai pulumi pusher pypi rapidapi readme recaptcha redis",
    "replicate rollbar rubygems saucelabs scalingo segment sendbird sendgrid sendinblue sentry settlemint",
    "shippo shodan shopify sidekiq slack snyk sonar sonarqube sourcegraph splunk spotify square squarespace",
    "stripe sumo sumologic supabase telegram terraform travis travisci twilio twitch twitter typeform",
    "vault vercel vonage wakatime wandb webex yandex youtube zapier zendesk zoom",
)


@lru_cache(512)
def name_strength(name: str) -> str:
    """What a name suggests: PASSWORD, SECRET, WEAK (perhaps a secret) or NOTHING."""
    if name.lower() in FOREIGN:
        return PASSWORD
    parts = _parts(name)
    if not parts or parts[-1] in _ABOUT or not _PUBLIC.isdisjoint(parts) or _names_place(parts):
        return NOTHING
    strengths = {_of_part(part, before) for before, part in zip(["", *parts], parts, strict=False)}
    is_public = not _OPEN.isdisjoint(parts)
    if PASSWORD in strengths:
        return WEAK if is_public else PASSWORD
    if SECRET in strengths and parts[-1] == "id":
        return NOTHING if is_public or "credential" in parts else WEAK
    if SECRET in strengths:
        return WEAK if is_public else SECRET
    return WEAK if WEAK in strengths and not is_public else NOTHING


def _names_place(parts: list[str]) -> bool:
    """Whether it names a place in a list, or which key is meant and not the key: `nextPageToken`, `keyId`."""
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last == "token":
        return before in _CURSORS
    return last == "id" and before == "key" and (parts[-3] if len(parts) > 2 else "") not in _OF_KEYS


def _parts(name: str) -> list[str]:
    """The words of a name, whatever the style it is written in."""
    return [part.lower() for piece in name.split("_") for part in words(piece)]


def _of_part(part: str, before: str) -> str:
    if part in _PASSWORDS or part.endswith(_PASSWORD_ENDINGS) or part.endswith(FOREIGN):
        return PASSWORD
    if part == "passe":
        return PASSWORD if before == "de" else NOTHING
    if part == "phrase":
        return PASSWORD if before in ("pass", "seed", "secret", "recovery", "mnemonic") else NOTHING
    if part in _SECRETS or part.endswith(_SECRET_ENDINGS):
        return SECRET
    if part in ("key", "keys"):
        return SECRET if before in _OF_KEYS or before in _PROVIDERS else WEAK
    if part in _WEAK or part in _PROVIDERS or part.endswith(("key", "auth")):
        return WEAK
    return WEAK if part.startswith(("access", "client", "auth")) and part.endswith("id") else NOTHING


def surely_secret(name: str) -> bool:
    """Whether a name can only mean a secret: `client_secret`, `API_KEY`. `token` alone may be any word."""
    parts = _parts(name)
    return len(parts) > 1 and (parts[-1] in _SURELY or parts[-1].endswith(_SECRET_ENDINGS))


_SURELY = word_set("secret token key apikey accesskey secretkey privatekey pat credential")


def is_key_of(name: str) -> bool:
    """Whether a name says whose key it is: `vendor_key`, `acmeKey`."""
    parts = _parts(name)
    return len(parts) > 1 and parts[-1] == "key"


def is_public_name(name: str) -> bool:
    """Whether what has this name is no secret however random it is: a digest, an id, a place in a list."""
    parts = _parts(name)
    return bool(parts) and (not _PUBLIC.isdisjoint(parts) or parts[-1] in _IDS or _names_place(parts))


_IDS = word_set(
    "id ids uid guid kid cursor etag nonce csrf digest hash signature sig ref rev version build"
)


def names_provider(name: str) -> bool:
    """Whether a name contains that of a provider of keys: `MessageBirdClientID`."""
    parts = _parts(name)
    pairs = [before + after for before, after in pairwise(parts)]
    return not _PROVIDERS.isdisjoint([*parts, *pairs])


def provider_in(text: str) -> bool:
    """Whether the name of a provider of keys is among the words of a (lower-cased) text."""
    return not _PROVIDERS.isdisjoint(text.replace("_", " ").replace("-", " ").split())
