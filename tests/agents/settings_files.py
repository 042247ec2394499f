"""Settings files as people leave them: any content, any formatting."""

import json
import re
from typing import Any

from hypothesis import strategies as st

LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.text('aé"\\/{}[],: ', max_size=5)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abé", max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
EVENTS = ("UserPromptSubmit", "Stop", "PreToolUse", "BeforeAgent", "stop", "preToolUse", "Other")
THEIR_HOOK = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["./lint.sh", "echo 'a b'", "prettier"])}
)
THEIR_GROUP = st.one_of(
    st.fixed_dictionaries({"hooks": st.lists(THEIR_HOOK, max_size=2)}),
    st.fixed_dictionaries({"matcher": st.just("Bash"), "hooks": st.lists(THEIR_HOOK, max_size=2)}),
    THEIR_HOOK,
)
HOOKS = st.dictionaries(st.sampled_from(EVENTS), st.lists(THEIR_GROUP, max_size=2), max_size=3)
SERVERS = st.dictionaries(
    st.sampled_from(["github", "time", "größe"]),
    st.fixed_dictionaries(
        {"command": st.just("npx"), "args": st.lists(st.text("ab", max_size=2), max_size=2)}
    ),
    max_size=2,
)
SETTINGS = st.builds(
    lambda parts, order: {key: parts[key] for key in order if key in parts},
    st.fixed_dictionaries(
        {},
        optional={
            "hooks": HOOKS,
            "mcpServers": SERVERS,
            "mcp": SERVERS,
            "version": st.just(1),
            "permissions": VALUES,
            "model": VALUES,
            "": VALUES,
        },
    ),
    st.permutations(["hooks", "mcpServers", "mcp", "version", "permissions", "model", ""]),
)


@st.composite
def texts(draw: st.DrawFn, values: st.SearchStrategy[Any] = SETTINGS) -> str:
    """A settings file as text, in one of the many ways to write the same."""
    value = draw(values)
    indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":"), (", ", ": "), (" ,", " : ")]))
    ascii_only = draw(st.booleans())
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=ascii_only)
    text = _loosened(text, draw(st.sampled_from(["", " ", "\n", "\n\n  "])))
    text = draw(st.sampled_from(["", "", "\ufeff", "\n"])) + text
    text += draw(st.sampled_from(["", "\n", "\n\n", "  "]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def _loosened(text: str, space: str) -> str:
    """`text` with `space` inside its empty brackets, strings left alone."""
    return re.sub(
        r'"(?:[^"\\]|\\.)*"|\{\}|\[\]',
        lambda found: found[0] if found[0][0] == '"' else found[0][0] + space + found[0][1],
        text,
    )


_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_COMMENTS = [" // mine\n", "\n  // über, alles: {}\n  ", " /* a, \n b */ ", "/**/", "\t//x\n\t"]
_GAPS = ["", "", " ", "\n  ", *_COMMENTS]


@st.composite
def commented(draw: st.DrawFn) -> str:
    """A settings file with comments and trailing commas, wherever a harness accepts them."""
    parts = [draw(st.sampled_from(_GAPS))]
    previous = ""
    for token in _TOKENS.findall(json.dumps(draw(SETTINGS), ensure_ascii=False)):
        if token in "}]" and previous not in ("", "{", "[") and draw(st.booleans()):
            parts += [",", draw(st.sampled_from(_GAPS))]
        parts += [token, draw(st.sampled_from(_GAPS))]
        previous = token
    text = "".join(parts)
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def comments_of(text: str) -> list[str]:
    """The comments of a settings file, in their order; strings are no comments."""
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*(?s:.*?)\*/', text)
    return [token.rstrip("\r") for token in tokens if token[0] == "/"]
