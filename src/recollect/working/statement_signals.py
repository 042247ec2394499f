"""The signals of a statement that will still bind: declared phrases, and a few properties of the form.

A phrase is a row of words in lower case, after contractions are resolved (`don't` and `dont` are `do not`).
`^` is the start of the sentence or of a clause, `_` any one word, `$` the end. English only, because most
messages are written in it.
"""

from __future__ import annotations

from math import log1p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.working.prose import Sentence

_SHOUTED = 0.6  # share of words in capitals
_STRESSED = frozenset({"NOT", "NEVER", "ALWAYS", "ONLY", "MUST"})
# Signal -> phrases, separated by `/`.
PHRASES: dict[str, str] = {
    # It says outright that it binds.
    "outright": """
        from now on / going forward / moving forward / from here on / henceforth / until further
        notice / never again / ever again / every time you / each time you / whenever you /
        without asking / ask me before / ask me first / make it a rule / make a rule / as a rule /
        remember that / please remember / for future reference / our convention / our policy / our
        rule / the rule is / the convention is / is not allowed / are not allowed / is forbidden /
        under no circumstances / no exceptions / without exception / we always / we never / must
        always / must never / do not ever / i always want / i never want / i told you / i already told /
        i have told you / i keep telling / how many times / i said not / i asked you not
    """,
    # Scope in time: it holds beyond this task.
    "standing": """
        always / never / every time / each time / whenever / from now on / going forward / in the
        future / in future / by default / at all times / forever / ever again / all the time /
        moving forward / next time / henceforth / until further notice / as a rule / in general /
        generally / from here on / for every / at any time / whenever possible / in all cases /
        without exception / every single / any time / anytime / permanently / by convention / from
        today / starting now / starting today / as of now / for good / no matter what / under no
        circumstances / once and for all / in every / on every
    """,
    "no longer": """
        no longer / not _ anymore / anymore / any more / not anymore / is gone / are gone /
        deprecated / retired / stopped using / discontinued / obsolete / abandoned / moved away /
        got rid of / dropped support / not longer
    """,
    "this once": """
        just this once / this time / now / first / then / next / again / here / today / later /
        tomorrow
    """,
    # Scope in space: it holds for all of something.
    "all of it": """
        all / any / every / everything / everywhere / each / anything / nothing / none / both /
        whole / entire / across / throughout / no one / everyone
    """,
    "only": """
        only / exclusively / solely / nothing but / at most / at least / no more than / as few /
        minimum / limited to / restricted to / maximum / strictly / purely / as little / minimal /
        the only / nothing else / no other / no more
    """,
    # Mood: what must, may and must not be.
    "prohibition": """
        do not / never / stop / avoid / must not / should not / can not / may not / not allowed /
        no need to / is forbidden / refrain / without / not to / shall not / will not / not
        supposed / forbid / forbidden / banned / prevent / disallow / under no circumstances /
        refuse / leave alone / off limits / not touch / do not ever / keep out
    """,
    "begins with prohibition": """
        ^ do not / ^ never / ^ stop / ^ avoid / ^ please do not / ^ no _ not / ^ and do not / ^
        but do not / ^ also do not / ^ make sure you do not / ^ make sure that you do not
    """,
    "obligation": """
        must / have to / has to / needs to / need to / required / mandatory / supposed to / shall
        / it is important / requirement / requirements / obliged / make sure / ensure / be sure /
        can only / be required / expected to / insist / essential / crucial / critical / double
        check / it is essential / must be
    """,
    "should": """
        should / should be / should have / ought to / should only / should never / should always
    """,
    "standing imperative": """
        ^ keep / ^ use / ^ ensure / ^ make sure / ^ follow / ^ stick / ^ prefer / ^ avoid / ^
        remember / ^ always / ^ never / ^ treat / ^ respect / ^ favor / ^ favour / ^ assume / ^
        limit / ^ please use / ^ please keep / ^ just use / ^ just keep / ^ bear in mind / ^
        preserve / ^ stay / ^ stop / ^ do use / ^ rely / ^ leave / ^ only / ^ please follow / ^
        please ensure / ^ please make sure / ^ please remember / ^ mind / ^ target / ^ document /
        ^ default
    """,
    # Who decides, and about what.
    "we are": """
        we are / we will / we use / we only / we already / we do / we have / we keep / we prefer /
        we want / we care / we support / we test / we deploy / we moved / we switched / we went /
        we agreed / we never / we always / we no longer / we simply / we just / we run / we ship /
        we made / we chose / we store / we follow / we write / we build / we target / we rely / we
        stick / we stay / we host / we commit / we release / we review / we treat / we assume / we
        like / we work / we merge / we pin / we avoid / we picked / we selected / we opted / we
        settled / we dropped / we replaced / we removed / we migrated / we decided / we plan / we
        promised / we expect
    """,
    "we are not": """
        we are not / we do not / we will not / we no longer / we never / we can not / we should
        not / we must not / we have no / we did not / we simply do not / we really do not / we are
        no longer / we stopped / we avoid / we would not / we do not want / we do not need / we
        will never
    """,
    "i am": """
        i am using / i use / i am targeting / i work / i run / i have / i am on / i am not / i
        will / i am / i do / i only / my machine / my computer / i always / i never / i own / i
        commit / i can not / i am unable / i deploy / i develop / my laptop / my team / my company
        / my boss / my client / my customers / my setup / on my
    """,
    "i like": """
        i do not like / i do not want / i prefer / i hate / i like / i would prefer / i would
        rather / i do not accept / i dislike / i love / i do not need / i want / i need / i would
        like / i do not care / i would like you / i want us / not a fan / i expect / i insist / my
        preference / i favor / i favour / i do not want you / i can not stand / i hate when
    """,
    "about the project": """
        this project / this repo / this repository / this app / this application / this codebase /
        the project / the repo / the app / the codebase / our app / our project / our code / our
        team / our repo / the goal is / the goal of / the purpose / the idea is / the audience /
        the user is / our users / this is a / this is an / this is not / it is a / it is not a /
        in this repo / the team / public repo / this machine / the primary / single source /
        source of truth / architecture / environment / production / our / this service / this
        library / this package / this module / this tool / this site / this website / this plugin
        / this game / this bot / the library / the service / the website / the product / the
        company / our company / our customers / our clients / target audience / is meant to / is
        meant for / is intended / is designed / will be used / will be deployed / runs on / runs
        in / is deployed / is hosted / lives in / is stored in / open source / compliance /
        licensing / license / free tier / legacy / staging / monorepo / side project / personal
        project
    """,
    "rule words": """
        rule / rules / convention / conventions / pattern / guideline / guidelines / standard /
        standards / policy / principle / principles / best practice / best practices / style /
        workflow / constraint / process / keep in mind / remember / note that / be aware / as a
        reminder / reminder / important / convention is / style guide / code style / ground rule /
        limitation / restriction / keep this in mind / bear in mind / do not forget / heads up /
        fyi / for the record / for future reference / make a note / take note / write this down /
        lesson / agreement / invariant / mandate / learned
    """,
    "choice": """
        decided / decision / chose / chosen / switched / switch to / moved to / move to / moved
        all / migrated / going with / go with / stick with / stick to / settled / opted / adopt /
        adopted / keep using / we will use / will be using / replaced / keep to / agreed / favor /
        favour / approach / we went with / picked / selected / opted for / went for / choose / the
        plan is / final decision / migrate to / moving to / switching to / instead use / replaced
        by / standardize / standardise / committed to / stay with / stay on / drop support / get
        rid of / ditch / away from / let us stick / let us keep / let us use / let us go
    """,
    "contrast": """
        instead of / rather than / instead / not in / but not / as opposed to / over / and not /
        not just / other than / unless / except / however / separate / separated / versus / vs /
        preferably / better than / in favor of / in favour of / not only / even if / regardless /
        apart from / whereas
    """,
    "reason": """
        because / since / so that / so we / so i / due to / in order to / otherwise / therefore /
        as it / as we / as this / as i / the reason / cause / that is why / to avoid / to prevent
        / after all / given that / so it / so people / so no / which means / reason / to keep / to
        retain / thats why / hence / for the sake / in case / or else / so you / so they / so
        users / so there / because of / that way / to make sure / to ensure / to reduce / to save
        / for performance / for security / for consistency / too slow / too expensive / too
        complex / would break / easier to / harder to
    """,
    # A correction of the agent.
    "told before": """
        i told you / i asked you / i said / i already / as i said / i have told / how many times /
        i mentioned / i keep / we keep / like i said / you were supposed / as mentioned / i have
        asked / i gave you / i just said / you keep / you forgot / you did not / you always / i
        want you to / is this not / were supposed / i have said / i have already / as i told /
        like i told / again and again / over and over / once again / how often / repeat myself /
        keep doing / keep making / keep forgetting / you still / you should have / you were told /
        you are supposed / you were asked / i did not ask / i never asked / not what i asked / i
        specifically / i explicitly / i clearly / stop doing / do that again / you broke / you
        ignored / my instructions / follow the rules / follow the instructions / pay attention /
        as instructed / as discussed / as agreed
    """,
    "why did you": """
        why did you / why are you / why do you / why have you / why did not / why are not / why
        would you / why is not / why were / why on earth / who told you / what made you / unable
        to comply / why you / why do you keep / how come you / what are you doing / did i ask /
        did i not / did you not / have you not / did you even / why the hell / explain why you
    """,
    "rejection": """
        ^ no / that is not / this is not / not correct / incorrect / wrong / not what i / one
        correction / actually / i did not ask / not to start / bad design / weird / does not make
        sense / that is wrong / i meant / to be clear / to clarify / not like this / wait /
        misunderstood / correction / not right / nope / i disagree / bad idea / not acceptable /
        unacceptable / not like that / rather not / should have been / should not have / overkill
        / over engineered / too much / unnecessary
    """,
    "anger": """
        fuck / fucking / shit / damn / wtf / hell / god / stupid / ridiculous / terrible / awful /
        buddy / idiot / on earth / jesus / seriously / garbage / useless / annoying / goddamn /
        bloody / sick of / tired of / frustrating / frustrated / annoyed / nonsense / crap /
        bullshit / ffs / come on / enough / disaster / horrible / dumb
    """,
    # What it is about: how work is done, or a detail of what is built.
    "way of working": """
        commit / commits / push / pull request / pr / prs / branch / branches / merge / test /
        tests / testing / lint / linter / build / builds / rebuild / deploy / deployment / release
        / version / changelog / docs / documentation / dependency / dependencies / package /
        packages / install / docker / ci / secret / secrets / api key / server / servers / service
        / services / restart / workspace / worktree / worktrees / migration / migrations / scripts
        / script / types / typing / framework / library / libraries / config / env / python /
        typescript / format / formatting / naming / prefix / suffix / folder / repo / database /
        schema / backend / frontend / module / modules / client / comments / logs / git / rebuilt
        / restarted / rebuilding / restarting / review / reviews / rebase / squash / pipeline /
        pipelines / github / gitlab / hook / hooks / pre-commit / eslint / prettier / ruff / mypy
        / pytest / jest / npm / yarn / pnpm / pip / uv / poetry / cargo / makefile / cli /
        coverage / mock / mocks / fixtures / e2e / credentials / passwords / tokens / container /
        containers / kubernetes / postgres / sqlite / redis / orm / endpoint / endpoints /
        directory / docstrings / abstraction / interfaces / hardcode / hardcoded / logging /
        terminal / shell / powershell / bash
    """,
    "detail": """
        button / buttons / page / screen / image / images / section / color / colors / colour /
        hover / menu / card / text / scroll / popup / modal / carousel / logo / font / header /
        footer / icon / icons / click / clicked / clicks / screenshot / layout / link / links /
        title / label / dropdown / column / row / tab / popover / width / height / navbar /
        animation / background / pricing / display / displayed / appear / appears / table / week /
        price
    """,
    # A one-off task, a question, an observation.
    "task verb": """
        ^ add / ^ fix / ^ update / ^ create / ^ implement / ^ remove / ^ change / ^ make / ^ write
        / ^ run / ^ check / ^ look / ^ read / ^ move / ^ rename / ^ delete / ^ show / ^ explain /
        ^ find / ^ try / ^ start / ^ continue / ^ proceed / ^ commit / ^ push / ^ go / ^ do / ^
        test / ^ review / ^ analyze / ^ generate / ^ build / ^ refactor / ^ put / ^ set / ^
        install / ^ open / ^ summarize / ^ give / ^ tell / ^ replace / ^ extract / ^ revert / ^
        merge / ^ sort / ^ list / ^ verify / ^ compare / ^ integrate / ^ improve / ^ investigate /
        ^ debug / ^ examine / ^ begin / ^ get / ^ take / ^ allow / ^ help / ^ adjust / ^ apply / ^
        convert / ^ produce / ^ extend / ^ clean / ^ deploy / ^ ask / ^ include / ^ describe / ^
        enable
    """,
    "asks for it": """
        can you / could you / can we / could we / please / help me / i want you to / i need you to
        / let us / would you / i want to / i would like / go ahead / kindly / you can / feel free
        / do you / are you able
    """,
    "asks": """
        ^ what / ^ how / ^ why / ^ where / ^ which / ^ who / ^ is / ^ are / ^ does / ^ do we / ^
        do you / ^ did / ^ can / ^ could / ^ should / ^ would / ^ will / ^ when is / ^ have / ^
        has / ^ what if / is it possible / do you think / any risks / what about / how about / any
        idea / ^ so is / not sure / i wonder / perhaps / maybe / probably
    """,
    "observes": """
        error / errors / does not work / not working / still / it works / i see / i noticed / i am
        seeing / it seems / seems / i get / i got / fails / failed / failing / broken / i tried /
        issue / bug / crash / happens / i ran / shows / got / it says / i think / i feel / looks /
        i just / i am getting / problem / i can see / now it / works / worked / stuck
    """,
    "points at": """
        this / that / it / these / those / them / above / below / the following / attached / this
        file / that file / the file / this error / there
    """,
    "agrees": """
        ^ yes / ^ ok / ^ okay / ^ great / ^ good / ^ perfect / ^ nice / ^ thanks / ^ thank you / ^
        sure / ^ awesome / ^ excellent / ^ cool / ^ yeah / ^ looks good / ^ sounds good / ^ now
    """,
    "negative fact": """
        is not / are not / does not / do not need / not needed / not need / not require / can not
        be / no / not a / not be / not used / not using / not use / not have / is no / has no /
        not support / without / not care / un
    """,
    "product behaviour": """
        user / users / the bot / the system / customer / customers / clicks / should appear /
        should show / should be able / guest / guests / it should / the button / should display /
        should work / should not / they should / when i / if i / when a / if the / the page /
        response / returned / output / message / messages / filter
    """,
}

