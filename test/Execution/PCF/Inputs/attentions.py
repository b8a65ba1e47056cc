"""Softmax and attention as plain ops of a group, and of each subgroup: a product, its softmax, and
a second product, written with linalg.softmax or by hand, all keys at a time, or a block of them
after the other with a running maximum. Halves in, floats out; also of as many rows as the run
says. Values are compared with what Python computes in double precision, after every stage by the
SIMT machine, and by the PTX machine for sm_80, whose code has a matrix instruction per product.

    python3 attentions.py OUT_DIR [options of suite.py]
"""
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = {"sm_80": 32, "gfx942": 64, "gfx1100": 32}
SUBGROUPS, ROWS, KEYS, DEPTH = 4, 32, 64, 16


def tensor(*extents, element="f32"):
    return f"tensor<{'x'.join(map(str, extents))}x{element}>"


def product(result, a, b, init, m, n, k):
    return [f"%{result} = linalg.matmul ins(%{a}, %{b} : {tensor(m, k, element='f16')}, {tensor(k, n, element='f16')}) outs(%{init} : {tensor(m, n)}) -> {tensor(m, n)}"]


def broadcast(result, a, m, n):
    return [f"%{result} = linalg.broadcast ins(%{a} : {tensor(m)}) outs(%e_{n} : {tensor(m, n)}) dimensions = [1]"]


def reduce(result, op, a, init, m, n):
    return [f"%{result} = linalg.reduce {{ arith.{op} }} ins(%{a} : {tensor(m, n)}) outs(%{init} : {tensor(m)}) dimensions = [1]"]


def softmax(m):
    """By hand: p is exp(s - max), d the sums of its rows."""
    return [*reduce("top", "maximumf", "s", "low1", m, KEYS), *broadcast("tops", "top", m, KEYS), f"%dist = arith.subf %s, %tops : {tensor(m, KEYS)}",
            f"%p = math.exp %dist : {tensor(m, KEYS)}", *reduce("d", "addf", "p", "zero1", m, KEYS)]


def half(result, a, m, n):
    return [f"%{result} = arith.truncf %{a} : {tensor(m, n)} to {tensor(m, n, element='f16')}"]


def scores(m, own):
    """softmax(q k)."""
    lines = [*product("s", "q", "k", "zero", m, KEYS, DEPTH), *softmax(m), *broadcast("ds", "d", m, KEYS), f"%r = arith.divf %p, %ds : {tensor(m, KEYS)}"]
    return lines, KEYS


def named(m, own):
    """The same by linalg.softmax, twice."""
    lines = [*product("s", "q", "k", "zero", m, KEYS, DEPTH),
             f"%r0 = linalg.softmax dimension(1) ins(%s : {tensor(m, KEYS)}) outs(%e_{KEYS} : {tensor(m, KEYS)}) -> {tensor(m, KEYS)}",
             f"%r = linalg.softmax dimension(1) ins(%r0 : {tensor(m, KEYS)}) outs(%e_{KEYS} : {tensor(m, KEYS)}) -> {tensor(m, KEYS)}"]
    return lines, KEYS


def attention(m, own):
    lines = [*product("s", "q", "k", "zero", m, KEYS, DEPTH), *softmax(m), *half("ph", "p", m, KEYS), *product("o", "ph", "v", "zero_out", m, DEPTH, KEYS),
             *broadcast("ds", "d", m, DEPTH), f"%r = arith.divf %o, %ds : {tensor(m, DEPTH)}"]
    return lines, DEPTH


