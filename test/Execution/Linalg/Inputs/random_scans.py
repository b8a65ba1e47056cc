"""Random scans: 1 to 5 dims, known to the kernel or to the launch alone, along any, of any type and kind.

usage: random_scans.py OUT_DIR [--seeds FROM:TO] [options of suite.py]
"""
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx1100")
OF_FLOATS = ("addf", "maximumf", "minimumf", "maxnumf", "minnumf")
OF_INTEGERS = ("addi", "muli", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori")
# Sums of narrow floats are not decided at these lengths.
KINDS = {**dict.fromkeys(("f64", "f32"), OF_FLOATS), **dict.fromkeys(("f16", "bf16"), OF_FLOATS[1:]), "i1": ("addi", "andi", "ori", "xori", "minui"), **dict.fromkeys(("i8", "i16", "i32", "i64"), OF_INTEGERS)}
LENGTHS = (0, 1, 2, 127, 129, 257, 700, 1024, 1025, 4097, 9001)
MOST_ELEMENTS = 40000


def scan(shape, dim, kind, element, start, exclusive, unit, last):
    """A loop over `dim` of a tensor; "?" in `shape`: only the launch knows. `start`: a number, or None for an argument."""
    tensor = lambda sizes: f"tensor<{''.join(f'{size}x' for size in sizes)}{element}>"
    whole = tensor(shape)
    piece = tensor([1 if at == dim else size for at, size in enumerate(shape) if at != dim or unit])
    size_of = lambda at: f"%n{at}" if shape[at] == "?" else str(shape[at])
    dynamic = lambda kept: ", ".join(f"%n{at}" for at, size in enumerate(shape) if size == "?" and (kept or at != dim))
    place = ", ".join("%i" if at == dim else "0" for at in range(len(shape)))
    sizes = ", ".join("1" if at == dim else size_of(at) for at in range(len(shape)))
    slice_ = f"[{place}] [{sizes}] [{', '.join('1' for _ in shape)}]"
    dims = "".join(f"  %d{at} = arith.constant {at} : index\n  %n{at} = tensor.dim %v, %d{at} : {whole}\n" for at in range(len(shape)))
    fill = "" if start is None else f"""  %s = arith.constant {start}{'' if element == 'i1' else f' : {element}'}
  %ze = tensor.empty({dynamic(False)}) : {piece}
  %a = linalg.fill ins(%s : {element}) outs(%ze : {piece}) -> {piece}
"""
    return f"""func.func @scan(%v: {whole}{f', %a: {piece}' if start is None else ''}) -> {f'({whole}, {piece})' if last else whole} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
{dims}{fill}  %e = tensor.empty({dynamic(True)}) : {whole}
  %r:2 = scf.for %i = %c0 to %n{dim} step %c1 iter_args(%sum = %a, %o = %e) -> ({piece}, {whole}) {{
    %x = tensor.extract_slice %v{slice_} : {whole} to {piece}
    %c = arith.{kind} %x, %sum : {piece}
    %p = tensor.insert_slice {'%sum' if exclusive else '%c'} into %o{slice_} : {piece} into {whole}
    scf.yield %c, %p : {piece}, {whole}
  }}
  return %r#1{', %r#0' if last else ''} : {whole}{f', {piece}' if last else ''}
}}
"""


def extents(choose):
    """Of a tensor, the dim that is scanned first, with few enough elements."""
    while True:
        rank = choose.randint(1, 5)
        real = [choose.choice((0, 1, 1, 2, 3, 5, 7, 33) if rank < 4 else (1, 1, 2, 3, 5)) for _ in range(rank)]
        dim = choose.randrange(rank)
        real[dim] = choose.choice(LENGTHS)
        shape = ["?" if choose.random() < 0.25 else size for size in real]
        # Without elements, known to the kernel, is another test's.
        if math.prod(real) <= MOST_ELEMENTS and 0 not in shape:
            return real, shape, dim


def random_run(seed, chosen):
    choose = random.Random(seed)
    real, shape, dim = extents(choose)
    element = choose.choice(list(KINDS))
    kind = choose.choice(KINDS[element])
    number = {"f": "1.5", "b": "1.5", "i": "true" if element == "i1" else "1"}[element[0]]
    start, unit = choose.choice((None, number)), choose.random() < 0.3
    path = chosen.out / f"scan_{seed}.mlir"
    path.write_text(scan(shape, dim, kind, element, start, choose.random() < 0.4, unit, choose.random() < 0.5))
    target = choose.choice(TARGETS)
    values = "0:1" if element == "i1" else "-100:100" if element[0] == "i" else "-2:2"
    flags = [f"--input=arg0={'random' if element[0] == 'i' else 'whole'}:1:{values}"]
    if "?" in shape:
        flags.append(f"--shape=arg0={'x'.join(map(str, real))}")
    if start is None:
        flags.append(flags[0].replace("arg0", "arg1").replace(":1:", ":2:", 1))
        kept = [(1, 1) if at == dim else both for at, both in enumerate(zip(shape, real)) if at != dim or unit]
        if any(size == "?" for size, _ in kept):
            flags.append(f"--shape=arg1={'x'.join(str(size) for _, size in kept)}")
    flags += choose.choice(([], [], ["--every-stage"], ["--device", "ptx"] if target.startswith("sm") else []))
    # The order of the loop needs no numbers that are whole.
    if kind == "addf" and choose.random() < 0.3:
        flags = ["--strict-fp", *(flag.replace("whole", "random") for flag in flags)]
    return suite.Run(f"seed {seed} {element} {kind} {shape} as {real} along {dim} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", *flags], compares=False)


if __name__ == "__main__":
    seeds = "0:80"
    if "--seeds" in sys.argv:
        at = sys.argv.index("--seeds")
        seeds = sys.argv[at + 1]
        del sys.argv[at : at + 2]
    chosen = suite.options()
    first, end = map(int, seeds.split(":"))
    suite.main([random_run(seed, chosen) for seed in range(first, end)], chosen, one_in=5)
