#!/usr/bin/env python3
"""Finds names that docs/Glossary.md has retired, and paths of that page that do not exist.

usage: check_words.py [ROOT]

Reads the table under "Retired words" of docs/Glossary.md. Looks at the names of
files and folders in FOLDERS, at the passes that .td files of include and lib
define, and at the stages of lib/Pipelines. Names are compared word by word,
whether they are written MeetOnce, meet-once or meet_once, and words that stand
within a whole replacement do not count. Prints a line per find; exit status 1
if there is one.
"""
import re
import sys
from pathlib import Path

PAGE = "docs/Glossary.md"
FOLDERS = ("lib", "include", "tools", "test", "unittests", "docs")
NOT_IN = "docs/generated"
KINDS = {"names": ("file", "pass", "stage"), "whole file name": ("file",), "whole pass or stage name": ("pass", "stage")}
PREFIXES = (["distaff"], ["pcf"], ["vector", "ext"])
ENDINGS = ("test", "errors")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
PASS = re.compile(r'Pass<\s*"([^"]+)"')
STAGE = re.compile(r'\.name = "([^"]+)"')
PATH = re.compile(r"`((?:lib|include|tools|test|unittests|docs|utils|examples|benchmark|cmake)/[^`\s]*)`")


def words_of(name):
    return [word.lower() for word in WORD.findall(name)]


def bare(words):
    """The words without a dialect's prefix and what test files end with."""
    for prefix in PREFIXES:
        if words[:len(prefix)] == prefix:
            words = words[len(prefix):]
    while words and words[-1] in ENDINGS:
        words = words[:-1]
    return words


def spans(words, part):
    """(begin, end) of each place where the words have the part."""
    return [(at, at + len(part)) for at in range(len(words) - len(part) + 1) if words[at:at + len(part)] == part]


def read_page(text):
    """(retired, say, where) of each row of the table."""
    section = text.partition("\n## Retired words\n")[2].partition("\n## ")[0]
    for line in section.splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3:
            yield tuple(cells)


def names(root):
    """(kind, name, where) of every file, folder, pass and stage."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            where = path.relative_to(root).as_posix()
            if not where.startswith(NOT_IN) and "__pycache__" not in path.parts:
                yield "file", path.name.split(".")[0], where
    definitions = [*root.glob("include/**/*.td"), *root.glob("lib/**/*.td")]
    pipelines = [*root.glob("lib/Pipelines/**/*.cpp"), *root.glob("lib/Pipelines/**/*.h")]
    for kind, pattern, paths in (("pass", PASS, definitions), ("stage", STAGE, pipelines)):
        for path in sorted(paths):
            source = path.read_text()
            for found in pattern.finditer(source):
                line = source.count("\n", 0, found.start()) + 1
                yield kind, found[1], f"{path.relative_to(root).as_posix()}:{line}"


def retired_by(kind, name, table, replacements):
    """The row of the table that retires the name; None without one."""
    words = words_of(name)
    right = [span for part in replacements for span in spans(words, part)]
    for retired, say, where in table:
        if kind not in KINDS[where]:
            continue
        if where != "names":
            if bare(words) == bare(words_of(retired)):
                return retired, say
        elif any(not any(begin <= at and end <= to for begin, to in right) for at, end in spans(words, words_of(retired))):
            return retired, say
    return None


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    page = (root / PAGE).read_text()
    table = list(read_page(page))
    if not table:
        sys.exit(f"{PAGE} has no table of retired words, so nothing was checked")
    number, errors = 0, []
    for where in sorted({where for _, _, where in table} - KINDS.keys()):
        sys.exit(f"{PAGE}: '{where}' is none of {', '.join(KINDS)}")
    replacements = [words_of(say) for _, say, _ in table]
    for kind, name, where in names(root):
        number += 1
        if found := retired_by(kind, name, table, replacements):
            errors.append(f"{where}: {kind} name '{name}' has the retired '{found[0]}'; say '{found[1]}'")
    for line, text in enumerate(page.splitlines(), 1):
        errors += [f"{PAGE}:{line}: {path} does not exist" for path in PATH.findall(text) if not (root / path).exists()]
    for error in errors:
        print(error)
    print(f"{number} names, {len(table)} retired words, {len(errors)} finds")
    return 1 if errors or not number else 0


sys.exit(main())
