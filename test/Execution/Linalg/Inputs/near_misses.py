"""Near misses: kernels that a rewrite matches, each changed in one place so that it must not, or must do otherwise.

    python3 near_misses.py OUT_DIR [--only NAME] [--distaff PATH] [--list]

Every kernel of near_miss_kernels.py is changed in every way that CHANGES has, at every op and operand
where that applies; as it is, it is a case too. A change acts on the program, whose values Python computes op by op, so that
a rewrite that does not see the change gives other numbers. The matchers' conditions that this comes by
are listed in the changes: maps (a loop that one factor lacks, another order, a shift, a reverse),
kinds of loops, bodies (another combiner, operands the other way round, a position or a cast within),
starts that are no identity or are passed, values with a second user, and operands read through slices.
"""
import itertools
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite
from loop_nests import COMMUTES, FLOATS, At, Nest, Slice, Value
from near_miss_kernels import BASES

TARGETS = ("sm_80", "gfx942", "host")
# Products that are phases of clusters too, and so are those that are changed so that they are none.
PHASES = ("product_f16", "product_bf16_transposed", "product_f32", "product_i8")
CHANGES = {}


def change(make):
    """make(nests) yields (where, apply) for each place; apply changes a clone, or returns False where it cannot."""
    CHANGES[make.__name__] = make
    return make


def nests_of(nests):
    return [(i, op) for i, op in enumerate(nests.ops) if isinstance(op, Nest)]


def operands(nests):
    for i, op in nests_of(nests):
        for j, (value, at) in enumerate(op.ins):
            yield i, j, value, at


def extents_of(op, at):
    return [a.largest(op.extents) + 1 for a in at]


def read_instead(nests, i, j, at):
    """Operand j of op i is read at other places: an argument of other extents is another one, of a result there is a part."""
    op, (value, old) = nests.ops[i], nests.ops[i].ins[j]
    shape = extents_of(op, at)
    if any(n < 1 for n in shape):
        return False
    if value in nests.arguments:
        op.ins[j] = (nests.argument(shape, value.element, value.low, value.high), at)
        return True
    kept = {d: a for d, a in enumerate(old) if a in at}
    if len(kept) != len(at) or list(kept.values()) != at:
        return False
    part = Value(nests.fresh(), shape, value.element)
    offsets = [0 if d in kept else value.shape[d] - 1 for d in range(len(old))]
    sizes = [value.shape[d] if d in kept else 1 for d in range(len(old))]
    nests.ops.insert(i, Slice(value, offsets, sizes, [1] * len(old), part))
    op.ins[j] = (part, at)
    return True


@change
def without_a_loop(nests):
    """An operand that lacks a loop."""
    for i, j, _, at in operands(nests):
        for d in range(len(at)):
            def apply(n, i=i, j=j, d=d):
                at = n.ops[i].ins[j][1]
                others = [a for k, (_, a) in enumerate(n.ops[i].ins) if k != j] + [a for _, a in n.ops[i].outs]
                alone = {d for a in at[:d] + at[d + 1:] + sum(others, []) if len(a.loops) == 1 for d in a.loops}
                if not set(at[d].loops) <= alone:
                    # The loop is nobody's any more: it is read off an operand of its own.
                    missing = [loop for loop in at[d].loops if loop not in alone]
                    n.ops[i].ins.append((n.argument([n.ops[i].extents[m] for m in missing], "f32"), [At({m: 1}) for m in missing]))
                return read_instead(n, i, j, at[:d] + at[d + 1:])
            yield f"op{i}_x{j}_dim{d}", apply


@change
def order_of_dims(nests):
    """Dims of an operand that go round; of two, change places."""
    for i, j, value, at in operands(nests):
        if len(at) > 1 and value in nests.arguments:
            yield f"op{i}_x{j}", lambda n, i=i, j=j: read_instead(n, i, j, (at := n.ops[i].ins[j][1])[1:] + at[:1])


@change
def order_of_result(nests):
    """A result whose dims go round, where nobody else reads it."""
    for i, op in nests_of(nests):
        if len(op.results) == 1 and len(op.outs[0][1]) > 1 and op.results[0] in nests.results and not is_read(nests, op.results[0]):
            def apply(n, i=i):
                op = n.ops[i]
                start, at = op.outs[0]
                if isinstance(start, Value):
                    return False
                op.outs[0] = (start, at[1:] + at[:1])
                op.results[0].shape[:] = op.results[0].shape[1:] + op.results[0].shape[:1]
                return True
            yield f"op{i}", apply


def is_read(nests, value):
    return any(value in ([v for v, _ in op.ins] if isinstance(op, Nest) else [op.source]) for op in nests.ops)


