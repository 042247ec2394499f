"""Is a harness connected by its own plugin?"""

import json
from pathlib import Path

import pytest
from tests.requirements import requirement

from recollect.agents.plugin_status import account_files, has_plugin
from recollect.agents.setups import SETUPS

FOLDER = "/home/ana/shop"
MANIFEST = '{"name": "recollect"}'


def claude(on: object) -> str:
    return json.dumps({"enabledPlugins": {"memory@recollect": on, "other@shelf": True}})


def overrides(*rules: str) -> str:
    return json.dumps({"recollect": {"overrides": rules}})


@pytest.mark.parametrize(
    ("texts", "plugged"),
    [
        ((None, None, None), False),
        ((claude(True), None, None), True),
        ((None, claude(True), None), True),
        ((claude(True), claude(False), None), False),
        ((claude(False), claude(False), claude(True)), True),
        (('{"enabledPlugins": {"memory@elsewhere": true}}', None, None), False),
        (('{"enabledPlugins": []}', "// mine", ""), False),
    ],
)
@requirement("agents:detect:by-plugin")
def test_claude_codes_plugin_is_on_where_the_nearest_settings_say_so(
    texts: tuple[str | None, ...], plugged: bool
) -> None:
    assert has_plugin("claude-code", texts, FOLDER) is plugged


@pytest.mark.parametrize(
    ("config", "plugged"),
    [
        (None, False),
        ('[plugins."memory@recollect"]\nenabled = true', True),
        ('[plugins."memory@recollect"]\nenabled = false', False),
        ("plugins = 1", False),
        ("[plugins", False),
    ],
)
def test_codexs_plugin_is_on_where_its_configuration_says_so(config: str | None, plugged: bool) -> None:
    assert has_plugin("codex", [config], FOLDER) is plugged


@pytest.mark.parametrize(
    ("manifest", "enablement", "plugged"),
    [
        (None, overrides("/home/ana/*"), False),
        (MANIFEST, None, True),
        (MANIFEST, overrides("/home/ana/*"), True),
        (MANIFEST, overrides("!/home/ana/*"), False),
        (MANIFEST, overrides("!/home/ana/*", "/home/ana/shop/"), True),
        (MANIFEST, overrides("!/home/ana/shop/"), False),
        (MANIFEST, overrides("!/home/ana/shopping/*"), True),
        (MANIFEST, '{"recollect": 1}', True),
    ],
)
def test_geminis_extension_is_on_unless_it_is_switched_off_for_the_folder(
    manifest: str | None, enablement: str | None, plugged: bool
) -> None:
    assert has_plugin("gemini", [manifest, enablement], FOLDER) is plugged


def test_no_file_at_all_means_no_plugin_in_any_harness() -> None:
    for harness in SETUPS:
        assert not has_plugin(
            harness, [None for _ in account_files(harness, Path("/home/ana"))], FOLDER
        )
