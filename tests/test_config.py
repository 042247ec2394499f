"""Configuration: a typed tree, read from environment, files and defaults."""

import json
import re
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement

from recollect.config import LISTS, SETTINGS, Config, load
from recollect.config.misspelt import misspelt
from recollect.errors import InvalidConfigError
from recollect.views.settings import setting_row


def write(path: Path, content: object) -> str:
    path.write_text(json.dumps(content))
    return str(path)


@requirement("cli:config:precedence")
def test_environment_goes_before_project_before_user_before_default(tmp_path: Path) -> None:
    user = write(
        tmp_path / "user.json", {"retrieval": {"max_inject": 1, "fusion": "rank", "model": "mine"}}
    )
    project = write(tmp_path / "project.json", {"retrieval": {"max_inject": 2, "fusion": "score"}})

    config = load({"RECOLLECT_MAX_INJECT": "4"}, user, project)

    assert (config.retrieval.max_inject, config.origin("retrieval.max_inject")) == (
        4,
        "$RECOLLECT_MAX_INJECT",
    )
    assert (config.retrieval.fusion, config.origin("retrieval.fusion")) == ("score", project)
    assert (config.retrieval.model, config.origin("retrieval.model")) == ("mine", user)
    assert (config.graph.unified, config.origin("graph.unified")) == (True, "default")


def test_each_value_has_the_type_of_its_default(tmp_path: Path) -> None:
    file = write(tmp_path / "c.json", {"graph": {"unified": 0}, "working": {"causal_boost": "1"}})

    config = load({"RECOLLECT_LOCK_WAIT_SECONDS": "2.9"}, file)

    assert config.graph.unified is False
    assert config.working.causal_boost is True
    assert config.lock_wait_seconds == 2


def test_a_flag_is_shown_as_a_number() -> None:
    rows = [setting_row(load({}), key) for key in SETTINGS]

    shown = {row["key"]: row["value"] for row in rows}
    assert list(shown) == list(SETTINGS)
    assert (shown["graph.unified"], type(shown["graph.unified"])) == (1, int)


def test_a_configuration_without_files_has_the_defaults() -> None:
    loaded, defaults = load({}), Config()

    assert vars(loaded.retrieval) == vars(defaults.retrieval)
    assert loaded.categories.retention_days("session_summary") == 90
    assert (
        loaded.categories.retention_days("decision") == defaults.categories.decision.retention_days == 0
    )


def test_a_configuration_does_not_change() -> None:
    config = load({})

    with pytest.raises(AttributeError, match="'max_inject' cannot be set"):
        config.retrieval.max_inject = 9


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"retrieval": {"max_inject": 21}},
            "retrieval.max_inject must be a number from 0 to 20, not 21",
        ),
        ({"retrieval": {"max_inject": True}}, "must be a number from 0 to 20, not True"),
        ({"delete": {"grace_period_days": "inf"}}, "must be a number from 0, not 'inf'"),
        ({"delete": {"grace_period_days": [1]}}, r"must be a number from 0, not \[1\]"),
        ({"retrieval": {"fusion": "best"}}, "retrieval.fusion must be one of score, rank, not 'best'"),
        ({"retrieval": {"fusion": []}}, r"must be one of score, rank, not \[\]"),
        ({"retrieval": {"model": ""}}, "retrieval.model must be text, not ''"),
        (
            {"graph": {"unified": "maybe"}},
            "graph.unified must be true, false, on, off, yes, no, 1 or 0",
        ),
        (
            {"graph": {"unified": 2}},
            "graph.unified must be true, false, on, off, yes, no, 1 or 0, not 2",
        ),
        ({"graph": {"unified": []}}, r"1 or 0, not \[\]"),
    ],
)
def test_a_value_that_makes_no_sense_leaves_the_default_and_is_a_problem_that_names_the_file(
    tmp_path: Path, content: dict[str, Any], message: str
) -> None:
    spoilt = content | {"lock_wait_seconds": 7}
    file = write(tmp_path / "memory-config.json", spoilt)

    config = load({}, "", file)

    (problem,) = config.problems
    assert re.search(message, str(problem))
    assert file in str(problem)
    assert config.lock_wait_seconds == 7
    values, defaults = (
        {key: attrgetter(key)(loaded) for key in SETTINGS} for loaded in (config, load({}))
    )
    assert values == defaults | {"lock_wait_seconds": 7}


def test_a_bad_value_that_a_higher_origin_overrides_is_not_used_and_not_a_problem(
    tmp_path: Path,
) -> None:
    user = write(tmp_path / "user.json", {"retrieval": {"max_inject": "lots"}})

    config = load({"RECOLLECT_MAX_INJECT": "4"}, user)

    assert (config.retrieval.max_inject, config.problems) == (4, ())


def test_a_problem_shows_the_start_of_a_long_value() -> None:
    (problem,) = load({"RECOLLECT_FUSION": "x" * 500}).problems

    assert len(str(problem)) < 200


