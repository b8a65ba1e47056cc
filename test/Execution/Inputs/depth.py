"""How much of a long suite runs: `make test` takes every nth case, and of
each compares what is lowered and converted with the reference; by hand and by
`make test-all` every case runs, after every stage.

The number is best one that has no factor in common with the lengths of a suite's
loops, so that each kernel, each target and each size is among those that are left.
What runs and what there is adds up in the file DISTAFF_CASES, which run_tests.py
shows.
"""
import os

IS_QUICK = os.environ.get("DISTAFF_TEST_DEPTH") == "quick"
EVERY_STAGE = "--every-stage"


def last_stages(command):
    """The stages that see what all before them did; which one was wrong is asked of a case that fails. A CPU's
    pipeline ends with lower: what follows has no stage of its own."""
    is_for_host = any(str(part).startswith("host") for part in command)
    return ("lower",) if is_for_host else ("lower", "convert")


def stages(command):
    """A command that runs every stage, as it is run at this depth."""
    if not IS_QUICK:
        return command
    return [f"--stages={','.join(last_stages(command))}" if part == EVERY_STAGE else part for part in command]


def compared(every):
    """Those of `every` stage's names that a command with them prints."""
    return [stage for stage in every if not IS_QUICK or stage in ("lower", "convert")]


def record(taken, there_are):
    if log := os.environ.get("DISTAFF_CASES"):
        with open(log, "a") as file:
            file.write(f"{taken} {there_are}\n")


def some(cases, one_in):
    """All `cases`, or the first and every `one_in`th after it; of less than that the first and the last. Within a loop,
    Turns: this begins with the first each time."""
    cases = list(cases)
    taken = cases[::max(min(one_in, len(cases) - 1), 1)] if IS_QUICK else cases
    record(len(taken), len(cases))
    return taken


class Turns:
    """The same for cases that loops come by, one by one: whether this one runs."""

    def __init__(self, one_in):
        self.one_in, self.seen = one_in, 0

    def of(self, cases):
        """Those of `cases` whose turn it is."""
        return [case for case in cases if self()]

    def __call__(self):
        is_taken = not IS_QUICK or self.seen % self.one_in == 0
        self.seen += 1
        record(is_taken + 0, 1)
        return is_taken
