"""Kernels drawn at random along the pipeline run-cluster: a contraction of one or two sums
and up to two batches, its operands and results turned, repeated along batches or a
constant, one operand twice, stored in another type, of several types, with static and
dynamic extents, tiles of the user's, and ops on elements before it, for its start and
after it, of which several are returned. Numbers are whole and small, so results are exact: they are compared with what is computed here element by
element, and every stage with the machine's own answer.

    python3 random_kernels.py OUT_DIR [--points N] [--seed S] [--target T] [--specialize S] [--distaff PATH]
"""
import itertools
import math
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
from pipeline_passes import read_flags

options = read_flags(points=100, seed=2026, target="sm_80", specialize="none")

# Of an operand, of the sum, and of what is computed of the sum.
TYPES = [("f16", "f32", "f16"), ("f16", "f32", "f64"), ("bf16", "f32", "f32"), ("f32", "f32", "f32"), ("f64", "f64", "f32"), ("i8", "i32", "i32"), ("i32", "i32", "i64")]
# In what else an operand may be stored.
STORED = {"f16": ["i8", "f32"], "bf16": ["i8", "f32"], "f32": ["f16", "i8", "bf16"], "f64": ["f32", "i32"], "i8": ["i32"], "i32": ["i8", "i64"]}
LIMIT = 8  # of a number before it is multiplied, and of one that is narrow


class Tensor:
    """A value of the kernel: its name, the loops of its dims, and its elements."""

    def __init__(self, name, loops, element, shape, at):
        self.name, self.loops, self.element, self.shape, self.at = name, loops, element, shape, at

    @property
    def type(self):
        return f"tensor<{''.join(f'{extent}x' for extent in self.shape)}{self.element}>"