_CONTRACTIONS = {
    "dont": "do not", "doesnt": "does not", "didnt": "did not", "cant": "can not", "cannot": "can not",
    "wont": "will not", "isnt": "is not", "arent": "are not", "wasnt": "was not", "werent": "were not",
    "shouldnt": "should not", "wouldnt": "would not", "couldnt": "could not", "mustnt": "must not",
    "havent": "have not", "hasnt": "has not", "hadnt": "had not", "im": "i am", "ive": "i have",
    "id": "i would", "youre": "you are", "youve": "you have", "youll": "you will", "weve": "we have",
    "theyre": "they are",
    "thats": "that is", "theres": "there is", "lets": "let us", "whats": "what is", "heres": "here is",
    "pls": "please", "plz": "please", "u": "you", "ur": "your", "wanna": "want to", "gonna": "going to",
    "gotta": "have to", "cuz": "because", "bc": "because", "coz": "because", "dnt": "do not",
}  # fmt: skip
# With an apostrophe these are not ambiguous; without one they are words of their own.
_APOSTROPHES = {"we're": "we are", "we'll": "we will", "it's": "it is", "i'll": "i will", "i'd": "i would",
                "we'd": "we would", "he's": "he is", "it'll": "it will", "ain't": "is not"}  # fmt: skip
