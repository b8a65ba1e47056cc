"""Tiles that loops move over memory: those of different iterations may meet, in
other threads' elements (VX-94). Where none do, nobody waits."""
import itertools
import math
import random

from kernels import Kernel, Layout, main, vector
from random_layouts import RandomLayouts

SEEDS = range(60)


def overlap(tile, at):
    """Whether two executions at different places touch one element."""
    return any(p != q and all(abs(a - b) < extent for a, b, extent in zip(p, q, tile))
               for p, q in itertools.combinations(at, 2))


def roundabout(kernel, counter, rounds):
    """The counter after as many times x + x - x: 2**rounds ways lead back."""
    name = counter
    for k in range(rounds):
        kernel.line(f"{counter}_twice{k} = arith.addi {name}, {name} : index")
        kernel.line(f"{counter}_once{k} = arith.subi {counter}_twice{k}, {name} : index")
        name = f"{counter}_once{k}"
    return name


def index(kernel, number, factors, constant, counters, rng):
    """%p of the sum of factors times counters, in one of the ways to write it;
    without random numbers as the difference of two that move by more."""
    if not rng:
        terms = " + ".join(f"d{i} * {f + 8}" for i, f in enumerate(factors)) + f" + {constant}"
        back = " + ".join(f"d{i} * 8" for i in range(len(factors)))
        dims = ", ".join(f"d{i}" for i in range(len(factors)))
        kernel.line(f"%far{number} = affine.apply affine_map<({dims}) -> ({terms})>({', '.join(counters)})")
        kernel.line(f"%back{number} = affine.apply affine_map<({dims}) -> ({back})>({', '.join(counters)})")
        kernel.line(f"%p{number} = arith.subi %far{number}, %back{number} : index")
        return
    if rng.random() < 0.5:
        terms = " + ".join(f"d{i} * {f}" for i, f in enumerate(factors)) + f" + {constant}"
        dims = ", ".join(f"d{i}" for i in range(len(factors)))
        kernel.line(f"%p{number} = affine.apply affine_map<({dims}) -> ({terms})>({', '.join(counters)})")
        return
    kernel.line(f"%sum{number}_0 = arith.constant {constant} : index")
    for i, factor in enumerate(factors):
        kernel.line(f"%factor{number}_{i} = arith.constant {abs(factor)} : index")
        kernel.line(f"%term{number}_{i} = arith.muli %factor{number}_{i}, {counters[i]} : index")
        kernel.line(f"%sum{number}_{i + 1} = arith.{'subi' if factor < 0 else 'addi'} %sum{number}_{i}, %term{number}_{i} : index")
    kernel.line(f"%p{number} = arith.addi %sum{number}_{len(factors)}, %c0 : index")


def nobody_waits(text):
    """But for a conversion, which takes a buffer."""
    return "somebody waits" if "gpu.barrier" in text and "memref.alloc" not in text else None


