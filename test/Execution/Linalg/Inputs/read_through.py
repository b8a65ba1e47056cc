"""Elementwise ops whose elements are read at computed positions: one launch, and the same values.

usage: read_through.py OUT_DIR [--seeds FIRST:LAST] [options of suite.py]

A case is an elementwise chain, what reads it, extents and a target. All of them are compared with the reference, which
runs the program as it is written; where the chain may be computed where it is read, there is one launch.
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

TARGETS = ("sm_80", "gfx942", "gfx1100", "sm_90a")
ZERO = "%zero = arith.constant 0.0 : f32\n"


def dims_of(value, type, sizes):
    """Names for the dynamic extents of a value."""
    if not sizes:
        return "", ""
    lines = "".join(f"  %{value}{d} = tensor.dim %{value}, %c{d} : {type}\n" for d in range(2))
    return lines, f"%{value}0, %{value}1"


def generic(result, ins, maps, out, type, body, sizes=""):
    """An elementwise op of two loops; ins: (name, type)."""
    element = type[type.rindex("x") + 1:-1]
    arguments = [f"%a{i}: {t[t.rindex('x') + 1:-1]}" for i, (_, t) in enumerate(ins)] + [f"%o: {element}"]
    clause = f"ins({', '.join('%' + n for n, _ in ins)} : {', '.join(t for _, t in ins)})" if ins else ""
    return (f"  %{out} = tensor.empty({sizes}) : {type}\n"
            f"  %{result} = linalg.generic {{indexing_maps = [{', '.join(f'affine_map<(i, j) -> ({m})>' for m in [*maps, 'i, j'])}], "
            f"iterator_types = [\"parallel\", \"parallel\"]}} {clause} outs(%{out} : {type}) {{\n"
            f"  ^bb0({', '.join(arguments)}):\n{body}  }} -> {type}\n")


class Chain:
    """Lines that make %y from arguments, of the type `type`; `inputs` names what they read."""

    def __init__(self, kind, m, n, dynamic):
        self.kind, self.m, self.n = kind, m, n
        self.type = "tensor<?x?xf32>" if dynamic else f"tensor<{m}x{n}xf32>"
        self.row = "tensor<?xf32>" if dynamic else f"tensor<{n}xf32>"
        self.turned = "tensor<?x?xf32>" if dynamic else f"tensor<{n}x{m}xf32>"
        self.lines, self.sizes = dims_of("x", self.type, dynamic)
        self.arguments, self.shapes = [f"%x: {self.type}"], [(m, n)]
        getattr(self, kind)()

    def add(self, result, ins, maps, body):
        self.lines += generic(result, ins, maps, f"e_{result}", self.type, body, self.sizes)

    def more(self, name, type, shape):
        self.arguments.append(f"%{name}: {type}")
        self.shapes.append(shape)

    def relu(self):
        self.add("y", [("x", self.type)], ["i, j"], "    %r = arith.maximumf %a0, %zero : f32\n    linalg.yield %r : f32\n")

    def chain(self):
        self.add("h", [("x", self.type)], ["i, j"], "    %r = arith.mulf %a0, %a0 : f32\n    linalg.yield %r : f32\n")
        self.add("y", [("h", self.type), ("x", self.type)], ["i, j", "i, j"], "    %r = arith.subf %a0, %a1 : f32\n    linalg.yield %r : f32\n")

    def exp(self):
        self.lines += f"  %y = math.exp %x : {self.type}\n"

    def bias(self):
        self.more("b", self.row, (self.n,))
        self.add("y", [("x", self.type), ("b", self.row)], ["i, j", "j"], "    %r = arith.addf %a0, %a1 : f32\n    linalg.yield %r : f32\n")

    def sum(self):
        self.more("b", self.type, (self.m, self.n))
        self.lines += f"  %y = arith.addf %x, %b : {self.type}\n"

    def turn(self):
        """What is read lies the other way round."""
        self.arguments, self.shapes = [f"%x: {self.turned}"], [(self.n, self.m)]
        if self.sizes:
            self.sizes = "%x1, %x0"
        self.add("y", [("x", self.turned)], ["j, i"], "    %r = arith.negf %a0 : f32\n    linalg.yield %r : f32\n")

    def where(self):
        """Its own position is part of the value."""
        self.add("y", [("x", self.type)], ["i, j"], "    %i = linalg.index 0 : index\n    %j = linalg.index 1 : index\n    %k = arith.constant 3 : index\n"
                 "    %s = arith.muli %i, %k : index\n    %t = arith.addi %s, %j : index\n    %u = arith.index_cast %t : index to i32\n"
                 "    %v = arith.sitofp %u : i32 to f32\n    %r = arith.addf %a0, %v : f32\n    linalg.yield %r : f32\n")

    def padded(self):
        """What is read is read at positions itself: x, one further down, with -1 above it."""
        self.lines += ("  %minus = arith.constant -1.0 : f32\n  %one = arith.constant 1 : index\n"
                       f"  %h = tensor.extract_slice %x[0, 0] [{self.m - 1}, {self.n}] [1, 1] : {self.type} to tensor<{self.m - 1}x{self.n}xf32>\n"
                       f"  %y = tensor.pad %h low[1, 0] high[0, 0] {{\n  ^bb0(%i: index, %j: index):\n    tensor.yield %minus : f32\n  }} : tensor<{self.m - 1}x{self.n}xf32> to {self.type}\n")


def pad(chain, rng):
    low, high = [rng.randrange(4) for _ in range(2)], [rng.randrange(4) for _ in range(2)]
    type = "tensor<?x?xf32>" if "?" in chain.type else f"tensor<{chain.m + low[0] + high[0]}x{chain.n + low[1] + high[1]}xf32>"
    return (f"  %r = tensor.pad %y low{low} high{high} {{\n  ^bb0(%i: index, %j: index):\n    tensor.yield %zero : f32\n  }} : {chain.type} to {type}\n", type, [])


def concat(chain, rng):
    rows = rng.randrange(5)
    part = f"tensor<{rows}x?xf32>" if "?" in chain.type else f"tensor<{rows}x{chain.n}xf32>"
    type = "tensor<?x?xf32>" if "?" in chain.type else f"tensor<{chain.m + rows}x{chain.n}xf32>"
    parts = [("y", chain.type), ("c", part)]
    rng.shuffle(parts)
    return f"  %r = tensor.concat dim(0) {', '.join('%' + n for n, _ in parts)} : ({', '.join(t for _, t in parts)}) -> {type}\n", type, [("c", part, (rows, chain.n))]


def insert(chain, rng):
    """Strided, into something larger that is made elementwise as well."""
    step, at = rng.randrange(1, 3), rng.randrange(3)
    m, n = chain.m * step + at + 1, chain.n + 2
    type = f"tensor<{m}x{n}xf32>"
    if "?" in chain.type:
        return pad(chain, rng)
    return (f"  %d2 = arith.negf %d : {type}\n  %r = tensor.insert_slice %y into %d2[{at}, 1] [{chain.m}, {chain.n}] [{step}, 1] : {chain.type} into {type}\n", type, [("d", type, (m, n))])


def gather(chain, rng):
    """Rows by positions that may count from the end, as exporters write it."""
    rows = rng.randrange(1, 20)
    type = f"tensor<{rows}x?xf32>" if "?" in chain.type else f"tensor<{rows}x{chain.n}xf32>"
    size = f"  %ysize = tensor.dim %y, %c1 : {chain.type}\n" if "?" in chain.type else ""
    return (f"  %extent = tensor.dim %y, %c0 : {chain.type}\n{size}"
            f"  %e_r = tensor.empty({'%ysize' if size else ''}) : {type}\n"
            f"  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]}} ins(%p : tensor<{rows}xi32>) outs(%e_r : {type}) {{\n"
            "  ^bb0(%a: i32, %o: f32):\n    %k = arith.index_cast %a : i32 to index\n    %back = arith.addi %k, %extent : index\n    %isBack = arith.cmpi slt, %k, %c0 : index\n"
            f"    %at = arith.select %isBack, %back, %k : index\n    %j = linalg.index 1 : index\n    %v = tensor.extract %y[%at, %j] : {chain.type}\n    linalg.yield %v : f32\n  }} -> {type}\n",
            type, [("p", f"tensor<{rows}xi32>", (rows,), f"whole:7:{-chain.m}:{chain.m - 1}")])


def late(chain, rng):
    """The condition stands behind what it guards."""
    if "?" in chain.type:
        return concat(chain, rng)
    m, n = chain.m, chain.n
    type = f"tensor<{m}x{n}xf32>"
    return ("  %e_r = tensor.empty() : " + type + "\n"
            f"  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]}} outs(%e_r : {type}) {{\n"
            f"  ^bb0(%o: f32):\n    %i = linalg.index 0 : index\n    %j = linalg.index 1 : index\n    %v = tensor.extract %y[%i, %j] : {type}\n"
            f"    %half = arith.constant {m // 2} : index\n    %in = arith.cmpi slt, %i, %half : index\n    %w = arith.select %in, %v, %zero : f32\n    linalg.yield %w : f32\n  }} -> {type}\n", type, [])


def pool(chain, rng):
    """Maxima of a window, with zeros around."""
    if "?" in chain.type:
        return pad(chain, rng)
    m, n = chain.m, chain.n
    return (f"  %w = tensor.pad %y low[1, 1] high[1, 1] {{\n  ^bb0(%i: index, %j: index):\n    tensor.yield %zero : f32\n  }} : {chain.type} to tensor<{m + 2}x{n + 2}xf32>\n"
            f"  %low = arith.constant 0xFF800000 : f32\n  %e_r = tensor.empty() : tensor<{m}x{n}xf32>\n  %f_r = linalg.fill ins(%low : f32) outs(%e_r : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>\n"
            f"  %k = tensor.empty() : tensor<3x3xf32>\n"
            f"  %r = linalg.generic {{indexing_maps = [affine_map<(i, j, k, l) -> (i + k, j + l)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, j)>], "
            f"iterator_types = [\"parallel\", \"parallel\", \"reduction\", \"reduction\"]}} ins(%w, %k : tensor<{m + 2}x{n + 2}xf32>, tensor<3x3xf32>) outs(%f_r : tensor<{m}x{n}xf32>) {{\n"
            f"  ^bb0(%a: f32, %unused: f32, %o: f32):\n    %v = arith.maximumf %a, %o : f32\n    linalg.yield %v : f32\n  }} -> tensor<{m}x{n}xf32>\n", f"tensor<{m}x{n}xf32>", [])


def split(chain, rng):
    """The product of two slices that may overlap."""
    dynamic = "?" in chain.type
    wide = rng.randrange(1, min(chain.n, 3) + 1 if dynamic else chain.n + 1)
    at = [rng.randrange(chain.n - wide + 1) for _ in range(2)]
    type = f"tensor<?x{wide}xf32>" if dynamic else f"tensor<{chain.m}x{wide}xf32>"
    size = f"  %rows = tensor.dim %y, %c0 : {chain.type}\n" if dynamic else ""
    part = lambda name, at: f"  %{name} = tensor.extract_slice %y[0, {at}] [{'%rows' if dynamic else chain.m}, {wide}] [1, 1] : {chain.type} to {type}\n"
    return f"{size}{part('a', at[0])}{part('b2', at[1])}  %r = arith.mulf %a, %b2 : {type}\n", type, []


CHAINS = ["relu", "chain", "exp", "bias", "sum", "turn", "where", "padded"]
READERS = [pad, concat, insert, gather, late, pool, split]


def is_one_launch(chain, reader, dynamic):
    """Where all is computed where it is read: not what a window reads nine times over, unless it is cheap; not what a
    launch checks to be alike; not what is read before it is known to be wanted."""
    if reader is late:
        return False
    if dynamic and chain.kind in ("sum", "bias"):
        return False
    return reader is not pool or chain.kind in ("relu", "bias", "turn", "where", "padded")


def draw(seed):
    rng = random.Random(seed)
    kind, reader, dynamic = rng.choice(CHAINS), rng.choice(READERS), rng.random() < 0.4
    dynamic = dynamic and kind != "padded"
    least = 1 if kind == "padded" or reader in (gather, late, pool, split) else 0
    m, n = [max(least, rng.choice([0, 1, 2, 5, 17, 32, 33, 61, 100])) for _ in range(2)]
    chain = Chain(kind, m, n, dynamic)
    lines, type, extra = reader(chain, rng)
    arguments = ", ".join([*chain.arguments, *(f"%{e[0]}: {e[1]}" for e in extra)])
    text = (f"func.func @kernel({arguments}) -> {type} {{\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  {ZERO}{chain.lines}{lines}  return %r : {type}\n}}\n")
    flags, shapes = [], chain.shapes + [e[2] for e in extra]
    types = [a.split(": ")[1] for a in chain.arguments] + [e[1] for e in extra]
    for number, (shape, of) in enumerate(zip(shapes, types)):
        if "?" in of:
            flags.append(f"--shape=arg{number}={'x'.join(map(str, shape))}")
    for number, e in enumerate(extra):
        if len(e) > 3:
            flags.append(f"--input=arg{len(chain.shapes) + number}={e[3]}")
    return f"{seed} {kind} {reader.__name__} {m}x{n}{' dynamic' if dynamic else ''}", chain, reader, dynamic, text, flags


def launches_of(chosen, path, target):
    done = suite.execute([chosen.distaff, "compile", str(path), "--target", target, "--stop-after", "configure", "-o", "-"])
    return done.stdout.count("kernel = ") or 1 if done.returncode == 0 else done.stderr[:400]


def check_alike(chosen):
    """Extents of the two that are added are compared, though neither is read as it lies."""
    chain = Chain("sum", 3, 5, True)
    lines, type, _ = pad(chain, random.Random(0))
    path = chosen.out / "alike.mlir"
    path.write_text(f"func.func @kernel({', '.join(chain.arguments)}) -> {type} {{\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  {ZERO}{chain.lines}{lines}  return %r : {type}\n}}\n")
    wrong = []
    for shape, status in (("3x5", 0), ("3x4", 1), ("2x5", 1)):
        done = suite.execute([chosen.distaff, "run", str(path), "--target", "sm_80", "--check", "--shape=arg0=3x5", f"--shape=arg1={shape}"])
        if done.returncode != status or (status and "their extents differ" not in done.stderr):
            wrong.append(f"sum of 3x5 and {shape}: exit {done.returncode} {done.stderr[:300]}")
    return wrong


def seeds_of():
    if "--seeds" not in sys.argv:
        return range(120)
    at = sys.argv.index("--seeds")
    first, last = sys.argv[at + 1].split(":")
    del sys.argv[at:at + 2]
    return range(int(first), int(last))


if __name__ == "__main__":
    seeds = seeds_of()
    chosen = suite.options()
    runs, wrong = [], [] if chosen.only else check_alike(chosen)
    for seed in seeds:
        label, chain, reader, dynamic, text, flags = draw(seed)
        if chosen.only and chosen.only not in label:
            continue
        path = chosen.out / f"{seed}.mlir"
        path.write_text(text)
        target = TARGETS[seed % len(TARGETS)]
        runs.append(suite.Run(f"{label} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", *flags], compares=False))
        if is_one_launch(chain, reader, dynamic) and (count := launches_of(chosen, path, target)) != 1:
            wrong.append(f"{label}: {count} launches")
    if wrong:
        sys.exit("\n".join(wrong))
    suite.main(runs, chosen, one_in=7)
