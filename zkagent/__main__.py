"""`python -m zkagent` is the `zkagent` command."""

from zkagent.executor.cli.main import main

if __name__ == "__main__":
    main()
