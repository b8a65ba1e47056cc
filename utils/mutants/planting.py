"""Plants mutants in the text of sources, and finds those that do not compile.

Every mutant is a list of insertions (Mutant.h). In one place, what ends there is
closed before anything is opened, inner before outer ones; of mutants of the
same range the one with the lower number is the outer one: distaff-mutants lists
outer nodes first.
"""
import bisect
import re
from pathlib import Path

SELECTED = "$SELECTED$"
ERROR = re.compile(r"^(?:In file included from )?(/[^:\n]+):(\d+):(\d+): (?:fatal )?error: (.*)$", re.MULTILINE)
NOTE = re.compile(r"^(/[^:\n]+):(\d+):(\d+): note: ", re.MULTILINE)


def insertions(mutants):
    """(place, order in the place, text, number) of all insertions of `number -> mutant`."""
    for number, mutant in mutants.items():
        call = f"distaff_mutant({number})"
        for wrap in mutant["wraps"]:
            begin, end = wrap["begin"], wrap["end"]
            before, after = (wrap[side].replace(SELECTED, call) for side in ("before", "after"))
            if begin == end:
                yield begin, (1, 0, number), before + after, number
                continue
            # Text that is opened: outer ranges, which end later, first. Text that is closed: inner ones first.
            yield begin, (2, -end, number), before, number
            yield end, (0, -begin, -number), after, number


class Planted:
    """The text of a file with mutants in it, and where each of them is."""

    def __init__(self, path, original, mutants, header):
        self.path, self.mutants = path, mutants
        pieces, at, size, self.spans = [f'#include "{header}"\n'.encode()], 0, 0, []
        size = len(pieces[0])
        opened = {}
        for place, _, text, number in sorted(insertions(mutants), key=lambda i: (i[0], i[1])):
            for piece in (original[at:place], text.encode()):
                pieces.append(piece)
                size += len(piece)
            at = place
            self.spans.append((size - len(text.encode()), size, number))
            first, _ = opened.get(number, (size - len(text.encode()), 0))
            opened[number] = (first, size)
        pieces.append(original[at:])
        self.text = b"".join(pieces)
        self.whole = {number: span for number, span in opened.items()}
        self.lines = [0] + [found.end() for found in re.finditer(b"\n", self.text)]

    def at(self, line, column):
        """The mutants whose text is in a place of the planted file, or, where none is, those around it, the innermost first."""
        place = self.lines[line - 1] + column - 1
        exact = [number for begin, end, number in self.spans if begin <= place < end]
        around = sorted((end - begin, number) for number, (begin, end) in self.whole.items() if begin <= place < end)
        return exact or [number for _, number in around]

    def near(self, line):
        """The mutants of the function that a line is in; else of the file."""
        place = self.lines[line - 1]
        before = [n for n, (begin, _) in sorted(self.whole.items(), key=lambda item: item[1]) if begin <= place]
        function = self.mutants[before[-1]]["function"] if before else None
        return [n for n, m in self.mutants.items() if m["function"] == function] or list(self.mutants)


def plant(mutants, tree, header):
    """path -> Planted, of `number -> mutant` in the sources of a tree."""
    files = {}
    for number, mutant in mutants.items():
        files.setdefault(mutant["file"], {})[number] = mutant
    return {file: Planted(file, (Path(tree) / file).read_bytes(), own, header) for file, own in files.items()}


def culprits(said, planted, tree):
    """number -> message, of the mutants that a compiler's errors are about. An error outside of all of them
    is about those around it, or of its function, or of its file."""
    found = {}
    for path, line, column, message in ERROR.findall(said):
        file = planted.get(relative(path, tree))
        if file:
            numbers = file.at(int(line), int(column))[:1] or file.near(int(line))
            found.update(dict.fromkeys(numbers, message))
    if not found:  # in a header that a planted file uses
        for path, line, column in NOTE.findall(said):
            if file := planted.get(relative(path, tree)):
                found.update(dict.fromkeys(file.at(int(line), int(column))[:1], "an error in a header"))
    return found


def relative(path, tree):
    try:
        return str(Path(path).resolve().relative_to(Path(tree).resolve()))
    except ValueError:
        return None