@change
def reversed_dim(nests):
    """An operand that is read from its end."""
    for i, j, value, at in operands(nests):
        for d in range(len(at)):
            if len(at[d].loops) == 1 and nests.ops[i].extents[list(at[d].loops)[0]] > 1:
                def apply(n, i=i, j=j, d=d):
                    op, (loop, factor) = n.ops[i], next(iter(n.ops[i].ins[j][1][d].loops.items()))
                    others = [a for k, (_, a) in enumerate(op.ins) if k != j] + [a for _, a in op.outs]
                    if factor != 1 or not any(a.loops == {loop: 1} and not a.plus for a in sum(others, [])):
                        return False
                    op.ins[j] = (op.ins[j][0], [At({loop: -1}, op.extents[loop] - 1) if k == d else a for k, a in enumerate(op.ins[j][1])])
                    return True
                yield f"op{i}_x{j}_dim{d}", apply


@change
def shifted(nests):
    """An operand that is read two further on, or at every other place."""
    for i, j, value, at in operands(nests):
        for d in range(len(at)):
            for name, step, plus in (("further", 1, 2), ("every_other", 2, 0)):
                def apply(n, i=i, j=j, d=d, step=step, plus=plus):
                    op, (value, at) = n.ops[i], n.ops[i].ins[j]
                    alone = sum([a for k, (_, a) in enumerate(op.ins) if k != j] + [a for _, a in op.outs], [])
                    if value not in n.arguments or len(at[d].loops) != 1 or not any(a.loops == at[d].loops and not a.plus for a in alone):
                        return False
                    loop = next(iter(at[d].loops))
                    return read_instead(n, i, j, [At({loop: step}, plus) if k == d else a for k, a in enumerate(at)])
                yield f"op{i}_x{j}_dim{d}_{name}", apply


@change
def through_a_slice(nests):
    """An argument of which a part is read, that begins further on, or is strided."""
    for i, j, value, _ in operands(nests):
        if value in nests.arguments and value.shape:
            for name, offset, stride in (("offset", 3, 1), ("stride", 0, 2), ("both", 1, 3)):
                for d in {0, len(value.shape) - 1}:
                    def apply(n, i=i, j=j, d=d, offset=offset, stride=stride):
                        value, at = n.ops[i].ins[j]
                        rank = range(len(value.shape))
                        whole = n.argument([offset + (s - 1) * stride + 2 if k == d else s for k, s in enumerate(value.shape)], value.element, value.low, value.high)
                        part = Value(n.fresh(), list(value.shape), value.element)
                        n.ops.insert(i, Slice(whole, [offset * (k == d) for k in rank], list(value.shape), [stride if k == d else 1 for k in rank], part))
                        n.ops[i + 1].ins[j] = (part, at)
                    yield f"op{i}_x{j}_dim{d}_{name}", apply


@change
def same_operand(nests):
    """One value as two operands."""
    for i, op in nests_of(nests):
        for (j, (a, _)), (k, (b, _)) in itertools.combinations(enumerate(op.ins), 2):
            if a.shape == b.shape and a.element == b.element:
                def apply(n, i=i, j=j, k=k):
                    n.ops[i].ins[k] = (n.ops[i].ins[j][0], n.ops[i].ins[k][1])
                yield f"op{i}_x{j}_x{k}", apply


@change
def parallel_instead(nests):
    """A loop that is summed over is one of the result's; its readers have the last of it."""
    for i, op in nests_of(nests):
        for loop, kind in enumerate(op.kinds):
            if kind == "r":
                def apply(n, i=i, loop=loop):
                    op = n.ops[i]
                    op.kinds = op.kinds[:loop] + "p" + op.kinds[loop + 1:]
                    for k, ((start, at), result) in enumerate(zip(op.outs, op.results)):
                        if isinstance(start, Value):
                            return False
                        op.outs[k] = (start, at + [At({loop: 1})])
                        whole = Value(f"{op.results[0].name}", [*result.shape, op.extents[loop]], result.element) if len(op.results) == 1 else None
                        if not whole:
                            return False
                        if is_read(n, result):
                            part = Value(n.fresh(), list(result.shape), result.element)
                            replace_value(n, result, part)
                            n.ops.insert(i + 1, Slice(whole, [*[0] * len(part.shape), op.extents[loop] - 1], [*part.shape, 1], [1] * len(whole.shape), part))
                        else:
                            replace_value(n, result, whole)
                        op.results[k] = whole
                    return True
                yield f"op{i}_loop{loop}", apply


def replace_value(nests, old, new):
    for op in nests.ops:
        if isinstance(op, Nest):
            op.ins = [(new if v is old else v, at) for v, at in op.ins]
        elif op.source is old:
            op.source = new
    nests.results = [new if r is old else r for r in nests.results]


