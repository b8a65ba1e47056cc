"""How the unit tests run: every GoogleTest binary in build/unittests whose name
ends in `Tests`, one lit test per TEST."""
import os

import lit.formats

config.name = "Distaff-Unit"
config.suffixes = []
config.test_source_root = os.path.join(config.distaff_binary_dir, "unittests")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
