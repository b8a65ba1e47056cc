"""Attention from linalg in one launch: causal or not, types, head dimensions, grouped queries, masks.

usage: attention.py OUT_DIR [options of suite.py]

Two contractions around linalg.softmax or around what it is taken apart into come out
right where keys are walked, and the 16 heads of 1024 keys compile to one kernel with
no workspace; the code of 8192 keys is as long.
"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import linalg_builder
import suite

INF = linalg_builder.INF["f32"]


# By positions of key %j and row %i: the comparison, and what is selected where it holds and where not.
COMPARED = {"causal": ("ule, %j, %i", "%w", "%f"), "causal_swapped": ("sge, %i, %j", "%w", "%f"), "causal_inverted": ("ugt, %j, %i", "%f", "%w"),
            "causal_all_inverted": ("slt, %i, %j", "%f", "%w"), "later": ("uge, %j, %i", "%w", "%f"), "later_inverted": ("ult, %j, %i", "%f", "%w"),
            "own": ("eq, %j, %i", "%w", "%f"), "others": ("eq, %j, %i", "%f", "%w")}
# Of these no key behind the row counts, so that a workgroup walks to its last row.
ENDING = ("causal", "causal_swapped", "causal_inverted", "causal_all_inverted", "own")


def kernel(name, extents, element="f16", mask=None, decomposed=False, grouped=False, dynamic=()):
    """`grouped`: g query heads share each of h heads of keys and values, which have e features, or as many as keys. `dynamic`: dims."""
    b = linalg_builder.Builder(name, extents, list(dynamic))
    e = "e" if "e" in extents else "d"
    heads = "h g" if grouped else "h"
    q = b.arg(f"{heads} s d", element)
    k, v = b.arg("h t d", element), b.arg(f"h t {e}", element)
    masks = b.arg("s t", "f32") if mask == "tensor" else None
    lead = ", ".join(heads.split())
    extend = [f"%{x}e = arith.extf %{x} : {element} to f32" for x in ("x0", "x1")] if element != "f32" else []
    x0, x1 = ("%x0e", "%x1e") if element != "f32" else ("%x0", "%x1")
    product = [*extend, f"%p = arith.mulf {x0}, {x1} : f32", "%y0 = arith.addf %o0, %p : f32"]
    scores = b.generic(f"{heads} s t d", [(q, f"{lead}, s, d"), (k, "h, t, d")], [(b.fill(f"{heads} s t", "f32", "0.0"), f"{lead}, s, t")], product, "d")
    rank = len(heads.split())
    lines = ["%s = arith.constant 0.125 : f32", "%w = arith.mulf %x0, %s : f32"]
    if mask in COMPARED:
        compared, kept, masked = COMPARED[mask]
        lines += [f"%i = linalg.index {rank} : index", f"%j = linalg.index {rank + 1} : index", f"%c = arith.cmpi {compared} : index",
                  f"%f = arith.constant {INF} : f32", f"%y0 = arith.select %c, {kept}, {masked} : f32"]
    elif mask == "late":  # rows of which the first 40 keys are masked
        lines += [f"%j = linalg.index {rank + 1} : index", "%n = arith.constant 40 : index", "%c = arith.cmpi uge, %j, %n : index",
                  f"%f = arith.constant {INF} : f32", "%y0 = arith.select %c, %w, %f : f32"]
    elif mask == "lowest":  # the lowest number is added, as exporters do
        lines += [f"%j = linalg.index {rank + 1} : index", "%n = arith.constant 20 : index", "%c = arith.cmpi ult, %j, %n : index",
                  "%z = arith.constant 0.0 : f32", "%f = arith.constant -3.40282347E+38 : f32", "%m = arith.select %c, %z, %f : f32",
                  "%y0 = arith.addf %w, %m : f32"]
    elif mask == "tensor":
        lines += ["%y0 = arith.addf %w, %x1 : f32"]
    else:
        lines[1] = "%y0 = arith.mulf %x0, %s : f32"
    if mask == "tensor":
        out = b.empty(f"{heads} s t", "f32")
        loops = [*heads.split(), "s", "t"]
        scores = b.generic(" ".join(loops), [(scores, ", ".join(loops)), (masks, "s, t")], [(out, ", ".join(loops))], lines)
    else:
        scores = b.map([scores], "f32", lines)
    axis = rank + 1
    if decomposed:
        top = b.reduce(scores, [axis], "arith.maximumf", INF)
        shifted = b.map([scores, top], "f32", ["%y0 = arith.subf %x0, %x1 : f32"])
        powers = b.map([shifted], "f32", ["%y0 = math.exp %x0 : f32"])
        total = b.reduce(powers, [axis], "arith.addf", "0.0")
        p = b.map([powers, total], "f32", ["%y0 = arith.divf %x0, %x1 : f32"])
    else:
        p = b.softmax(scores, axis)
    if element != "f32":
        p = b.map([p], element, [f"%y0 = arith.truncf %x0 : f32 to {element}"])
    return b.text(b.generic(f"{heads} s {e} t", [(p, f"{lead}, s, t"), (v, f"h, t, {e}")], [(b.fill(f"{heads} s {e}", "f32", "0.0"), f"{lead}, s, {e}")], product, "t"))


SMALL = {"h": 2, "g": 2, "s": 64, "t": 256, "d": 64}
CASES = [
    ("plain", SMALL, {}),
    ("causal", {**SMALL, "t": 200, "s": 200}, {"mask": "causal"}),
    *((mask, {**SMALL, "t": 192 if at % 2 else 200, "s": 192 if at % 2 else 200}, {"mask": mask}) for at, mask in enumerate(COMPARED) if at),
    ("causal_more_keys", {**SMALL, "s": 130, "t": 320}, {"mask": "causal"}),
    ("causal_fewer_keys", {**SMALL, "s": 320, "t": 130}, {"mask": "causal"}),
    ("late", {**SMALL, "t": 200}, {"mask": "late"}),
    ("masks", {**SMALL, "s": 33, "t": 129}, {"mask": "tensor"}),
    ("decomposed", SMALL, {"decomposed": True}),
    ("lowest", {"h": 2, "g": 1, "s": 16, "t": 45, "d": 16}, {"mask": "lowest", "decomposed": True}),
    ("grouped", SMALL, {"grouped": True, "mask": "causal"}),
    ("wide_heads", {**SMALL, "d": 128, "t": 160}, {}),
    ("floats", {**SMALL, "t": 128}, {"element": "f32", "mask": "causal"}),
    ("bf16", {**SMALL, "t": 128}, {"element": "bf16"}),
    ("one_key", {**SMALL, "s": 5, "t": 1}, {}),
]
TARGETS = ("sm_80", "gfx942", "gfx1100")


def right(chosen):
    for name, extents, how in CASES:
        path = chosen.out / f"{name}.mlir"
        path.write_text(kernel(name, extents, **how))
        for target in TARGETS:
            yield suite.Run(f"{name} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check"], compares=False)


def compiled(chosen, name, extents, **how):
    """(launches, workspaces, lines of PTX) of a kernel."""
    path, package = chosen.out / f"{name}.mlir", chosen.out / f"{name}.package"
    path.write_text(kernel(name, extents, **how))
    done = suite.execute([chosen.distaff, "compile", str(path), "--target", "sm_80", "--emit", "package", "-o", str(package)])
    assert done.returncode == 0, done.stderr
    text = package.read_bytes().decode("latin-1")
    begin = text.index('{"format"')
    manifest, length = json.JSONDecoder().raw_decode(text[begin:])
    assert manifest["code"][0]["kind"] == "ptx"
    ptx = text[begin + length:][:manifest["code"][0]["bytes"]]
    lines = re.findall(r"^\t[a-z@]", ptx, re.M)
    assert lines, "no PTX in the package"
    return len(manifest["launches"]), len(manifest["workspaces"]), len(lines)


def check_code(chosen):
    """What is wrong with the code of large attentions."""
    wrong, large = [], {"h": 16, "g": 4, "s": 1024, "t": 1024, "d": 64}
    for name, extents, how in [("large", large, {}), ("large_causal", large, {"mask": "causal"}), ("large_wide", {**large, "d": 128}, {}),
                               ("large_floats", large, {"element": "f32"}), ("large_grouped", {**large, "h": 4}, {"grouped": True}),
                               ("large_decomposed", large, {"decomposed": True, "mask": "causal"})]:
        launches, workspaces, _ = compiled(chosen, name, extents, **how)
        if (launches, workspaces) != (1, 0):
            wrong.append(f"{name}: {launches} launches, {workspaces} workspaces")
    for mask in (None, *COMPARED):
        path = chosen.out / f"ends_{mask}.mlir"
        path.write_text(kernel("ends", {**large, "h": 4}, mask=mask))
        done = suite.execute([chosen.distaff, "compile", str(path), "--target", "sm_80", "--stop-after", "tile", "-o", "-"])
        if done.returncode or ("affine.min" in done.stdout) != (mask in ENDING):
            wrong.append(f"{mask}: exit {done.returncode}, keys end {'sooner' if 'affine.min' in done.stdout else 'with all'}")
    short, long = (compiled(chosen, f"keys_{t}", {**large, "s": t, "t": t, "d": 128}, mask="causal")[2] for t in (4096, 8192))
    if abs(short - long) > 0.02 * short:
        wrong.append(f"4096 keys are {short} instructions, 8192 keys {long}")
    return wrong


if __name__ == "__main__":
    chosen = suite.options()
    if not chosen.only and (wrong := check_code(chosen)):
        sys.exit("\n".join(wrong))
    suite.main(list(right(chosen)), chosen, one_in=14)