_CLAUSE_ENDS = ",;:.!?()"
_SKIPPED = frozenset(
    "and but so also then please just well or btw ok okay yes yeah no".split()  # noqa: SIM905
)
_START, _ANY, _END = "^", "_", "$"


def words_of(text: str) -> list[str]:
    """The words in lower case, contractions resolved, with `^` where a clause begins and `$` at the end."""
    words = [_START]
    for token in text.replace("\u2019", "'").replace("`", " ` ").split():
        lower = token.lower().strip('*_"“”')
        core = lower.strip(_CLAUSE_ENDS + "-'\u2026\u2013\u2014")
        if not core:
            continue
        if lower[:1] == "(" and words[-1] != _START:
            words.append(_START)
        plain = _APOSTROPHES.get(core) or _CONTRACTIONS.get(core.replace("'", "")) or core
        words += plain.split()
        if lower[-1] in _CLAUSE_ENDS:
            words.append(_START)
        elif words[-2:-1] == [_START] and core in _SKIPPED:
            words.append(_START)  # what follows `and` or `please` begins a clause as well
    if words[-1] == _START:
        words.pop()
    return [*words, _END]


def form_of(sentence: Sentence, words: Sequence[str]) -> dict[str, float]:
    """The properties of one sentence that are no phrases, each 0..1 or a little more."""
    text, own = sentence.text, sentence.own
    count = sum(word not in (_START, _END) for word in words)
    shouted = [word for word in own.split() if len(word) > 2 and word.isalpha() and word.isupper()]
    spoken = [word for word in own.split() if len(word) > 1 and word.isalpha()]
    share = len(shouted) / len(spoken) if spoken else 0.0
    return {
        "is a question": float(text.endswith("?")),
        "shouts": float(share > _SHOUTED and count >= 3),
        "stresses a rule": float(not _STRESSED.isdisjoint(shouted)),
        "names code": float("`" in text),
        "names a file": float(any(word[0] in "@#" or "/" in word for word in text.split())),
        "words": log1p(count) / 3,
        "is short": float(count < 4),
        "is long": float(count > 35),
        "is an item of a list": float(sentence.is_item),
    }


def _table() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """The phrases by their first word."""
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for signal, phrases in PHRASES.items():
        for phrase in phrases.split("/"):
            words = tuple(phrase.split())
            table.setdefault(words[0], []).append((words, signal))
    return table


_TABLE = _table()


def signals_of(words: Sequence[str]) -> dict[str, int]:
    """How often each signal occurs."""
    counts: dict[str, int] = {}
    for _, signal in matches(words):
        counts[signal] = counts.get(signal, 0) + 1
    return counts


def matches(words: Sequence[str]) -> list[tuple[str, str]]:
    """Every phrase in a row of words, with its signal."""
    return [
        (" ".join(phrase), signal)
        for at, word in enumerate(words)
        for phrase, signal in _TABLE.get(word, ())
        if len(phrase) == 1 or _matches(words, at, phrase)
    ]


def _matches(words: Sequence[str], at: int, phrase: tuple[str, ...]) -> bool:
    there = words[at : at + len(phrase)]
    if len(there) != len(phrase):
        return False
    return all(want in (_ANY, word) for want, word in zip(phrase, there, strict=True))
