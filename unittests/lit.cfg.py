"""How the unit tests run: every GoogleTest binary in build/unittests whose name
ends in `Tests`, one lit test per TEST."""
import os
import sys

import lit.formats

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "test"))
from one_core import OnOneCore

config.name = "Distaff-Unit"
config.suffixes = []
config.test_source_root = os.path.join(config.distaff_binary_dir, "unittests")
config.test_exec_root = config.test_source_root
config.test_format = OnOneCore(lit.formats.GoogleTest(".", "Tests"))

# Long tests make a part of their trials, unless all are asked for (Depth.h).
config.environment["DISTAFF_TEST_DEPTH"] = os.environ.get("DISTAFF_TEST_DEPTH", "quick")
