"""Measurements: what a bench measures and prints."""

from typing import NotRequired, TypedDict

from recollect.views.speculation import SpeculationRow


class HookTimes(TypedDict):
    """Milliseconds of the whole process, and how many times the baseline the median is.

    `cpu_ratio` compares processor time, which other work on the machine hardly changes.
    """

    p50_ms: float
    p95_ms: float
    ratio: float
    cpu_ratio: float


class BenchHookOutput(TypedDict):
    """`recollect bench hook`, by the number of memories.

    `base_ms` is `python3 -c "import json, sqlite3"` by the interpreter that runs Recollect.
    """

    base_ms: float
    sizes: dict[str, HookTimes]


class BenchRow(TypedDict):
    """Seconds at the median, and how many times the baseline of the same run that is.

    `budget` is in seconds, for what has one; `kept` says whether it was met. `cpu_ratio` compares processor
    time, for prompts.
    """

    seconds: float
    ratio: float
    cpu_ratio: NotRequired[float]
    budget: NotRequired[float]
    kept: NotRequired[bool]


class BenchStoreOutput(TypedDict):
    """`recollect bench store`."""

    memories: int
    results: dict[str, BenchRow]


class BenchTranscriptsOutput(TypedDict):
    """`recollect bench transcripts`. `ratio` is the import's time by that of parsing the same lines."""

    sessions: int
    megabytes: float
    imported: int
    drafts: int
    imported_again: int
    seconds: float
    again_seconds: float
    ratio: float
    peak_mb: float
    baseline_peak_mb: float
    budget_mb: int
    met: bool


class SpeedRow(TypedDict):
    """One budget: its times, and how many times its baseline the median is."""

    name: str
    p50_ms: float
    p95_ms: float
    budget_ms: float
    kept: bool
    baseline: str
    ratio: float


class BenchSpeedOutput(TypedDict):
    """`recollect bench speed`."""

    results: list[SpeedRow]


class QualityRow(TypedDict):
    """How well one kind of question is answered."""

    questions: int
    ndcg: float
    recall: float


class SkillsRow(TypedDict):
    """What a folder of skills became, and how long reading it took at the median."""

    pages: int
    nodes: int
    edges: int
    broken: int
    build_ms: float


class BenchGraphOutput(TypedDict):
    """`recollect bench graph`: the budgets, and how well linked memories are found, by ranking and kind."""

    results: list[SpeedRow]
    skills: SkillsRow
    quality: dict[str, dict[str, QualityRow]]


class WorkingRow(TypedDict):
    """One budget of working memory; of a whole process, the ratio to the baseline of the same run."""

    name: str
    p50_ms: float
    p95_ms: float
    budget: str
    kept: bool
    ratio: NotRequired[float]
    cpu_ratio: NotRequired[float]


SessionRecallRow = TypedDict(
    "SessionRecallRow",
    {"ndcg@10": float, "gain": NotRequired[float], "gain_interval": NotRequired[list[float]]},
)
SessionRecallRow.__doc__ = (
    """How well earlier sessions are found; `gain` is what the session boost adds."""
)


class BenchWorkingOutput(TypedDict):
    """`recollect bench working`.

    `base_ms` is `python3 -c "import json, sqlite3"` by the interpreter that runs Recollect. `found` is there
    with --data: each way to find earlier sessions.
    """

    base_ms: float
    results: list[WorkingRow]
    found: NotRequired[dict[str, SessionRecallRow]]


class BenchRedactionOutput(TypedDict):
    """`recollect bench redaction`: shares of secrets found, of look-alikes and of plain lines touched."""

    recall: float
    false_positive_rate: float
    benign_line_rate: float | None
    positives: int
    negatives: int
    benign_lines: int
    missed: dict[str, int]
    false_positives: dict[str, int]


class CaptureShares(TypedDict):
    """How well statements are found: shares of messages, 0..1."""

    precision: float
    recall: float
    f1: float
    span_overlap: float
    explicit_recall: float
    implied_recall: float


class BenchCaptureOutput(CaptureShares):
    """`recollect bench capture`, over all messages and over those that two readers see alike.

    `left_out` is what the shipped weights reached on the set they were fitted to, with each repository left
    out.
    """

    messages: int
    durable: int
    without_doubt: CaptureShares
    left_out: dict[str, float]


class BenchRegexOutput(TypedDict):
    """`recollect bench regex`.

    The share of vulnerable patterns that are harmless and of safe patterns that are refused; the slowest
    search of an accepted pattern; the patterns that went wrong.
    """

    vulnerable_handled: float
    safe_refused: float
    worst_ms: float
    vulnerable: int
    safe: int
    characters: int
    missed: list[str]
    refused: list[str]