class Kernel:
    def __init__(self, seed):
        self.rng, self.lines, self.arguments, self.names = random.Random(seed), [], [], 0
        self.element, self.sum, self.wide = self.rng.choice(TYPES)
        batches = ["a", "b"][:self.rng.choice([0, 0, 1, 1, 2])]
        sums = ["k", "l"][:self.rng.choice([1, 1, 1, 2])]
        self.extents = {loop: self.rng.choice([1, 2, 3]) for loop in batches}
        self.extents |= {loop: self.rng.choice([1, 4, 17, 33, 64]) for loop in "mn"}
        self.extents |= {"n": self.extents["m"]} if self.rng.random() < 0.2 else {}
        self.extents |= {loop: self.rng.choice([1, 3, 16, 40, 65]) for loop in sums}
        self.extents |= {sums[0]: self.rng.choice([0, 5, 8, 70])} if self.rng.random() < 0.1 else {}
        while math.prod(self.extents.values()) > 60000:
            most = max(self.extents, key=self.extents.get)
            self.extents[most] = self.extents[most] // 2 + 1
        # One without a number is written down as such somewhere else.
        self.dynamic = {loop for loop, extent in self.extents.items() if extent == 0 or self.rng.random() < 0.3}
        self.places = {}  # of a dynamic loop, in an argument
        self.batches, self.sums = batches, sums

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def argument(self, loops, element):
        number, extents = len(self.arguments), [self.extents[loop] for loop in loops]
        values = [self.rng.randint(-2, 2) for _ in range(math.prod(extents))]
        shape = ["?" if loop in self.dynamic else extent for loop, extent in zip(loops, extents)]
        for dim, loop in enumerate(loops):
            self.places.setdefault(loop, (number, dim))

        result = Tensor(f"%arg{number}", loops, element, shape, self.reader(loops, extents, values))
        self.arguments.append((result, extents, values))
        return result

    def reader(self, loops, extents, values):
        def at(where):
            place = 0
            for loop, extent in zip(loops, extents):
                place = place * extent + where[loop]
            return values[place]
        return at

    def known(self, loops, element):
        """An argument that has these extents, perhaps along other loops."""
        wanted = [self.extents[loop] for loop in loops]
        for tensor, extents, values in self.arguments:
            if tensor.element == element and extents == wanted and not any(loop in self.dynamic for loop in [*loops, *tensor.loops]):
                return Tensor(tensor.name, loops, element, tensor.shape, self.reader(loops, extents, values))
        return None

    def empty(self, loops, element):
        shape = ["?" if loop in self.dynamic else self.extents[loop] for loop in loops]
        result = Tensor(self.name(), loops, element, shape, None)
        sizes = ", ".join(f"%size_{loop}" for loop in loops if loop in self.dynamic)
        self.lines.append(f"{result.name} = tensor.empty({sizes}) : {result.type}")
        return result

    def some(self, loops, least=None):
        """Some of the loops, in any order."""
        return self.rng.sample(loops, self.rng.randint(1 if least is None else least, len(loops)))

    def turn(self, loops, chance):
        return self.rng.sample(loops, len(loops)) if self.rng.random() < chance else list(loops)

    def constant(self, loops, element):
        value = self.rng.randint(-2, 2)
        result = Tensor(self.name(), loops, element, [self.extents[loop] for loop in loops], lambda where: value)
        self.lines.append(f"{result.name} = arith.constant dense<{number(value, element)}> : {result.type}")
        return result

    def other(self, loops, element):
        loops = self.some(loops, 0 if self.rng.random() < 0.1 else None)
        isStatic = not any(loop in self.dynamic for loop in loops)
        if isStatic and self.rng.random() < 0.3:
            return self.constant(loops, element)
        known = self.known(loops, element) if self.rng.random() < 0.5 else None
        return known or self.argument(loops, element)

    def map(self, loops, tensor):
        return f"affine_map<({', '.join(loops)}) -> ({', '.join(tensor.loops)})>"

    def elementwise(self, source, element, turned=0.2):
        """An op on elements of `source`, the result of a type, at most LIMIT."""
        loops = self.turn(source.loops, turned)
        inputs = [source] + [self.other(loops, source.element) for _ in range(self.rng.choice([0, 1, 1, 2]))]
        self.rng.shuffle(inputs)
        out = self.empty(self.turn(loops, turned), element)
        kinds = [self.rng.choice(["add", "mul", "max", "sub", "index"]) for _ in inputs]
        result = Tensor(self.name(), out.loops, element, out.shape, compute(inputs, kinds, loops))
        body = Body(source.element)
        last = body.fold(kinds, loops)
        last = body.convert(last, element)
        self.lines.append(f"""{result.name} = linalg.generic {{indexing_maps = [{', '.join(self.map(loops, each) for each in inputs + [out])}], iterator_types = [{', '.join(['"parallel"'] * len(loops))}]}}
    ins({', '.join(each.name for each in inputs)} : {', '.join(each.type for each in inputs)}) outs({out.name} : {out.type}) {{
    ^bb0({', '.join(f'%e{i}: {source.element}' for i in range(len(inputs)))}, %old: {element}):
      {body.text()}
      linalg.yield {last} : {element}
    }} -> {result.type}""")
        return result

    def operand(self, loop):
        loops = self.turn([each for each in self.batches if self.rng.random() < 0.85] + [loop] + self.sums, 0.4)
        isStatic = not any(each in self.dynamic for each in loops)
        if isStatic and self.rng.random() < 0.05:
            return self.constant(loops, self.element)
        stored = self.rng.choice(STORED[self.element]) if self.rng.random() < 0.25 else self.element
        known = self.known(loops, stored) if self.rng.random() < 0.5 else None
        result = known or self.argument(loops, stored)
        if stored != self.element:
            result = self.elementwise(result, self.element)
        for _ in range(self.rng.choice([0, 0, 1, 2])):
            result = self.elementwise(result, self.element)
        return result

    def start(self, loops):
        kind = self.rng.choice(["zero", "zero", "number", "argument", "made"])
        if kind == "argument":
            return self.argument(loops, self.sum)
        if kind == "made":
            return self.elementwise(self.argument(loops, self.sum), self.sum, turned=0)
        value = 0 if kind == "zero" else self.rng.randint(-2, 2)
        scalar, out, result = self.name(), self.empty(loops, self.sum), self.name()
        self.lines.append(f"{scalar} = arith.constant {number(value, self.sum)} : {self.sum}")
        self.lines.append(f"{result} = linalg.fill ins({scalar} : {self.sum}) outs({out.name} : {out.type}) -> {out.type}")
        return Tensor(result, loops, self.sum, out.shape, lambda where: value)

    def config(self, loops):
        """Tiles: whole boxes for lanes, two or four subgroups, any step of the sums."""
        box = dict(zip("mn", self.rng.choice([(16, 16), (8, 16), (32, 8), (4, 32), (64, 2), (24, 16), (1, 64)])))
        both = self.rng.random() < 0.5 or options.specialize == "ping-pong"
        whole = {"m": 2 * box["m"], "n": (1 + both) * box["n"]}
        steps = {loop: self.rng.choice([1, 2, 7, 16, 24]) for loop in self.sums}
        of = lambda tiles, other: str([tiles.get(loop, other if loop in self.batches else 0) for loop in loops])
        parts = [f"workgroup = {of(whole, 1)}", f"subgroup = {of(box, 1)}", f"reduction = {of(steps, 0)}",
                 f"promote_operands = {[0, 1] if options.specialize != 'none' else self.rng.choice([[], [0], [1], [0, 1]])}"]
        parts += [f"resident = {self.rng.choice([1, 2, 5])}"] if self.rng.random() < 0.4 else []
        return f" {{lowering_config = #iree_gpu.lowering_config<{{{', '.join(parts)}}}>}}"

    def product(self):
        lhs, rhs = self.operand("m"), self.operand("n")
        batches = [loop for loop in self.batches if loop in lhs.loops or loop in rhs.loops]
        start = self.start(self.turn(batches + ["m", "n"], 0.2))
        loops = self.turn(batches + ["m", "n"] + self.sums, 0.2)
        result = Tensor(self.name(), start.loops, self.sum, start.shape, None)
        maps = ", ".join(self.map(loops, each) for each in (lhs, rhs, start))
        config = self.config(loops) if self.rng.random() < 0.3 else ""
        self.lines.append(f"""{result.name} = linalg.contract indexing_maps = [{maps}]{config}
    ins({lhs.name}, {rhs.name} : {lhs.type}, {rhs.type}) outs({start.name} : {start.type}) -> {result.type}""")
        steps = list(itertools.product(*(range(self.extents[loop]) for loop in self.sums)))

        def at(where):
            inner, total = dict(where), start.at(where)
            for step in steps:
                inner.update(zip(self.sums, step))
                total += lhs.at(inner) * rhs.at(inner)
            return total

        result.at = remember(at, result.loops)
        return result

    def make(self):
        last = self.product()
        made = [last]
        for _ in range(self.rng.choice([0, 0, 1, 1, 2, 3])):
            last = self.elementwise(last, self.rng.choice([self.sum, self.sum, self.wide]))
            made.append(last)
        self.results = [last] + [each for each in made[:-1] if self.rng.random() < 0.3]
        return self

    def text(self):
        sizes = "".join(f"  %at_{loop} = arith.constant {dim} : index\n  %size_{loop} = tensor.dim %arg{i}, %at_{loop} : {self.arguments[i][0].type}\n"
                        for loop, (i, dim) in self.places.items() if loop in self.dynamic)
        types = ", ".join(each.type for each in self.results)
        return (f"func.func @kernel({', '.join(f'{each.name}: {each.type}' for each, _, _ in self.arguments)}) -> ({types}) {{\n{sizes}  "
                + "\n  ".join(self.lines) + f"\n  return {', '.join(each.name for each in self.results)} : {types}\n}}\n")


