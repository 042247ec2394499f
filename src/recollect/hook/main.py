"""Where a hook starts: `python -I -S .../recollect/hook/main.py HARNESS EVENT`.

Isolated and without site packages it starts in a quarter of the ordinary time. Short, because a script is
compiled anew each time it is run.
"""

import sys

if __name__ == "__main__":
    sys.path.append(__file__.rpartition("/recollect/")[0])
    try:
        from recollect.hook.process import main
    except Exception:
        sys.exit(0)  # half an installation is no reason to stop a prompt
    main()
