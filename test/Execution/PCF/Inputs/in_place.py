"""Results that begin as an argument of the kernel: phases add rows of another argument to
some rows of the result, or write rows and leave the others as they were. The result is
what Python computes here, at the end and after every stage, and the argument is as before.
Later seeds have workers instead of phases, one of which does what a phase would.

    python3 in_place.py OUT_DIR [--seeds FIRST:LAST] [options of suite.py]
"""
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

# The last ones are more than a subgroup copies at a time.
FIRST_OF_WORKERS = 12
SHAPES = ((64,), (64, 4), (8, 12), (16, 4, 2), (48, 256), (6, 3072))


class Kernel:
    def __init__(self, seed):
        self.name, rng, self.own = f"in_place_{seed}", random.Random(seed), seed >= FIRST_OF_WORKERS
        self.shape = SHAPES[seed % len(SHAPES)]
        self.subgroups, self.results = rng.choice((1, 2, 4)), rng.choice((1, 1, 2))
        self.inputs = [[rng.randint(-99, 99) for _ in range(math.prod(self.shape))] for _ in range(1 + self.results)]
        self.phases = []
        for _ in range(rng.randint(1, 3)):
            rows = rng.choice([rows for rows in (1, 2, 4, 6, 8, 16, 32, self.shape[0]) if rows <= self.shape[0]])
            self.phases.append((rng.randrange(self.results), rng.random() < 0.6, rows, rng.randint(0, self.shape[0] - rows)))

    def type(self, rows=None):
        return "tensor<" + "x".join(map(str, (rows or self.shape[0], *self.shape[1:]))) + "xi32>"

    def text(self):
        whole, names = self.type(), [f"%o{i}" for i in range(self.results)]
        zeros = "".join(", 0" for _ in self.shape[1:])
        rest, ones = "".join(f", {n}" for n in self.shape[1:]), "1" + "".join(", 1" for _ in self.shape[1:])
        lines = []
        for number, (result, isRead, rows, first) in enumerate(self.phases):
            begin = ["pcf.shared_executor.run_cluster(%tg)[] () {"]
            if self.own:
                begin = [f"%c{number} = arith.constant {number % self.subgroups} : index", f"%mine{number} = arith.cmpi eq, %id, %c{number} : index",
                         f"scf.if %mine{number} {{"]
            tile, at = self.type(rows), f"[{first}{zeros}] [{rows}{rest}] [{ones}]"
            lines += [*begin, f"  %v = pcf.read_slice %x{at} : !X to {tile}",
                      f"  %u = pcf.read_slice %o{result}{at} : !O to {tile}" if isRead else f"  %u = arith.constant dense<7> : {tile}",
                      f"  %e = tensor.empty() : {tile}", f"  %w = linalg.add ins(%v, %u : {tile}, {tile}) outs(%e : {tile}) -> {tile}",
                      f"  pcf.write_slice %w into %o{result}{at} : {tile} into !O", *(["}"] if self.own else ["  pcf.cluster_yield", "} : (!TG)"]),
                      f"pcf.barrier(#sg) fence({', '.join(names)}) : {', '.join(['!O'] * self.results)}"]
        refs = ", ".join(f"{name} = %b{i}" for i, name in enumerate(names))
        results, number = ", ".join([whole] * self.results), f":{self.results}" if self.results > 1 else ""
        returned = ", ".join(f"%r#{i}" for i in range(self.results)) if self.results > 1 else "%r"
        inner = whole[len("tensor<"):-1]
        kind, ids = ("generic", "[%id: index, %count: index]") if self.own else ("shared_executor", "[%tg: !TG]")
        return "\n".join([
            "#sg = #iree_gpu.subgroup_scope", f"#launch = #iree_codegen.translation_info<workgroup_size = [{32 * self.subgroups}, 1, 1] subgroup_size = 32>",
            "!TG = !pcf.threadgroup<#sg>", f"!X = !pcf.sref<{inner}, #sg>", f"!O = !pcf.sref<{inner}, sync(#sg)>",
            f"func.func @{self.name}(%a: {whole}, {', '.join(f'%b{i}: {whole}' for i in range(self.results))}) -> ({results}) attributes {{translation_info = #launch}} {{",
            f"  %r{number} = pcf.{kind} scope(#sg) execute(%x <- %a : {whole}, {refs}){ids} : (!X, {', '.join(['!O'] * self.results)}) -> ({results}) {{",
            *("    " + line for line in lines), "    pcf.return", "  }", f"  return {returned} : {results}", "}", ""])

    def evaluate(self):
        row = math.prod(self.shape[1:])
        held = [list(values) for values in self.inputs[1:]]
        for result, isRead, rows, first in self.phases:
            for at in range(first * row, (first + rows) * row):
                held[result][at] = self.inputs[0][at] + (held[result][at] if isRead else 7)
        return held


def runs(seed, chosen):
    kernel = Kernel(seed)
    base = chosen.out / kernel.name
    path = base.with_suffix(".mlir")
    path.write_text(kernel.text())
    expected = {f"res{k}": values for k, values in enumerate(kernel.evaluate())}
    expected |= {f"arg{k}": values for k, values in enumerate(kernel.inputs)}
    inputs = []
    for number, values in enumerate(kernel.inputs):
        inputs += ["--input", f"arg{number}={npy.write(base.with_suffix(f'.arg{number}.npy'), 'i32', kernel.shape, values)}"]
    for device, flags in (("simt", ["--every-stage"]), ("ptx", ["--device", "ptx"])):
        files = {name: base.with_suffix(f".{device}.{name}.npy") for name in expected}

        def after(files=files):
            return next((f"{name} has other values" for name, file in files.items() if npy.read(file, "i32") != expected[name]), None)

        outputs = [flag for name, file in files.items() for flag in ("--output", f"{name}={file}")]
        yield suite.Run(f"{kernel.name} {device}", [chosen.distaff, "run", str(path), "--target", "sm_80", "--pipeline", "run-cluster", "--check",
                                                    *flags, *inputs, *outputs], after=after, compares=False)


seeds = suite.taken("--seeds") or range(18)
chosen = suite.options()
suite.main([run for seed in seeds for run in runs(seed, chosen)], chosen)