def number(value, element):
    return f"{float(value)}" if element[0] in "fb" else f"{value}"


def remember(function, loops):
    """What a function makes of the places of loops, computed once."""
    known = {}

    def at(where):
        key = tuple(where[loop] for loop in loops)
        if key not in known:
            known[key] = function(where)
        return known[key]
    return at


def compute(inputs, kinds, loops):
    def at(where):
        total = None
        for tensor, kind in zip(inputs, kinds):
            value = tensor.at(where)
            value = max(-LIMIT, min(LIMIT, value))
            total = 1 if total is None else total
            total = {"add": total + value, "sub": total - value, "mul": total * value, "max": max(total, value), "index": value if where[loops[0]] >= where[loops[-1]] else total}[kind]
            total = max(-LIMIT, min(LIMIT, total))
        return total
    return remember(at, loops)


class Body:
    """The ops of an op on elements."""

    def __init__(self, element):
        self.element, self.lines, self.isFloat = element, [], element[0] in "fb"

    def op(self, text):
        self.lines.append(f"%t{len(self.lines)} = {text}")
        return f"%t{len(self.lines) - 1}"

    def arith(self, name, *operands):
        return self.op(f"arith.{name} {', '.join(operands)} : {self.element}")

    def clamp(self, value):
        low, high = (self.op(f"arith.constant {number(limit, self.element)} : {self.element}") for limit in (-LIMIT, LIMIT))
        names = ("maximumf", "minimumf") if self.isFloat else ("maxsi", "minsi")
        return self.arith(names[1], self.arith(names[0], value, low), high)

    def fold(self, kinds, loops):
        total = self.op(f"arith.constant {number(1, self.element)} : {self.element}")
        for i, kind in enumerate(kinds):
            value = self.clamp(f"%e{i}")
            if kind == "index":
                first, last = self.op("linalg.index 0 : index"), self.op(f"linalg.index {len(loops) - 1} : index")
                isBehind = self.op(f"arith.cmpi sge, {first}, {last} : index")
                total = self.op(f"arith.select {isBehind}, {value}, {total} : {self.element}")
            else:
                name = {"max": "maximumf" if self.isFloat else "maxsi"}.get(kind, kind + ("f" if self.isFloat else "i"))
                total = self.arith(name, total, value)
            total = self.clamp(total)
        return total

    def convert(self, value, element):
        if self.isFloat != (element[0] in "fb"):
            return self.op(f"arith.sitofp {value} : {self.element} to {element}")
        bits, wanted = (int(each.lstrip("bfi")) for each in (self.element, element))
        if bits == wanted:
            return value
        names = ("extf", "truncf") if self.isFloat else ("extsi", "trunci")
        return self.op(f"arith.{names[bits > wanted]} {value} : {self.element} to {element}")

    def text(self):
        return "\n      ".join(self.lines)


