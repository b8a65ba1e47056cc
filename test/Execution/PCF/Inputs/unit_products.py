"""Products of which m, n or k is 1, as plain ops of an executor and as functions that go through one, by each specialization
(PCF-196). Whole numbers, compared with what Python computes, after every stage by the SIMT machine, and by the PTX machine
for sm_80.

    python3 unit_products.py OUT_DIR [options of suite.py]
"""
import itertools
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

SG = "#iree_gpu.subgroup_scope"
LANES = {"sm_80": 32, "gfx942": 64}
SIZES = ((1, 64, 64), (64, 1, 64), (64, 64, 1), (1, 1, 64), (1, 48, 1), (33, 1, 1), (1, 1, 1), (1, 17, 35))
# Clusters take turns between phases, of which plain ops have none.
FORMS = {"executor": ("none", "producer-consumer"), "function": ("none", "producer-consumer", "ping-pong")}


def matmul(a, b, c, m, n, k, element):
    return (f"linalg.matmul ins({a}, {b} : tensor<{m}x{k}x{element}>, tensor<{k}x{n}x{element}>)"
            f" outs({c} : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>")


def text(form, m, n, k, element, lanes):
    types = [f"{m}x{k}x{element}", f"{k}x{n}x{element}", f"{m}x{n}xf32"]
    arguments = ", ".join(f"%{name}: tensor<{type}>" for name, type in zip("abc", types))
    if form == "function":
        return f"func.func @k({arguments}) -> tensor<{types[2]}> {{\n  %r = {matmul('%a', '%b', '%c', m, n, k, element)}\n  return %r : tensor<{types[2]}>\n}}\n"
    refs = [f"!pcf.sref<{type}, {scope}>" for type, scope in zip(types, (SG, SG, f"sync({SG})"))]
    read = lambda name, size, of: f"pcf.read_slice %{name}[0, 0] [{size[0]}, {size[1]}] [1, 1] : {refs[of]} to tensor<{types[of]}>"
    return f"""func.func @k({arguments}) -> tensor<{types[2]}>
    attributes {{translation_info = #iree_codegen.translation_info<workgroup_size = [{4 * lanes}, 1, 1] subgroup_size = {lanes}>}} {{
  %r = pcf.shared_executor scope({SG})
    execute(%A <- %a : tensor<{types[0]}>, %B <- %b : tensor<{types[1]}>, %O = %c)[%tg: !pcf.threadgroup<{SG}>] : ({', '.join(refs)}) -> (tensor<{types[2]}>) {{
    %x = {read('A', (m, k), 0)}
    %y = {read('B', (k, n), 1)}
    %z = {read('O', (m, n), 2)}
    %s = {matmul('%x', '%y', '%z', m, n, k, element)}
    pcf.write_slice %s into %O[0, 0] [{m}, {n}] [1, 1] : tensor<{types[2]}> into {refs[2]}
    pcf.return
  }}
  return %r : tensor<{types[2]}>
}}
"""


def runs_of(chosen, form, sizes, element, target, specialization):
    m, n, k = sizes
    rng = random.Random(m * 10007 + n * 101 + k)
    a, b, c = ([rng.randint(-4, 4) for _ in range(count)] for count in (m * k, k * n, m * n))
    expected = [c[i * n + j] + sum(a[i * k + p] * b[p * n + j] for p in range(k)) for i in range(m) for j in range(n)]
    name = f"{form}-{m}x{n}x{k}-{element}-{target}-{specialization}"
    path = chosen.out / f"{name}.mlir"
    path.write_text(text(form, m, n, k, element, LANES[target]))
    inputs = [f"--input=arg{i}={npy.write(chosen.out / f'{name}.{i}.npy', type, shape, values)}" for i, (type, shape, values) in
              enumerate(((element, (m, k), a), (element, (k, n), b), ("f32", (m, n), c)))]
    for device, flags in (("simt", ["--every-stage", "--check"]), ("ptx", ["--device", "ptx"])):
        if device == "ptx" and target != "sm_80":
            continue
        made = chosen.out / f"{name}.{device}.res.npy"

        def after(made=made):
            return None if npy.read(made, "f32") == expected else f"other values: {npy.read(made, 'f32')[:8]} for {expected[:8]}"

        yield suite.Run(f"{name} {device}", [chosen.distaff, "run", path, "--target", target, "--pipeline", "run-cluster", "--specialize", specialization,
                                             *flags, *inputs, f"--output=res0={made}"], after=after, compares=False)


def main():
    chosen = suite.options()
    cases = itertools.product(FORMS, SIZES, ("f16", "f32"), LANES)
    suite.main([run for form, *case in cases for specialization in FORMS[form] for run in runs_of(chosen, form, *case, specialization)], chosen, one_in=11)


main()
