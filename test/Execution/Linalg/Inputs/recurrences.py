"""Loops around tensors that stay loops: scans from the end, running averages, histograms, sums at computed rows.

usage: recurrences.py OUT_DIR [options of suite.py]

The reference walks the loop in exact integers; floats are whole numbers, or are rounded after each operation. Places
are read and written forwards and backwards, time is any dim, channels are none, one or two, extents static or of the
launch, what memory starts from is nothing, a number or an argument.
"""
import itertools
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

MACHINES = {"sm_80": ["--target", "sm_80"], "gfx942": ["--target", "gfx942"], "ptx": ["--target", "sm_80", "--device", "ptx"],
            "host": ["--target", "host", "--device", "host"], "core": ["--target", "host:avx2"]}


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def wrap(x):
    return (x + (1 << 31)) % (1 << 32) - (1 << 31)


def tensor(shape, element):
    return "tensor<" + "".join(f"{'?' if d is None else d}x" for d in shape) + element + ">"


class Case:
    """Text, inputs, and what comes out: row-major lists by name."""

    def __init__(self, name, text, inputs, wanted):
        self.name, self.text, self.inputs, self.wanted = name, text, inputs, wanted


def scan(n, c, read, write, time, element, is_dynamic, seed):
    """Running sums along one dim; place n-1-i where read or write is "back"."""
    rng = random.Random(seed)
    add = "arith.addi" if element == "i32" else "arith.addf"
    values = [[rng.randint(-9, 9) for _ in range(c)] for _ in range(n)]
    known = lambda extent: None if is_dynamic else extent
    shape = [known(n), known(c)] if time == 0 else [known(c), known(n)]
    whole, row = tensor(shape, element), tensor([known(c)], element)
    at = lambda place, size: f"[{place}, 0] [1, {size}] [1, 1]" if time == 0 else f"[0, {place}] [{size}, 1] [1, 1]"
    size = "%m" if is_dynamic else c
    zero = "0" if element == "i32" else "0.0"
    empty = f"tensor.empty({'%n, %m' if time == 0 else '%m, %n'}) : {whole}" if is_dynamic else f"tensor.empty() : {whole}"
    text = f"""func.func @scan(%v: {whole}) -> {whole} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %v, %c{time} : {whole}
  %m = tensor.dim %v, %c{1 - time} : {whole}
  %l = arith.subi %n, %c1 : index
  %s = arith.constant {zero} : {element}
  %ze = tensor.empty({'%m' if is_dynamic else ''}) : {row}
  %a = linalg.fill ins(%s : {element}) outs(%ze : {row}) -> {row}
  %e = {empty}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %a, %o = %e) -> ({row}, {whole}) {{
    %p = arith.subi %l, %i : index
    %x = tensor.extract_slice %v{at('%p' if read == 'back' else '%i', size)} : {whole} to {row}
    %c = {add} %x, %sum : {row}
    %q = tensor.insert_slice %c into %o{at('%p' if write == 'back' else '%i', size)} : {row} into {whole}
    scf.yield %c, %q : {row}, {whole}
  }}
  return %r#1 : {whole}
}}
"""
    out, sums = [[0] * c for _ in range(n)], [0] * c
    for i in range(n):
        sums = [a + b for a, b in zip(sums, values[n - 1 - i if read == "back" else i])]
        out[n - 1 - i if write == "back" else i] = sums
    flat = lambda rows: [x for row in rows for x in row] if time == 0 else [rows[i][j] for j in range(c) for i in range(n)]
    extents = (n, c) if time == 0 else (c, n)
    return Case(f"scan_{read}_{write}_{n}x{c}_{time}_{element}_{is_dynamic}", text, {"arg0": (element, extents, flat(values))},
                {"res0": (element, flat(out))})