class BenchCalibrationOutput(TypedDict):
    """`bench calibration`: precision of the gate at the same recall, before and after it learned."""

    set: str
    injections: int
    rounds: int
    precision_before: float
    precision_after: float
    difference: float
    low: float
    high: float


NextStepRow = TypedDict("NextStepRow", {"hit@1": float, "hit@3": float})
NextStepRow.__doc__ = (
    """The share of held-out calls that were predicted first, and among the first three."""
)

ReliabilityRow = TypedDict("ReliabilityRow", {"from": float, "guesses": int, "right": float | None})
ReliabilityRow.__doc__ = (
    """Guesses whose probability is at least `from`, and the share that came true."""
)


class BenchNextStepOutput(NextStepRow):
    """`bench next-step`: the predictor in use, chosen anew for each fold, beside each that may be chosen.

    `choice_ms` is the CPU time of one choice, and `choice_longest_ms` that of its longest step.
    """

    sequences: int
    calls: int
    bigram: NextStepRow
    predictors: dict[str, NextStepRow]
    chosen: dict[str, int]
    brier: float
    reliability: list[ReliabilityRow]
    choice_ms: float
    choice_longest_ms: float


class LearningRow(TypedDict):
    """One round of requests: calls of the agent, and how long it waited for answers.

    Both times are without the tenth of the requests whose times in the two rounds differ most.
    `processor_seconds` are those of our own process meanwhile, which a busy machine does not lengthen.
    """

    calls: int
    seconds: float
    processor_seconds: float


class BenchLearningOutput(TypedDict):
    """`bench learning`: the same requests twice; the ratios are of the second round to the first."""

    requests: int
    first: LearningRow
    second: LearningRow
    calls_ratio: float
    seconds_ratio: float
    processor_ratio: float


class BenchTracingOutput(TypedDict):
    """`bench tracing`: `share` is the time of tracing, writing included, over that of searching.

    `processor_share` is the same in processor time, which a busy machine does not lengthen.
    """

    memories: int
    searches: int
    search_ms: float
    trace_ms: float
    share: float
    processor_share: float
    budget: float
    traces: int
    megabytes: float
    traces_after_more: int
    megabytes_after_more: float


class EmbeddingRow(TypedDict):
    """Texts of so many tokens that are embedded in a second: one by one, and as passages are."""

    tokens: int
    one_by_one: float
    in_use: float


class WaitRow(TypedDict):
    """How long searches take. `kept`: their p95 is within the budget."""

    name: str
    p50_ms: float
    p95_ms: float
    kept: bool


class BenchEmbeddingOutput(TypedDict):
    """`bench embedding`: `complete_seconds` is how long an idle server takes for all vectors."""

    memories: int
    speeds: list[EmbeddingRow]
    waits: list[WaitRow]
    complete_seconds: float
    budget_ms: float


class WorkflowBenchRow(TypedDict):
    """One graph run in one way. `ratio` is to the longest way through it; 0 where that takes no time."""

    graph: str
    way: str
    seconds: float
    critical_path: float
    ratio: float
    overhead_ms_per_task: float


class BenchWorkflowOutput(TypedDict):
    """`bench workflow`."""

    results: list[WorkflowBenchRow]


class SpeculationWorkload(TypedDict):
    """One script with speculation off and on; ratios are of on to off.

    `waiting` is the time of calls and runs without the slowest twentieth, `makespan` all of it with planning
    and thinking. `different_answers` are calls that were answered differently. `speculation` leaves out the
    episodes that teach.
    """

    episodes: int
    calls: int
    think_ms: int
    waiting_off_ms: float
    waiting_on_ms: float
    waiting_ratio: float
    makespan_off_ms: float
    makespan_on_ms: float
    makespan_ratio: float
    different_answers: int
    speculation: SpeculationRow


class BenchSpeculationOutput(SpeculationWorkload):
    """`bench speculation`: servers that answer at once, and the same as if they were far away."""

    remote: SpeculationWorkload


class SandboxBenchRow(TypedDict):
    """One measurement of the sandbox."""

    what: str
    samples: int
    p50_ms: float
    p95_ms: float


class BenchSandboxOutput(TypedDict):
    """`bench sandbox`: ten gathered calls beside one of them; how many times its limit endless code lasts."""

    results: list[SandboxBenchRow]
    gathered_seconds: float
    gathered_ratio: float
    longest_overrun: float