@change
def second_user(nests):
    """A value within the program that is returned too, or that another op reads too."""
    for i, op in nests_of(nests):
        for k, result in enumerate(op.results):
            if result not in nests.results:
                yield f"op{i}_{k}_returned", lambda n, i=i, k=k: n.results.append(n.ops[i].results[k])
            sign = "negf" if result.element in FLOATS else None
            if sign:
                yield f"op{i}_{k}_read", lambda n, i=i, k=k: n.results.append(n.map(n.ops[i].results[k], [("y0", "negf", ("x0",), n.ops[i].results[k].element)]))


@change
def start_of_sum(nests):
    """A sum that begins with another number, or with what is passed."""
    for i, op in nests_of(nests):
        for k, (start, at) in enumerate(op.outs):
            if "r" in op.kinds and not isinstance(start, Value) and start is not None:
                def passed(n, i=i, k=k):
                    op = n.ops[i]
                    op.outs[k] = (n.argument(op.results[k].shape, op.results[k].element), op.outs[k][1])
                yield f"op{i}_{k}_passed", passed

                def another(n, i=i, k=k):
                    n.ops[i].outs[k] = (3 if op.results[k].element not in FLOATS else 3.0, n.ops[i].outs[k][1])
                yield f"op{i}_{k}_three", another


def statements(nests):
    for i, op in nests_of(nests):
        for s, statement in enumerate(op.body):
            yield i, s, statement


OTHER_COMBINER = {"addf": "maximumf", "maximumf": "addf", "minimumf": "maximumf", "mulf": "subf", "subf": "addf", "addi": "maxsi", "maxsi": "minsi", "muli": "subi",
                  "subi": "addi", "ogt": "oge", "olt": "ole", "ole": "olt"}


@change
def another_op(nests):
    for i, s, (name, op, of, type) in statements(nests):
        if op in OTHER_COMBINER:
            def apply(n, i=i, s=s):
                name, op, of, type = n.ops[i].body[s]
                n.ops[i].body[s] = (name, OTHER_COMBINER[op], of, type)
            yield f"op{i}_{name}_{OTHER_COMBINER[op]}", apply


@change
def other_way_round(nests):
    """Operands of an op that does not commute, and of those that do."""
    for i, s, (name, op, of, type) in statements(nests):
        if len(of) == 2 and all(isinstance(x, str) for x in of) and of[0] != of[1]:
            def apply(n, i=i, s=s):
                name, op, of, type = n.ops[i].body[s]
                n.ops[i].body[s] = (name, op, of[::-1], type)
            # What divides by what may be 0, and a sum that is subtracted each time is no sum.
            if op != "divf" and not (op not in COMMUTES and "r" in nests.ops[i].kinds and any(x[0] == "o" for x in of)):
                yield f"op{i}_{name}_{op}", apply


@change
def position_within(nests):
    """An operand that is multiplied by its place along a loop."""
    for i, op in nests_of(nests):
        for j, (value, _) in enumerate(op.ins):
            if value.element not in ("f16", "f32", "i32"):
                continue
            for loop in {0, len(op.extents) - 1}:
                def apply(n, i=i, j=j, loop=loop, element=value.element):
                    of = "i32" if element == "i32" else element
                    body = [("wi", "index", (loop,), "index"), ("wc", "index_cast", ("wi",), "i32"), ("wm", "const", (3,), "i32"), ("wa", "andi", ("wc", "wm"), "i32")]
                    if of != "i32":
                        body.append(("wf", "sitofp", ("wa",), of))
                    body.append(("wx", "mulf" if of != "i32" else "muli", (f"x{j}", "wf" if of != "i32" else "wa"), of))
                    rest = [(name, op, tuple("wx" if x == f"x{j}" else x for x in operands), type) for name, op, operands, type in n.ops[i].body]
                    n.ops[i].body = body + rest
                yield f"op{i}_x{j}_loop{loop}", apply


@change
def cast_within(nests):
    """A value that goes through another width on its way, where it fits."""
    narrow = {"f32": ("truncf", "f16", "extf"), "f16": ("extf", "f32", "truncf"), "i32": ("trunci", "i16", "extsi"), "i8": ("extsi", "i16", "trunci")}
    for i, op in nests_of(nests):
        for j, (value, _) in enumerate(op.ins):
            if value.element in narrow:
                def apply(n, i=i, j=j, of=value.element):
                    down, other, up = narrow[of]
                    body = [("cd", down, (f"x{j}",), other), ("cu", up, ("cd",), of)]
                    n.ops[i].body = body + [(name, op, tuple("cu" if x == f"x{j}" else x for x in operands), type) for name, op, operands, type in n.ops[i].body]
                yield f"op{i}_x{j}", apply


