"""A matrix product from its workgroup loop to code of lanes, stage by stage, run
by the SIMT machine after every one on whole numbers, whose sums are exact, and
compared with products computed here. Extents are around the tiles. As many bytes are
written as there are: with the right values, every element once; and lanes execute as
many matrix instructions as there are fragments.

    python3 stages.py OUT_DIR [--points N] [--only REGEX] [--layouts] [--distaff PATH] [--distaff-opt PATH]

The products are one of the samples, for each vendor, with and without matrix
instructions, those of products.py, and the clustered ones of the samples. With
--layouts, those of the samples with matrix instructions, distributed by layouts.
"""
import argparse
import dataclasses
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
from products import PRODUCTS, Product
from pipeline_passes import TO_COPIES, TO_LANES, as_lanes, returning, sample

STAGES = [("tiled", []), *TO_COPIES, *TO_LANES]
SIZES = [(1, 257, 129, 65), (1, 1, 1, 1), (1, 40, 130, 0), (1, 300, 5, 100), (1, 256, 128, 64), (1, 17, 64, 129)]


@dataclasses.dataclass
class Sample(Product):
    """The function of the samples that is tiled, with the aliases before it, for some target."""
    edits: tuple = ()

    def source(self):
        text = sample("tiled")
        for old, new in self.edits:
            assert old in text
            text = text.replace(old, new)
        return text


MFMA, SYNC = "MFMA_F32_16x16x16_F16", "NV_MMA_SYNC_F32_16x8x16_F16"
NO_KIND = (f", mma_kind = #iree_gpu.mma_layout<{MFMA}>", "")
SMALL = ("subgroup_size = 64", "subgroup_size = 32"), ("subgroup = [128, 64, 0]", "subgroup = [64, 64, 0]")
WHOLE = dict(threads=256, tile=(256, 128, 64), sizes=SIZES)
SAMPLES = [
    Sample("sample_mfma", "gfx942", 64, subgroup=(128, 64), kind=MFMA, fragment=(16, 16, 16), **WHOLE),
    Sample("sample_mma_sync", "sm_80", 32, subgroup=(64, 64), kind=SYNC, fragment=(16, 8, 16), edits=(*SMALL, (MFMA, SYNC)), **WHOLE),
    Sample("sample_64_lanes", "gfx942", 64, subgroup=(128, 64), edits=(NO_KIND,), **WHOLE),
    Sample("sample_32_lanes", "sm_80", 32, subgroup=(64, 64), edits=(NO_KIND, *SMALL), **WHOLE),
]
parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--points", type=int, default=2)
parser.add_argument("--only", default="", help="regular expression of the products to take")
parser.add_argument("--keep", nargs="*", default=(), help="products of which the caller reads the files")
parser.add_argument("--layouts", action="store_true")
parser.add_argument("--distaff", default="distaff")
parser.add_argument("--distaff-opt", default="distaff-opt")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)
if options.layouts:
    # Of no shape that a kernel has: everything is found from the contraction's instruction.
    point = ", ".join(f"{level}_tile = [1]" for level in ("subgroup", "batch", "outer", "thread", "element"))
    layout = f"#iree_vector_ext.nested_layout<{point}, subgroup_strides = [0], thread_strides = [0]>"
    STAGES = [(name, [f"{flag} impl='{layout}'" if "pcf-distribute" in flag else flag for flag in flags])
              for name, flags in STAGES if name != "vectorize"]


