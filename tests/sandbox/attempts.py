"""What hostile code tries: to get out, and to use up what there is.

`SECRET` stands for something of the host: a file that names it, an environment that has it.
"""

import pytest
from _pytest.mark import ParameterSet

_FILES = (
    "open(PATH).read()",
    "open(PATH, 'w').write('x')",
    "open(PATH, 'ab')",
    "from pathlib import Path\nPath(PATH).read_text()",
    "from pathlib import Path\nPath(PATH).write_text('x')",
    "from pathlib import Path\nPath(PATH).unlink()",
    "from pathlib import Path\n[str(p) for p in Path('/').iterdir()]",
    "from pathlib import Path\nPath.home()",
    "from pathlib import Path\nPath('/proc/self/environ').read_bytes()",
    "import os\nos.listdir('/')",
    "import os\nos.remove(PATH)",
    "import os\nos.stat(PATH).st_size",
    "import os\nos.scandir('/')",
    "import io\nio.open(PATH).read()",
    "import io\nio.FileIO(PATH)",
)
_ENVIRONMENT = (
    "import os\nos.environ['RECOLLECT_SECRET']",
    "import os\ndict(os.environ)",
    "import os\nos.getenv('RECOLLECT_SECRET')",
    "import os\nos.getpid()",
    "import os\nos.urandom(8)",
    "import sys\nsys.argv",
    "import sys\nsys.modules['os'].environ",
    "import sys\nsys._getframe(0)",
    "import sys\nsys.exit(1)",
    "import os\nos._exit(1)",
    "import os\nos.kill(1, 9)",
    "import os\nos.system('id')",
    "import os\nos.fork()",
    "import os\nos.execv('/bin/sh', ['sh'])",
)
_MODULES = (
    "subprocess socket ctypes pickle marshal importlib builtins gc inspect threading multiprocessing "
    "urllib.request http.client signal code pty shutil tempfile recollect pydantic_monty _io posix"
)
_IMPORTS = (
    *(f"import {module}" for module in _MODULES.split()),
    "from os import system\nsystem('id')",
    "__import__('subprocess').run(['id'])",
    "exec('import subprocess')",
    "eval('__import__(\"socket\")')",
    "__builtins__['open'](PATH)",
)
_WALKS = (
    "().__class__.__bases__[0].__subclasses__()",
    "''.__class__.__mro__[-1].__subclasses__()",
    "type(type(1)).__subclasses__(type)",
    "(lambda: 0).__globals__",
    "(lambda: 0).__code__.co_consts",
    "def f(): pass\nf.__closure__",
    "tool.__globals__['os']",
    "tool.__self__",
    "tool.__code__",
    "tool.__class__.__init__.__globals__",
    "getattr(tool, '__glo' + 'bals__')",
    "'{0.__class__.__init__.__globals__}'.format(tool)",
    "'{0.__globals__[os]}'.format(tool)",
    "f'{tool.__globals__}'",
    "try:\n    1/0\nexcept Exception as e:\n    x = e\nx.__traceback__.tb_frame.f_globals",
    "async def f(): pass\nf().cr_frame.f_back",
    "class A:\n    def __reduce__(self):\n        return (open, (PATH,))\nA().__reduce_ex__(2)",
    "globals()['__builtins__']",
    "vars()['__loader__']",
    "locals()['__spec__'].loader",
    "print.__self__.open(PATH)",
    "object.__subclasses__()",
    "setattr(tool, '__code__', None)",
    "import asyncio\nasyncio.subprocess",
    "import asyncio\nasyncio.get_event_loop()",
    "import typing\ntyping.sys.modules",
    "import json\njson.codecs.open(PATH)",
    "compile('open(PATH)', 'x', 'exec')",
    "breakpoint()",
    "input()",
    "help()",
)
_HOSTILE_RESULTS = (
    "exec(await tool(text='import subprocess'))",
    "eval(await tool(text=\"open('/etc/passwd').read()\"))",
    "(await tool(text='{0.__globals__}')).format(tool)",
    "getattr(tool, await tool(text='__globals__'))",
    "open(await tool(text='/etc/passwd')).read()",
    "globals()[await tool(text='__builtins__')]",
    "import json\njson.loads(await tool(text='[' * 100_000))",
)
ESCAPES: dict[str, tuple[str, ...]] = {
    "files": _FILES,
    "environment": _ENVIRONMENT,
    "imports": _IMPORTS,
    "walks": _WALKS,
    "hostile results": _HOSTILE_RESULTS,
}
EXHAUSTION: dict[str, tuple[str, ...]] = {
    "time": (
        "while True: pass",
        "try:\n    while True: pass\nexcept BaseException: pass\n",
        "while True:\n    try:\n        while True: pass\n    finally:\n        continue",
        "sum(range(10**12))",
        "[0 for a in range(10**6) for b in range(10**6)]",
        "import time\ntime.sleep(3600)",
        "import asyncio\nawait asyncio.sleep(3600)",
        "import asyncio\nwhile True:\n    await asyncio.sleep(0.05)",
        "import asyncio\nawait asyncio.gather(*[asyncio.sleep(0.1) for _ in range(90)])",
        "x = 3\nfor _ in range(60):\n    x = x * x % (2**4096 - 1) ** 20\nwhile x:\n    x = pow(x, 3)",
    ),
    "memory": (
        "x = []\nwhile True: x.append('a' * 1000)",
        "'a' * 10**10",
        "'%1000000000d' % 1",
        "f'{1:1000000000}'",
        "'{:>{w}}'.format(1, w=10**9)",
        "10 ** 10 ** 8",
        "1 << 10**10",
        "list(range(10**9))",
        "sorted(range(10**8))",
        "b'x' * 10**10",
        "'x'.ljust(10**10)",
        "'x'.join(['y' * 10**6] * 1000)",
        "('a' * 10**6).replace('a', 'b' * 10**6)",
        "d = {}\nfor i in range(10**8): d[i] = str(i)",
        "x = [1]\nfor _ in range(40): x = x + x",
        "import json\njson.dumps(['x' * 10**6] * 10**4)",
        "import math\nmath.factorial(10**7)",
    ),
    "depth": (
        "def f(): return f()\nf()",
        "def f(n):\n    return [f(n + 1)]\nf(0)",
        "class A:\n    def __repr__(self):\n        return repr(self)\nrepr(A())",
        "async def f(): return await f()\nawait f()",
        "sorted([1, 2], key=lambda x: (lambda f: f(f))(lambda f: f(f)))",
    ),
    "source": (
        "(" * 50_000,
        "[" * 20_000 + "]" * 20_000,
        "-" * 60_000 + "1",
        "not " * 15_000 + "1",
        "x" + ".a" * 30_000,
        "1" + "+1" * 30_000 + "+",
        "lambda: " * 8_000 + "1",
        "f" + "'{" * 10_000,
        "if 1:\n" + "".join(" " * n + "if 1:\n" for n in range(1, 300)),
        "\x00",
        "x = '" + "a" * 200_000 + "'",
    ),
    "output": (
        "while True: print('x' * 100)",
        "print('x' * 10**6)",
        "import sys\nwhile True: print('x', file=sys.stderr)",
        "'x' * 3_000_000",
    ),
    "calls": (
        "while True: await tool(text='x')",
        "import asyncio\nawait asyncio.gather(*[tool(text='x') for _ in range(1000)])",
        "for _ in range(10**6):\n    try:\n        await tool()\n    except BaseException: pass",
        "for _ in range(1000): tool(text='x')",
        "def f():\n    return unknown_name\nfor _ in range(10**6):\n    try: f()\n    except NameError: pass",
    ),
}
# Patterns that take exponential time in an engine that backtracks.
HARMLESS: tuple[str, ...] = (
    "import re\nbool(re.match(r'(a+)+$', 'a' * 40 + 'b'))",
    "import re\nbool(re.match(r'(a|aa)+$', 'a' * 60 + 'b'))",
    "import re\nbool(re.search(r'(.*,){20}x', ',' * 200))",
    "import re\nbool(re.match(r'([a-z]+)*\\d', 'a' * 50))",
)


def cases(attempts: dict[str, tuple[str, ...]]) -> list[ParameterSet]:
    """Each attempt as a case of a test, named after its kind."""
    return [
        pytest.param(code, id=f"{kind}-{number}")
        for kind, codes in attempts.items()
        for number, code in enumerate(codes)
    ]
