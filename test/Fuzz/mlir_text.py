"""Damaged MLIR text: what a fuzzer and a tired person write. The seeds are the examples and the tests of the project, as they
are written and, of the examples, as every stage leaves them: a number damaged in a configuration or a layout goes deep."""
import itertools
import math
import re
import shlex
import subprocess

import depth

TARGETS = ["sm_80", "sm_90a", "gfx942"]
STAGES = ["form-launches", "configure", "tile", "vectorize", "assign-layouts", "distribute", "lower"]
NUMBERS = ["0", "1", "-1", "2", "3", "7", "31", "33", "64", "65", "127", "1000", "4096", "65536", "100000", "1048577", "2147483647", "2147483648",
           "4294967296", "8589934592", "1099511627776", "4611686018427387904", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
           "18446744073709551616", "340282366920938463463374607431768211456"]
TYPES = ["f16", "bf16", "f32", "f64", "f80", "f128", "tf32", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "i1", "i3", "i8", "i16", "i32", "i64", "i128", "si32",
         "ui8", "index", "none", "complex<f32>", "!gpu.async.token", "vector<4xf32>", "vector<[4]xf32>", "vector<f32>", "tensor<*xf32>", "tensor<?xf32>",
         "memref<?xf32>", "memref<4xf32, strided<[?], offset: ?>>", "memref<*xf32>", "memref<4xf32, 3>", "tuple<>", "()", "(f32) -> f32"]
WORDS = ["dense<>", "dense<1.0>", "true", "unit", "#iree_gpu.lowering_config<{}>", "affine_map<() -> ()>", "affine_map<(d0) -> (d0 floordiv 0)>",
         "affine_map<(d0) -> (d0 mod 0)>", "array<i64>", "[]", "{}", "()", "<>", "\"\"", "loc(unknown)", "scf.yield", "return", "func.func", "attributes",
         "permutation", "workgroup", "reduction", "ub.poison", "arith.constant", "mask", "in_bounds", "else"]
