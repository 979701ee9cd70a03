"""Checks of a suite in Python. Each check is a function that fails by an exception. The checks are run, and counted in the file that
KINDRED_COUNTS names.
"""

import contextlib
import os
import traceback


def run(suite, checks, around=contextlib.nullcontext):
    """Runs each check within a context that `around` makes, and goes on after a failure."""
    passed = failed = 0
    for check in checks:
        try:
            with around():
                check()
            passed += 1
            print(f"{suite}: {check.__name__} passed")
        except Exception as error:
            failed += 1
            traceback.print_exc()
            text = f"FAILED: {suite}, {check.__name__}: {type(error).__name__}: {str(error)[:1000]}"
            print(text)
            if "KINDRED_FAILURES" in os.environ:
                with open(os.environ["KINDRED_FAILURES"], "a") as file:
                    file.write(text + "\n")
    with open(os.environ["KINDRED_COUNTS"], "a") as file:
        file.write(f"{passed} {failed} 0\n")