def average(n, shape, first, step, seed):
    """s = a * s + x, every `step`th place from `first` on; the rest keeps what was there; the last s is a result, too."""
    rng = random.Random(seed)
    count = 1
    for extent in shape:
        count *= extent
    values = [[single(rng.uniform(-1, 1)) for _ in range(count)] for _ in range(n)]
    base = [[float(rng.randint(-4, 4)) for _ in range(count)] for _ in range(n)]
    whole, row, piece = tensor([n, *shape], "f32"), tensor(shape, "f32"), tensor([1, *shape], "f32")
    at = "[%t" + ", 0" * len(shape) + "] [1" + "".join(f", {d}" for d in shape) + "] [1" + ", 1" * len(shape) + "]"
    dims = ", ".join(f"d{i}" for i in range(len(shape) + 1))
    same = f"affine_map<({dims}) -> ({dims})>"
    kinds = ", ".join(['"parallel"'] * (len(shape) + 1))
    text = f"""func.func @average(%x: {whole}, %b: {whole}, %a: f32) -> ({whole}, {piece}) {{
  %z = arith.constant 1.0 : f32
  %c0 = arith.constant {first} : index
  %c1 = arith.constant {step} : index
  %n = arith.constant {n} : index
  %e0 = tensor.empty() : {piece}
  %s0 = linalg.fill ins(%z : f32) outs(%e0 : {piece}) -> {piece}
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%s = %s0, %o = %b) -> ({piece}, {whole}) {{
    %xt = tensor.extract_slice %x{at} : {whole} to {piece}
    %s1 = linalg.generic {{indexing_maps = [{same}, {same}, {same}], iterator_types = [{kinds}]}} ins(%s, %xt : {piece}, {piece}) outs(%e0 : {piece}) {{
    ^bb0(%p: f32, %q: f32, %u: f32):
      %m = arith.mulf %p, %a : f32
      %y = arith.addf %m, %q : f32
      linalg.yield %y : f32
    }} -> {piece}
    %o1 = tensor.insert_slice %s1 into %o{at} : {piece} into {whole}
    scf.yield %s1, %o1 : {piece}, {whole}
  }}
  return %r#1, %r#0 : {whole}, {piece}
}}
"""
    state = [1.0] * count
    out = [list(row) for row in base]
    for t in range(first, n, step):
        state = [single(single(s * 0.5) + x) for s, x in zip(state, values[t])]
        out[t] = state
    flat = lambda rows: [x for row in rows for x in row]
    inputs = {"arg0": ("f32", (n, *shape), flat(values)), "arg1": ("f32", (n, *shape), flat(base)), "arg2": 0.5}
    return Case(f"average_{n}_{'x'.join(map(str, shape))}_{first}_{step}", text, inputs, {"res0": ("f32", flat(out)), "res1": ("f32", state)})


def histogram(n, bins, start, seed):
    rng = random.Random(seed)
    values = [rng.randrange(bins) for _ in range(n)]
    base = [rng.randint(-5, 5) for _ in range(bins)]
    init = {"zero": f"%f = linalg.fill ins(%z : i32) outs(%e : tensor<{bins}xi32>) -> tensor<{bins}xi32>",
            "argument": f"%f = tensor.cast %b : tensor<{bins}xi32> to tensor<{bins}xi32>"}[start]
    text = f"""func.func @hist(%x: tensor<{n}xi32>, %b: tensor<{bins}xi32>) -> tensor<{bins}xi32> {{
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {n} : index
  %e = tensor.empty() : tensor<{bins}xi32>
  {init}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %f) -> (tensor<{bins}xi32>) {{
    %v = tensor.extract %x[%i] : tensor<{n}xi32>
    %at = arith.index_cast %v : i32 to index
    %o = tensor.extract %h[%at] : tensor<{bins}xi32>
    %s = arith.addi %o, %one : i32
    %p = tensor.insert %s into %h[%at] : tensor<{bins}xi32>
    scf.yield %p : tensor<{bins}xi32>
  }}
  return %r : tensor<{bins}xi32>
}}
"""
    counts = list(base) if start == "argument" else [0] * bins
    for value in values:
        counts[value] += 1
    return Case(f"histogram_{n}_{bins}_{start}", text, {"arg0": ("i32", (n,), values), "arg1": ("i32", (bins,), base)}, {"res0": ("i32", counts)})


def scatter(tokens, rows, columns, op, element, seed):
    """g[idx[t], :] = op(g[idx[t], :], dy[t, :])."""
    rng = random.Random(seed)
    places = [rng.randrange(rows) for _ in range(tokens)]
    terms = [[rng.randint(-9, 9) for _ in range(columns)] for _ in range(tokens)]
    zero = "0" if element == "i32" else "0.0"
    whole, piece = tensor([rows, columns], element), tensor([1, columns], element)
    text = f"""func.func @scatter(%idx: tensor<{tokens}xi32>, %dy: {tensor([tokens, columns], element)}) -> {whole} {{
  %z = arith.constant {zero} : {element}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {tokens} : index
  %e = tensor.empty() : {whole}
  %f = linalg.fill ins(%z : {element}) outs(%e : {whole}) -> {whole}
  %r = scf.for %t = %c0 to %n step %c1 iter_args(%g = %f) -> {whole} {{
    %i = tensor.extract %idx[%t] : tensor<{tokens}xi32>
    %ii = arith.index_cast %i : i32 to index
    %row = tensor.extract_slice %g[%ii, 0] [1, {columns}] [1, 1] : {whole} to {piece}
    %d = tensor.extract_slice %dy[%t, 0] [1, {columns}] [1, 1] : {tensor([tokens, columns], element)} to {piece}
    %s = {op} %row, %d : {piece}
    %g2 = tensor.insert_slice %s into %g[%ii, 0] [1, {columns}] [1, 1] : {piece} into {whole}
    scf.yield %g2 : {whole}
  }}
  return %r : {whole}
}}
"""
    compute = {"arith.addf": lambda a, b: a + b, "arith.addi": lambda a, b: wrap(a + b), "arith.maxsi": max, "arith.subf": lambda a, b: a - b}[op]
    out = [[0] * columns for _ in range(rows)]
    for place, term in zip(places, terms):
        out[place] = [compute(a, b) for a, b in zip(out[place], term)]
    flat = lambda rows: [x for row in rows for x in row]
    return Case(f"scatter_{tokens}_{rows}x{columns}_{op}_{element}", text,
                {"arg0": ("i32", (tokens,), places), "arg1": (element, (tokens, columns), flat(terms))}, {"res0": (element, flat(out))})