# A number that is no part of a name or of an element type: an extent comes behind an x.
NUMBER = r"(?<![a-wyzA-Z_.%@#^\d])\d+"
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[%@#!^][\w$.-]+|\d+|[A-Za-z_][\w.$]*|->|::|[^\S\n]+|\n|.')
# Texts with the flags of distaff-opt that their tests give, and those that the stages left.
_seeds, _staged, _passes = [], [], []


def flags_of(text):
    """The flags of a test's first command, for a file that distaff-opt reads; its expectations of errors would hide the errors."""
    found = re.search(r"RUN: distaff-opt (.*?)(?: [|>&]| \d>|$)", text, re.M)
    flags = shlex.split(found[1]) if found else []
    # What lit substitutes, such as a plugin of the tests, is not there.
    return [flag for flag in flags if flag.startswith("-") and "verify-diagnostics" not in flag and "%" not in flag]


def prepare(tools):
    """Reads the seeds, and the passes from their definitions."""
    if _seeds:
        return
    examples = enumerate(sorted((tools.source / "examples").glob("*.mlir")))
    for (number, path), stage in depth.some(itertools.product(examples, STAGES[:-1]), 7):
        done = subprocess.run([tools.bin / "distaff", "compile", path, "--target", ("sm_80", "gfx942")[number % 2], "--stop-after=" + stage],
                              capture_output=True, text=True)
        if done.returncode == 0:
            _staged.append((done.stdout, []))
    for folder in ("examples", "test"):
        for path in sorted((tools.source / folder).rglob("*.mlir")):
            flags = flags_of(path.read_text())
            text = re.sub(r"^ *// expected-.*\n", "", path.read_text(), flags=re.M)
            # A file of several modules is several seeds, and so is one of several functions, each with what stands before all.
            for part in re.split(r"^// -----.*$", text, flags=re.M):
                head, *functions = re.split(r"^(?=func\.func)", part, flags=re.M)
                _seeds.extend((head + function, flags) for function in functions)
                if not functions and "func" in part:
                    _seeds.append((part, flags))
    for path in sorted((tools.source / "include" / "distaff").rglob("Passes.td")):
        for name, body in re.findall(r'def \w+\s*:\s*\w+<"(distaff-[\w-]+)"(.*?)(?=\ndef |\Z)', path.read_text(), re.S):
            _passes.append((name, '"target"' in body))
    assert len(_seeds) > 50 and len(_staged) > (5 if depth.IS_QUICK else 20) and len(_passes) > 10, (len(_seeds), len(_staged), len(_passes))


def damage(random, text):
    """One change to a text."""
    tokens = TOKEN.findall(text)
    at = random.randrange(len(tokens))
    length = random.choice([1, 1, 1, 2, 3, 8])
    # Most change a number or a type, half of these in every place at once, which gets past the parser.
    kind = random.choice([5] * 4 + [8] * 2 + [12] * 7 + [13] * 3 + [0, 1, 2, 3, 4, 9, 10, 11])
    if kind == 0:
        del tokens[at:at + length]
    elif kind == 1:
        tokens[at:at] = tokens[at:at + length]
    elif kind == 2:
        other = random.randrange(len(tokens))
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == 3:
        tokens[at] = random.choice(tokens)
    elif kind == 4:
        tokens[at] = random.choice(TOKEN.findall(random.choice(_seeds)[0]))
    elif kind == 5:
        numbers = list(re.finditer(NUMBER, text))
        if numbers:
            found = random.choice(numbers)
            return text[:found.start()] + random.choice(NUMBERS) + text[found.end():]
    elif kind == 8:
        types = list(re.finditer(r"\b(?:[fi]\d+|bf16|index|(?:vector|tensor|memref)<[^<>]*>)", text))
        if types:
            found = random.choice(types)
            return text[:found.start()] + random.choice(TYPES) + text[found.end():]
    elif kind == 9:
        tokens[at] = random.choice(WORDS)
    elif kind == 10:
        lines = text.split("\n")
        line, other = random.randrange(len(lines)), random.randrange(len(lines))
        if random.random() < 0.5:
            lines[line:line + 1] = []
        else:
            lines.insert(other, lines[line])
        return "\n".join(lines)
    elif kind == 12:
        found = random.choice(re.findall(NUMBER, text) or ["0"])
        new = random.choice(NUMBERS[:14]) if random.random() < 0.7 else random.choice(NUMBERS)
        return re.sub(r"(?<![a-wyzA-Z_.%@#^\d])" + found + r"(?![\d.])", new, text)
    elif kind == 13:
        found = random.choice(re.findall(r"(?<![a-zA-Z])(?:[fi]\d+|bf16|index)\b", text) or ["f32"])
        return re.sub(r"(?<![a-zA-Z])" + found + r"\b", random.choice(TYPES[:20]), text)
    else:
        # A group between brackets, emptied.
        groups = list(re.finditer(r"\[[^\[\]]*\]|\{[^{}\n]*\}|<[^<>]*>", text))
        if groups:
            found = random.choice(groups)
            return text[:found.start() + 1] + text[found.end() - 1:]
    return "".join(tokens)


def takes_long(text):
    """Whether an array or a grid is so large that a run, which visits every element and workgroup, takes long without being
    endless; not one that no machine holds, which is refused."""
    grid = text.partition("__grid(")[2]
    if math.prod(max(1, int(size)) for size in re.findall(r"arith\.constant (\d+) : index", grid)) > 1 << 14:
        return True
    shapes = [math.prod(map(int, re.findall(r"\d+(?=x)", shape))) for shape in re.findall(r"<((?:\d+x)+)", text)]
    return any(1 << 20 < elements < 1 << 31 for elements in shapes)


def command(random, source, output, tools, flags):
    if flags and random.random() < 0.5:
        return [tools.bin / "distaff-opt", source, *flags, "-o", output]
    target = random.choice(TARGETS)
    kind = random.randrange(10)
    if kind < 4 or 6 <= kind < 8 and takes_long(source.read_text()):
        emit = random.choice(["mlir", "llvm", "ptx", "ptx", "package"] if target != "gfx942" else ["mlir", "llvm", "gcn", "gcn", "package"])
        return [tools.bin / "distaff", "compile", source, "--target", target, "--emit", emit, "-o", output]
    if kind == 4:
        return [tools.bin / "distaff", "compile", source, "--target", target, "--stop-after=" + random.choice(STAGES), "-o", output]
    if kind == 5:
        return [tools.bin / "distaff", "explain", source, "--target", target]
    if kind < 8:
        more = random.choice([[], ["--every-stage"], ["--check"], ["--check", "--every-stage"], ["--counters"], ["--strict-fp"]])
        return [tools.bin / "distaff", "run", source, "--target", target, "--max-steps", "20000", *more]
    passes = ["--%s=target=%s" % (name, target) if takes_target else "--" + name
              for name, takes_target in random.sample(_passes, random.choice([1, 1, 2]))]
    return [tools.bin / "distaff-opt", source, *passes, "-o", output]


def case(random, folder, tools):
    text, flags = random.choice(_staged if random.random() < 0.3 else _seeds)
    for _ in range(random.choice([1, 1, 1, 2, 3, 6])):
        text = damage(random, text) or "?"
    source, output = folder / "input.mlir", folder / "output"
    source.write_text(text)
    return command(random, source, output, tools, flags), output, {}
