"""Every row of the MMA tables (VX-97, VX-98, VX-100, VX-103): a vector.contract of one
instruction's size and one of several, its operands as the instruction takes them and
extended, its product transposed (col_major), on every target that has it, down to
`lower`; and that `distaff targets` lists the rows that are listed here, from the
manuals. `--emit` makes code of each instead, which has to have the mnemonic, and to
assemble.

    python3 instructions.py OUT_DIR nvidia|cdna|rdna [--emit] [--only NAME]
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

SYNC = "NV_MMA_SYNC_"


def mixes(a, b):
    return [a, b, f"{a}_{b}", f"{b}_{a}"]


def sync(acc, shapes, types):
    return [f"{SYNC}{acc}_{shape}_{type_}" for shape in shapes for type_ in types]


BYTES, NIBBLES, FLOAT8 = mixes("I8", "U8"), mixes("I4", "U4"), mixes("F8E4M3FN", "F8E5M2")
TURING = sync("F32", ["16x8x8"], ["F16"]) + sync("F16", ["16x8x8"], ["F16"]) + sync("I32", ["8x8x16"], BYTES)
AMPERE = (TURING + sync("F32", ["16x8x16"], ["F16", "BF16"]) + sync("F16", ["16x8x16"], ["F16"]) + sync("F32", ["16x8x8"], ["BF16", "TF32"])
          + sync("F32", ["16x8x4"], ["TF32"]) + sync("F64", ["8x8x4"], ["F64"]) + sync("I32", ["16x8x16", "16x8x32"], BYTES)
          + sync("I32", ["16x8x32", "16x8x64"], NIBBLES))
ADA = AMPERE + sync("F32", ["16x8x32"], FLOAT8)
HOPPER = ADA + sync("F64", ["16x8x4", "16x8x8", "16x8x16"], ["F64"])


def mfma(acc, k32, k16, types):
    """Of one block."""
    return [f"MFMA_{acc}_{size}x{size}x{k}_{type_}" for size, k in ((32, k32), (16, k16)) for type_ in types]


def blocks(acc, k, type_):
    """32x32 of two blocks, 16x16 of four and 4x4 of sixteen."""
    return [f"MFMA_{acc}_{size}x{size}x{k}_{64 // size}B_{type_}" for size in (32, 16, 4)]


MANY = blocks("F32", 1, "F32") + blocks("F32", 4, "F16") + blocks("I32", 4, "I8")
CDNA1 = (mfma("F32", 2, 4, ["F32"]) + mfma("F32", 8, 16, ["F16"]) + mfma("F32", 4, 8, ["BF16"]) + mfma("I32", 8, 16, ["I8"])
         + blocks("F32", 2, "BF16") + MANY)
DOUBLE = ["MFMA_F64_16x16x4_F64", "MFMA_F64_4x4x4_4B_F64"]
BF16_1K = mfma("F32", 8, 16, ["BF16"]) + blocks("F32", 4, "BF16")
CDNA2 = CDNA1 + BF16_1K + DOUBLE
LATER = mfma("F32", 2, 4, ["F32"]) + mfma("F32", 8, 16, ["F16"]) + BF16_1K + DOUBLE + mfma("I32", 16, 32, ["I8"]) + MANY
CDNA3 = LATER + mfma("F32", 4, 8, ["XF32"]) + mfma("F32", 16, 32, mixes("F8E4M3FNUZ", "F8E5M2FNUZ"))
CDNA4 = (LATER + mfma("F32", 16, 32, FLOAT8 + ["F16", "BF16"]) + mfma("F32", 64, 128, FLOAT8) + mfma("I32", 32, 64, ["I8"]))
WMMA = [("F32", "F16"), ("F16", "F16"), ("F32", "BF16"), ("BF16", "BF16")] + [("I32", type_) for type_ in BYTES]
RDNA3 = [f"WMMAR3_{acc}_16x16x16_{type_}" for acc, type_ in WMMA]
RDNA4 = [f"WMMAR4_{acc}_16x16x16_{type_}" for acc, type_ in WMMA + [("F32", type_) for type_ in FLOAT8]]

VENDORS = {"nvidia": {"sm_75": TURING, "sm_80": AMPERE, "sm_86": AMPERE, "sm_89": ADA, "sm_90a": HOPPER},
           "cdna": {"gfx908": CDNA1, "gfx90a": CDNA2, "gfx942": CDNA3, "gfx950": CDNA4},
           "rdna": {"gfx1100": RDNA3, "gfx1201": RDNA4}}

# In IR, in memory, and how it is extended.
TYPES = {"TF32": ("f32", "f32", None), "XF32": ("f32", "f32", None), "I8": ("i8", "i8", "extsi"), "U8": ("i8", "i8", "extui"),
         "I4": ("i4", "i8", "extsi"), "U4": ("i4", "i8", "extui"), "I32": ("i32", "i32", None), "F32": ("f32", "f32", None), "F64": ("f64", "f64", None)}


def type_of(kind):
    return TYPES.get(kind) or (("f8" + kind[2:] if kind.startswith("F8") else kind.lower()),) * 2 + ("extf",)


class Row:
    def __init__(self, name):
        self.name = name
        acc, shape, rest = re.fullmatch(r"(?:NV_MMA_SYNC|MFMA|WMMAR[34])_([A-Z]+\d+)_(\d+x\d+x\d+)_(.*)", name).groups()
        self.m, self.n, self.k = map(int, shape.split("x"))
        count = re.match(r"(\d+)B_", rest)
        self.blocks = int(count[1]) if count else 1
        kinds = rest[count.end() if count else 0:].split("_")
        self.acc, self.a, self.b = acc, kinds[0], kinds[-1]
        self.lanes = 64 if name.startswith("MFMA") else 32


def kernel(row, label):
    """A product of 1, or several, instructions; `label` says how it is written."""
    transposed, several = label == "col_major", label == "several"
    m, n = (row.n, row.m) if transposed else (row.m, row.n)
    lhs_kind, rhs_kind = (row.b, row.a) if transposed else (row.a, row.b)
    times = {"m": 2, "n": 3, "k": 2, "b": 2} if several else dict.fromkeys("mnkb", 1)
    splits = label == "split_k"  # over two subgroups, whose sums meet
    times["k"] = 2 if splits else times["k"]
    extent = {"b": row.blocks * times["b"], "m": m * times["m"], "n": n * times["n"], "k": row.k * times["k"]}
    batch = ["b"] if row.blocks > 1 else []
    operands = {"lhs": [*batch, "m", "k"], "rhs": [*batch, *("nk" if several else "kn")], "acc": [*batch, "m", "n"]}
    acc_type = type_of(row.acc)[0]
    extends = several or lhs_kind != rhs_kind or "U" in lhs_kind
    arguments, lines, types = [], [], []
    zeros = ", ".join(["%c0"] * len(operands["acc"]))
    for number, (value, kind) in enumerate(zip(operands, (lhs_kind, rhs_kind, row.acc))):
        element, memory, extension = type_of(kind)
        shape = "".join(f"{extent[dim]}x" for dim in operands[value])
        arguments.append(f"%arg{number}: memref<{shape}{memory}>")
        in_bounds = f"{{in_bounds = [{', '.join(['true'] * len(operands[value]))}]}}"
        lines += [f"%p{number} = arith.constant {'0.0' if memory[0] in 'fb' else '0'} : {memory}",
                  f"%r{number} = vector.transfer_read %arg{number}[{zeros}], %p{number} {in_bounds} : memref<{shape}{memory}>, vector<{shape}{memory}>"]
        last = f"%r{number}"
        if element != memory:
            lines.append(f"%t{number} = arith.trunci {last} : vector<{shape}{memory}> to vector<{shape}{element}>")
            last = f"%t{number}"
        if number < 2 and extends and extension and element != acc_type:
            lines.append(f"%e{number} = arith.{extension} {last} : vector<{shape}{element}> to vector<{shape}{acc_type}>")
            last, element = f"%e{number}", acc_type
        types.append((last, f"vector<{shape}{element}>"))
    loops = ", ".join([*batch, "m", "n", "k"])
    maps = ", ".join(f"affine_map<({loops}) -> ({', '.join(dims)})>" for dims in operands.values())
    iterators = ", ".join(['"parallel"'] * (2 + len(batch)) + ['"reduction"'])
    kind = f"#iree_gpu.mma_layout<{row.name}{', col_major' if transposed else ''}>"
    drops = ", allow_tf32" if "TF32" in row.a or "XF32" in row.a else ""
    rank = 3 + len(batch)
    basis = f", subgroup_basis = [{[1] * (rank - 1) + [2]}, {list(range(rank))}]" if splits else ""
    lines.append(f"%r = vector.contract {{indexing_maps = [{maps}], iterator_types = [{iterators}], kind = #vector.kind<add>{drops}, "
                 f"lowering_config = #iree_gpu.lowering_config<{{mma_kind = {kind}{basis}}}>}} {', '.join(value for value, _ in types)} : "
                 f"{types[0][1]}, {types[1][1]} into {types[2][1]}")
    out = arguments[2].split(": ")[1]
    lines.append(f"vector.transfer_write %r, %arg2[{zeros}] {in_bounds} : {types[2][1]}, {out}")
    threads = row.lanes * (2 if several or splits else 1)
    info = f"#iree_codegen.translation_info<workgroup_size = [{threads}, 1, 1] subgroup_size = {row.lanes}>"
    body = "".join(f"  {line}\n" for line in ["%c0 = arith.constant 0 : index", *lines, "return"])
    return f"func.func @product({', '.join(arguments)}) attributes {{translation_info = {info}}} {{\n{body}}}\n"


def linalg(row):
    """The same of tensors, extended in the body; several tiles of the instruction."""
    loops = ["b", "m", "n", "k"] if row.blocks > 1 else ["m", "n", "k"]
    extent = {"b": row.blocks, "m": 2 * row.m, "n": 2 * row.n, "k": 2 * row.k}
    operands = [[dim for dim in loops if dim != left_out] for left_out in "nmk"]
    acc = type_of(row.acc)[0]
    types = ["".join(f"{extent[dim]}x" for dim in dims) + type_of(kind)[0] for dims, kind in zip(operands, (row.a, row.b, row.acc))]
    maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(dims)})>" for dims in operands)
    iterators = ", ".join(f'"{"reduction" if loop == "k" else "parallel"}"' for loop in loops)
    factors, body = [], []
    for name, kind in (("%x", row.a), ("%y", row.b)):
        element, _, extension = type_of(kind)
        if element != acc:
            body.append(f"{name}w = arith.{extension} {name} : {element} to {acc}")
        factors.append(name + "w" * (element != acc))
    letter = "i" if row.acc == "I32" else "f"
    drops = ", allow_tf32" if "TF32" in row.a or "XF32" in row.a else ""
    config = f"lowering_config = #iree_gpu.lowering_config<{{mma_kind = #iree_gpu.mma_layout<{row.name}>}}>"
    lines = "".join(f"    {line}\n" for line in [*body, f"%p = arith.mul{letter} {', '.join(factors)} : {acc}",
                                                 f"%s = arith.add{letter} %z, %p : {acc}", f"linalg.yield %s : {acc}"])
    return (f"func.func @product(%a: tensor<{types[0]}>, %b: tensor<{types[1]}>, %c: tensor<{types[2]}>) -> tensor<{types[2]}> {{\n"
            f"  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
            f"ins(%a, %b : tensor<{types[0]}>, tensor<{types[1]}>) outs(%c : tensor<{types[2]}>) attrs = {{{config}{drops}}} {{\n"
            f"  ^bb0(%x: {type_of(row.a)[0]}, %y: {type_of(row.b)[0]}, %z: {acc}):\n{lines}  }} -> tensor<{types[2]}>\n"
            f"  return %r : tensor<{types[2]}>\n}}\n")


def tensors(row, target, out, distaff):
    """Both pipelines take them; the lower one not several blocks, and says so."""
    if type_of(row.a)[0] == "i4":
        return  # no tensors of such are arguments
    path = out / f"{row.name}_linalg_{target}.mlir"
    path.write_text(linalg(row))
    whole = [flag for i in range(3) for flag in ("--input", f"arg{i}=whole:{i + 1}:0:2")] if row.acc != "I32" else []
    for pipeline in ("vector-distribute", "run-cluster"):
        command = [distaff, "run", str(path), "--target", target, "--pipeline", pipeline, "--check", "--every-stage", *whole]
        expected = None
        if pipeline == "run-cluster" and row.blocks > 1:
            expected = "refused", "several blocks"
        # The lower pipeline's stages have other names; all of them are compared.
        yield suite.Run(f"{path.stem}_{pipeline}", command, expected, after=lambda: None, compares=pipeline == "vector-distribute")


def checks(row, target, out, distaff):
    for label in ("one", "several", "split_k", "col_major"):
        path = out / f"{row.name}_{label}_{target}.mlir"
        path.write_text(kernel(row, label))
        wanted = "iree_codegen.inner_tiled"

        def says(text, name=row.name):
            return None if wanted in text and f"mma_layout<{name}" in text else f"no {name} after distribute"

        before = [distaff, "compile", str(path), "--target", target, "--stop-after=distribute"], says
        command = [distaff, "run", str(path), "--target", target, "--check", "--every-stage"]
        is_float = row.acc != "I32"
        # The bounds of sums in 16 bits decide nothing; whole numbers have none.
        if not row.acc.endswith("F16"):
            yield suite.Run(path.stem, command, before=before)
        if is_float and (label != "col_major" or row.acc.endswith("F16")):
            low = 0 if row.acc == "BF16" else -2
            whole = [flag for i in range(3) for flag in ("--input", f"arg{i}=whole:{i + 1}:{low}:2")]
            yield suite.Run(path.stem + "_whole", [*command, *whole], exact=True, before=before)


def mnemonic(row):
    """What the assembly has to say."""
    if row.name.startswith(SYNC):
        words = {"I8": "s8", "U8": "u8", "I4": "s4", "U4": "u4", "I32": "s32", "F8E4M3FN": "e4m3", "F8E5M2": "e5m2"}
        acc, a, b = (words.get(kind, kind.lower()) for kind in (row.acc, row.a, row.b))
        return rf"mma\.sync\.aligned\.m{row.m}n{row.n}k{row.k}\.row\.col\.{acc}\.{a}\.{b}\.{acc}"
    words = {"F8E4M3FNUZ": "fp8", "F8E5M2FNUZ": "bf8", "F8E4M3FN": "fp8", "F8E5M2": "bf8"}
    shape = f"{row.m}x{row.n}x{row.k}"
    if row.name.startswith("WMMA"):
        if row.acc == "I32":  # which operands have a sign
            signs = [int(kind == "I8") for kind in (row.a, row.b)]
            said = r" neg_lo:\[%d,%d,0\]" % tuple(signs) if any(signs) else ""
            return rf"v_wmma_i32_{shape}_iu8 [^ ]+, [^ ]+, [^ ]+, [^ ]+{said}$"
        kinds = "_".join(words[k] for k in (row.a, row.b)) if row.a in words else row.a.lower()
        return rf"v_wmma_{row.acc.lower()}_{shape}_{kinds}"
    if row.k in (64, 128) and row.a in words:
        formats = "".join(f" {word}:1" for word, kind in (("cbsz", row.a), ("blgp", row.b)) if kind == "F8E5M2")
        return rf"v_mfma_f32_{shape}_f8f6f4 [^ ]+, [^ ]+, [^ ]+, [^ ]+{formats}$"
    kinds = "_".join(words[k] for k in (row.a, row.b)) if row.a in words else row.a.lower()
    return rf"v_mfma_{row.acc.lower()}_{shape}(_\d+b)?_?{kinds}"


def emissions(row, target, is_new, out, distaff):
    """The code of each target has the instruction; one target's is assembled."""
    path = out / f"{row.name}_{target}.mlir"
    path.write_text(kernel(row, "several"))
    text, binary = ("ptx", "cubin") if row.name.startswith(SYNC) else ("gcn", "hsaco")
    compile_ = [distaff, "compile", str(path), "--target", target, "--emit"]
    code, assembled = path.with_suffix("." + text), path.with_suffix("." + binary)

    def says():
        return None if re.search(mnemonic(row), code.read_text(), re.M) else f"no {mnemonic(row)} in the code"

    yield suite.Run(path.stem, [*compile_, text, "-o", str(code)], after=says, compares=False)
    if is_new and text == "ptx" and not row.acc.endswith("F16"):
        yield suite.Run(path.stem + "_on_the_ptx_machine", [distaff, "run", str(path), "--target", target, "--device", "ptx", "--check"],
                        after=lambda: None, compares=False)
    if is_new:
        is_whole = lambda: None if assembled.stat().st_size > 500 else "no code object"
        yield suite.Run(path.stem + "_assembled", [*compile_, binary, "-o", str(assembled)], after=is_whole, compares=False)


