"""linalg.generic by its definition: the body once per point of the iteration space,
in lexicographic order, each output read and written where its map says.

usage: definition.py OUT_DIR [--seeds FIRST:LAST] [options of suite.py]

Random maps of inputs and outputs: permutations, projections, sums of loops and
constants; outputs of one op that follow different loops; loops called parallel
that an output has no index for, and loops called reduction that it has one for;
rank 0 to 3, extents 0 and 1 among them. The interpreter below knows nothing of
MLIR or of the machine. Per program,

    input   the machine on the source, in its own formats and, by --check, with
            bounds, where sums are folded in another way: equal to the interpreter
    lower   compiled: equal too, or refused by an error
"""
import itertools
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

EXTENTS = (0, 1, 1, 2, 3, 5)
# The last three combine an output with what is the same along some loop.
SEEDS = [*range(120), 1403, 2090, 2268]
OPS = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "max": max}
NAMES = {"i32": {"add": "addi", "sub": "subi", "mul": "muli", "max": "maxsi"},
         "f32": {"add": "addf", "sub": "subf", "mul": "mulf", "max": "maximumf"}}


def wrapped(value, element):
    return (value + (1 << 31)) % (1 << 32) - (1 << 31) if element == "i32" else value


class Index:
    """One index of an operand: a sum of loops, and a constant."""

    def __init__(self, loops, constant=0):
        self.loops, self.constant = loops, constant

    def text(self):
        return " + ".join([f"d{loop}" for loop in self.loops] + ([str(self.constant)] if self.constant or not self.loops else []))

    def at(self, point):
        return sum(point[loop] for loop in self.loops) + self.constant

    def extent(self, extents):
        return 0 if 0 in extents else self.at([extent - 1 for extent in extents]) + 1


class Operand:
    def __init__(self, indices, element, extents, draw):
        self.indices, self.element = indices, element
        # An extent of 0 is that of an index which is its loop, as linalg demands.
        self.shape = [extents[i.loops[0]] if len(i.loops) == 1 and not i.constant else max(i.extent(extents), 1) for i in indices]
        self.data = {at: draw() for at in itertools.product(*map(range, self.shape))}

    def at(self, point):
        return tuple(index.at(point) for index in self.indices)

    def type(self):
        return "tensor<" + "".join(f"{extent}x" for extent in self.shape) + self.element + ">"

    def map(self, rank):
        return f"affine_map<({', '.join(f'd{d}' for d in range(rank))}) -> ({', '.join(i.text() for i in self.indices)})>"


