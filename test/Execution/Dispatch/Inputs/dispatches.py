"""Dispatches as IREE 3.13 dumps them, of its three backends: executables' sources and configurations, and functions after
passes. Each runs as it is, on the machines that it can; values are from plain Python, of whole numbers where sums are
exact (VX-162).

usage: dispatches.py OUT_DIR
"""
import itertools
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

DUMPS = Path(__file__).resolve().parent
GPUS = [("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt")]
ALL = [*GPUS, ("host", "host")]


class Dispatch:
    """A function of a dump, its inputs and what its results are, as (element, shape, values)."""

    def __init__(self, dump, inputs, results, function="", devices=ALL, bound=0.0):
        self.dump, self.inputs, self.results, self.function = dump, inputs, results, function
        self.devices, self.bound = devices, bound
        self.name = dump + function[-2:]


def whole(element, *shape, low=-9, high=9):
    numbers = random.Random(math.prod(shape))
    return element, list(shape), [numbers.randint(low, high) for _ in range(math.prod(shape))]


def rows(array):
    _, (height, width), values = array
    return [values[i * width:(i + 1) * width] for i in range(height)]


def flat(lists):
    return [value for row in lists for value in row]


def product(a, b):
    columns = list(zip(*rows(b)))
    return flat([[sum(x * y for x, y in zip(row, column)) for column in columns] for row in rows(a)])


def softmax(row):
    powers = [math.exp(x - max(row)) for x in row]
    return [power / sum(powers) for power in powers]


def matmul():
    a, b = whole("f16", 19, 29), whole("f16", 29, 23)
    return Dispatch("matmul", [a, b], [("f32", [19, 23], product(a, b))])


def product_f16(dump, devices):
    a, b = whole("f16", 32, 32), whole("f16", 32, 32)
    return Dispatch(dump, [a, (b[0], b[1], b[2][::-1])], [("f32", [32, 32], product(a, (b[0], b[1], b[2][::-1])))], devices=devices)