def check_listed(target, names, distaff):
    """The names, shapes and types of `distaff targets TARGET` are those of the manuals (VX-141)."""
    listing = [distaff, "targets", target]
    [listed] = json.loads(subprocess.run([*listing, "--format", "json"], capture_output=True, text=True, check=True).stdout)
    assert sorted(row["name"] for row in listed["mma"]) == sorted(names), f"{target}: {listed}"
    text = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
    for row in listed["mma"]:
        own = Row(row["name"])
        kinds = [kind.replace("F8", "f8") if kind.startswith("F8") else kind.lower() for kind in (own.a, own.b, own.acc)]
        assert [row[key] for key in ("m", "n", "k", "blocks", "a", "b", "c")] == [own.m, own.n, own.k, own.blocks, *kinds], row
        line, = [line.split() for line in text.splitlines() if line.split()[0] == own.name]
        blocks = [f"({own.blocks}", "blocks)"] * (own.blocks > 1)
        assert line == [own.name, f"{own.m}x{own.n}x{own.k}", *blocks, kinds[0], "x", kinds[1], "+", kinds[2],
                        str(row["issueSlots"]), row["instruction"]] and row["issueSlots"] > 0, line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vendor", choices=VENDORS)
    parser.add_argument("--emit", action="store_true")
    at = next(i for i, word in enumerate(sys.argv) if word in VENDORS)
    own = [sys.argv.pop(at)] + ["--emit"] * ("--emit" in sys.argv)
    sys.argv = [word for word in sys.argv if word != "--emit"]
    options = parser.parse_args(own)
    chosen = suite.options()
    listed = subprocess.run([chosen.distaff, "targets"], capture_output=True, text=True, check=True).stdout
    runs, seen = [], set()
    for target, names in VENDORS[options.vendor].items():
        assert len(set(names)) == len(names)
        assert re.search(rf"^{target}\t.* {len(names)} MMA instructions", listed, re.M), f"{target}: {len(names)} rows are not what it has\n{listed}"
        check_listed(target, names, chosen.distaff)
        for name in names:
            # One target per row runs it.
            if options.emit:
                runs += emissions(Row(name), target, name not in seen, chosen.out, chosen.distaff)
            elif name not in seen:
                runs += checks(Row(name), target, chosen.out, chosen.distaff)
                runs += tensors(Row(name), target, chosen.out, chosen.distaff)
            seen.add(name)
    suite.main(runs, chosen, one_in=17)


main()