def blocked(m, own):
    """16 keys at a time: what was summed is scaled when the maximum grows."""
    n = 16
    at = lambda ref, rows, columns, offsets: f"pcf.read_slice {ref}[{offsets}] [{rows}, {columns}] [1, 1]"
    lines = [f"%res:3 = scf.for %i = %c0 to %c{KEYS} step %c{n} iter_args(%o = %zero_out, %top = %low1, %d = %zero1) -> ({tensor(m, DEPTH)}, {tensor(m)}, {tensor(m)}) {{",
             f"%kb = {at('%K', DEPTH, n, '0, %i')} : !K to {tensor(DEPTH, n, element='f16')}", f"%vb = {at('%V', n, DEPTH, '%i, 0')} : !V to {tensor(n, DEPTH, element='f16')}",
             *product("s", "q", "kb", "zero_block", m, n, DEPTH), *reduce("top1", "maximumf", "s", "top", m, n), *broadcast("tops", "top1", m, n),
             f"%dist = arith.subf %s, %tops : {tensor(m, n)}", f"%p = math.exp %dist : {tensor(m, n)}",
             f"%less = arith.subf %top, %top1 : {tensor(m)}", f"%scale = math.exp %less : {tensor(m)}", f"%dscaled = arith.mulf %d, %scale : {tensor(m)}",
             *reduce("d1", "addf", "p", "dscaled", m, n), *broadcast("scales", "scale", m, DEPTH), f"%oscaled = arith.mulf %o, %scales : {tensor(m, DEPTH)}",
             *half("ph", "p", m, n), *product("o1", "ph", "vb", "oscaled", m, DEPTH, n), f"scf.yield %o1, %top1, %d1 : {tensor(m, DEPTH)}, {tensor(m)}, {tensor(m)}", "}",
             *broadcast("ds", "res#2", m, DEPTH), f"%r = arith.divf %res#0, %ds : {tensor(m, DEPTH)}"]
    return lines, DEPTH


PROGRAMS = {"scores": scores, "named": named, "attention": attention, "blocked": blocked}


def write(name, own, known, lanes):
    """The kernel; a worker has rows of its own, ROWS / SUBGROUPS of them."""
    rows = ROWS // SUBGROUPS if own else ROWS
    m = rows if known else "?"
    size = rows if known else "%size"
    lines, columns = PROGRAMS[name](m, own)
    sg = "#iree_gpu.subgroup_scope"
    dim = "" if known else "%size"
    pairs = sorted({columns, DEPTH, KEYS, 16})
    out = tensor(ROWS, columns)
    head = [f"#launch = #iree_codegen.translation_info<workgroup_size = [{SUBGROUPS * lanes}, 1, 1] subgroup_size = {lanes}>",
            f"!Q = !pcf.sref<{ROWS}x{DEPTH}xf16, {sg}>", f"!K = !pcf.sref<{DEPTH}x{KEYS}xf16, {sg}>", f"!V = !pcf.sref<{KEYS}x{DEPTH}xf16, {sg}>",
            f"!O = !pcf.sref<{ROWS}x{columns}xf32, sync({sg})>",
            f"func.func @f(%qs: {tensor(ROWS, DEPTH, element='f16')}, %ks: {tensor(DEPTH, KEYS, element='f16')}, %vs: {tensor(KEYS, DEPTH, element='f16')}, %out: {out}, %given: index) -> {out}",
            "    attributes {translation_info = #launch} {",
            *(f"%c{n} = arith.constant {n} : index" for n in sorted({0, 16, KEYS, rows})), "%z = arith.constant 0.0 : f32", "%low = arith.constant 0xFF800000 : f32",
            f"%size = arith.minui %given, %c{rows} : index",
            f"%made = pcf.{'generic' if own else 'shared_executor'} scope({sg}) execute(%Q <- %qs : {tensor(ROWS, DEPTH, element='f16')}, "
            f"%K <- %ks : {tensor(DEPTH, KEYS, element='f16')}, %V <- %vs : {tensor(KEYS, DEPTH, element='f16')}, %O = %out)"
            + ("[%id: index, %count: index]" if own else f"[%tg: !pcf.threadgroup<{sg}>]") + f" : (!Q, !K, !V, !O) -> ({out}) {{",
            *([f"%from = arith.muli %id, %c{rows} : index"] if own else []),
            f"%q = pcf.read_slice %Q[{'%from' if own else 0}, 0] [{size}, {DEPTH}] [1, 1] : !Q to {tensor(m, DEPTH, element='f16')}",
            f"%k = pcf.read_slice %K[0, 0] [{DEPTH}, {KEYS}] [1, 1] : !K to {tensor(DEPTH, KEYS, element='f16')}",
            f"%v = pcf.read_slice %V[0, 0] [{KEYS}, {DEPTH}] [1, 1] : !V to {tensor(KEYS, DEPTH, element='f16')}",
            *(f"%e_{n} = tensor.empty({dim}) : {tensor(m, n)}" for n in pairs), f"%e_ = tensor.empty({dim}) : {tensor(m)}",
            *(f"%{made} = linalg.fill ins(%z : f32) outs(%e_{n} : {tensor(m, n)}) -> {tensor(m, n)}" for made, n in (("zero", KEYS), ("zero_out", DEPTH), ("zero_block", 16))),
            f"%zero1 = linalg.fill ins(%z : f32) outs(%e_ : {tensor(m)}) -> {tensor(m)}", f"%low1 = linalg.fill ins(%low : f32) outs(%e_ : {tensor(m)}) -> {tensor(m)}"]
    return "\n".join([*head, *lines, f"pcf.write_slice %r into %O[{'%from' if own else 0}, 0] [{size}, {columns}] [1, 1] : {tensor(m, columns)} into !O",
                      "pcf.return", "}", f"return %made : {out}", "}"]) + "\n"


