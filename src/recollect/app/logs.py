"""Logs of servers as lines of JSON, without secrets."""

import json
import logging
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TextIO

VARIABLE = "RECOLLECT_LOG"
FIELDS = ("route", "method", "status", "milliseconds", "member")  # that a line may have beside its text
_SECRETS = re.compile(
    r"\brct_[\w-]{20,}|(?<=[Bb]earer )\S+|(?<=token=)[^\s&\"']+|(?<=://)[^\s/@]+:[^\s/@]+(?=@)"
)
_HIDDEN = "[hidden]"


class JsonLines(logging.Formatter):
    """A record as one line of JSON. Tokens and passwords of addresses are replaced, in tracebacks too."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": hidden(record.getMessage()),
        }
        line |= {name: vars(record)[name] for name in FIELDS if name in vars(record)}
        if record.exc_info:
            line["error"] = hidden(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


def hidden(text: str) -> str:
    """A text without the secrets that a log could get."""
    return _SECRETS.sub(_HIDDEN, text)


def configure_logs(env: Mapping[str, str], stream: TextIO | None = None) -> None:
    """With RECOLLECT_LOG=json every line on standard error is JSON, one for each request."""
    if env.get(VARIABLE) != "json":
        return
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in ("mcp", "httpx2", "uvicorn"):
        logging.getLogger(name).setLevel(logging.WARNING)
