"""IR as a page shows it: what a pass or a stage left as it was stands there as one line."""
import difflib
import re

# Shorter runs of equal lines are context, and so are the first and the last lines of a longer one.
SHORTEST, CONTEXT = 7, 2
# Of ops that repeat.
LONGEST_PERIOD = 12


def key(line):
    """A line without the numbers of its values and aliases, which a pass may shift."""
    return re.sub(r"([%#][A-Za-z_]*)[\w$.-]*(?::\d+)?", r"\1", line.strip())


def changed(before, after):
    """The lines of `after`, less long runs that are in `before` too."""
    matcher = difflib.SequenceMatcher(None, [key(line) for line in before], [key(line) for line in after], autojunk=False)
    shown, at = [], 0
    for block in matcher.get_matching_blocks():
        shown += after[at:block.b]
        run = after[block.b:block.b + block.size]
        at = block.b + block.size
        if len(run) < SHORTEST:
            shown += run
            continue
        hidden = run[CONTEXT:-CONTEXT]
        indent = min((len(line) - len(line.lstrip()) for line in hidden if line.strip()), default=0)
        shown += [*run[:CONTEXT], f"{' ' * indent}// ... {len(hidden)} lines as before", *run[-CONTEXT:]]
    return shown


def op_of(line):
    """The op that a line is, at its indentation; None for one that opens or closes a region."""
    match = re.match(r"( *)(?:[%\w$#:, ]+ = )?\"?([\w]+\.[\w.]+)", line)
    return match.groups() if match and not line.rstrip().endswith(("{", "}")) else None


def repeats(names, at, period):
    """How often the ops of one period stand in a row from there on."""
    count = 1
    while names[at + count * period:at + (count + 1) * period] == names[at:at + period]:
        count += 1
    return count


def folded(lines):
    """The lines, less what repeats: of ops of the same names in a row, as unrolling makes them, the first ones are shown."""
    names, shown, at = [op_of(line) for line in lines], [], 0
    while at < len(lines):
        best = (0, 1, 1)
        for period in range(1, LONGEST_PERIOD + 1):
            if None in names[at:at + period] or at + period > len(lines):
                break
            count = repeats(names, at, period)
            best = max(best, (count * period, -period, count)) if count > 2 else best
        length, period, count = best[0], abs(best[1]), best[2]
        if length < SHORTEST:
            shown.append(lines[at])
            at += 1
            continue
        shown += lines[at:at + period]
        shown.append(f"{names[at][0]}// ... {count - 1} times the same {'op' if period == 1 else f'{period} ops'}")
        at += length
    return shown
