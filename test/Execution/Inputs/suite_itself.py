"""What suites count as right, and what they do not."""
import sys

import depth
from suite import Run, compared, judge, outcome, repeat

STAGES = ("input", "form-launches", "configure", "tile", "vectorize", "assign-layouts", "distribute", "lower", "convert")
AGREES = "\n".join(f"{stage} max error 0.00e+00  bound 1.00e-07  ok" for stage in STAGES) + "\n"
EXACT = AGREES.replace("1.00e-07", "0.00e+00")


def run(code, stdout="", stderr="", **more):
    program = f"import sys; sys.stdout.write({stdout!r}); sys.stderr.write({stderr!r}); sys.exit({code})"
    return Run("one", [sys.executable, "-c", program, depth.EVERY_STAGE], **more)


CASES = [
    # exit code and output, and what is expected; how it ends, and whether it passes
    (run(0, AGREES), "right", True),
    (run(0, EXACT, exact=True), "right", True),
    (run(0, AGREES, exact=True), "wrong", False),  # whole numbers leave no bound
    (run(0), "wrong", False),  # compared nothing
    (run(0, AGREES.replace("lower", "lover")), "wrong", False),
    (run(0, AGREES.replace(" ok", "")), "wrong", False),
    (run(0, compares=False, after=lambda: None), "right", True),
    (run(0, AGREES, after=lambda: "another value"), "wrong", False),
    (run(3, "input  undecided\n"), "undecided", False),
    (run(3, "input  undecided\n", expected=("undecided", "why")), "undecided", True),
    (run(0, AGREES, expected=("undecided", "why")), "right", False),  # listed in vain
    (run(3, stderr="error: not modelled: a thing\n"), "wrong", False),
    (run(3, stderr="error: not modelled: a thing\n", expected=("undecided", "why")), "wrong", False),
    (run(1, "lower MISMATCH\n", "error: after lower\n"), "wrong", False),
    (run(1, stderr="error: cannot be distributed\n"), "refused", False),
    (run(1, stderr="error: cannot be distributed\n", expected=("refused", "cannot be distributed")), "refused", True),
    (run(1, stderr="error: race\n", expected=("refused", "cannot be distributed")), "refused", False),
    (run(0, AGREES, expected=("refused", "cannot be distributed")), "right", False),
    (run(-6), "wrong", False),
    (run(0, AGREES, before=([sys.executable, "-c", "print('a text')"], lambda text: None if "op" in text else "no op")), "wrong", False),
]

LAST = ["distaff", "--stages=lower,convert"]
EVERY = ["distaff", depth.EVERY_STAGE]
LOWER, CONVERT = (f"{stage} max error 0.00e+00  bound 1.00e-07  ok\n" for stage in ("lower", "convert"))
COMPARED = [
    # what was run and said, and whether that is enough to be right
    (EVERY, AGREES, True),
    (EVERY, LOWER + CONVERT, False),  # not every stage
    (LAST, LOWER + CONVERT, True),
    (LAST, AGREES, True),
    (LAST, LOWER, False),
    (LAST, CONVERT, False),
    (LAST, LOWER + CONVERT.replace("ok", "undecided"), False),
    (LAST, "", False),
]

failed = 0
for command, text, is_enough in COMPARED:
    if compared(command, text) != is_enough:
        failed += 1
        print(f"{command} with {text!r}: {not is_enough}")
# A case that fails says how to repeat it, and at a lesser depth what every stage does.
said = repeat(run(1, "tile MISMATCH\n"))
if "repeat: " not in said or depth.EVERY_STAGE not in said or depth.IS_QUICK != ("every stage: exit 1" in said):
    failed += 1
    print(f"a case that fails says: {said}")
# A sample has more than the first case, and those of a loop go through all in turn.
turn, rounds = depth.Turns(3), 3
seen = [case for _ in range(rounds) for case in turn.of("abcd")]
samples = ["".join(depth.some(cases, 5)) for cases in ("", "a", "ab", "abcd", "abcdef", "abcdefg")]
wanted = ["", "a", "ab", "ad", "af", "af"] if depth.IS_QUICK else ["", "a", "ab", "abcd", "abcdef", "abcdefg"]
if samples != wanted or seen != (list("adcb") if depth.IS_QUICK else list("abcd") * rounds):
    failed += 1
    print(f"samples: {seen}, {samples}")
for number, (one, kind, passes) in enumerate(CASES):
    found, seen = outcome(one)
    if found != kind or (judge(one, found, seen) is None) != passes:
        failed += 1
        print(f"case {number}: {found}, {judge(one, found, seen)}")
print(f"{failed} of {len(CASES) + len(COMPARED) + 2} cases are wrong")
sys.exit(failed > 0)
