#!/bin/bash
# lit 23.1.5 (PyPI), test format GoogleTest.
#
# Documented: lit runs GoogleTest executables in shards, reports each test and writes
# all results to JSON (--output) and XML (--xunit-xml-output).
#
# Seen: a test that calls GTEST_SKIP() is counted as skipped on the console, but the
# JSON does not have it at all. The XML has it with the message "User interrupt",
# whatever the reason was that the test gave.
#
# Why it matters: suites skip what a machine cannot run, such as tests that need a GPU
# or an assembler. Who reads the JSON to see that every test ran sees no gap, and who
# reads the XML looks for an interrupted run.
#
# Distaff: utils/run_tests.py takes the skipped tests from the XML and replaces the
# message.
source "$(dirname "$0")/packages.sh"
pypi lit==23.1.5

# In place of a compiled test: what GoogleTest's command line does of one with two tests.
mkdir "$work/suite"
cat >"$work/suite/ExampleTests" <<'PYTHON'
#!/usr/bin/env python3
import json, os, sys

names = ["Runs", "NeedsADevice"]
if "--gtest_list_tests" in sys.argv:
    print("Example.", *names, sep="\n  ")
    sys.exit()
shard, shards = (int(os.environ["GTEST_" + name]) for name in ("SHARD_INDEX", "TOTAL_SHARDS"))
tests = [{"name": name, "status": "RUN", "time": "0s", "classname": "Example",
          "result": "SKIPPED" if name == "NeedsADevice" else "COMPLETED",
          **({"skipped": [{"message": "no device"}]} if name == "NeedsADevice" else {})}
         for name in names[shard::shards]]
report = {"tests": len(tests), "failures": 0, "disabled": 0, "errors": 0, "time": "0s",
          "name": "AllTests", "testsuites": [{"name": "Example", "testsuite": tests}]}
json.dump(report, open(os.environ["GTEST_OUTPUT"].split(":", 1)[1], "w"))
PYTHON
chmod +x "$work/suite/ExampleTests"
cat >"$work/suite/lit.cfg.py" <<'PYTHON'
import os
import lit.formats

config.name = "example"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.test_exec_root = os.path.dirname(__file__)
PYTHON
PYTHONPATH=$pypi python3 "$pypi/bin/lit" "$work/suite" --output "$work/report.json" \
  --xunit-xml-output "$work/report.xml" >"$work/console" 2>&1
expect "tests that the console counts" \
  "$(sed -n 's/.*\(Skipped\|Passed\) *: \([0-9]*\).*/\1 \2/p' "$work/console" | xargs)" \
  "Skipped 1 Passed 1"
expect "tests in the JSON" \
  "$(python3 -c "import json
for test in json.load(open('$work/report.json'))['tests']:
    print(test['name'].split('/')[-1], test['code'])")" \
  "Runs PASS"
expect "reason for the skipped test in the XML" \
  "$(sed -n 's/.*skipped message="\([^"]*\)".*/\1/p' "$work/report.xml")" "User interrupt"
