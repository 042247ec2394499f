"""Where a hook starts: `python -I -S .../recollect/hook/main.py HARNESS EVENT`.

Isolated and without site packages, Python starts in a quarter of the time. This file stays short because
Python compiles a script each time it runs one.
"""

import sys

if __name__ == "__main__":
    sys.path.append(__file__.rpartition("/recollect/")[0])
    try:
        from recollect.hook.process import main
    except Exception:
        sys.exit(0)  # an incomplete installation must not block a prompt
    main()
