"""Two options together: each alone is tested elsewhere, and what one asks for may be lost under the other.

    python3 option_pairs.py OUT_DIR [--only NAME] [--distaff PATH]

Kernels of sums long enough to be split into parts, of products with and without an instruction, and of
rows, under every pair of options that go together: the order of the source (--strict-fp), tf32, pipelines with
and without specialization, tiles, steps, promotions and sizes by --config, targets, devices and threads. With the
order of the source, the bits are those of the sum from the accumulator on, one term after the other, each
step rounded in float32, as computed here; numbers cancel over many powers of two, so that nearly every
other order is seen. Without it numbers are whole, and any order is exact.
"""
import itertools
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def cancelling(rng, count, element):
    span = 12 if element == "f32" else 5
    return [npy.from_bytes(npy.to_bytes([rng.choice((-1, 1)) * rng.uniform(1, 2) * 2.0 ** rng.randint(-span, span)], element), element)[0] for _ in range(count)]


class Kernel:
    """c[m, n] + the sum over k of a[m, k] b[k, n], or of a[m, k] alone."""

    def __init__(self, m, n, k, element="f32", of_rows=False, dynamic=False):
        self.m, self.n, self.k, self.element, self.of_rows, self.dynamic = m, n, k, element, of_rows, dynamic

    def shapes(self):
        return [(self.m, self.k), (self.m,)] if self.of_rows else [(self.m, self.k), (self.k, self.n), (self.m, self.n)]

    def elements(self):
        return [self.element, "f32"] if self.of_rows else [self.element, self.element, "f32"]

    def text(self):
        of = lambda shape, element: f"tensor<{''.join('?x' if self.dynamic else f'{d}x' for d in shape)}{element}>"
        types = [of(shape, element) for shape, element in zip(self.shapes(), self.elements())]
        arguments = ", ".join(f"%arg{i}: {type}" for i, type in enumerate(types))
        maps = "affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>" if self.of_rows else "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>"
        last, names = len(types) - 1, ["%x", "%y"][:len(types) - 1]
        wide = [f"    {x}w = arith.extf {x} : {self.element} to f32\n" for x in names] if self.element != "f32" else []
        term = [x + "w" * bool(wide) for x in names]
        kinds = ", ".join(['"parallel"'] * last + ['"reduction"'])
        body = "".join(wide) + (f"    %p = arith.mulf {term[0]}, {term[1]} : f32\n" if len(term) == 2 else "")
        return (f"func.func @k({arguments}) -> {types[-1]} {{\n"
                f"  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
                f"ins({', '.join(f'%arg{i}' for i in range(last))} : {', '.join(types[:-1])}) outs(%arg{last} : {types[-1]}) {{\n"
                f"  ^bb0({', '.join(f'{x}: {self.element}' for x in names)}, %o: f32):\n{body}    %s = arith.addf %o, {'%p' if len(term) == 2 else term[0]} : f32\n"
                f"    linalg.yield %s : f32\n  }} -> {types[-1]}\n  return %r : {types[-1]}\n}}\n")

    def sums(self, arrays):
        """In the order of the source; what is exact is the same in any."""
        a, c = arrays[0], arrays[-1]
        result = []
        for m in range(self.m):
            row = a[m * self.k:(m + 1) * self.k]
            for n in range(1 if self.of_rows else self.n):
                total = c[m * (1 if self.of_rows else self.n) + n]
                for x, y in zip(row, itertools.repeat(None) if self.of_rows else arrays[1][n::self.n]):
                    total = single(total + (x if y is None else single(x * y)))
                result.append(total)
        return result


KERNELS = {"deep": Kernel(4, 8, 3000), "wide": Kernel(20, 33, 70), "half": Kernel(32, 32, 96, "f16"), "half_deep": Kernel(16, 8, 1040, "f16"),
           "rows": Kernel(3, 0, 7000, of_rows=True), "many_rows": Kernel(65, 0, 50, of_rows=True), "dynamic": Kernel(9, 17, 130, dynamic=True)}
STRATEGIES = {f"host_{way}": ["--target", "host", "--device", "host", "--threads", "2", "--config", f"{subject}={way}"]
              for subject, ways in (("contractions", ("elements", "dot", "parallel", "outer")), ("reductions", ("halves", "transposed"))) for way in ways}
