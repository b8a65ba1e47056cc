#!/usr/bin/env python3
"""Finds files of more than 600 lines and functions of more than 60.

usage: check_sizes.py [ROOT]

Looks at the C++ of include, lib, tools, unittests and benchmark, at the Python
of test and utils, and at the length of definitions and data (.td, .toml), tests
and pages that are written by hand. A function's lines are those from its opening brace to
its closing one; text in quotes is no code. Exit status 1 when one is too long.
"""
import ast
import re
import sys
from pathlib import Path

MOST_IN_FILE, MOST_IN_FUNCTION = 600, 60
FOLDERS = ("include", "lib", "tools", "unittests", "benchmark", "test", "utils", "examples", "docs", "cmake")
CODE = (".cpp", ".h", ".c", ".py")
OTHERS = (".td", ".toml", ".mlir", ".test", ".md", ".txt", ".cmake", ".sh", ".in")
# Comments, raw strings, strings, characters; a quote between digits separates.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
BRANCH = re.compile(r"\b(?:if|for|while|switch|catch)\b")
NO_FUNCTION = re.compile(r"\b(?:namespace|class|struct|enum|union|extern)\b|=\s*$|,\s*$|\(\s*$")


def without_text(source):
    return NO_CODE.sub(lambda found: "\n" * found[0].count("\n"), source)


def cpp_functions(source):
    """(lines, line, head) of every body behind a parameter list; lambdas too."""
    line, head, opened = 1, "", []
    for part in re.split("([{};])", without_text(source)):
        line += part.count("\n")
        if part == "{":
            text = " ".join(head.split())
            is_function = ")" in text and not NO_FUNCTION.search(text) and not BRANCH.search(text)
            opened.append((line, text if is_function else None))
        elif part == "}" and opened:
            begin, text = opened.pop()
            if text:
                yield line - begin + 1, begin, text[-80:]
        head = part


def python_functions(source):
    waiting = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef):
            yield node.end_lineno - node.lineno + 1, node.lineno, node.name
        waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case))]


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in CODE + OTHERS and "generated" not in path.parts]
    wrong = 0
    for path in paths:
        source = path.read_text()
        where = path.relative_to(root)
        if (lines := source.count("\n")) > MOST_IN_FILE:
            print(f"{where}: {lines} lines, more than {MOST_IN_FILE}")
            wrong += 1
        functions = {".py": python_functions}.get(path.suffix, cpp_functions if path.suffix in CODE else lambda source: ())
        for lines, line, name in functions(source):
            if lines > MOST_IN_FUNCTION:
                print(f"{where}:{line}: {lines} lines, more than {MOST_IN_FUNCTION}: {name}")
                wrong += 1
    print(f"{len(paths)} files, {wrong} too long")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
