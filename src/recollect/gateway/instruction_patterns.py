"""Sentences that speak to the model instead of describing a tool, by what they want.

Each pattern reads folded text (`lookalikes.folded`): one line, small letters. The families come from
published attacks on MCP clients: tool poisoning, shadowing, rug pulls and poisoned schemas.
"""

import re
from dataclasses import dataclass

_OLD = r"(?:previous|prior|above|earlier|preceding|former|your|system|safety|existing|original|default)"
_ORDERS = (
    r"(?:instruction|prompt|rule|guideline|direction|order|message|polic|constraint|guardrail"
    r"|restriction)"
)
_NOT = (
    r"(?:do not|don'?t|never|must not|mustn'?t|should not|shouldn'?t|avoid|without|no need to"
    r"|refrain from)"
)
_TELL = r"(?:tell|mention|inform|notify|reveal|disclos|show|alert|ask|warn|say|report|explain|display|let)\w*"
_PERSON = r"(?:(?:the |our )users?|user|human|person|operator|developer|anyone|anybody|them|owner)\b"
_READ = r"(?:read|open|cat|load|access|fetch|copy|include|collect|dump|extract|retrieve|get|check|view|parse)"
_SEND = r"(?:send|post|upload|forward|bcc|cc|copy|transmit|exfiltrate|leak|submit|e-?mail|pass|paste|append)"
_FILE = (
    r"(?:\.(?:ssh|aws|gnupg|kube|npmrc|pypirc|netrc|git-credentials"
    r"|env\b|bash_history|zsh_history|docker/config)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)|/etc/(?:passwd|shadow)|mcp\.json|claude_desktop_config|authorized_keys"
    r"|credentials(?:\.json)?\b|wallet\.dat|private keys?\b|ssh keys?\b|keychain)"
)
_TO_MODEL = (
    r"(?:before|first|must|pass|parameter|argument|otherwise|as the|along with|field|side ?note"
    r"|and (?:then )?send)"
)
_MODEL = (
    r"(?:ai|ai assistant|llm|language model|assistant|ai agent|ai model|claude|chatgpt|gpt-?\d*"
    r"|copilot|cursor)"
)


@dataclass(frozen=True, slots=True)
class InstructionKind:
    """One kind of instruction. `withheld`: the sentence is taken out, because no description needs it.

    A text with none of the `clues` does not match, and is not searched.
    """

    reason: str
    pattern: re.Pattern[str]
    clues: tuple[str, ...]
    withheld: bool = True

    def matches(self, text: str) -> bool:
        """Whether folded text has an instruction of this kind."""
        return any(clue in text for clue in self.clues) and self.pattern.search(text) is not None


def _family(reason: str, clues: str, *patterns: str, withheld: bool = True) -> InstructionKind:
    pattern = re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
    return InstructionKind(reason, pattern, tuple(clues.split("|")), withheld)


