"""Kernels that load, store and compute with floats of 8 bits, on every target.

The inputs are whole numbers or halves that every format has, so that what is right
has no bound; what is rounded on the way is rounded once. But rows scaled by their own
largest magnitude, of any numbers, which are held to one rounding.

    python3 narrow_floats.py OUT_DIR [--only NAME]
"""
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

FORMATS = ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"]
TARGETS = ["sm_80", "sm_90a", "gfx942"]
MAPS = """#i = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
#r = affine_map<(i, j) -> (i)>
"""


def generic(name, maps, iterators, ins, out, types, body):
    """%name of one linalg.generic; `ins` and `out` are (value, type)."""
    values = ", ".join(value for value, _ in ins)
    shaped = ", ".join(kind for _, kind in ins)
    block = ", ".join(f"%x{i}: {kind}" for i, kind in enumerate(types))
    return f"""  %{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}
      ins({values} : {shaped}) outs({out[0]} : {out[1]}) {{
  ^bb0({block}):
    {body}
    linalg.yield %y : {types[-1]}
  }} -> {out[1]}
"""


PARALLEL = '"parallel", "parallel"'
REDUCED = '"parallel", "reduction"'


def kernel(arguments, results, body):
    return MAPS + f"func.func @k({arguments}) -> {results} {{\n{body}  return %r : {results}\n}}\n"


def elementwise(T):
    a, b = f"tensor<37x65x{T}>", "tensor<37x65xf16>"
    body = f"%w = arith.extf %x0 : {T} to f16\n    %s = arith.addf %w, %x1 : f16\n    %y = arith.truncf %s : f16 to {T}"
    return kernel(f"%a: {a}, %b: {b}", a, f"  %e = tensor.empty() : {a}\n" + generic(
        "r", "#i, #i, #i", PARALLEL, [("%a", a), ("%b", b)], ("%e", a), [T, "f16", T], body)), ["whole:0:-4:4", "whole:1:-4:4"]


def row_sum(T):
    a, s = f"tensor<33x250x{T}>", "tensor<33xf32>"
    body = f"%w = arith.extf %x0 : {T} to f32\n    %y = arith.addf %w, %x1 : f32"
    return kernel(f"%a: {a}", s, f"""  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {s}
  %f = linalg.fill ins(%z : f32) outs(%e : {s}) -> {s}
""" + generic("r", "#i, #r", REDUCED, [("%a", a)], ("%f", s), [T, "f32"], body)), ["whole:0:-8:8"]


def product(a, b, c):
    return f"""  %z = arith.constant 0.0 : f32
  %p = tensor.empty() : {c}
  %f = linalg.fill ins(%z : f32) outs(%p : {c}) -> {c}
  %r = linalg.matmul ins({a[0]}, {b[0]} : {a[1]}, {b[1]}) outs(%f : {c}) -> {c}
"""


def dequantized_matmul(T):
    a, b, d, c = "tensor<48x80xf16>", f"tensor<80x40x{T}>", "tensor<80x40xf16>", "tensor<48x40xf32>"
    return kernel(f"%a: {a}, %b: {b}", c, f"  %e = tensor.empty() : {d}\n" + generic(
        "d", "#i, #i", PARALLEL, [("%b", b)], ("%e", d), [T, "f16"], f"%y = arith.extf %x0 : {T} to f16")
        + product(("%a", a), ("%d", d), c)), ["whole:0:-8:8", "whole:1:-8:8"]


def matmul(T):
    a, b, c = f"tensor<17x24x{T}>", f"tensor<24x9x{T}>", "tensor<17x9xf32>"
    return kernel(f"%a: {a}, %b: {b}", c, product(("%a", a), ("%b", b), c)), ["whole:0:-8:8", "whole:1:-8:8"]


def quantized(source):
    def text(T):
        a, q = f"tensor<31x132x{source}>", f"tensor<31x132x{T}>"
        body = (f"%h = arith.constant 0.5 : {source}\n    %s = arith.mulf %x0, %h : {source}\n"
                f"    %y = arith.truncf %s : {source} to {T}")
        return kernel(f"%a: {a}", q, f"  %e = tensor.empty() : {q}\n" + generic(
            "r", "#i, #i", PARALLEL, [("%a", a)], ("%e", q), [source, T], body)), ["whole:0:-8:8"]
    return text


