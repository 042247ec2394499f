"""Configuration: a typed tree, read from environment, files and defaults."""

import json
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.config import LISTS, SETTINGS, Config, load
from recollect.errors import InvalidConfigError


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
    shown = {loaded.key: loaded.value for loaded in load({}).loaded}

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
        ([], "must hold one object"),
    ],
)
def test_a_value_that_makes_no_sense_is_an_error_that_names_the_file(
    tmp_path: Path, content: object, message: str
) -> None:
    file = write(tmp_path / "memory-config.json", content)

    with pytest.raises(InvalidConfigError, match=message) as refused:
        load({}, "", file)

    assert file in str(refused.value)


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
