#!/usr/bin/env python3
"""Finds messages to the user that no test shows.

usage: check_messages.py [ROOT] [--all]

A message is a literal of at least three words, in the code of FOLDERS, that is
neither an assertion's sentence nor a reason for a pattern not to match (those
are told to nobody). It is shown when a test has it as it is: in an
expected-error, behind a CHECK, or in what a unit test compares. Where a message
is put together of several literals, each is asked for. What cannot be shown
says why in utils/rules/unshown.txt, a line per message: its text, a tab, and
the reason. Exit status 1 when a message is not shown, or an excuse is not used.
"""
import re
import sys
from pathlib import Path

FOLDERS = ("lib/Distribution", "lib/Import", "lib/Tiling", "lib/Layouts", "lib/Staging", "lib/Cpu", "lib/Analysis", "lib/Conversion", "lib/ToLLVM",
           "lib/Lower", "lib/Dialect/VectorExt")
EXCUSES = "utils/rules/unshown.txt"
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\S', re.DOTALL)
# Calls whose literals are no messages to the user.
UNTOLD = {"assert", "llvm_unreachable", "notifyMatchFailure", "refuseOwnMistake"}
OWN_MISTAKE = "this is a bug in Distaff"
ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\", "\\t": "\t"}


def literals(source):
    """(line, text) of each literal, those side by side as one, outside of calls in UNTOLD."""
    calls, name, current, line, at = [], "", None, 1, 0
    for match in TOKEN.finditer(source):
        token = match[0]
        if token.startswith(("//", "/*")):
            continue
        if token[0] == '"':
            line += source.count("\n", at, match.start())
            at = match.start()
            text = re.sub(r'\\[n"\\t]', lambda found: ESCAPES[found[0]], token[1:-1])
            current = (current[0], current[1] + text) if current else (line, text)
            continue
        if current:
            if not UNTOLD.intersection(calls):
                yield current
            current = None
        if token == "(":
            calls.append(name)
        elif token == ")" and calls:
            calls.pop()
        name = token


def messages(root):
    """(where, text) of each piece of a message."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.cpp")) + sorted((root / folder).rglob("*.h")):
            for line, text in literals(path.read_text()):
                for piece in re.split(r"\{\d+\}", text):
                    piece = piece.strip(" :,;'()\n")
                    if len(re.findall(r"[A-Za-z]{2,}", piece)) >= 3 and " " in piece and OWN_MISTAKE not in text and "::" not in text:
                        yield f"{path.relative_to(root).as_posix()}:{line}", piece


def shown(root):
    """The text of all tests, with what FileCheck and expected-error-re escape as it is printed."""
    texts = []
    for folder in ("test", "unittests"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".mlir", ".test", ".py", ".txt"):
                texts.append(re.sub(r"\{\{\\?(.)\}\}", r"\1", path.read_text()))
            elif path.suffix == ".cpp":
                source = path.read_text()
                texts += [source] + [text for _, text in literals(source)]
    return "\n".join(texts)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    path = root / EXCUSES
    lines = path.read_text().splitlines() if path.exists() else []
    excuses = dict(line.split("\t", 1) for line in lines)
    tests, known, wrong, used = shown(root), list(messages(root)), 0, set()
    for where, text in known:
        if text in tests:
            continue
        if text in excuses:
            used.add(text)
            continue
        print(f"{where}: no test shows: {text}")
        wrong += 1
    for text in excuses.keys() - used:
        print(f"{EXCUSES}: needs no excuse: {text}")
        wrong += 1
    print(f"{len(known)} messages, {wrong} not shown")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
