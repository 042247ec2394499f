"""Is a harness connected by its own plugin?"""

import json
from collections.abc import Sequence

import pytest

from recollect.agents.harnesses import all_harnesses, get_harness

FOLDER = "/home/ana/shop"
MANIFEST = '{"name": "recollect"}'


def has_plugin(harness: str, texts: Sequence[str | None], folder: str) -> bool:
    plugin = get_harness(harness).plugin
    return plugin is not None and plugin.is_enabled(texts, folder)


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
    plugins = [harness.plugin for harness in all_harnesses() if harness.plugin]

    assert plugins
    for plugin in plugins:
        assert not plugin.is_enabled([None for _ in plugin.files("/home/ana")], FOLDER)
