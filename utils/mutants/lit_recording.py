"""A test format of lit that has every test record the mutants it reaches.

`write_suite` makes a suite of its own of a build's file tests: their
configuration, but with the environment and the folder for outputs that are in
the environment of lit, so that two lits may run at once.
"""
import os
import re
from pathlib import Path

SCRATCH = "DISTAFF_MUTANTS_SCRATCH"  # where tests write
FOLDER = "DISTAFF_MUTANTS_FOLDER"  # where it is recorded what each test reaches
BYTES = "DISTAFF_MUTANTS_BYTES"
SITE = """import os, sys
lit_config.load_config(config, {site!r})
sys.path.insert(0, {modules!r})
import lit_recording
lit_recording.adapt(config)
"""


def write_suite(folder, build):
    """Makes FOLDER a suite of the file tests of a build."""
    folder.mkdir(parents=True, exist_ok=True)
    site = SITE.format(site=str(build / "test" / "lit.site.cfg.py"), modules=str(Path(__file__).resolve().parent))
    (folder / "lit.site.cfg.py").write_text(site)


def adapt(config):
    config.test_exec_root = os.environ[SCRATCH]
    if "DISTAFF_MUTANT" in os.environ:
        config.environment["DISTAFF_MUTANT"] = os.environ["DISTAFF_MUTANT"]
    if FOLDER in os.environ:
        config.test_format = Recording(config.test_format, os.environ[FOLDER], int(os.environ[BYTES]))


def file_name(test):
    """The name of the file in which it is recorded what a test reaches."""
    return re.sub(r"[^\w.-]", "_", test)


def new_record(path, size):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size))
    return str(path)


def read_record(path):
    """The numbers of the mutants that were reached."""
    return [number for number, byte in enumerate(Path(path).read_bytes()) if byte]


class Recording:
    """Runs tests as another format does."""

    def __init__(self, wrapped, folder, size):
        self.wrapped, self.folder, self.size = wrapped, folder, size

    def __getattr__(self, name):
        if name == "wrapped":  # while a copy is made of it
            raise AttributeError(name)
        return getattr(self.wrapped, name)

    def execute(self, test, lit_config):
        record = new_record(Path(self.folder) / file_name("/".join(test.path_in_suite)), self.size)
        test.config.environment["DISTAFF_MUTANTS_REACHED"] = record
        return self.wrapped.execute(test, lit_config)
