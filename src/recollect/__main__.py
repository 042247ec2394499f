"""`python -m recollect` is the command line."""

from recollect.cli.main import main

if __name__ == "__main__":
    main()