@change
def without_sign(nests):
    """Elements that are extended by zeros."""
    for i, s, (name, op, of, type) in statements(nests):
        if op == "extsi":
            def apply(n, i=i, s=s):
                name, _, of, type = n.ops[i].body[s]
                n.ops[i].body[s] = (name, "extui", of, type)
            yield f"op{i}_{name}", apply


@change
def passed_constant(nests):
    """A constant of a body that is an argument."""
    for i, s, (name, op, of, type) in statements(nests):
        if op == "const" and type == "f32":
            def apply(n, i=i, s=s):
                name, _, _, type = n.ops[i].body.pop(s)
                op, number = n.ops[i], len(n.ops[i].ins)
                op.ins.append((n.argument([1], type, 1, 3), [At({}, 0)]))
                op.body = [(x, o, tuple(f"x{number}" if v == name else v for v in vs), t) for x, o, vs, t in op.body]
            yield f"op{i}_{name}", apply


# Changes that leave no number: what is not a number, a quotient by 0, a position beyond the end.
WITHOUT_VALUES = {"softmax-another_op-op0_y0_addf", "attention-another_op-op1_y0_addf", "softmax-position_within-op2_x0_loop0",
                  "softmax-position_within-op3_x1_loop0", "softmax-position_within-op3_x1_loop1", "attention-position_within-op3_x0_loop0",
                  "attention-position_within-op4_x1_loop0", "attention-position_within-op4_x1_loop1", "gathered-position_within-op0_x0_loop0",
                  "gathered-position_within-op0_x0_loop1"}


def changed():
    """(name, program) of all bases and their changes that make a program of small numbers."""
    for name, make in BASES.items():
        nests = make()
        yield nests.name, nests
        for kind, places in CHANGES.items():
            for where, apply in places(nests):
                clone = nests.clone(f"{nests.name}-{kind}-{where}")
                if apply(clone) is not False and clone.name not in WITHOUT_VALUES:
                    yield clone.name, clone


def difference(nests, files):
    tolerance = 0 if nests.exact else 5e-3 if any(r.element != "f32" for op in nests.ops for r in op.results) else 3e-5
    for file, wanted, result in zip(files, nests.values, nests.results):
        seen = npy.read(file, result.element)
        if len(seen) != len(wanted):
            return f"{file.name}: {len(seen)} elements instead of {len(wanted)}"
        finite = [abs(v) for v in wanted if not math.isinf(v)]
        bound = tolerance * max(finite, default=0)
        for at, (got, want) in enumerate(zip(seen, wanted)):
            if got != want and not abs(got - want) <= bound:
                return f"{file.name}: element {at} of {result.shape} is {got}, and is {want} by Python"
    return None


class Case(suite.Run):
    """A run whose files are written when it begins."""

    def __init__(self, chosen, name, nests, target):
        super().__init__(f"{name}-{target}", None, None, compares=target not in ("host", "phases"))
        self.chosen, self.nests, self.target = chosen, nests, target

    def files(self):
        return [self.chosen.out / f"{self.name}.res{i}.npy" for i in range(len(self.nests.results))]

    @property
    def command(self):
        path = self.chosen.out / f"{self.name}.mlir"
        path.write_text(self.nests.text())
        command = [self.chosen.distaff, "run", str(path), "--check", *{"host": ["--target", "host", "--device", "host", "--threads", "2"],
                                                                            "phases": ["--target", "sm_80", "--pipeline", "run-cluster"]}.get(self.target, ["--target", self.target, "--every-stage"])]
        for i, (argument, data) in enumerate(zip(self.nests.arguments, self.nests.inputs())):
            file = self.chosen.out / f"{self.name}.arg{i}.npy"
            command += ["--input", f"arg{i}={npy.write(file, argument.element, argument.shape, data)}"]
        for i, file in enumerate(self.files()):
            command += ["--output", f"res{i}={file}"]
        return command

    @command.setter
    def command(self, _):
        pass

    def judge(self):
        wrong = difference(self.nests, self.files())
        return wrong and f"{' '.join(self.command)}\n{wrong}"

    @property
    def after(self):
        return self.judge

    @after.setter
    def after(self, _):
        pass


if __name__ == "__main__":
    if listing := "--list" in sys.argv:
        sys.argv.remove("--list")
    options = suite.options()
    cases = [(name, nests, target) for name, nests in changed() for target in TARGETS + ("phases",) * (name.split("-")[0] in PHASES)]
    if listing:
        sys.exit("\n".join(f"{name} {target}" for name, _, target in cases))
    suite.main([Case(options, *case) for case in cases], options, one_in=49)
