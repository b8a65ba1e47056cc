#!/bin/bash
# lit 23.1.5 (PyPI), test format GoogleTest.
#
# Documented: --filter runs only the tests whose names match a regular expression,
# --filter-out all but those. A GoogleTest is reported by its full name, as
# `example :: ./ExampleTests/Example/Slow`.
#
# Seen: both compare the names of shards, `ExampleTests/0/1`, before any test has the
# name that it is reported by. --filter with a reported name ends with an error that no
# test matches; --filter-out with one is silent, and the test runs.
#
# Why it matters: who leaves out what a machine cannot bear, or a test that takes
# minutes, by the name in the report leaves out nothing and is not told.
#
# Distaff: utils/run_tests.py leaves out GoogleTest binaries as a whole (SLOW).
source "$(dirname "$0")/packages.sh"
pypi lit==23.1.5

# In place of a compiled test: what GoogleTest's command line does of one with two tests.
mkdir "$work/suite"
cat >"$work/suite/ExampleTests" <<'PYTHON'
#!/usr/bin/env python3
import json, os, sys

names = ["Quick", "Slow"]
if "--gtest_list_tests" in sys.argv:
    print("Example.", *names, sep="\n  ")
    sys.exit()
shard, shards = (int(os.environ["GTEST_" + name]) for name in ("SHARD_INDEX", "TOTAL_SHARDS"))
tests = [{"name": name, "status": "RUN", "time": "0s", "classname": "Example", "result": "COMPLETED"} for name in names[shard::shards]]
json.dump({"tests": len(tests), "failures": 0, "disabled": 0, "errors": 0, "time": "0s", "name": "AllTests",
           "testsuites": [{"name": "Example", "testsuite": tests}]}, open(os.environ["GTEST_OUTPUT"].split(":", 1)[1], "w"))
PYTHON
chmod +x "$work/suite/ExampleTests"
cat >"$work/suite/lit.cfg.py" <<'PYTHON'
import os
import lit.formats

config.name = "example"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.test_exec_root = os.path.dirname(__file__)
PYTHON

# Names of the tests that ran with these options, or what was wrong.
ran() {
  rm -f "$work/report.json"
  PYTHONPATH=$pypi python3 "$pypi/bin/lit" "$work/suite" --output "$work/report.json" "$@" >"$work/console" 2>&1 ||
    { grep -o "filter did not match any tests" "$work/console" || true; return; }
  python3 -c "import json
print(*sorted(test['name'].split('/')[-1] for test in json.load(open('$work/report.json'))['tests'] if test['code'] == 'PASS'))"
}

expect "all" "$(ran)" "Quick Slow"
expect "with --filter Example/Slow" "$(ran --filter Example/Slow)" "filter did not match any tests"
expect "with --filter-out Example/Slow" "$(ran --filter-out Example/Slow)" "Quick Slow"
expect "with --filter ExampleTests" "$(ran --filter ExampleTests)" "Quick Slow"
