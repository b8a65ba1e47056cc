"""Atomic updates of memory, of every kind and type, in global and in workgroup memory.

usage: atomics.py OUT_DIR [options of suite.py]

256 lanes of four workgroups update 16 elements at places of their own, several lanes each; on a CPU a workgroup is one of
them. Where the order of updates does not matter the result is compared with Python's, the signs of zeros too; what an update
returns, the element before it, is compared as a set: the tickets of `addi 1` are 0, 1, 2 and so on, each once.
"""
import math
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

MACHINES = {"sm_80": ["--target", "sm_80"], "gfx942": ["--target", "gfx942"], "ptx": ["--target", "sm_80", "--device", "ptx"],
            "ptx_90": ["--target", "sm_90a", "--device", "ptx"], "host": ["--target", "host", "--device", "host", "--threads", "4"]}
LANES, ELEMENTS = 256, 16
BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}


def signed(x, bits):
    return (x + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def of_nan(pick, takes_nan):
    def combine(a, b):
        if a != a or b != b:
            return math.nan if takes_nan else (b if a != a else a)
        return pick(a, b, key=lambda x: (x, math.copysign(1, x)))
    return combine


# What an update makes of the element and its operand; integers by their bits.
INTEGERS = {"addi": lambda a, b, n: a + b, "andi": lambda a, b, n: a & b, "ori": lambda a, b, n: a | b, "xori": lambda a, b, n: a ^ b,
            "maxs": lambda a, b, n: max(a, b), "mins": lambda a, b, n: min(a, b), "maxu": lambda a, b, n: max(a % (1 << n), b % (1 << n)),
            "minu": lambda a, b, n: min(a % (1 << n), b % (1 << n)), "assign": lambda a, b, n: b, "muli": lambda a, b, n: a * b,
            "body": lambda a, b, n: (a & ~1) + (b | 1) * 2 + (a & 1), "difference": lambda a, b, n: a - b, "negation": lambda a, b, n: -a,
            "sum": lambda a, b, n: a + b, "maximum": lambda a, b, n: max(a, b)}
FLOATS = {"addf": lambda a, b: a + b, "mulf": lambda a, b: a * b, "body": lambda a, b: a + (2 * b if b > 0 else -b), "assign": lambda a, b: b, "maximumf": of_nan(max, True), "minimumf": of_nan(min, True),
          "maxnumf": of_nan(max, False), "minnumf": of_nan(min, False), "difference": lambda a, b: a - b, "negation": lambda a, b: -a,
          "sum": lambda a, b: a + b, "maximum": of_nan(max, True), "twice": lambda a, b: a + a}

# Of two zeros these say which one is the result.
SIGNED = ("maximumf", "minimumf", "maximum")

# Bodies of one op, of the element and the operand or a constant.
ONE_OP = {"difference": "arith.sub{c} %old, %v", "sum": "arith.add{c} %v, %old", "maximum": "arith.max{s} %old, %v", "twice": "arith.add{c} %old, %old",
          "negation": "arith.subi %zero, %old"}


def body_of(kind, element):
    """Updates of which the order does not matter: by one op, or by more, of floats by a branch."""
    is_integer = element in BITS
    if kind in ONE_OP:
        op = "arith.negf %old" if kind == "negation" and not is_integer else ONE_OP[kind].format(c="if"[not is_integer], s="si" if is_integer else "imumf")
        zero = f"      %zero = arith.constant 0 : {element}\n" if kind == "negation" and is_integer else ""
        return f"{zero}      %new = {op} : {element}\n"
    if is_integer:
        return f"""      %one = arith.constant 1 : {element}
      %odd = arith.ori %v, %one : {element}
      %twice = arith.shli %odd, %one : {element}
      %low = arith.andi %old, %one : {element}
      %rest = arith.subi %old, %low : {element}
      %sum = arith.addi %rest, %twice : {element}
      %new = arith.addi %sum, %low : {element}
"""
    return f"""      %zero = arith.constant 0.0 : {element}
      %some = arith.cmpf ogt, %v, %zero : {element}
      %term = scf.if %some -> {element} {{
        %twice = arith.addf %v, %v : {element}
        scf.yield %twice : {element}
      }} else {{
        %other = arith.negf %v : {element}
        scf.yield %other : {element}
      }}
      %new = arith.addf %old, %term : {element}
"""


def update_of(kind, element, result, value, memory, at, where):
    if kind != "body" and kind not in ONE_OP:
        return f"    {result} = memref.atomic_rmw {kind} {value}, {memory}[{at}] : ({element}, {where}) -> {element}\n"
    return f"""    {result} = memref.generic_atomic_rmw {memory}[{at}] : {where} {{
    ^bb0(%old: {element}):
{body_of(kind, element).replace("%v", value)}      memref.atomic_yield %new : {element}
    }}
"""


def on_host(kind, element):
    where = f"memref<{ELEMENTS}x{element}>"
    return f"""func.func @k(%x: memref<{LANES}x{element}>, %p: memref<{LANES}xi32>, %h: {where}) {{
  scf.forall (%i) in ({LANES}) {{
    %v = memref.load %x[%i] : memref<{LANES}x{element}>
    %q = memref.load %p[%i] : memref<{LANES}xi32>
    %b = arith.index_cast %q : i32 to index
{update_of(kind, element, "%o", "%v", "%h", "%b", where)}  }} {{mapping = [#gpu.block<x>]}}
  return
}}
"""


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
        return head + update_of(kind, element, "%o", "%v", "%h", "%b", where) + "    gpu.return\n  }\n}\n"
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
{update_of(kind, element, "%o", "%v", "%m", "%b", own)}    gpu.barrier
    scf.if %few {{
      %s = memref.load %m[%t] : {own}
{update_of(kind, element, "%u", "%s", "%h", "%t", where)}    }}
    gpu.return
  }}
}}
"""


TICKETS = f"""gpu.module @m {{
  gpu.func @k(%p: memref<{LANES}xi32>, %h: memref<{ELEMENTS}xi32>, %tickets: memref<{LANES}xi32>) kernel attributes {{known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>}} {{
    %i = gpu.global_id x
    %one = arith.constant 1 : i32
    %q = memref.load %p[%i] : memref<{LANES}xi32>
    %b = arith.index_cast %q : i32 to index
    %o = memref.atomic_rmw addi %one, %h[%b] : (i32, memref<{ELEMENTS}xi32>) -> i32
    memref.store %o, %tickets[%i] : memref<{LANES}xi32>
    gpu.return
  }}
}}
"""


LOADS = f"""gpu.module @m {{
  memref.global "private" constant @table : memref<4xi32> = dense<[5, 6, 7, 8]>
  gpu.func @k(%h: memref<{ELEMENTS}xi32>, %out: memref<{LANES}xi32>) kernel attributes {{known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>}} {{
    %i = gpu.global_id x
    %n = arith.constant 4 : index
    %at = arith.remui %i, %n : index
    %t = memref.get_global @table : memref<4xi32>
    %a = memref.generic_atomic_rmw %t[%at] : memref<4xi32> {{
    ^bb0(%old: i32):
      memref.atomic_yield %old : i32
    }}
    %b = memref.generic_atomic_rmw %h[%at] : memref<{ELEMENTS}xi32> {{
    ^bb0(%old: i32):
      memref.atomic_yield %old : i32
    }}
    %c = memref.load %h[%at] : memref<{ELEMENTS}xi32>
    %ab = arith.muli %a, %b : i32
    %abc = arith.addi %ab, %c : i32
    memref.store %abc, %out[%i] : memref<{LANES}xi32>
    gpu.return
  }}
}}
"""


def claims_kernel(element):
    number = "i" + "".join(filter(str.isdigit, element))
    bits = "%old" if element == number else "%bits"
    cast = "" if element == number else f"      %bits = arith.bitcast %old : {element} to {number}\n"
    return f"""gpu.module @m {{
  gpu.func @k(%x: memref<{LANES}x{element}>, %p: memref<{LANES}xi32>, %h: memref<{ELEMENTS}x{element}>, %seen: memref<{LANES}x{element}>) kernel attributes {{known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 1, 1>}} {{
    %i = gpu.global_id x
    %free = arith.constant 0 : {number}
    %v = memref.load %x[%i] : memref<{LANES}x{element}>
    %q = memref.load %p[%i] : memref<{LANES}xi32>
    %b = arith.index_cast %q : i32 to index
    %o = memref.generic_atomic_rmw %h[%b] : memref<{ELEMENTS}x{element}> {{
    ^bb0(%old: {element}):
{cast}      %is_free = arith.cmpi eq, {bits}, %free : {number}
      %new = arith.select %is_free, %v, %old : {element}
      memref.atomic_yield %new : {element}
    }}
    memref.store %o, %seen[%i] : memref<{LANES}x{element}>
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
        few = [0.0, 1.0, -2.0, 3.0, 4.0 if element == "bf16" else 7.0]
        if kind == "mulf":
            few = [1.0, -1.0, 2.0, 0.5, -1.0]
        elif kind[0] == "m":  # maxima and minima
            few += [-0.0, math.nan, math.inf, -math.inf]
        values = [rng.choice(few) for _ in range(LANES)]
        base = [rng.choice(few[:5]) for _ in range(ELEMENTS)]
    if kind == "assign":  # whoever comes last
        values = [values[place] for place in places]
    return values, base


def run_of(kind, element, in_workgroup, machine, chosen):
    name = f"{kind}_{element}_{'workgroup' if in_workgroup else 'global'}"
    rng = random.Random(name)
    path = chosen.out / f"{name}{'_host' if machine == 'host' else ''}.mlir"
    path.write_text(on_host(kind, element) if machine == "host" else kernel(kind, element, in_workgroup))
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
            same = one == other and (kind not in SIGNED or math.copysign(1, one) == math.copysign(1, other))
            if not (same or (one != one and other != other)):
                return f"element {at} is {one}, expected {other}"
        return None
    command = [chosen.distaff, "run", str(path), *MACHINES[machine], f"--input=arg0={files[0]}", f"--input=arg1={files[1]}",
               f"--input=arg2={files[2]}", f"--output=arg2={files[3]}"]
    return suite.Run(f"{name} {machine}", command, refusal(kind, element, machine), after=wrong, compares=False)


def claims(element, machine, chosen):
    """A compare-and-swap by every lane: one of them finds the element free, the others what that one has left."""
    path = chosen.out / f"claims_{element}.mlir"
    path.write_text(claims_kernel(element))
    rng = random.Random(f"{element} {machine}")
    places = [rng.randrange(ELEMENTS) for _ in range(LANES)]
    values = [float(rng.randrange(1, 100)) if element[0] == "f" else rng.randrange(1, 100) for _ in range(LANES)]
    files = [path.with_suffix(f".{machine}.{part}.npy") for part in "xphrs"]
    npy.write(files[0], element, (LANES,), values)
    npy.write(files[1], "i32", (LANES,), places)
    npy.write(files[2], element, (ELEMENTS,), [0] * ELEMENTS)

    def wrong():
        left, seen = npy.read(files[3], element), npy.read(files[4], element)
        for place in range(ELEMENTS):
            lanes = [lane for lane in range(LANES) if places[lane] == place]
            first = [lane for lane in lanes if seen[lane] == 0]
            if [values[lane] for lane in first] != [left[place]] or any(seen[lane] not in (0, left[place]) for lane in lanes):
                return f"element {place} is {left[place]}, claimed by {first}"
        return None
    command = [chosen.distaff, "run", str(path), *MACHINES[machine], f"--input=arg0={files[0]}", f"--input=arg1={files[1]}",
               f"--input=arg2={files[2]}", f"--output=arg2={files[3]}", f"--output=arg3={files[4]}"]
    return suite.Run(f"claims_{element} {machine}", command, refusal("claim", element, machine), after=wrong, compares=False)


def loads(machine, chosen):
    """Atomic loads beside plain ones, of memory that nothing writes, constant or not."""
    path = chosen.out / "loads.mlir"
    path.write_text(LOADS)
    rng = random.Random(machine)
    there = [signed(rng.getrandbits(32), 32) for _ in range(ELEMENTS)]
    files = [path.with_suffix(f".{machine}.{part}.npy") for part in "ho"]
    npy.write(files[0], "i32", (ELEMENTS,), there)
    wanted = [signed((5 + lane % 4) * there[lane % 4] + there[lane % 4], 32) for lane in range(LANES)]

    def wrong():
        got = npy.read(files[1], "i32")
        return None if list(got) == wanted else f"{got}, expected {wanted}"
    command = [chosen.distaff, "run", str(path), *MACHINES[machine], "--check", f"--input=arg0={files[0]}", f"--output=arg1={files[1]}"]
    return suite.Run(f"loads {machine}", command, after=wrong, compares=False)


def tickets(machine, by_body, chosen):
    rng = random.Random(machine)
    path = chosen.out / f"tickets{'_by_body' if by_body else ''}.mlir"
    path.write_text(TICKETS.replace(update_of("addi", "i32", "%o", "%one", "%h", "%b", f"memref<{ELEMENTS}xi32>"),
                                    update_of("sum", "i32", "%o", "%one", "%h", "%b", f"memref<{ELEMENTS}xi32>")) if by_body else TICKETS)
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
    return suite.Run(f"{path.stem} {machine}", command, after=wrong, compares=False)


def refusal(kind, element, machine):
    if element == "i8" and machine in ("sm_80", "ptx", "ptx_90"):
        return "refused", "no instruction compares and swaps 8 bits; use elements of 16, 32 or 64 bits"
    return None


def runs(chosen):
    for machine in MACHINES:
        if machine != "host":
            yield tickets(machine, False, chosen)
            yield tickets(machine, True, chosen)
            yield loads(machine, chosen)
            for element in ("i8", "i16", "i64", "f16", "f32"):
                yield claims(element, machine, chosen)
        for element in ("i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"):
            for kind in INTEGERS if element in BITS else FLOATS:
                if kind == "twice" and element == "f16":  # infinite soon
                    continue
                for in_workgroup in (False, True):
                    # From a workgroup's zero on, what comes last depends on who is late, a product with it is zero, and so is
                    # `and`; what a body adds is not what it is added with.
                    if not (in_workgroup and (machine == "host" or kind in ("assign", "andi", "muli", "mulf", "body", "twice"))):
                        yield run_of(kind, element, in_workgroup, machine, chosen)
    # Every stage is run, and compared where the order of updates does not matter to the bound.
    for element in ("i16", "i32", "f32"):
        for kind in ("muli", "body", "difference") if element in BITS else ("addf", "maximumf", "difference", "negation", "twice"):
            for target in ("sm_80", "gfx942"):
                path = chosen.out / f"every_stage_{kind}_{element}.mlir"
                path.write_text(kernel(kind, element, False))
                yield suite.Run(f"every stage {kind}_{element} {target}",
                                [chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage", "--input=arg0=whole:1:-3:3"], compares=False)
    # LLVM has code for all of them.
    for element in ("i8", "i16", "i32", "f8E4M3FNUZ", "f16", "bf16", "f64"):
        for kind in INTEGERS if element in BITS else FLOATS:
            path = chosen.out / f"emit_{kind}_{element}.mlir"
            path.write_text(kernel(kind, element, True))
            for target in ("gfx90a", "gfx942", "gfx1100"):
                yield suite.Run(f"emit {kind}_{element} {target}", [chosen.distaff, "compile", str(path), "--target", target, "--emit", "gcn", "-o", "/dev/null"], compares=False)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen, one_in=7)