def carried(shape, steps, seed):
    """h = x - h, in each of some steps: what a loop carries has units before, behind and among its dims."""
    rng = random.Random(seed)
    count = 1
    for extent in shape:
        count *= extent
    values = [float(rng.randint(-9, 9)) for _ in range(count)]
    whole = tensor(shape, "f32")
    text = f"""func.func @carried(%x: {whole}, %n: index) -> {whole} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> {whole} {{
    %y = arith.subf %x, %h : {whole}
    scf.yield %y : {whole}
  }}
  return %r : {whole}
}}
"""
    return Case(f"carried_{'x'.join(map(str, shape))}_{steps}", text, {"arg0": ("f32", shape, values), "arg1": steps},
                {"res0": ("f32", [0.0] * count if steps % 2 else values)})


def cases():
    seed = 0
    for read, write in itertools.product(("on", "back"), repeat=2):
        for n, c, time, element, is_dynamic in ((333, 5, 0, "i32", False), (150, 70, 1, "f32", False), (301, 33, 0, "f32", True), (40, 1, 1, "i32", True)):
            seed += 1
            yield scan(n, c, read, write, time, element, is_dynamic, seed)
    for n, shape, first, step in ((2000, (32,), 0, 1), (130, (3, 40), 3, 1), (300, (65,), 1, 2), (200, (1, 7), 0, 1), (140, (), 0, 1)):
        yield average(n, shape, first, step, n)
    for n, bins, start in ((1000, 16, "zero"), (1000, 16, "argument"), (77, 1, "zero")):
        yield histogram(n, bins, start, n)
    for tokens, rows, columns, op, element in ((40, 100, 32, "arith.addf", "f32"), (300, 7, 100, "arith.subf", "f32"), (90, 3, 5, "arith.maxsi", "i32"),
                                               (200, 50, 1, "arith.addi", "i32")):
        yield scatter(tokens, rows, columns, op, element, tokens)
    for number, shape in enumerate(((33, 1), (1, 33), (33, 1, 1), (2, 9, 1), (1, 17, 1))):
        yield carried(shape, 7 + number, number)


def run_of(case, machine, chosen):
    path = chosen.out / f"{case.name}.mlir"
    path.write_text(case.text)
    command = [chosen.distaff, "run", str(path), *MACHINES[machine], "--check"]
    for name, value in case.inputs.items():
        if isinstance(value, tuple):
            value = npy.write(path.with_suffix(f".{machine}.{name}.npy"), *value)
        command.append(f"--input={name}={value}")
    files = {name: path.with_suffix(f".{machine}.{name}.npy") for name in case.wanted}
    command += [f"--output={name}={file}" for name, file in files.items()]

    def wrong():
        for name, (element, values) in case.wanted.items():
            got = npy.read(files[name], element)
            # A product and a sum may be one operation.
            near = case.name.startswith("average")
            for at, (one, other) in enumerate(zip(got, values, strict=True)):
                if one != other and not (near and abs(one - other) <= 1e-6 * max(1, abs(other))):
                    return f"{name}: element {at} is {one}, expected {other}"
        return None
    # An access out of bounds that memory hides is found by the machine.
    is_staged = case.name.startswith("carried") and "--device" not in command
    return suite.Run(f"{case.name} {machine}", command + ["--stages=lower" if machine == "core" else "--every-stage"] * is_staged, after=wrong, compares=is_staged)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main([run_of(case, machine, chosen) for case in cases() for machine in MACHINES
                if machine != "core" or case.name.startswith("carried")], chosen, one_in=5)