def moving(seed):
    rng = random.Random(seed)
    lanes = rng.choice([32, 32, 64])
    subgroups = rng.choice([1, 2])
    tile = rng.choice([[4, 8], [8], [2, 12], [1, 16], [6, 4], [16, 1]])
    loops = [(rng.choice([1, 2, 4]), rng.choice([1, 2, 3])) for _ in range(rng.choice([1, 2, 2]))]  # step, trips
    # Most dims follow one loop, by the tile or near it; some both, some none.
    factors = []
    for extent in tile:
        row = [0] * len(loops)
        for loop in rng.sample(range(len(loops)), rng.choice([0, 1, 1, len(loops)])):
            step = loops[loop][0]
            row[loop] = rng.choice([1, -1, -(-extent // step), -(-extent // step) * 3, max(1, extent // step - 1)])
        factors.append(row)
    layout = RandomLayouts(rng, subgroups, lanes).layout(tile)
    return tiles(f"moving_{seed}", tile, loops, factors, layout, subgroups * lanes, lanes, rng, follows=rng.random() < 0.3, views=rng.random() < 0.3)


def tiles(name, tile, loops, factors, layout, threads, lanes, rng=None, rounds=0, follows=False, views=False):
    """`loops` are steps and trips. Inner loops that follow start where the outer
    one is; views are of the tile's place, which is written from its start on."""
    points = [()]
    for step, trips in loops:
        points = [(*point, (point[-1] if follows and point else 0) + step * k) for point in points for k in range(trips)]
    at = [tuple(sum(f * i for f, i in zip(row, point)) for row in factors) for point in points]
    least, most = ([bound(p[dim] for p in at) for dim in range(len(tile))] for bound in (min, max))

    kernel = Kernel(name, threads, lanes)
    dims = "x".join(str(hi - lo + extent) for lo, hi, extent in zip(least, most, tile))
    to = kernel.argument(f"memref<{dims}xi32>")
    number = "%c0"
    for i, (step, trips) in enumerate(loops):
        kernel.line(f"%step{i} = arith.constant {step} : index")
        kernel.line(f"%end{i} = arith.constant {step * trips} : index")
    for i in range(len(loops)):
        start, end = "%c0", f"%end{i}"
        if follows and i:
            start, end = f"%i{i - 1}", f"%last{i}"
            kernel.line(f"{end} = arith.addi {start}, %end{i} : index")
        kernel.line(f"scf.for %i{i} = {start} to {end} step %step{i} {{")
        kernel.line(f"%way{i} = arith.subi %i{i}, {start} : index")
    for i, (step, trips) in enumerate(loops):
        kernel.line(f"%trips{i} = arith.constant {trips} : index")
        kernel.line(f"%k{i} = arith.divui %way{i}, %step{i} : index")
        kernel.line(f"%shifted{i} = arith.muli {number}, %trips{i} : index")
        kernel.line(f"%n{i} = arith.addi %shifted{i}, %k{i} : index")
        number = f"%n{i}"
    names = [roundabout(kernel, f"%i{i}", rounds) for i in range(len(loops))]
    for dim, row in enumerate(factors):
        index(kernel, dim, row, -least[dim], names, rng)
    inside = ", ".join(["true"] * len(tile))
    kernel.line(f"%time = arith.index_cast {number} : index to i32")
    kernel.line(f"%times = vector.broadcast %time : i32 to {vector(tile, 'i32')}")
    kernel.line(f"%place = arith.constant dense<{list(range(0, 100 * math.prod(tile), 100))}> : vector<{math.prod(tile)}xi32>")
    kernel.line(f"%places = vector.shape_cast %place : vector<{math.prod(tile)}xi32> to {vector(tile, 'i32')}")
    kernel.line(f"%x = arith.addi %places, %times : {vector(tile, 'i32')}")
    kernel.layout("%y", "%x", layout, vector(tile, "i32"))
    places = ", ".join(f"%p{dim}" for dim in range(len(tile)))
    memory, kind = to, f"memref<{dims}xi32>"
    if views:
        sizes, ones = ", ".join(map(str, tile)), ", ".join(["1"] * len(tile))
        strides = [math.prod(int(extent) for extent in dims.split("x")[dim + 1:]) for dim in range(len(tile))]
        kind = f"memref<{'x'.join(map(str, tile))}xi32, strided<[{', '.join(map(str, strides))}], offset: ?>>"
        kernel.line(f"%view = memref.subview {to}[{places}] [{sizes}] [{ones}] : memref<{dims}xi32> to {kind}")
        memory, places = "%view", ", ".join(["%c0"] * len(tile))
    kernel.line(f"vector.transfer_write %y, {memory}[{places}] {{in_bounds = [{inside}]}} : {vector(tile, 'i32')}, {kind}")
    for _ in loops:
        kernel.line("}")
    # Of dims that follow several loops, only ranges are known, and of a view only
    # that it moves.
    if not views and not follows and not overlap(tile, at) and all(sum(f != 0 for f in row) <= 1 for row in factors):
        kernel.judged = nobody_waits
    return kernel


LINE = Layout(1, T=[8], ts=[1])

main([
    *(moving(seed) for seed in SEEDS),
    tiles("outer_steps_into_what_inner_ones_reach", [8], [(1, 2), (1, 2)], [[12, 8]], LINE, 32, 32, random.Random(1)),
    tiles("inner_loop_from_the_outer_counter", [8], [(1, 4), (8, 2)], [[0, 1]], LINE, 32, 32, random.Random(1), follows=True),
    tiles("view_that_moves", [8], [(1, 4)], [[4]], LINE, 32, 32, random.Random(1), views=True),
    tiles("difference_of_longer_steps", [8], [(1, 4)], [[4]], LINE, 32, 32),
    tiles("difference_that_stays_apart", [8], [(1, 4)], [[8]], LINE, 32, 32),
    tiles("thirty_loops_deep", [8], [(1, 1)] * 29 + [(1, 2)], [[0] * 29 + [8]], LINE, 32, 32, random.Random(1)),
    tiles("two_to_the_64_ways_to_the_counter", [8], [(1, 4)], [[8]], LINE, 32, 32, rounds=64),
])