def evaluate(name, q, k, v):
    made = []
    for row in q:
        s = [sum(row[c] * k[c * KEYS + j] for c in range(DEPTH)) for j in range(KEYS)]
        for _ in range(2 if name == "named" else 1):
            p = [math.exp(x - max(s)) for x in s]
            s = [x / sum(p) for x in p]
        made += s if name in ("scores", "named") else [sum(s[j] * v[j * DEPTH + c] for j in range(KEYS)) for c in range(DEPTH)]
    return made


def runs(chosen):
    rng = random.Random(1)
    draw = lambda count: [rng.randint(-24, 24) / 16 for _ in range(count)]
    q, k, v = draw(ROWS * DEPTH), draw(DEPTH * KEYS), draw(KEYS * DEPTH)
    files = [npy.write(chosen.out / f"{name}.npy", "f16", shape, values)
             for name, shape, values in (("q", (ROWS, DEPTH), q), ("k", (DEPTH, KEYS), k), ("v", (KEYS, DEPTH), v))]
    for number, (name, own, known) in enumerate((name, own, known) for name in PROGRAMS for own in (False, True) for known in (True, False)):
        rows = ROWS // SUBGROUPS if own else ROWS
        if own and not known:
            continue  # Rows that no worker has are written by none.
        size = rows if known else rows - 5
        expected = evaluate(name, [q[i * DEPTH:(i + 1) * DEPTH] for i in range(ROWS if known else size)], k, v)
        for target, lanes in TARGETS.items():
            path = chosen.out / f"{name}-{'workers' if own else 'group'}-{'known' if known else 'dynamic'}-{target}.mlir"
            path.write_text(write(name, own, known, lanes))
            for device, flags in (("simt", ["--pipeline", "run-cluster", "--every-stage", "--schedule", str(number)]), ("ptx", ["--device", "ptx"])):
                if device == "ptx" and target != "sm_80":
                    continue
                file = path.with_suffix(f".{device}.npy")
                before = None
                if device == "ptx" and known:
                    products = 1 if name in ("scores", "named") else 2

                    def says(text, products=products):
                        return None if text.count("mma.sync") >= products else f"{text.count('mma.sync')} matrix instructions"
                    before = ([chosen.distaff, "compile", str(path), "--target", target, "--emit", "ptx"], says)

                def after(file=file, expected=expected):
                    made = npy.read(file, "f32")[:len(expected)]
                    worst = max(abs(a - b) for a, b in zip(made, expected))
                    return None if worst < 2e-3 else f"an error of {worst}"

                given = [flag for position, source in enumerate(files) for flag in ("--input", f"arg{position}={source}")]
                yield suite.Run(path.stem + f" {device}", [chosen.distaff, "run", str(path), "--target", target, "--check", *flags, *given, "--input", f"arg4={size}",
                                                           "--output", f"res0={file}"], before=before, after=after, compares=False)


chosen = suite.options()
suite.main(list(runs(chosen)), chosen, 4)