def packed(array, height, width):
    """Tiles of a matrix, each whole, row by row of them."""
    element, (rows_of, columns), values = array
    tiles = [[values[(i + p) * columns + j + q] for p in range(height) for q in range(width)]
             for i in range(0, rows_of, height) for j in range(0, columns, width)]
    return element, [rows_of // height, columns // width, height, width], flat(tiles)


def product_plain():
    """Tiles of an instruction in a function that is no dispatch (VX-225)."""
    a, b, c = whole("f16", 32, 32), whole("f16", 32, 16), whole("f32", 32, 16)
    sums = ("f32", [32, 16], [x + y for x, y in zip(c[2], product(a, b))])
    return Dispatch("product_plain", [packed(a, 16, 16), packed(b, 16, 8), packed(c, 16, 8)], [packed(sums, 16, 8)])


def product_i8():
    a, b = whole("i8", 7, 24, low=-128, high=127), whole("i8", 24, 17, low=-128, high=127)
    return Dispatch("product_i8", [a, b], [("i32", [7, 17], product(a, b))])


def softmax_rows(height):
    a = whole("f32", height, 48)
    return Dispatch("softmax", [a], [("f32", [height, 48], flat(map(softmax, rows(a))))], bound=1e-5)


def softmax_vectorized():
    """What the result holds is laid out and written back before it is computed, when nothing has written it."""
    a = whole("f32", 64, 256)
    return Dispatch("softmax_vectorized", [a], [("f32", [64, 256], flat(map(softmax, rows(a))))], devices=GPUS[:2], bound=1e-5)


def best(dump, devices=ALL):
    """Two results, of which the second lies behind the first in one buffer; equal candidates, of which the first wins."""
    a = whole("f32", 5, 40, low=-3, high=3)
    return Dispatch(dump, [a], [("f32", [5], [max(row) for row in rows(a)]), ("i32", [5], [row.index(max(row)) for row in rows(a)])],
                    devices=devices)


def row_sum(dump, devices=ALL):
    a = whole("f32", 6, 512)
    return Dispatch(dump, [a], [("f32", [6], [sum(row) for row in rows(a)])], devices=devices)


def scaled(dump, height, devices=ALL):
    a, b = whole("f32", height, 70), whole("f32", 70)
    return Dispatch(dump, [a, b], [("f32", [height, 70], flat([[x * y for x, y in zip(row, b[2])] for row in rows(a)]))], devices=devices)


def heads():
    """One binding in two shapes, of which the function has that with three dimensions first."""
    a = whole("f32", 4, 6)
    return Dispatch("heads", [("f32", [4, 2, 3], a[2])], [("f32", [4, 6], flat([[x - row[(j + 3) % 6] for j, x in enumerate(row)] for row in rows(a)]))])


def attention(dump):
    """Two heads, 33 queries, 40 keys of 16 numbers, values of 24, a scale of a quarter."""
    q, k, v = whole("f16", 2, 33, 16, low=-2, high=2), whole("f16", 2, 40, 16, low=-2, high=2), whole("f16", 2, 40, 24)
    result = []
    for head in range(2):
        part = lambda array: rows((array[0], array[1][1:], array[2][head * len(array[2]) // 2:(head + 1) * len(array[2]) // 2]))
        for query in part(q):
            weights = softmax([sum(x * y for x, y in zip(query, key)) / 4 for key in part(k)])
            result += [sum(w * x for w, x in zip(weights, column)) for column in zip(*part(v))]
    # The weights are rounded to f16, then the result; values are up to 9.
    return Dispatch(dump, [q, k, v], [("f16", [2, 33, 24], result)], bound=9 * 2**-9)


def gather():
    """Of 50 rows nine, one of them twice."""
    a, places = whole("f32", 50, 8), [3, 49, 0, 7, 7, 21, 48, 1, 30]
    return Dispatch("gather", [a, ("i32", [9], places)], [("f32", [9, 8], flat([rows(a)[place] for place in places]))])


def sort():
    """Rows of numbers that are read and written in place, and where they were (VX-223)."""
    a, places = whole("f32", 5, 37), ("i32", [5, 37], [*range(37)] * 5)
    done = [sorted(zip(row, range(37)), key=lambda pair: pair[0]) for row in rows(a)]
    return Dispatch("sort", [a, places], [(kind, [5, 37], flat([[pair[i] for pair in row] for row in done])) for i, kind in enumerate(("f32", "i32"))])


def topk():
    """The three greatest of each row, and where they are (VX-224)."""
    a = whole("f32", 5, 37)
    done = [sorted(zip(row, range(37)), key=lambda pair: -pair[0])[:3] for row in rows(a)]
    return Dispatch("topk", [a], [(kind, [5, 3], flat([[pair[i] for pair in row] for row in done])) for i, kind in enumerate(("f32", "i32"))])


def scan():
    """Running sums of rows, and the sums of all (VX-222)."""
    a = whole("f32", 5, 37)
    sums = [list(itertools.accumulate(row)) for row in rows(a)]
    return Dispatch("scan", [a], [("f32", [5, 37], flat(sums)), ("f32", [5], [row[-1] for row in sums])])


def product_ragged(dump, devices):
    a, b = whole("f16", 19, 29), whole("f16", 29, 23)
    return Dispatch(dump, [a, b], [("f32", [19, 23], product(a, b))], devices=devices)


def convolution(dump, devices):
    """Two images of 6x7 points with 5 channels; 11 filters of 3x3."""
    a, w = whole("f16", 2, 6, 7, 5), whole("f16", 3, 3, 5, 11)
    windows = [[a[2][((image * 6 + i + p) * 7 + j + q) * 5 + c] for p in range(3) for q in range(3) for c in range(5)]
               for image in range(2) for i in range(4) for j in range(5)]
    sums = product(("f16", [40, 45], flat(windows)), ("f16", [45, 11], w[2]))
    return Dispatch(dump, [a, w], [("f32", [2, 4, 5, 11], sums)], devices=devices)


def join(dump):
    """Two dispatches that write to parts of one buffer: each leaves the rest as it was."""
    a, b, before = whole("f32", 3, 5), whole("f32", 3, 4), whole("f32", 3, 9)
    first = flat([[*left, *rest[5:]] for left, rest in zip(rows(a), rows(before))])
    second = flat([[*rest[:5], *right] for right, rest in zip(rows(b), rows(("f32", [3, 9], first)))])
    yield Dispatch(dump, [a, before], [("f32", [3, 9], first)], function="join_dispatch_0_slow_memcpy")
    yield Dispatch(dump, [b, ("f32", [3, 9], first)], [("f32", [3, 9], second)], function="join_dispatch_1_slow_memcpy")


def difference(given, wanted, bound):
    return next((f"[{i}] is {x}, wanted {y}" for i, (x, y) in enumerate(zip(given, wanted)) if not abs(x - y) <= bound), None)


def run_of(case, target, device, chosen):
    folder = chosen.out / f"{case.name}.{target}.{device}"
    outputs = [folder / f"res{number}.npy" for number in range(len(case.results))]
    command = [chosen.distaff, "run", DUMPS / f"{case.dump}.mlir", "--target", target, "--device", device]
    command += [f"--func={case.function}"] if case.function else []
    for number in range(len(case.inputs)):
        command += ["--input", f"arg{number}={folder / f'arg{number}.npy'}"]
    for number, path in enumerate(outputs):
        # On memrefs what is written is an argument.
        name = f"arg{len(case.inputs) - len(outputs) + number}" if case.writes else f"res{number}"
        command += ["--output", f"{name}={path}"]

    def prepare():
        folder.mkdir(exist_ok=True)
        for number, (element, shape, values) in enumerate(case.inputs):
            npy.write(folder / f"arg{number}.npy", element, shape, values)

    def wrong():
        for path, (element, _, wanted) in zip(outputs, case.results):
            if found := difference(npy.read(path, element), wanted, case.bound):
                return f"{path.name}: {found}"
        return None
    return suite.Run(f"{case.name} {target} {device}", command, prepare=prepare, after=wrong, compares=False)


def on_memrefs(case):
    case.inputs += [(element, shape, [0] * len(values)) for element, shape, values in case.results]
    case.writes = True
    return case


def cases():
    yield from (matmul(), product_i8(), best("best"), best("best_compared"), heads(), row_sum("row_sum"), scaled("scaled", 5))
    yield from (softmax_rows(1), softmax_rows(33))
    yield from (attention("attention"), attention("attention_online"), gather(), sort(), topk(), scan(), product_plain())
    yield from join("join")
    yield from join("join_copies")
    # After passes of IREE: tiles of workgroups, vectors with layouts for subgroups of 32, on tensors and on memrefs, lanes.
    yield row_sum("row_sum_tiled", devices=GPUS[:2])
    yield row_sum("row_sum_vectorized", devices=GPUS[:2])
    yield on_memrefs(row_sum("row_sum_bufferized", devices=GPUS[:2]))
    yield softmax_vectorized()
    yield on_memrefs(row_sum("row_sum_lanes", devices=GPUS[:2]))
    yield on_memrefs(scaled("scaled_lanes", 5, devices=GPUS[:2]))
    # Products of inner tiles (VX-185): packed by workgroups, of lanes, and of instructions in a later MLIR's spelling (VX-184).
    yield product_f16("product_packed", devices=[*GPUS[:2], ALL[3]])
    yield product_f16("product_packed_wave", devices=GPUS[2:])
    for dump in ("product_tiles", "product_fragments", "product_mma"):
        yield on_memrefs(product_f16(dump, devices=GPUS[:2]))
    # Loops over threads, on tensors and on memrefs; barriers, im2col and map_store (VX-236 to VX-238).
    for dump in ("best_threads", "best_threads_buffers"):
        yield on_memrefs(best(dump, devices=GPUS[:2]))
    yield on_memrefs(best("best_threads_wave", devices=GPUS[2:]))
    yield on_memrefs(scaled("scaled_threads", 5, devices=GPUS[:2]))
    yield on_memrefs(scaled("scaled_threads_wave", 5, devices=GPUS[2:]))
    yield on_memrefs(product_ragged("product_promoted", devices=GPUS[:2]))
    yield on_memrefs(product_ragged("product_barriers", devices=GPUS[:2]))
    yield on_memrefs(product_ragged("product_barriers_mfma", devices=GPUS[2:]))
    yield on_memrefs(convolution("conv_im2col", devices=GPUS[:2]))
    yield on_memrefs(convolution("conv_im2col_vectors", devices=GPUS[2:]))
    yield on_memrefs(scaled("scaled_distributed", 5, devices=GPUS[:2]))
    yield on_memrefs(best("best_distributed", devices=GPUS[2:]))
    for dump in ("product_mfma_tiles", "product_mfma"):
        yield on_memrefs(product_f16(dump, devices=GPUS[2:]))


def main():
    chosen = suite.options()
    runs, seen = [], set()
    for case in cases():
        case.writes = getattr(case, "writes", False)
        case.name += "_again" * (case.name in seen)
        seen.add(case.name)
        runs += [run_of(case, target, device, chosen) for target, device in case.devices]
    suite.main(runs, chosen)


if __name__ == "__main__":
    main()
