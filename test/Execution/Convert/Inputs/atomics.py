"""Atomic updates of memory, of every kind and type, in global and in workgroup memory.

usage: atomics.py OUT_DIR [options of suite.py]

256 lanes of four workgroups update 16 elements at places of their own, several lanes each. Where the order of updates
does not matter the result is compared with Python's; what an update returns, the element before it, is compared as a set:
the tickets of `addi 1` are 0, 1, 2 and so on, each once.
"""
import math
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

MACHINES = {"sm_80": ["--target", "sm_80"], "gfx942": ["--target", "gfx942"], "ptx": ["--target", "sm_80", "--device", "ptx"]}
LANES, ELEMENTS = 256, 16
BITS = {"i32": 32, "i64": 64}


def signed(x, bits):
    return (x + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def of_nan(pick, takes_nan):
    def combine(a, b):
        if a != a or b != b:
            return math.nan if takes_nan else (b if a != a else a)
        return pick(a, b)
    return combine


# What an update makes of the element and its operand; integers by their bits.
INTEGERS = {"addi": lambda a, b, n: a + b, "andi": lambda a, b, n: a & b, "ori": lambda a, b, n: a | b, "xori": lambda a, b, n: a ^ b,
            "maxs": lambda a, b, n: max(a, b), "mins": lambda a, b, n: min(a, b), "maxu": lambda a, b, n: max(a % (1 << n), b % (1 << n)),
            "minu": lambda a, b, n: min(a % (1 << n), b % (1 << n)), "assign": lambda a, b, n: b}
FLOATS = {"addf": lambda a, b: a + b, "assign": lambda a, b: b, "maximumf": of_nan(max, True), "minimumf": of_nan(min, True),
          "maxnumf": of_nan(max, False), "minnumf": of_nan(min, False)}


def kernel(kind, element, in_workgroup):
    where = f"memref<{ELEMENTS}x{element}>"
    head = f"""gpu.module @m {{
  gpu.func @k(%x: memref<{LANES}x{element}>, %p: memref<{LANES}xi32>, %h: {where}) kernel attributes {{known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>}} {{
    %i = gpu.global_id x
    %v = memref.load %x[%i] : memref<{LANES}x{element}>
    %q = memref.load %p[%i] : memref<{LANES}xi32>
    %b = arith.index_cast %q : i32 to index
"""
    if not in_workgroup:
        return head + f"    %o = memref.atomic_rmw {kind} %v, %h[%b] : ({element}, {where}) -> {element}\n    gpu.return\n  }}\n}}\n"
    # Each workgroup has elements of its own, which it adds to those of all.
    zero = "0" if element[0] == "i" else "0.0"
    own = f"memref<{ELEMENTS}x{element}, #gpu.address_space<workgroup>>"
    return head + f"""    %m = memref.alloc() : {own}
    %z = arith.constant {zero} : {element}
    %n = arith.constant {ELEMENTS} : index
    %t = gpu.thread_id x
    %few = arith.cmpi ult, %t, %n : index
    scf.if %few {{
      memref.store %z, %m[%t] : {own}
    }}
    gpu.barrier
    %o = memref.atomic_rmw {kind} %v, %m[%b] : ({element}, {own}) -> {element}
    gpu.barrier
    scf.if %few {{
      %s = memref.load %m[%t] : {own}
      %u = memref.atomic_rmw {kind} %s, %h[%t] : ({element}, {where}) -> {element}
    }}
    gpu.return
  }}
}}
"""


TICKETS = f"""gpu.module @m {{
  gpu.func @k(%p: memref<{LANES}xi32>, %h: memref<{ELEMENTS}xi32>, %old: memref<{LANES}xi32>) kernel attributes {{known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>}} {{
    %i = gpu.global_id x
    %one = arith.constant 1 : i32
    %q = memref.load %p[%i] : memref<{LANES}xi32>
    %b = arith.index_cast %q : i32 to index
    %o = memref.atomic_rmw addi %one, %h[%b] : (i32, memref<{ELEMENTS}xi32>) -> i32
    memref.store %o, %old[%i] : memref<{LANES}xi32>
    gpu.return
  }}
}}
"""


def draw(kind, element, rng, places):
    if element in BITS:
        bits = BITS[element]
        values = [signed(rng.getrandbits(bits), bits) for _ in range(LANES)]
        base = [signed(rng.getrandbits(bits), bits) for _ in range(ELEMENTS)]
    else:
        few = [0.0, 1.0, -2.0, 3.0, 7.0] + ([math.nan, math.inf, -math.inf] if kind.startswith("m") else [])
        values = [rng.choice(few) for _ in range(LANES)]
        base = [rng.choice(few[:5]) for _ in range(ELEMENTS)]
    if kind == "assign":  # whoever comes last
        values = [values[place] for place in places]
    return values, base


def run_of(kind, element, in_workgroup, machine, chosen):
    name = f"{kind}_{element}_{'workgroup' if in_workgroup else 'global'}"
    rng = random.Random(name)
    path = chosen.out / f"{name}.mlir"
    path.write_text(kernel(kind, element, in_workgroup))
    places = [rng.randrange(ELEMENTS) for _ in range(LANES)]
    values, base = draw(kind, element, rng, places)
    files = [path.with_suffix(f".{machine}.{part}.npy") for part in "xphr"]
    npy.write(files[0], element, (LANES,), values)
    npy.write(files[1], "i32", (LANES,), places)
    npy.write(files[2], element, (ELEMENTS,), base)
    wanted = list(base)
    own = [[0] * ELEMENTS for _ in range(4)]
    update = (lambda a, b: signed(INTEGERS[kind](a, b, BITS[element]), BITS[element])) if element in BITS else FLOATS[kind]
    for lane, (place, value) in enumerate(zip(places, values)):
        into = own[lane // 64] if in_workgroup else wanted
        into[place] = update(into[place], value)
    if in_workgroup:
        for group in own:
            wanted = [update(a, b) for a, b in zip(wanted, group)]

    def wrong():
        got = npy.read(files[3], element)
        for at, (one, other) in enumerate(zip(got, wanted, strict=True)):
            if not (one == other or (one != one and other != other)):
                return f"element {at} is {one}, expected {other}"
        return None
    command = [chosen.distaff, "run", str(path), *MACHINES[machine], f"--input=arg0={files[0]}", f"--input=arg1={files[1]}",
               f"--input=arg2={files[2]}", f"--output=arg2={files[3]}"]
    return suite.Run(f"{name} {machine}", command, after=wrong, compares=False)


def tickets(machine, chosen):
    rng = random.Random(machine)
    path = chosen.out / "tickets.mlir"
    path.write_text(TICKETS)
    places = [rng.randrange(ELEMENTS) for _ in range(LANES)]
    files = [path.with_suffix(f".{machine}.{part}.npy") for part in "pho"]
    npy.write(files[0], "i32", (LANES,), places)
    npy.write(files[1], "i32", (ELEMENTS,), [0] * ELEMENTS)

    def wrong():
        given = {}
        for place, ticket in zip(places, npy.read(files[2], "i32"), strict=True):
            given.setdefault(place, []).append(ticket)
        for place, own in given.items():
            if sorted(own) != list(range(len(own))):
                return f"element {place} gave {sorted(own)}"
        return None
    command = [chosen.distaff, "run", str(path), *MACHINES[machine], f"--input=arg0={files[0]}", f"--input=arg1={files[1]}", f"--output=arg2={files[2]}"]
    return suite.Run(f"tickets {machine}", command, after=wrong, compares=False)


def runs(chosen):
    for machine in MACHINES:
        yield tickets(machine, chosen)
        for element, kinds in (("i32", INTEGERS), ("i64", INTEGERS), ("f32", FLOATS), ("f64", FLOATS), ("f16", ("addf", "maximumf", "assign")), ("bf16", ("addf",))):
            for kind in kinds:
                # LLVM's loop around a compare-and-swap begins with a plain load, in which the PTX machine sees a race.
                if machine == "ptx" and element[0] != "i" and kind != "addf" and (kind != "assign" or element == "f16") or (machine, element) == ("ptx", "bf16"):
                    continue
                for in_workgroup in (False, True):
                    # From a workgroup's zero on, what comes last depends on who is late; `and` with it is zero.
                    if not (in_workgroup and (kind in ("assign", "andi") or element in ("f16", "bf16"))):
                        yield run_of(kind, element, in_workgroup, machine, chosen)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen, one_in=7)
