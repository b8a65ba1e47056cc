"""Random programs of large vectors, on this CPU or on few lanes of GPUs: chains of ops on arrays that
are read and overwritten in any order, in loops and branches, at every stage (VX-127, VX-128, VX-163 .. VX-166).

    python3 random_large_vectors.py OUT_DIR [--only NAME] [--distaff PATH] [--programs FIRST:LAST] [--gpus]
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

SHAPES = ((40, 48), (33, 50), (1200,), (3, 20, 40), (64, 7), (130, 9))
# Of whole numbers that stay small, so that sums are exact.
UNARY = ("arith.addi {0}, {0}", "arith.xori {0}, {0}", "arith.muli {0}, {0}")
BINARY = ("arith.addi {0}, {1}", "arith.subi {0}, {1}", "arith.maxsi {0}, {1}", "arith.xori {0}, {1}", "arith.andi {0}, {1}")
KINDS = ("add", "maxsi", "minsi", "xor", "or")
TARGETS = {"sm_80": 32, "gfx942": 64, "gfx1100": 32}
CONTRACT = ('{{indexing_maps = [affine_map<(m, n, k) -> ({})>, affine_map<(m, n, k) -> ({})>, affine_map<(m, n, k) -> (m, n)>], '
            'iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<{}>}}')


def dims(shape):
    return "x".join(map(str, shape))


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.arrays, self.lines, self.count = {}, [], 0
        self.values = [[]]  # by block: (name, shape)
        self.shape = self.rng.choice(SHAPES)
        self.loops = 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.lines.append("  " * len(self.values) + text)

    def add(self, text, shape):
        name = self.name()
        self.line(f"{name} = {text}")
        self.values[-1].append((name, tuple(shape)))
        return name

    def array(self, shape):
        """One that there is, or another one, with room around the vector."""
        same = [name for name, (of, _) in self.arrays.items() if of == tuple(shape)]
        if same and self.rng.random() < 0.7:
            return self.rng.choice(same)
        name = f"%m{len(self.arrays)}"
        room = tuple(extent + self.rng.choice((0, 0, 2)) for extent in shape)
        self.arrays[name] = (tuple(shape), room)
        return name

    def place(self, array, shape):
        room = self.arrays[array][1]
        return ", ".join("%c1" if extent < whole and self.rng.random() < 0.5 else "%c0" for extent, whole in zip(shape, room)), f"memref<{dims(room)}xi32>"

    def bounds(self, shape):
        return f"{{in_bounds = [{', '.join(['true'] * len(shape))}]}}"

    def read(self, shape):
        array = self.array(shape)
        at, memory = self.place(array, shape)
        return self.add(f"vector.transfer_read {array}[{at}], %z {self.bounds(shape)} : {memory}, vector<{dims(shape)}xi32>", shape)

    def value(self, shape):
        known = [name for block in self.values for name, of in block if of == tuple(shape)]
        return self.rng.choice(known) if known and self.rng.random() < 0.8 else self.read(shape)

    def any(self):
        known = [(name, shape) for block in self.values for name, shape in block if len(shape) > 0]
        return self.rng.choice(known) if known else (self.read(self.shape), self.shape)

    def compute(self):
        rng = self.rng
        name, shape = self.any()
        kind = rng.randrange(17)
        of = f"vector<{dims(shape)}xi32>"
        if kind == 0:
            self.add(f"{rng.choice(UNARY).format(name)} : {of}", shape)
        elif kind <= 2:
            self.add(f"{rng.choice(BINARY).format(name, self.value(shape))} : {of}", shape)
        elif kind == 3 and len(shape) > 1:
            order = rng.sample(range(len(shape)), len(shape))
            to = tuple(shape[d] for d in order)
            self.add(f"vector.transpose {name}, {order} : {of} to vector<{dims(to)}xi32>", to)
        elif kind == 4 and len(shape) > 1:
            along = sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape) - 1)))
            to = tuple(extent for d, extent in enumerate(shape) if d not in along)
            self.add(f"vector.multi_reduction <{rng.choice(KINDS)}>, {name}, {self.value(to)} {along} : {of} to vector<{dims(to)}xi32>", to)
        elif kind == 5 and len(shape) < 3:
            to = (rng.choice((3, 20, 40)), *shape)
            if len(to) > 2 or to[0] * shape[0] > 4000:
                return
            self.add(f"vector.broadcast {name} : {of} to vector<{dims(to)}xi32>", to)
        elif kind == 6:
            offsets = [rng.randrange(min(extent, 3)) for extent in shape]
            to = tuple(extent - offset for extent, offset in zip(shape, offsets))
            self.add(f"vector.extract_strided_slice {name} {{offsets = {offsets}, sizes = {list(to)}, strides = {[1] * len(shape)}}} : {of} to vector<{dims(to)}xi32>", to)
        elif kind == 7:
            flags = self.name()
            self.line(f"{flags} = arith.cmpi slt, {name}, {self.value(shape)} : {of}")
            self.add(f"arith.select {flags}, {name}, {self.value(shape)} : vector<{dims(shape)}xi1>, {of}", shape)
        elif kind == 8 and len(shape) > 1:
            self.scan(name, shape)
        elif kind == 9 and len(shape) == 2:
            self.contract(name, shape)
        elif kind == 10 and len(shape) < 3:
            self.gather(name, shape)
        elif kind == 11 and len(shape) > 1:
            to = (shape[0] * shape[1], *shape[2:])
            self.add(f"vector.shape_cast {name} : {of} to vector<{dims(to)}xi32>", to)
        elif kind == 12:
            self.insert(name, shape)
        elif kind == 13 and 2 * shape[-1] <= 4000:
            to = (*shape[:-1], 2 * shape[-1])
            self.add(f"vector.interleave {name}, {self.value(shape)} : {of} -> vector<{dims(to)}xi32>", to)
        elif kind == 14 and shape[-1] % 2 == 0:
            to = (*shape[:-1], shape[-1] // 2)
            both = [self.name(), self.name()]
            self.line(f"{', '.join(both)} = vector.deinterleave {name} : {of} -> vector<{dims(to)}xi32>")
            self.values[-1] += [(one, to) for one in both]
        elif kind == 15:
            bits = rng.choice((1, 4, 8, 16, 64))
            if shape[-1] * 32 % bits:
                return
            narrow = f"vector<{dims((*shape[:-1], shape[-1] * 32 // bits))}xi{bits}>"
            parts, changed = self.name(), self.name()
            self.line(f"{parts} = vector.bitcast {name} : {of} to {narrow}")
            self.line(f"{changed} = arith.addi {parts}, {parts} : {narrow}")
            self.add(f"vector.bitcast {changed} : {narrow} to {of}", shape)
        else:
            self.read(shape)

    def scan(self, name, shape):
        along = self.rng.randrange(len(shape))
        rest = shape[:along] + shape[along + 1:]
        begin, result = self.value(rest), self.name()
        inclusive = self.rng.choice(("true", "false"))
        self.line(f"{result}:2 = vector.scan <{self.rng.choice(KINDS)}>, {name}, {begin} {{inclusive = {inclusive}, reduction_dim = {along} : i64}}"
                  f" : vector<{dims(shape)}xi32>, vector<{dims(rest)}xi32>")
        self.values[-1] += [(f"{result}#0", shape), (f"{result}#1", rest)]

    def contract(self, name, shape):
        """Of the vector and another one with its rows or its columns, each maybe transposed."""
        rng = self.rng
        m, k, n = *rng.sample(shape, 2), rng.choice((3, 20, 40))
        left = ("m, k", (m, k)) if (m, k) == shape else ("k, m", (k, m))
        right = rng.choice((("k, n", (k, n)), ("n, k", (n, k))))
        other, into = self.value(right[1]), self.value((m, n))
        self.add(f"vector.contract {CONTRACT.format(left[0], right[0], rng.choice(('add', 'add', 'maxsi')))} {name}, {other}, {into}"
                 f" : vector<{dims(left[1])}xi32>, vector<{dims(right[1])}xi32> into vector<{dims((m, n))}xi32>", (m, n))

    def gather(self, name, shape):
        """At places that a vector says, of which a mask takes those that there are."""
        array = self.array(shape)
        memory = self.place(array, shape)[1]
        of = f"vector<{dims(shape)}xi32>"
        bits, places, mask, low, high = (self.name() for _ in range(5))
        self.line(f"{bits} = arith.constant dense<7> : {of}")
        self.line(f"{places} = arith.andi {name}, {bits} : {of}")
        self.line(f"{low} = arith.constant dense<{min(5, shape[-1])}> : {of}")
        self.line(f"{mask} = arith.cmpi slt, {places}, {low} : {of}")
        at = ", ".join(["%c0"] * len(shape))
        self.add(f"vector.gather {array}[{at}] [{places}], {mask}, {self.value(shape)} : {memory}, {of}, vector<{dims(shape)}xi1>, {of} into {of}", shape)

    def insert(self, name, shape):
        offsets = [self.rng.randrange(min(extent, 3)) for extent in shape]
        part = tuple(extent - offset for extent, offset in zip(shape, offsets))
        self.add(f"vector.insert_strided_slice {self.value(part)}, {name} {{offsets = {offsets}, strides = {[1] * len(shape)}}}"
                 f" : vector<{dims(part)}xi32> into vector<{dims(shape)}xi32>", shape)

    def write(self):
        name, shape = self.any()
        array = self.array(shape)
        at, memory = self.place(array, shape)
        self.line(f"vector.transfer_write {name}, {array}[{at}] {self.bounds(shape)} : vector<{dims(shape)}xi32>, {memory}")

    def loop(self):
        """One that carries one or two vectors, maybe in other places, and maybe writes."""
        shape = self.any()[1]
        count = self.rng.choice((1, 1, 2))
        of = f"vector<{dims(shape)}xi32>"
        inits = [self.value(shape) for _ in range(count)]
        names = [self.name() for _ in range(count)]
        result = self.name()
        carried = ", ".join(f"{name} = {init}" for name, init in zip(names, inits))
        self.line(f"{result}:{count} = scf.for %i{self.count} = %c0 to %c{self.rng.choice((0, 1, 3))} step %c1 iter_args({carried}) -> ({', '.join([of] * count)}) {{")
        self.values.append([(name, shape) for name in names])
        self.body(self.rng.randint(1, 4))
        yields = [self.value(shape) for _ in range(count)]
        self.line(f"scf.yield {', '.join(yields)} : {', '.join([of] * count)}")
        self.values.pop()
        self.line("}")
        self.values[-1] += [(f"{result}#{i}", shape) for i in range(count)]

    def branch(self):
        shape = self.any()[1]
        of = f"vector<{dims(shape)}xi32>"
        result = self.name()
        self.line(f"{result} = scf.if %t{self.rng.randrange(2)} -> ({of}) {{")
        for end in ("} else {", "}"):
            self.values.append([])
            self.body(self.rng.randint(1, 3))
            self.line(f"scf.yield {self.value(shape)} : {of}")
            self.values.pop()
            self.line(end)
        self.values[-1].append((result, shape))

    def body(self, length):
        for _ in range(length):
            choice = self.rng.random()
            if choice < 0.62:
                self.compute()
            elif choice < 0.84:
                self.write()
            elif len(self.values) < 3:
                self.rng.choice((self.loop, self.branch))()

    def text(self):
        self.read(self.shape)
        self.body(self.rng.randint(4, 11))
        self.write()
        self.write()
        arguments = ", ".join(f"{name}: memref<{dims(room)}xi32>" for name, (_, room) in self.arrays.items())
        native = self.rng.choice(("", "", "4, 8", "16", "3, 5"))
        attributes = f" attributes {{distaff.native_vector = array<i64: {native}>}}" if native else ""
        constants = "".join(f"  %c{i} = arith.constant {i} : index\n" for i in (0, 1, 3))
        return (f"func.func @k({arguments}){attributes} {{\n{constants}  %z = arith.constant 0 : i32\n  %t0 = arith.constant false\n  %t1 = arith.constant true\n"
                + "\n".join(self.lines) + "\n  return\n}\n")


def main():
    programs = suite.taken("--programs") or range(300)
    on_gpus = "--gpus" in sys.argv
    if on_gpus:
        sys.argv.remove("--gpus")
    chosen = suite.options()
    runs = []
    for seed in programs:
        path = chosen.out / f"program_{seed}.mlir"
        path.write_text(Program(seed).text())
        target = list(TARGETS)[seed % len(TARGETS)] if on_gpus else "host"
        device = ["--config", f"workgroup_size={TARGETS[target] * (1 + seed % 2)}"] if on_gpus else ["--device", "host"]
        command = [chosen.distaff, "run", str(path), "--target", target, *device, "--check", "--every-stage"]
        runs.append(suite.Run(f"program_{seed}_{target}", command, compares=False))
    suite.main(runs, chosen, one_in=31 if on_gpus else 13)


if __name__ == "__main__":
    main()