LARGEST = {"f8E4M3FN": 448, "f8E5M2": 57344, "f8E4M3FNUZ": 240, "f8E5M2FNUZ": 57344}


def scaled_rows(T):
    """Each row by its own largest magnitude, which becomes the format's largest number."""
    a, q, s = "tensor<24x250xf32>", f"tensor<24x250x{T}>", "tensor<24xf32>"
    magnitude = "%m = math.absf %x0 : f32\n    %y = arith.maximumf %m, %x1 : f32"
    scale = (f"%k = arith.constant {LARGEST[T]}.0 : f32\n    %g = arith.divf %k, %x1 : f32\n    %p = arith.mulf %x0, %g : f32\n"
             f"    %y = arith.truncf %p : f32 to {T}")
    return kernel(f"%a: {a}", q, f"""  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {s}
  %f = linalg.fill ins(%z : f32) outs(%e : {s}) -> {s}
""" + generic("s", "#i, #r", REDUCED, [("%a", a)], ("%f", s), ["f32", "f32"], magnitude) + f"  %q = tensor.empty() : {q}\n" + generic(
        "r", "#i, #r, #i", PARALLEL, [("%a", a), ("%s", s)], ("%q", q), ["f32", "f32", T], scale)), ["random:5:-3:3"]


def arithmetic(T):
    a = f"tensor<24x72x{T}>"
    body = f"""%half = arith.constant 0.5 : {T}
    %p = arith.mulf %x0, %half : {T}
    %q = arith.addf %p, %x1 : {T}
    %n = arith.negf %q : {T}
    %c = arith.cmpf olt, %q, %x1 : {T}
    %s = arith.select %c, %n, %q : {T}
    %y = arith.maximumf %s, %x0 : {T}"""
    return kernel(f"%a: {a}, %b: {a}", a, f"  %e = tensor.empty() : {a}\n" + generic(
        "r", "#i, #i, #i", PARALLEL, [("%a", a), ("%b", a)], ("%e", a), [T, T, T], body)), ["whole:0:-2:2", "whole:1:-2:2"]


def transposed(T):
    a, b = f"tensor<64x72x{T}>", f"tensor<72x64x{T}>"
    return kernel(f"%a: {a}", b, f"""  %e = tensor.empty() : {b}
  %r = linalg.transpose ins(%a : {a}) outs(%e : {b}) permutation = [1, 0]
"""), ["random:3:-200:200"]


def row_maximum(T):
    a, s = f"tensor<32x256x{T}>", f"tensor<32x{T}>"
    return kernel(f"%a: {a}", s, f"""  %z = arith.constant -224.0 : {T}
  %e = tensor.empty() : {s}
  %f = linalg.fill ins(%z : {T}) outs(%e : {s}) -> {s}
""" + generic("r", "#i, #r", REDUCED, [("%a", a)], ("%f", s), [T, T], f"%y = arith.maximumf %x0, %x1 : {T}")), ["random:4:-200:200"]


KERNELS = {"elementwise": elementwise, "row_sum": row_sum, "dequantized_matmul": dequantized_matmul, "matmul": matmul,
           "quantized_f32": quantized("f32"), "quantized_bf16": quantized("bf16"), "scaled_rows": scaled_rows, "arithmetic": arithmetic,
           "transposed": transposed, "row_maximum": row_maximum}


def runs(chosen):
    assembles = {"sm_80": shutil.which("ptxas"), "sm_90a": shutil.which("ptxas"), "gfx942": False}
    for number, (name, make) in enumerate(KERNELS.items()):
        for turn, T in enumerate(FORMATS):
            # Every target has every kernel, and every format.
            for target in (TARGETS[(number + turn) % 3], TARGETS[(number + turn + 1) % 3]):
                source, inputs = make(T)
                path = chosen.out / f"{name}_{T}_{target}.mlir"
                path.write_text(source)
                kind = "cubin" if assembles[target] else "gcn" if target == "gfx942" else "ptx"
                compiled = [chosen.distaff, "compile", str(path), "--target", target, "--emit", kind, "-o", str(path.with_suffix("." + kind))]
                command = [chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage"]
                for i, values in enumerate(inputs):
                    command += ["--input", f"arg{i}={values}"]
                yield suite.Run(path.stem, command, exact=name != "scaled_rows", before=(compiled, lambda text: ""))


if __name__ == "__main__":
    options = suite.options()
    suite.main(list(runs(options)), options, one_in=5)
