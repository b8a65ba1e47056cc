"""Products on this CPU whose workgroups copy several panels and the left side beside them.

    python3 groups.py OUT_DIR [--seeds FIRST:LAST] [--only NAME] [--distaff PATH]

Random products: operands as rows or as columns, a batch or none, of each element type, added to something, something added
behind; extents around what is one block, one panel and one group, constant or known to a launch alone, and then empty too.
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

SEEDS = range(40)
ELEMENTS = [("f32", "f32")] * 4 + [("f64", "f64"), ("f16", "f32"), ("f16", "f32"), ("bf16", "f32"), ("i32", "i32")] + [("i8", "i32")] * 3 + [("i16", "i32")] * 2
SMALL = (1, 2, 5, 6, 7, 12, 17)


def extents_of(rng, isDynamic):
    """Mostly such that there are groups: eight panels of 16 columns, some tiles, and two blocks of 192 steps or more."""
    m, n, k = rng.randrange(48, 200), rng.randrange(113, 420), rng.choice((rng.randrange(280, 420), rng.randrange(90, 700), 288, 289, 384, 385))
    if rng.random() < 0.2:
        m = rng.choice(SMALL)
    if rng.random() < 0.1:
        n = rng.choice(SMALL)
    if isDynamic and rng.random() < 0.25:
        k = rng.choice((0, 1, 7, 8, 9, 191, 192, 193))
    if isDynamic and rng.random() < 0.1:
        m = 0
    while m * n * k > 12_000_000:
        m, n = max(1, m * 3 // 4), max(1, n * 3 // 4)
    return {"b": rng.choice((1, 2, 3)), "m": m, "n": n, "k": k}


def kernel(seed):
    """The text, the extents of each argument, and whether any is dynamic."""
    rng = random.Random(seed)
    element, acc = rng.choice(ELEMENTS)
    # Bytes and halves of integers are multiplied several at a time, with a sign or without.
    unsigned = rng.choice(("", "", "x", "y", "xy")) if element == "i8" else rng.choice(("", "", "", "x")) if element == "i16" else ""
    dynamic = rng.choice(("", "", "mnk", "k", "mn", "bmnk"))
    extents = extents_of(rng, bool(dynamic))
    batch = "b" if rng.random() < 0.3 else ""
    maps = [batch + rng.choice(("mk", "mk", "km")), batch + rng.choice(("kn", "kn", "nk")), batch + "mn"]
    dims = batch + "mnk"

    def tensor(map, element):
        return "tensor<" + "".join(f"{'?' if d in dynamic else extents[d]}x" for d in map) + element + ">"

    of = acc[0] if acc[0] == "f" else "i"
    widens = element != acc
    widen = {x: "arith.extf" if of == "f" else "arith.extui" if x in unsigned else "arith.extsi" for x in "xy"}
    widening = "".join(f"    %{x}w = {widen[x]} %{x} : {element} to {acc}\n" for x in "xy") if widens else ""
    w, c = "w" if widens else "", tensor(maps[2], acc)
    listed = ", ".join(f"affine_map<({', '.join(dims)}) -> ({', '.join(each)})>" for each in maps)
    iterators = ", ".join('"reduction"' if d == "k" else '"parallel"' for d in dims)
    text = f"func.func @k(%a: {tensor(maps[0], element)}, %b: {tensor(maps[1], element)}, %c: {c}) -> {c} {{\n"
    start, result = "%c", "%r"
    if rng.random() < 0.6:
        text += f"  %z = arith.constant {'0.0' if of == 'f' else '0'} : {acc}\n  %f = linalg.fill ins(%z : {acc}) outs(%c : {c}) -> {c}\n"
        start = "%f"
    text += f"""  %r = linalg.generic {{indexing_maps = [{listed}], iterator_types = [{iterators}]}} ins(%a, %b : {tensor(maps[0], element)}, {tensor(maps[1], element)}) outs({start} : {c}) {{
  ^bb0(%x: {element}, %y: {element}, %s: {acc}):
{widening}    %p = arith.mul{of} %x{w}, %y{w} : {acc}
    %t = arith.add{of} %s, %p : {acc}
    linalg.yield %t : {acc}
  }} -> {c}
"""
    if rng.random() < 0.3:
        text += f"  %g = linalg.add ins(%r, %c : {c}, {c}) outs(%c : {c}) -> {c}\n"
        result = "%g"
    shapes = ["x".join(str(extents[d]) for d in map) for map in maps]
    return text + f"  return {result} : {c}\n}}\n", shapes, [any(d in dynamic for d in map) for map in maps], element


def main():
    seeds = suite.taken("--seeds") or SEEDS
    chosen = suite.options()
    runs = []
    for seed in seeds:
        text, shapes, dynamic, element = kernel(seed)
        path = chosen.out / f"{seed}.mlir"
        path.write_text(text)
        # Whole numbers, whose sums are exact in each type: a step that is left out or done twice is seen.
        # Of small integers all there are, or those furthest from 0, whose sums wrap.
        low, high = {"f16": (-1, 1), "bf16": (-1, 1), "i8": (-128, 127), "i16": (-32768, 32767)}.get(element, (-3, 3))
        if low < -3 and seed % 4 == 0:
            high = low + 1
        inputs = [f"--input=arg{i}=whole:{seed + i}:{low}:{high}" for i in range(3)]
        inputs += [f"--shape=arg{i}={shape}" for i, (shape, isDynamic) in enumerate(zip(shapes, dynamic)) if isDynamic]
        strict = ["--strict-fp"] if seed % 3 == 0 else []
        threads = ("1", "2", "5")[seed % 5 % 3]
        command = [chosen.distaff, "run", str(path), "--target", "host", "--device", "host", "--check", "--threads", threads, *strict, *inputs]
        runs.append(suite.Run(f"{seed}_{'x'.join(shapes)}", command, exact=True, compares=False))
    suite.main(runs, chosen, one_in=4)


main()