@dataclasses.dataclass
class Clustered(Product):
    """A function of the samples that splits a workgroup, from there to lanes. Its last arguments are numbers; a split
    point that is one keeps subgroups from sharing out the product: all of a cluster compute all of it."""
    scalars: tuple = ()
    stages: tuple = ("tiled", "distribute-subgroups", "telescope", "distribute-lanes", "resolve-lanes", "vectorize", "concretize")

    def source(self):
        launch = f"#iree_codegen.translation_info<workgroup_size = [{self.threads}, 1, 1] subgroup_size = {self.lanes}>"
        text = returning(sample(self.name, "samples-specialization.mlir"), 256, 128, launch).replace(f"@{self.name}", "@tiled")
        return text.replace("linalg.batch_matmul ins", f"linalg.batch_matmul {{lowering_config = {self.config()}}} ins")

    def arguments(self, sizes):
        return [{"panels": sizes[3] // 32, "split": 2}[name] for name in self.scalars]

    def grid(self, sizes):
        return 1, 1, 1

    def written(self, stage, sizes):
        return {"global bytes written": 4 * 256 * 128}


def clustered(name, scalars, panels):
    return Clustered(name, "sm_80", 32, 128, (256, 128, 32), (128, 64), SYNC, (16, 8, 16), batch=1, scalars=scalars,
                     sizes=tuple((1, 256, 128, 32 * count) for count in panels))


# Half a slot ahead, the last step reads a panel that nobody uses; of one panel it is one that nobody has written.
CLUSTERED = [clustered("producer_consumer", ("split", "panels"), (1, 5)), clustered("v1_collective", ("panels",), (3, 1)),
             clustered("v2_split", ("panels", "split"), (2, 1)), clustered("v3_sheared", ("panels", "split"), (3, 1, 2))]


def make_stages(product):
    files, previous = [], options.out / f"{product.name}-0-tiled.mlir"
    previous.write_text(product.source())
    for i, (name, passes) in enumerate(STAGES):
        if name not in product.stages:
            continue
        if passes:
            path = options.out / f"{product.name}-{i}-{name}.mlir"
            done = fork_server.run([options.distaff_opt, previous, *passes, "-o", path])
            if done.returncode:
                print("FAIL", product.name, name, done.stderr)
                return files, 1
            previous = path
        files.append((name, previous))
    return files, 0


def check(done, result, product, stage, sizes, expected):
    """What is wrong with a run, in words."""
    if done.returncode:
        return done.stderr.strip().splitlines()[:1]
    found = npy.read(result, product.result)
    wrong = [i for i in range(len(expected)) if found[i] != expected[i]]
    said = [f"element {divmod(wrong[0], sizes[2])} is {found[wrong[0]]}, not {expected[wrong[0]]}"] if wrong else []
    for counter, number in product.written(stage, sizes).items():
        counted = int(re.search(rf"^{counter} +(\d+)", done.stdout, re.M).group(1))
        said += [f"{counter}: {counted}, not {number}"] * (counted != number)
    return said


def run(product, stage, path, inputs, sizes, expected):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    isLanes = stage == "concretize"
    if isLanes:
        path = as_lanes(path, "tiled", product.grid(sizes))
    out = f"arg{product.result_argument()}" if isLanes else "res0"
    command = [options.distaff, "run", path, "--target", product.target, "--counters", "--output", f"{out}={result}"]
    for i, file in enumerate(inputs):
        command += ["--input", f"arg{i}={file}"]
    yield stage, check(fork_server.run(command), result, product, stage, sizes, expected)
    if isLanes and product.target == "sm_80":
        result.unlink(missing_ok=True)
        yield stage + " as PTX", check(fork_server.run([*command, "--device", "ptx"]), result, product, stage, sizes, expected)


def make_inputs(product, sizes, rng):
    """The files of the arguments, and what the result is to be."""
    batch, m, n, k = sizes
    a = [rng.randint(-4, 4) for _ in range(batch * m * k)]
    b = [rng.randint(-4, 4) for _ in range(batch * k * n)]
    bias, rows = [rng.randint(-9, 9) for _ in range(n)], [rng.randint(1, 3) for _ in range(m)]

    def file(name, element, shape, numbers):
        return npy.write(options.out / f"{name}.npy", element, shape, numbers)

    inputs = [file("a", product.element, product.shape("a", sizes), a), file("b", product.element, product.shape("b", sizes), b)]
    if product.epilogue or product.prologue:
        inputs += [file("d", product.result, (n,), bias), file("e", product.result, (m,), rows)]
    inputs += [file("c", product.result, product.shape("c", sizes), [rng.uniform(1, 9) for _ in range(batch * m * n)])]
    inputs += product.arguments(sizes)
    return inputs, list(product.compute(sizes, a, b, bias, rows))


def main():
    rng, failures, turn = random.Random(7), 0, depth.Turns(11)
    products = [product for product in (SAMPLES[:2] if options.layouts else SAMPLES + PRODUCTS + CLUSTERED) if re.search(options.only, product.name)]
    taken = depth.some(products, 3)
    for product in [product for product in products if product in taken or product.name in options.keep]:
        files, failed = make_stages(product)
        failures += failed
        for sizes in product.sizes[:options.points]:
            # One lane's code in a phase of its own cannot ask the other lanes: the machine runs it once resolved.
            some = [(stage, path) for stage, path in files if not (options.layouts and stage == "distribute-lanes")
                    and (turn() or stage == "concretize" and sizes == product.sizes[0])]
            if not some:
                continue
            inputs, expected = make_inputs(product, sizes, rng)
            for stage, path in some:
                for what, said in run(product, stage, path, inputs, sizes, expected):
                    failures += bool(said)
                    print("FAIL" if said else "ok", product.name, "x".join(map(str, sizes)), what, *said)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
