"""Fragments in the order in which their MMA instruction takes them (VX-250), on the SIMT machine and as PTX.

    python3 fragment_order.py OUT_DIR [--only NAME]

Products of every element type that ldmatrix brings, A and B by rows and by columns, on every NVIDIA target, with tiles in
workgroup memory. In the emitted PTX the words of each operand of each mma.sync that ldmatrix has loaded, or another load of
several words (VX-253), are neighbours of one load, in the order of the load: any other order costs a move per word before each
instruction, and an instruction between costs itself. Values are compared with the source at every stage, and once more by running the PTX.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

LOAD = re.compile(r"(?:ldmatrix|ld\.shared\.v[24]\.b32)\S*\s+\{([^}]*)\}")
PRODUCT = re.compile(r"mma\.sync\S*\s*\{[^}]*\},\s*\{([^}]*)\},\s*\{([^}]*)\}")
# An instruction with one result, or the parts of one.
OTHER = re.compile(r"^\s+(?:@!?%p\d+ )?(?!ldmatrix|ld\.shared\.v|mma|st\.)[a-z]\S*\s+\{?(%\w+(?:, %\w+)*)\}?, ([^;]*)", re.M)
STAGED = ["--config", "promote_operands=0,1", "--config", "workgroup=64x64x0"]


def product(extents, element, result, by_columns, batch):
    """A linalg product of (m, n, k), one or a batch, of A and B as they lie."""
    m, n, k = extents
    dims = {"a": "km" if "a" in by_columns else "mk", "b": "nk" if "b" in by_columns else "kn", "c": "mn"}
    extent = {"m": m, "n": n, "k": k, "z": batch}
    loops, outer = ("zmnk", "z") if batch else ("mnk", "")

    def tensor(name):
        return f"tensor<{'x'.join(str(extent[dim]) for dim in outer + dims[name])}x{result if name == 'c' else element}>"

    maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(outer + dims[name])})>" for name in "abc")
    a, b, c = map(tensor, "abc")
    op = "linalg.batch_matmul" if batch else "linalg.matmul"
    return f"""func.func @product(%a: {a}, %b: {b}) -> {c} {{
  %zero = arith.constant {'0' if result[0] == 'i' else '0.0'} : {result}
  %e = tensor.empty() : {c}
  %i = linalg.fill ins(%zero : {result}) outs(%e : {c}) -> {c}
  %r = {op} indexing_maps = [{maps}] ins(%a, %b : {a}, {b}) outs(%i : {c}) -> {c}
  return %r : {c}
}}
"""


def moved(ptx):
    """The first operand of a product that is made of what ldmatrix brought, and is not a run of it; and how many are runs."""
    loads, sources = {}, {}
    for number, load in enumerate(LOAD.findall(ptx)):
        words = load.split(", ")
        loads |= {word: (number, at, words) for at, word in enumerate(words)}
    for results, operands in OTHER.findall(ptx):
        sources |= {result: re.findall(r"%\w+", operands) for result in results.split(", ") if result not in loads}

    def comes_from_load(word, seen):
        if word in loads:
            return True
        if word in seen or word not in sources:
            return False
        seen.add(word)
        return any(comes_from_load(source, seen) for source in sources[word])

    runs = 0
    for match in PRODUCT.finditer(ptx):
        for operand in match.groups():
            words = operand.split(", ")
            if not any(comes_from_load(word, set()) for word in words):
                continue
            _, at, loaded = loads.get(words[0], (0, 0, []))
            if at % len(words) or loaded[at:at + len(words)] != words:
                return f"{{{operand}}} is no run of what one load brings", runs
            runs += 1
    return None, runs


def main():
    chosen = suite.options()
    runs = []

    def add(name, target, text, flags, fewest):
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)

        def says(ptx):
            wrong, found = moved(ptx)
            return wrong or (f"{found} operands by loads of several words, not {fewest}" if found < fewest else None)

        compile = [chosen.distaff, "compile", path, "--target", target, "--emit", "ptx", *flags]
        check = [chosen.distaff, "run", path, "--target", target, "--check", "--input", "arg0=whole:1:-2:3", "--input", "arg1=whole:2:-2:3", *flags]
        runs.append(suite.Run(name, [*check, "--every-stage"], exact=True, before=(compile, says)))
        runs.append(suite.Run(name + "_ptx", [*check, "--device", "ptx"], exact=True, compares=False))

    for element, result in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32")):
        for target in ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90a"):
            for by_columns in ("", "a", "b", "ab"):
                if target == "sm_75" and element == "bf16":
                    continue
                name = f"{element}_{result}_{target}_{by_columns or 'rows'}"
                add(name, target, product((64, 128, 64), element, result, by_columns, 0), STAGED, 8)
    # Of bytes ldmatrix transposes none: they are packed on their way into workgroup memory.
    for target in ("sm_80", "sm_90a"):
        for by_columns in ("", "b"):
            add(f"i8_{target}_{by_columns or 'rows'}", target, product((128, 256, 128), "i8", "i32", by_columns, 0),
                ["--config", "promote_operands=0,1", "--config", "workgroup=128x256x0", "--config", "reduction=0x0x64"], 1)
    # Batches of the instruction that are no power of two, and several matrices.
    for by_columns in ("", "a", "b", "ab"):
        add(f"ragged_{by_columns or 'rows'}", "sm_80", product((96, 72, 48), "f16", "f32", by_columns, 0),
            ["--config", "promote_operands=0,1", "--config", "workgroup=48x24x0"], 1)
        add(f"batched_{by_columns or 'rows'}", "sm_80", product((64, 64, 32), "bf16", "f32", by_columns, 3),
            ["--config", "promote_operands=0,1", "--config", "workgroup=1x32x32x0"], by_columns != "b")
    suite.main(runs, chosen, one_in=8)


main()