def expected(kernel, tensor):
    places = itertools.product(*(range(kernel.extents[loop]) for loop in tensor.loops))
    return [tensor.at(dict(zip(tensor.loops, place))) for place in places]


def check(kernel, path, *flags):
    """What is wrong with a run."""
    command = [options.distaff, "run", path, "--target", options.target, "--pipeline", "run-cluster", "--specialize", options.specialize, *flags]
    for i, (tensor, extents, values) in enumerate(kernel.arguments):
        command += ["--input", f"arg{i}={npy.write(options.out / f'arg{i}.npy', tensor.element, extents, values)}"]
    files = [options.out / f"result{i}.npy" for i in range(len(kernel.results))]
    for i, file in enumerate(files):
        file.unlink(missing_ok=True)
        command += ["--output", f"res{i}={file}"]
    done = fork_server.run(command)
    if done.returncode or done.stderr:
        return done.stderr or done.stdout or f"code {done.returncode}"
    for i, (tensor, file) in enumerate(zip(kernel.results, files)):
        found, right = npy.read(file, tensor.element), expected(kernel, tensor)
        wrong = [j for j, (one, other) in enumerate(zip(found, right, strict=True)) if one != other]
        if wrong:
            return f"result {i}: {len(wrong)} of {len(right)} wrong, element {wrong[0]} is {found[wrong[0]]}, not {right[wrong[0]]}"
    return ""


def main():
    failures = 0
    for seed in range(options.seed, options.seed + options.points):
        kernel = Kernel(seed).make()
        path = options.out / f"kernel{seed}.mlir"
        path.write_text(kernel.text())
        said = check(kernel, path, *depth.stages(["--check", "--every-stage"]))
        if said and depth.IS_QUICK:
            said = check(kernel, path, "--check", "--every-stage") or said
        if options.target.startswith("sm") and not said:
            said = check(kernel, path, "--device", "ptx")
        failures += bool(said)
        print("FAIL" if said else "ok", options.target, options.specialize, seed, said.replace(str(options.out), "")[:400].strip(), flush=True)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