# Choices by what they are about; of each kind at most one is taken.
CHOICES = {
    "order": {"strict": ["--strict-fp"]},
    "tf32": {"tf32": ["--allow-tf32"]},
    "pipeline": {"vector": ["--pipeline", "vector-distribute"], "cluster": ["--pipeline", "run-cluster"],
                 "producers": ["--pipeline", "run-cluster", "--specialize", "producer-consumer"], "ping_pong": ["--pipeline", "run-cluster", "--specialize", "ping-pong"]},
    "device": {"ptx": ["--device", "ptx"], "gfx942": ["--target", "gfx942"], "host1": ["--target", "host", "--device", "host", "--threads", "1"],
               "host3": ["--target", "host", "--device", "host", "--threads", "3"], **STRATEGIES, "sm_90a": ["--target", "sm_90a"]},
    "tiles": {"tile": ["--config", "workgroup=4x8x0"], "tile_rows": ["--config", "workgroup=2x0"]},
    "step": {"step16": ["--config", "reduction=0x0x16"], "step12": ["--config", "reduction=0x0x12"], "row_step": ["--config", "reduction=0x32"]},
    "promotion": {"promote": ["--config", "promote_operands=0,1"], "promote_b": ["--config", "promote_operands=1"]},
    "size": {"size": ["--config", "workgroup_size=64"]},
}


OF_GPUS = {"tf32", "vector", "cluster", "producers", "ping_pong", "promote", "promote_b", "size"}


def fits(kernel, names):
    """Whether these options say something of the kernel, on the target that they name."""
    on_host = any(name.startswith("host") for name in names)
    if on_host and {"size", "vector"} & set(names):
        return False
    if kernel.of_rows:
        return not set(names) & {"tf32", "tile", "step16", "step12", "promote", "promote_b", "cluster", "producers", "ping_pong", "host_elements", "host_dot", "host_parallel", "host_outer"}
    if set(names) & {"tile_rows", "row_step", "host_halves", "host_transposed"} or kernel.element != "f32" and "tf32" in names:
        return False
    return not (on_host and OF_GPUS & set(names)) and not ("gfx942" in names and "tf32" in names)


def pairs(kernel):
    """Names and flags of all pairs of choices, and of each alone."""
    every = [(kind, name, flags) for kind, options in CHOICES.items() for name, flags in options.items()]
    for count in (1, 2):
        for chosen in itertools.combinations(every, count):
            kinds, names = [kind for kind, *_ in chosen], [name for _, name, _ in chosen]
            if len(set(kinds)) == count and fits(kernel, names):
                yield names, [flag for *_, flags in chosen for flag in flags]


class Arrays:
    """Numbers of a kernel, and the sums; made once."""

    def __init__(self, name, kernel, strict):
        self.name, self.kernel, self.strict = f"{name}_{'strict' if strict else 'whole'}", kernel, strict
        self.made = None

    def files(self, folder):
        if self.made is None:
            rng = random.Random(self.name)
            arrays = [cancelling(rng, len_of(shape), element) if self.strict else [float(rng.randint(-3, 3)) for _ in range(len_of(shape))]
                      for shape, element in zip(self.kernel.shapes(), self.kernel.elements())]
            files = [npy.write(folder / f"{self.name}.arg{i}.npy", element, shape, data)
                     for i, (shape, element, data) in enumerate(zip(self.kernel.shapes(), self.kernel.elements(), arrays))]
            self.made = files, self.kernel.sums(arrays)
        return self.made[0]

    def difference(self, file):
        wrong = [(i, x, y) for i, (x, y) in enumerate(zip(npy.read(file, "f32"), self.made[1], strict=True)) if x != y]
        return f"{len(wrong)} of {len(self.made[1])} differ, element {wrong[0][0]} is {wrong[0][1]!r} instead of {wrong[0][2]!r}" if wrong else None


def len_of(shape):
    return shape[0] * (shape[1] if len(shape) > 1 else 1)


class Case(suite.Run):
    """A run whose arrays are made when it begins."""

    def __init__(self, chosen, name, names, flags, arrays):
        self.path, self.arrays, self.out = chosen.out / f"{name}.mlir", arrays, chosen.out / f"{name}-{'-'.join(names)}.npy"
        self.folder, self.flags = chosen.out, ([] if "--target" in flags else ["--target", "sm_80"]) + flags
        self.distaff = chosen.distaff
        super().__init__(f"{name}-{'-'.join(names)}", None, expected(name, names), compares=False)

    @property
    def command(self):
        files = self.arrays.files(self.folder)
        self.path.write_text(self.arrays.kernel.text())
        return [self.distaff, "run", str(self.path), *self.flags, *(f"--input=arg{i}={file}" for i, file in enumerate(files)), f"--output=res0={self.out}"]

    @command.setter
    def command(self, _):
        pass

    @property
    def after(self):
        return lambda: self.arrays.difference(self.out)

    @after.setter
    def after(self, _):
        pass


def expected(name, names):
    """What ends otherwise, and why."""
    return None


if __name__ == "__main__":
    options = suite.options()
    runs = []
    for name, kernel in KERNELS.items():
        arrays = {strict: Arrays(name, kernel, strict) for strict in (True, False)}
        runs += [Case(options, name, names, flags, arrays["strict" in names]) for names, flags in pairs(kernel)]
    suite.main(runs, options, one_in=27)