@pytest.mark.parametrize("content", [[], 1, "x", None])
def test_a_file_that_is_no_object_is_an_error_that_names_it(tmp_path: Path, content: object) -> None:
    file = write(tmp_path / "memory-config.json", content)

    with pytest.raises(InvalidConfigError, match="is not a valid JSON object") as refused:
        load({}, "", file)

    assert file in str(refused.value)


FLAGS = {
    True: [True, 1, 1.0, "1", "true", "True", "TRUE", "on", "yes", " on "],
    False: [False, 0, 0.0, "0", "false", "False", "OFF", "off", "no"],
}


@requirement("cli:config:flags")
@pytest.mark.parametrize("key", [key for key, s in SETTINGS.items() if isinstance(s.default, bool)])
def test_a_flag_may_be_written_in_every_usual_way(tmp_path: Path, key: str) -> None:
    section, name = key.split(".")
    for meant, spellings in FLAGS.items():
        for raw in spellings:
            file = write(tmp_path / "c.json", {section: {name: raw}})
            config = load({}, "", file) if SETTINGS[key].in_project_file else load({}, file)
            assert getattr(getattr(config, section), name) is meant, raw
            assert config.problems == ()
            if isinstance(raw, str):
                config = load({SETTINGS[key].env: raw})
                assert getattr(getattr(config, section), name) is meant, raw


@requirement("cli:config:misspelt")
@pytest.mark.parametrize(
    ("content", "nearest"),
    [
        ({"retrieval": {"max_injct": 1}}, "retrieval.max_inject"),
        ({"retreival": {"max_inject": 1}}, "retrieval"),
        ({"categories": {"decisions": {"retention_days": 1}}}, "categories.decision"),
        (
            {"categories": {"runbook": {"retention_day": 1}}},
            "categories.runbook.retention_days",
        ),
        ({"max_inject": 1}, "retrieval.max_inject"),
        ({"graph": {"mmr": True}}, "retrieval.diverse"),  # its variable is RECOLLECT_GRAPH_MMR
        ({"redaction": {"allowed": []}}, "redaction.allow"),
        ({"rule": []}, "rules"),
    ],
)
def test_a_misspelt_key_is_named_with_the_nearest(
    tmp_path: Path, content: dict[str, Any], nearest: str
) -> None:
    file = write(tmp_path / "c.json", content)

    (unknown,) = misspelt({}, file)

    assert (unknown.nearest, unknown.origin) == (nearest, file)
    assert f"did you mean {nearest}?" in str(unknown)


def test_a_misspelt_variable_is_named_with_the_nearest() -> None:
    env = {"RECOLLECT_MAX_INJET": "1", "RECOLLECT_HOME": "/x", "OTHER": "1", "RECOLLECT_ZZZ": "1"}

    assert [str(unknown) for unknown in misspelt(env)] == [
        "$RECOLLECT_MAX_INJET is not a setting (from the environment); "
        "did you mean $RECOLLECT_MAX_INJECT?"
    ]


def test_a_section_that_is_no_object_is_named(tmp_path: Path) -> None:
    file = write(tmp_path / "c.json", {"graph": "none"})

    (unknown,) = misspelt({}, file)

    assert str(unknown) == f'graph must be an object (from {file}), as in "graph": {{"unified": ...}}.'


def test_keys_of_other_tools_are_not_called_misspelt(tmp_path: Path) -> None:
    others = {
        "auto_commit": False,
        "max_memories_per_category": 100,
        "logging": {"enabled": False, "level": "info", "retention_days": 14},
        "categories": {"decision": {"enabled": True, "folder": "decisions", "auto_capture": True}},
        "retrieval": {"output_mode": "legacy", "judge": {"enabled": False, "model": "x"}},
        "delete": {"archive_retired": True},
        "rules": [{"idd": 1}],
    }

    assert misspelt({}, write(tmp_path / "c.json", others)) == []


def test_the_projects_file_cannot_move_the_memory_root(tmp_path: Path) -> None:
    file = write(tmp_path / "c.json", {"memory_root": "elsewhere"})

    assert load({}, "", file).memory_root == ".claude/memory"
    assert load({}, file).memory_root == "elsewhere"


def test_lists_of_project_and_user_add_up_the_projects_first(tmp_path: Path) -> None:
    user = write(tmp_path / "user.json", {"redaction": {"allow": ["u"]}})
    project = write(tmp_path / "project.json", {"redaction": {"allow": ["p"]}, "rules": [{}]})

    config = load({}, user, project)

    assert config.redaction.allow == ((project, ["p"]), (user, ["u"]))
    assert config.rules == ((project, [{}]),)
    assert config.redaction.patterns == ()


def test_keys_that_are_unknown_or_have_another_shape_are_ignored(tmp_path: Path) -> None:
    file = write(tmp_path / "c.json", {"others": 1, "graph": "none", "retrieval": {"x": 1}})

    assert load({}, "", file).graph.unified


def test_every_setting_has_help_and_a_variable_of_its_own() -> None:
    names = [setting.env for setting in SETTINGS.values()]

    assert all(setting.help for setting in SETTINGS.values())
    assert all(entry.help for entry in LISTS.values())
    assert len(set(names)) == len(names)
    assert all(name.startswith("RECOLLECT_") for name in names)
