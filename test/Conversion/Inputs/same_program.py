"""Whether two functions of one file do the same, op by op, after one of them went
through some passes:

    python3 same_program.py FILE BEFORE AFTER PASS ...

Both are brought to arith and printed. A value is the text of the op that makes it,
with its operands as such texts; the functions agree if their loops, accesses to
memory, fences and barriers do, in order. So names, the place of what only computes,
and the order of factors do not matter, and nothing else is left out.
"""
import re
import subprocess
import sys

EFFECTS = ("scf.", "vector.transfer", "memref.alloc", "iree_gpu.", "memref.copy", "pcf.", "}")
COMMUTATIVE = ("arith.addi", "arith.muli")


def extract(path, name):
    lines = open(path).read().split("\n")
    aliases = [line for line in lines if re.match(r"[#!]\w+ *=", line)]
    start = next(i for i, line in enumerate(lines) if line.startswith(f"func.func @{name}("))
    return "\n".join(aliases + lines[start:lines.index("}", start) + 1]) + "\n"


def printed(text, passes):
    done = subprocess.run(["distaff-opt", *passes, "--lower-affine", "--cse", "--mlir-print-local-scope"], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout.split("\n")


# Texts of ops, as long as programs, by short names that both functions share.
NAMES = {}


def named(text):
    return NAMES.setdefault(text, f"value{len(NAMES)}")


def arguments_of(header):
    """The names that a loop gives to its arguments."""
    if header.startswith("scf.forall"):
        return re.findall(r"%[\w-]+", header[:header.index(")")])
    return re.findall(r"(%[\w-]+) =", header)


def program(lines):
    values, effects, regions = {}, [], 0
    use = lambda match: values[match[1]] + (match[2] or "")
    for line in map(str.strip, lines):
        if line.startswith("func.func"):
            for i, argument in enumerate(re.findall(r"(%[\w-]+):", line)):
                values[argument] = f"argument{i}"
        if not line or line.startswith(("module", "return", "func.func")):
            continue
        made, text = match.groups() if (match := re.match(r"(%[\w-]+)(?::\d+)? = (.*)", line)) else (None, line)
        if text.startswith(("scf.for ", "scf.forall ")):
            regions += 1
            for i, argument in enumerate(arguments_of(text)):
                values[argument] = f"region{regions}.{i}"
        text = re.sub(r" overflow<[\w, ]*>", "", text)
        text = re.sub(r"(%[\w-]+)(#\d+)?", use, text)
        if text.startswith(COMMUTATIVE):
            name, one, other = re.match(r"(\S+) (\S+), (\S+)", text).groups()
            text = " ".join([name, *sorted((one, other))])
        if text.startswith(EFFECTS):
            effects.append(text)
            text = f"result of {len(effects)}"
        if made:
            values[made] = named(text)
    return effects


path, before, after, *passes = sys.argv[1:]
found = program(printed(extract(path, before), passes))
expected = program(printed(extract(path, after), []))
for i, (one, other) in enumerate(zip(found, expected)):
    if one != other:
        sys.exit(f"op {i} is\n  {one}\nexpected\n  {other}")
if len(found) != len(expected):
    sys.exit(f"{len(found)} ops, expected {len(expected)}")
print(f"{len(found)} ops agree")
