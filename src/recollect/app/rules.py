"""The extraction rules of a configuration."""

from recollect.agents.harnesses import all_tools
from recollect.config import Config
from recollect.working.default_rules import rules_of
from recollect.working.rules import overlaps


def overlapping_rules(config: Config) -> tuple[tuple[str, str], ...]:
    """The ids of each two rules of which the first takes what the second would match.

    Raises InvalidConfigError that names every rule that is refused.
    """
    pairs = overlaps(rules_of(config.rules, all_tools()))
    return tuple((first.id, second.id) for first, second in pairs)