class Program:
    """The op, and as `steps` its body: (result, op, lhs, rhs) over named values."""

    def __init__(self, seed):
        self.name, self.random = f"definition_{seed}", random.Random(seed)
        self.element = self.random.choice(["i32", "i32", "f32"])
        self.rank = self.random.randint(0, 3)
        self.extents = [self.random.choice(EXTENTS) for _ in range(self.rank)]
        self.outputs = [self.operand(self.output_indices()) for _ in range(self.random.randint(1, 3))]
        # Together the maps determine the loops: the first input has them all.
        loops = list(range(self.rank))
        self.random.shuffle(loops)
        self.inputs = [self.operand([Index([loop]) for loop in loops])]
        self.inputs += [self.operand(self.input_indices()) for _ in range(self.random.randint(0, 2))]
        self.kinds = [self.kind(loop) for loop in range(self.rank)]
        self.steps = []
        self.yields = [self.result(k) for k in range(len(self.outputs))]

    def operand(self, indices):
        return Operand(indices, self.element, self.extents, lambda: self.random.randint(-3, 3))

    def kind(self, loop):
        everywhere = all(any(i.loops == [loop] for i in out.indices) for out in self.outputs)
        likely = "parallel" if everywhere else "reduction"
        return self.random.choice([likely] * 5 + ["parallel", "reduction"])

    def projected(self):
        return self.random.sample(range(self.rank), self.random.randint(0, self.rank))

    def output_indices(self):
        indices = [Index([loop]) for loop in self.projected()]
        if self.random.random() < 0.15:
            indices.insert(self.random.randint(0, len(indices)), Index([]))
        if self.rank > 1 and self.random.random() < 0.15 and 0 not in self.extents:
            indices.append(Index(self.random.sample(range(self.rank), 2)))
        return indices

    def input_indices(self):
        indices = [Index([loop]) for loop in self.projected()]
        if indices and self.random.random() < 0.2 and 0 not in self.extents:
            indices[0].constant = self.random.randint(1, 2)
        return indices

    def step(self, op, lhs, rhs):
        self.steps.append((f"%t{len(self.steps)}", op, lhs, rhs))
        return self.steps[-1][0]

    def result(self, k):
        """What becomes of output k: a combination of it, or of others, or none."""
        read = [f"%x{i}" for i in range(len(self.inputs))]
        if self.element == "i32":
            read += [f"%p{d}" for d in range(self.rank)]
        term, acc = self.random.choice(read), f"%o{k}"
        if self.random.random() < 0.4:
            term = self.step(self.random.choice(["add", "sub", "mul"]), term, self.random.choice(read))
        whole = ["ordered", "others", "product"] if self.element == "i32" else []
        form = self.random.choice(["taken", "sum", "sum", "sum", "difference", "twice", "largest", *whole])
        if form == "taken":
            return term
        if form == "ordered":
            return self.step("add", self.step("mul", acc, self.random.choice(read)), term)
        if form == "others":
            return self.step("add", self.random.choice([f"%o{i}" for i in range(len(self.outputs))]), term)
        if form == "twice":
            return self.step("sub", self.step("add", acc, term), self.random.choice(read))
        return self.step({"sum": "add", "difference": "sub", "largest": "max", "product": "mul"}[form], acc, term)

    def text(self):
        operands = [*self.inputs, *self.outputs]
        outs = ", ".join(x.type() for x in self.outputs)
        lines = [f"func.func @{self.name}({', '.join(f'%a{i}: {x.type()}' for i, x in enumerate(operands))}) -> ({outs}) {{"]
        kinds = ", ".join(f'"{kind}"' for kind in self.kinds)
        number, several = len(self.inputs), len(self.outputs) > 1
        lines.append(f"  %r{f':{len(self.outputs)}' if several else ''} = linalg.generic {{indexing_maps = [{', '.join(x.map(self.rank) for x in operands)}], "
                     f"iterator_types = [{kinds}]}} ins({', '.join(f'%a{i}' for i in range(number))} : {', '.join(x.type() for x in self.inputs)}) "
                     f"outs({', '.join(f'%a{number + i}' for i in range(len(self.outputs)))} : {outs}) {{")
        names = [f"%x{i}" for i in range(number)] + [f"%o{i}" for i in range(len(self.outputs))]
        lines.append(f"  ^bb0({', '.join(f'{name}: {self.element}' for name in names)}):")
        for d in range(self.rank if self.element == "i32" else 0):
            lines += [f"    %i{d} = linalg.index {d} : index", f"    %p{d} = arith.index_cast %i{d} : index to i32"]
        lines += [f"    {name} = arith.{NAMES[self.element][op]} {lhs}, {rhs} : {self.element}" for name, op, lhs, rhs in self.steps]
        lines.append(f"    linalg.yield {', '.join(self.yields)} : {', '.join([self.element] * len(self.outputs))}")
        results = [f"%r#{i}" for i in range(len(self.outputs))] if several else ["%r"]
        return "\n".join([*lines, f"  }} -> ({outs})" if several else f"  }} -> {outs}", f"  return {', '.join(results)} : {outs}", "}", ""])

    def evaluate(self):
        """What each output holds: the definition."""
        held = [dict(out.data) for out in self.outputs]
        for point in itertools.product(*map(range, self.extents)):
            values = {f"%x{i}": x.data[x.at(point)] for i, x in enumerate(self.inputs)}
            values |= {f"%o{k}": held[k][out.at(point)] for k, out in enumerate(self.outputs)}
            values |= {f"%p{d}": position for d, position in enumerate(point)}
            for name, op, lhs, rhs in self.steps:
                values[name] = wrapped(OPS[op](values[lhs], values[rhs]), self.element)
            for k, out in enumerate(self.outputs):
                held[k][out.at(point)] = values[self.yields[k]]
        return [list(values.values()) for values in held]


def runs(seed, chosen):
    program = Program(seed)
    base = chosen.out / program.name
    path = base.with_suffix(".mlir")
    path.write_text(program.text())
    wanted = program.evaluate()
    command = [chosen.distaff, "run", str(path), "--target", "sm_80", "--check"]
    for number, operand in enumerate([*program.inputs, *program.outputs]):
        file = npy.write(base.with_suffix(f".arg{number}.npy"), program.element, operand.shape, list(operand.data.values()))
        command += ["--input", f"arg{number}={file}"]
    for stage in ("input", "lower", "convert"):
        files = [base.with_suffix(f".{stage}.res{k}.npy") for k in range(len(program.outputs))]
        outputs = [flag for k, file in enumerate(files) for flag in ("--output", f"res{k}={file}")]

        def after(files=files):
            for k, file in enumerate(files):
                if (found := npy.read(file, program.element)) != wanted[k]:
                    return f"result {k} is {found} instead of {wanted[k]}"
            return None

        yield suite.Run(f"{program.name} {stage}", [*command, "--stop-after", stage, *outputs], after=after, compares=False)


def main():
    seeds = suite.taken("--seeds") or SEEDS
    chosen = suite.options()
    made = [run for seed in seeds for run in runs(seed, chosen)]
    # What the compiler does not take it may refuse; the machine takes all.
    for run in made:
        if run.name.endswith(("lower", "convert")):
            kind, seen = suite.outcome(run)
            # The error of another compiler's verifier would be a refusal by luck.
            if kind == "refused" and "'linalg.generic' op" in seen:
                run.expected = ("refused", "error:")
    suite.main(made, chosen, one_in=5)


if __name__ == "__main__":
    main()
