"""Runs each of lit's workers, with all that its tests start, on a core of its own.

What a test starts asks the system how many cores it may use: on one, suites, the
SIMT machine and MLIR start one thread each, so that no more run than there are
cores, and what a test takes depends on no other.
"""
import multiprocessing
import os


def take_core():
    cores = sorted(os.sched_getaffinity(0))
    number = multiprocessing.current_process()._identity
    if number and len(cores) > 1:
        os.sched_setaffinity(0, {cores[number[0] % len(cores)]})


class OnOneCore:
    """A test format that runs another's tests so."""

    def __init__(self, format):
        self.format = format

    def __getattr__(self, name):
        return getattr(self.format, name)

    def __getstate__(self):
        return self.format

    def __setstate__(self, format):
        self.format = format

    def execute(self, test, lit_config):
        take_core()
        return self.format.execute(test, lit_config)
