"""How we start Python: isolated, because Python otherwise imports from the current folder first.

A repository may contain `recollect/`, `pip/` or a `queue.py`. None of them may run, or get in the way.
"""

import os
import site
import sys


def python(*arguments: str) -> list[str]:
    """The command that runs this interpreter without the current folder and PYTHON* variables.

    The user's own site packages are left out too, unless we are installed there.
    """
    package = os.path.realpath(__file__)
    is_user_install = package.startswith(os.path.realpath(site.getusersitepackages()) + os.sep)
    return [sys.executable, *(("-E", "-P") if is_user_install else ("-I",)), *arguments]
