"""Products of dynamic extents: rows of whole accesses and others take different code (VX-251).

    python3 aligned_rows.py OUT_DIR [--only NAME]

Every element type, A and B by rows and by columns, batches and ragged tiles, with rows that are multiples of 16 bytes, of
which one operand's are not, of one element more and less, of no element. Sums of whole numbers are exact. Where every row is a
multiple, the version for such rows alone loads by wide accesses; on every target that has products. Constant extents that meet
tiles at multiples of 16 bytes load wide there, under one condition per access (VX-252).
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite
from suite import Run

BITS = {"f16": 16, "bf16": 16, "i8": 8, "f32": 32, "f8E4M3FN": 8}


def product(element, result, by_columns, extents=None, batch=False):
    """A product of dynamic extents, or of these (m, n, k)."""
    dims = {"a": "km" if "a" in by_columns else "mk", "b": "nk" if "b" in by_columns else "kn", "c": "mn"}
    outer = "z" if batch else ""
    known = dict(zip("mnkz", [*(extents or "???"), "?"]))

    def tensor(name):
        return f"tensor<{'x'.join(str(known[dim]) for dim in outer + dims[name])}x{result if name == 'c' else element}>"

    a, b, c = map(tensor, "abc")
    loops = ", ".join(outer + "mnk")
    maps = ", ".join(f"affine_map<({loops}) -> ({', '.join(outer + dims[name])})>" for name in "abc")
    sizes, lines = [], []
    for dim in outer + "mn":
        if known[dim] != "?":
            continue
        source, own = ("%b", b) if dim == "n" else ("%a", a)
        at = (outer + dims[source[1]]).index(dim)
        lines.append(f"%at_{dim} = arith.constant {at} : index\n  %{dim} = tensor.dim {source}, %at_{dim} : {own}")
        sizes.append(f"%{dim}")
    op = "linalg.batch_matmul" if batch else "linalg.matmul"
    return f"""func.func @product(%a: {a}, %b: {b}) -> {c} {{
  {chr(10).join(lines)}
  %zero = arith.constant {'0' if result[0] == 'i' else '0.0'} : {result}
  %e = tensor.empty({', '.join(sizes)}) : {c}
  %i = linalg.fill ins(%zero : {result}) outs(%e : {c}) -> {c}
  %r = {op} indexing_maps = [{maps}] ins(%a, %b : {a}, {b}) outs(%i : {c}) -> {c}
  return %r : {c}
}}
"""


def shapes(by_columns, m, n, k, batch):
    a = [k, m] if "a" in by_columns else [m, k]
    b = [n, k] if "b" in by_columns else [k, n]
    outer = [batch] if batch else []
    return [f"--shape=arg{i}={'x'.join(map(str, outer + own))}" for i, own in enumerate((a, b))]


def main():
    chosen = suite.options()
    runs = []

    def add(name, target, text, flags, says=None, device="simt"):
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        before = ([chosen.distaff, "compile", path, "--target", target, "--emit", "ptx"], says) if says else None
        inputs = ["--input", "arg0=whole:1:-2:3", "--input", "arg1=whole:2:-2:3"]
        command = [chosen.distaff, "run", path, "--target", target, "--check", "--device", device, *inputs, *flags]
        runs.append(Run(name, command + (["--every-stage"] if device == "simt" else []), exact=True, before=before, compares=device == "simt"))

    # (m, n, k): whole rows; one element more or less; one operand's; a tile, less than a tile, one, none.
    sizes = [(64, 64, 64), (80, 96, 48), (65, 72, 40), (72, 65, 40), (72, 72, 33), (71, 71, 71), (8, 16, 16), (1, 8, 8), (9, 8, 0), (0, 16, 16), (1, 1, 1)]
    for element, result in (("f16", "f32"), ("bf16", "f32"), ("i8", "i32"), ("f32", "f32"), ("f8E4M3FN", "f32")):
        for by_columns in ("", "a", "b", "ab"):
            for at, size in enumerate(sizes):
                target = ("sm_80", "sm_75", "gfx942", "sm_90a", "gfx1100")[(at + len(by_columns)) % 5]
                name = f"{element}_{by_columns or 'rows'}_{'x'.join(map(str, size))}"
                add(name, target, product(element, result, by_columns), shapes(by_columns, *size, 0))
                if target.startswith("sm"):
                    add(name + "_ptx", target, product(element, result, by_columns), shapes(by_columns, *size, 0), device="ptx")
    for size in sizes:
        add("batched_" + "x".join(map(str, size)), "sm_80", product("f16", "f32", "", batch=True), shapes("", *size, 3))

    def has_wide_loads(ptx):
        wide = len(re.findall(r"ld\.global\S*\.v4\.b32", ptx))
        return None if wide else "no load of 16 bytes"

    add("wide", "sm_80", product("f16", "f32", ""), shapes("", 80, 96, 48, 0), has_wide_loads)

    def has_no_narrow_loads(ptx):
        narrow = re.findall(r"ld\.global\S*\.[bu]16", ptx)
        return f"{len(narrow)} loads of 2 bytes" if narrow else None

    # 1000 = 15 * 64 + 40: tiles end within, at a multiple of 16 bytes.
    add("constant", "sm_80", product("f16", "f32", "", (104, 104, 72)), [], has_no_narrow_loads)
    suite.main(runs, chosen, one_in=16)


main()
