"""Where a hook starts: `python -I -S .../recollect/hook/main.py HARNESS EVENT`.

Isolated and without site packages it starts in a quarter of the ordinary time. Short, because a script is
compiled anew each time it is run. The module that finds the others quickly is the first that is not searched.
"""

import sys

if __name__ == "__main__":
    source = __file__.rpartition("/recollect/")[0]
    sys.path.append(source)
    try:
        try:
            from _frozen_importlib_external import SourceFileLoader

            compiled = type(sys)("compiled")
            SourceFileLoader("compiled", f"{source}/recollect/hook/compiled.py").exec_module(compiled)
            compiled.find_quickly(source)
        except ImportError:
            pass  # another Python: it searches
        from recollect.hook.process import main
    except Exception:
        sys.exit(0)  # half an installation is no reason to stop a prompt
    main()
