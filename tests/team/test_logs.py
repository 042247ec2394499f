"""Logs as JSON lines, without secrets."""

import io
import json
import logging

import pytest
from tests.requirements import requirement

from recollect.app.logs import JsonLines, configure_logs, hidden
from recollect.team.tokens import new_token

TOKEN = str(new_token("shop", bytes(range(38))))


def logged(message: str, *arguments: object, error: Exception | None = None, **extra: object) -> str:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("recollect.test")
    logger.addHandler(handler)
    logger.error(message, *arguments, exc_info=error, extra=extra)
    logger.removeHandler(handler)
    return stream.getvalue()


@requirement("team:logs:json")
def test_a_line_is_json_with_the_fields_of_a_request() -> None:
    line = json.loads(logged("request", route="runs", status=200, milliseconds=1.5, member="anna"))

    assert line["level"] == "error"
    assert (line["route"], line["status"], line["member"]) == ("runs", 200, "anna")
    assert line["at"].endswith("+00:00")


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"token {TOKEN} is wrong", TOKEN[-43:]),
        ("Authorization: Bearer abc.def-123", "abc.def-123"),
        ("GET /?token=hunter2-hunter2&x=1", "hunter2"),
        ("postgresql://anna:hunter2@db/shop failed", "hunter2"),
    ],
)
def test_secrets_are_hidden_in_messages_and_tracebacks(text: str, secret: str) -> None:
    assert secret not in hidden(text)

    try:
        int(text)
    except ValueError as error:
        line = logged("it failed: %s", text, error=error)

    assert secret not in line
    assert "Traceback" in json.loads(line)["error"]


def test_without_the_variable_logging_is_left_alone() -> None:
    before = list(logging.getLogger().handlers)

    configure_logs({})

    assert logging.getLogger().handlers == before