FAMILIES = (
    _family(
        "tells the model to ignore its instructions",
        "ignor|olvid|oubli|dimentic|esque|vergiss|disregard|forget|overrid|bypass|discard|neglect|follow"
        "|obey|you are now|from now on|your |instructions|prompt|directive| mode"
        "|忽|无视|無視|игнорир|забуд|忘れ",
        r"\b(?:ignore|disregard|forget|override|bypass|discard|neglect)"
        rf"\b.{{0,40}}\b{_OLD}\b.{{0,30}}\b{_ORDERS}",
        r"\b(?:ignore|disregard|forget)\b (?:all|any|every)(?: of)?(?: the"
        r"| other)?.{0,20}\b(?:instruction|prompt)s?\b",
        r"\b(?:do not|don'?t|stop) (?:follow|obey)\w*\b.{0,40}\b(?:instruction|rule|guideline|prompt)",
        r"\byou are now (?:an?|the|in|free|dan|operating|acting)\b",
        r"\bfrom now on,? (?:you|always|never|every|all)\b",
        r"\byour (?:new|real|actual|true|only|updated) (?:task|goal|instruction"
        r"|role|purpose|objective|job)s?\b",
        r"\b(?:new|updated|revised|hidden|secret) (?:system )?(?:instructions?|prompt|directives?)\s*:",
        r"\b(?:developer|god|jailbreak|unrestricted|dan) mode\b",
        r"\bignorier\w* (?:alle|die|bisherige|vorherige|sämtliche).{0,40}\b(?:anweisung|regel|instruktion)",
        r"\bignore[zr]? (?:toutes |les |todas |las |tutte |le )+.{0,30}(?:instruction"
        r"|instruccion|istruzion|consigne)",
        r"\bignor[ae] (?:todas |as |tutte |le |las )+.{0,30}(?:instru|istruzion)",
        r"\b(?:olvid\w+|oublie[zr]?|dimentica\w*|esque[cç]\w+|vergiss)\b.{0,30}"
        r"(?:instru|istruz|consigne|anweisung)",
        r"(?:忽略|无视|忽視|無視).{0,12}(?:指令|指示|提示|规则|說明|说明)",
        r"(?:以前|前|これまで|上記).{0,8}(?:指示|命令|プロンプト).{0,6}(?:無視|忘れ)",
        r"(?:игнорир|забуд)\w* .{0,30}(?:инструкц|указани|правил)",
    ),
    _family(
        "tells the model to hide something from the user",
        "mention|reveal|disclos|tell|acknowledg|user|human|person|operator|developer|anyone|anybody"
        "|them|owner|keep |secretly|covertly|stealthily|surreptitiously|quietly|silently|nutzer"
        "|anwender|用户|用戶|使用者",
        rf"\b{_NOT}\b.{{0,25}}\b{_TELL}\b.{{0,40}}\b(?:the |any |your )?{_PERSON}",
        r"\b(?:keep|stay|remain)\b.{0,20}\b(?:secret|hidden|confidential"
        r"|invisible|quiet|silent)\b.{0,30}\b(?:user|human|them)\b",
        r"\b(?:do not|don'?t|never)(?: ever)? (?:mention|reveal|disclose|tell|acknowledge)\b"
        r" (?:that|this|it|these|anything|any of)\b",
        r"\bkeep (?:this|it|that) (?:a )?(?:secret|hidden|confidential|quiet|between us|to yourself)\b",
        r"\buser\b.{0,20}\b(?:must|should|need|does|will|can)(?: not|n'?t)"
        r"\b.{0,20}\b(?:know|see|notice|be aware|learn|find out|be told"
        r"|be informed)",
        r"\b(?:secretly|covertly|stealthily|surreptitiously|quietly|silently)"
        r"\b.{0,20}\b(?:send|read|copy|include|forward|upload|add|append"
        r"|call|collect|execute|run|transmit|exfiltrate|insert)\b",
        r"\b(?:dem|den) (?:nutzer|benutzer|anwender) (?:nichts|nicht|kein)",
        r"(?:不要|别|請勿).{0,6}(?:告诉|告訴|通知).{0,4}(?:用户|用戶|使用者)",
    ),
    _family(
        "asks the model for private files or secrets",
        ".ssh|.aws|.gnupg|.kube|rc|.git-cred|.env|history|config|id_|/etc/|mcp.json|key"
        "|credential|wallet|secret|password|variable|cookie|conversation|chat|context|prompt"
        "|message|instruction",
        rf"\b{_READ}\b.{{0,60}}{_FILE}.{{0,120}}\b{_TO_MODEL}\b",
        rf"\b{_TO_MODEL}\b.{{0,60}}\b{_READ}\b.{{0,60}}{_FILE}",
        rf"\b(?:contents?|text|value) (?:of|from|in)\b.{{0,40}}{_FILE}.{{0,80}}\b{_TO_MODEL}\b",
        rf"\b{_TO_MODEL}\b.{{0,60}}\b(?:contents?|text|value) (?:of|from|in)\b.{{0,40}}{_FILE}",
        rf"\b{_SEND}\b.{{0,40}}\b(?:all|any|every|found|discovered|available)"
        rf"\b.{{0,30}}\b(?:credential|password|api key|secret|private key"
        r"|environment variable|cookie)s?\b",
        rf"\b(?:include|{_SEND})\b.{{0,30}}\b(?:full|entire|whole|complete"
        rf"|current|this|your)\b.{{0,12}}\b(?:conversation|chat history|chat log"
        r"|system prompt|context window)",
        rf"\b(?:attach|include|provide|{_SEND})\b.{{0,20}}\bthe user'?s\b.{{0,20}}"
        r"\b(?:private key|ssh key|cookie)",
        r"\b(?:reveal|print|output|repeat|leak|share|append|include|quote)"
        r"\b.{0,30}\b(?:your|the) (?:system|initial|hidden) (?:prompt|message"
        r"|instructions?)",
    ),
    _family(
        "tells the model to send data elsewhere",
        "@|http|0x|recipient|destination|address|number|account|iban|url|endpoint|proxy|must be",
        r"\b(?:also|additionally|always|must|first|every time|each time"
        rf"|automatically|whenever)\b.{{0,60}}\b{_SEND}\b.{{0,80}}(?:https?://"
        r"|\S+@\S+\.\w+)",
        r"\b(?:change|replace|modify|set|redirect|swap|substitute|reroute)"
        r"\b.{0,40}\b(?:recipient|destination|address|phone number|url|endpoint"
        r"|account|iban|wallet|proxy)\w*\b.{0,30}\b(?:to|with)\b.{0,40}(?:\+?\d{7,}"
        r"|\S+@\S+|https?://|0x[0-9a-f]{6,})",
        r"\b(?:e-?mails?|messages?|requests?|payments?|files?)\b.{0,30}"
        r"\bmust be (?:sent|forwarded|copied|routed|redirected)\b.{0,40}(?:\S+@\S+"
        r"|https?://|\+?\d{7,})",
    ),
    _family(
        "claims that the user agreed",
        "user |confirm|permission|approv|consent",
        r"\b(?:the )?user (?:has |have )?(?:already )?(?:pre-?)?(?:approved"
        r"|consented|authori[sz]ed|agreed|given (?:permission|consent))"
        r"\b.{0,40}\b(?:this|all|any|every|action|call|request|tool|operation"
        r"|you)\b",
        r"\b(?:do not|don'?t|never|without|skip|bypass)\b.{0,12}\b(?:ask\w*"
        r"|request\w*|wait\w*|seek\w*|requir\w*|prompt\w*)\b.{0,20}\b(?:confirmation"
        r"|permission|approval|consent)\b",
        r"\b(?:skip|bypass) (?:the |any |all )?(?:user )?(?:confirmation|permission|approval|consent)\b",
    ),
    _family(
        "poses as the system",
        ":|[|<",
        r"\b(?:system|developer|admin(?:istrator)?) (?:prompt|instructions?"
        r"|override|directive)\s*:",
        r"\[\s*(?:system|inst|/inst|admin|developer|assistant)\b[^\]]{0,20}\]",
        r"<\|[a-z_]{2,30}\|>",
        r"<<\s*/?sys\s*>>",
    ),
    _family(
        "puts itself before other tools",
        "tool",
        r"\b(?:before|after|prior to|whenever|every time|each time)\b.{0,20}"
        r"\b(?:us|call|invok|run|execut)(?:e|es|ing|ning)\b.{0,12}\b(?:any"
        r"|other|another|all|every|each)\b.{0,12}\btools?\b",
        r"\b(?:always|must)\b.{0,20}\b(?:use|call|invoke|run|prefer)\b.{0,12}"
        r"\bthis tool\b.{0,40}\b(?:first|instead|before|over|rather than)"
        r"\b",
        r"\b(?:do not|don'?t|never|stop) (?:use|using|call|calling)\b.{0,20}"
        r"\b(?:any|all|the) other\b.{0,20}\btools?\b",
        r"\b(?:replaces?|supersedes?|overrides?)\b.{0,20}\b(?:all|any|every"
        r"|the) (?:other|existing|original|official)\b.{0,20}\btools?\b",
        withheld=False,
    ),
    _family(
        "speaks to the model",
        "ai|llm|model|assistant|claude|gpt|copilot|cursor",
        r"\b(?:attention|important|critical|urgent|notice|message|note)"
        rf"\b.{{0,20}}\b(?:to|for) (?:the |all |any )?{_MODEL}s?\b",
        rf"\b(?:if you are|as) an? {_MODEL}\b.{{0,40}}\b(?:must|should|always|never)\b",
        rf"\b(?:the |any |every )?{_MODEL} (?:must|shall|has to|is required to)\b",
        withheld=False,
    ),
)

_PROMPT_TAGS = (
    r"important|system|sys|instructions?|user|human|assistant|secret"
    r"|critical|override|admin|developer|tools?"
    r"|tool_call|tool_result|tool_response|function|function_calls|function_results|invoke|hidden|prompt"
    r"|context|thinking|thought|reminder|system-reminder|attention|warning|rules?|mandatory|priority|inst"
)
_ACTIVE_TAGS = r"script|iframe|object|embed|img|svg|style|link|meta|form"
# Tags that prompts are built from, and HTML that acts. Anything else is a placeholder or plain HTML.
PROMPT_TAG = re.compile(rf"</?\s*(?:{_PROMPT_TAGS}|{_ACTIVE_TAGS})\b[^<>]{{0,200}}>")
# What stands between such tags, or after one that never ends.
PROMPT_BLOCK = re.compile(
    r"<\s*(important|system|sys|instructions?|secret|critical|override|admin|hidden|mandatory"
    r"|system-reminder|reminder|attention)\b[^<>]{0,200}>.*?(?:<\s*/\s*\1\s*>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
