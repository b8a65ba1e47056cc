"""Kernels of vectors with a product and ops before and behind it (PCF-130, PCF-131, PCF-143, PCF-164), by run-cluster
with producers and consumers and by ping-pong: what each stage leaves is compared with a float64 evaluation, the
stages with groups, members and lanes under several interleavings. Then barriers of a cluster of some tiles go, in the
IR in which iterations of the loop over workgroups are workgroups of one run, and fences name other memory: each is a
race.

    python3 around_products.py OUT_DIR [--target T] [--seeds N] [--distaff PATH]
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / part) for part in ("ForkServer", "Execution/Inputs")]
import depth
import fork_server
from pipeline_passes import read_flags

options = read_flags(target="sm_80", seeds=3)
INTERLEAVED = "specialize,distribute-subgroups,vectorize,lower"
SPECIALIZED = ("producer-consumer", "ping-pong")

# What becomes of the operands that are read, and of the product %p; %r is a number for each row.
BEFORE = {
    "": "",
    "scaled": "%x = arith.mulf %x0, %x0 : vector<{M}x{K}xf16>",
    "summed": "%x = arith.addf %x0, %half : vector<{M}x{K}xf16>",
}
ROWS = """%{to}0 = vector.broadcast %{of} : {R} to vector<{N}x{M}xf32>
      %{to} = vector.transpose %{to}0, [1, 0] : vector<{N}x{M}xf32> to {T}"""
BEHIND = {
    "none": "%q = arith.addf %p, %w : {T}\n      %r = arith.addf %zr, %zr : {R}",
    "sum": "%q = arith.addf %p, %w : {T}\n      %r = vector.multi_reduction <add>, %p, %zr [1] : {T} to {R}",
    "max": "%q = arith.addf %p, %w : {T}\n      %r = vector.multi_reduction <maximumf>, %p, %low [1] : {T} to {R}",
    "added": "%r = vector.multi_reduction <add>, %p, %zr [1] : {T} to {R}\n      " + ROWS.replace("{of}", "r").replace("{to}", "rb")
    + "\n      %q = arith.addf %p, %rb : {T}",
    "softmax": "%m = vector.multi_reduction <maximumf>, %p, %low [1] : {T} to {R}\n      " + ROWS.replace("{of}", "m").replace("{to}", "mb")
    + "\n      %d = arith.subf %p, %mb : {T}\n      %e = math.exp2 %d : {T}\n      "
    "%r = vector.multi_reduction <add>, %e, %zr [1] : {T} to {R}\n      " + ROWS.replace("{of}", "r").replace("{to}", "rb")
    + "\n      %q = arith.divf %e, %rb : {T}",
}
STEP = """%x{x} = vector.transfer_read %a[%row, %j], %h {{in_bounds = [true, true]}} : memref<{rows}x{keys}xf16>, vector<{M}x{K}xf16>
      %y = vector.transfer_read %b[%j, %c0], %h {{in_bounds = [true, true]}} : memref<{keys}x{N}xf16>, vector<{K}x{N}xf16>
      {before}
      %p{p} = vector.contract {{indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}} %x, %y, %{start} : vector<{M}x{K}xf16>, vector<{K}x{N}xf16> into {T}"""
KERNEL = """#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @k(%a: memref<{rows}x{keys}xf16>, %b: memref<{keys}x{N}xf16>, %c: memref<{rows}x{N}xf32>, %o: memref<{rows}x{N}xf32>, %s: memref<{rows}xf32>) {{
  %c0 = arith.constant 0 : index
  %tile = arith.constant {M} : index
  %step = arith.constant {K} : index
  %end = arith.constant {keys} : index
  %h = arith.constant 0.0 : f16
  %f = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : vector<{M}x{K}xf16>
  %z = arith.constant dense<0.0> : {T}
  %zr = arith.constant dense<0.0> : {R}
  %low = arith.constant dense<0xFF800000> : {R}
  scf.forall (%t) in ({tiles}) {{
    %row = arith.muli %t, %tile : index
    {body}
    vector.transfer_write %{q}, %o[%row, %c0] {{in_bounds = [true, true]}} : {T}, memref<{rows}x{N}xf32>
    vector.transfer_write %{r}, %s[%row] {{in_bounds = [true]}} : {R}, memref<{rows}xf32>
  }} {{mapping = [#gpu.block<x>]}}
  return
}}
"""
ADDEND = "%w = vector.transfer_read %c[%row, %c0], %f {{in_bounds = [true, true]}} : memref<{rows}x{N}xf32>, {T}"
# A sum along the steps, and then what is behind; or that in each step, and sums of it.
BODIES = {
    "loop": "%p = scf.for %j = %c0 to %end step %step iter_args(%acc = %z) -> ({T}) {{\n      {step}\n      scf.yield %p1 : {T}\n    }}\n    "
    + ADDEND + "\n      {behind}",
    "steps": ADDEND + "\n    %qs, %rs = scf.for %j = %c0 to %end step %step iter_args(%qa = %z, %ra = %zr) -> ({T}, {R}) {{\n      {step}\n      "
    "{behind}\n      %qn = arith.addf %qa, %q : {T}\n      %rn = arith.addf %ra, %r : {R}\n      scf.yield %qn, %rn : {T}, {R}\n    }}",
}
# Tiles of M rows, steps of K, and what is around the product.
KERNELS = [
    (3, (16, 16, 16, 3), "loop", "", "sum"),
    (3, (32, 32, 32, 2), "loop", "", "max"),
    (4, (64, 32, 16, 2), "loop", "", "softmax"),
    (1, (64, 64, 64, 2), "loop", "", "sum"),
    (3, (32, 16, 32, 3), "loop", "scaled", "added"),
    (2, (16, 32, 16, 1), "loop", "summed", "none"),
    (3, (32, 32, 32, 2), "steps", "", "sum"),
    (3, (16, 16, 16, 3), "steps", "", "softmax"),
    (2, (64, 32, 16, 2), "steps", "", "added"),
    (1, (32, 32, 32, 3), "steps", "scaled", "max"),
    (5, (16, 16, 32, 2), "steps", "summed", "sum"),
    (3, (32, 64, 16, 2), "loop", "summed", "softmax"),
]


def write(tiles, sizes, form, before, behind):
    """The file of a kernel."""
    m, n, k, steps = sizes
    of = {"M": m, "N": n, "K": k, "rows": m * tiles, "keys": k * steps, "tiles": tiles, "T": f"vector<{m}x{n}xf32>", "R": f"vector<{m}xf32>"}
    in_steps = form == "steps"
    step = STEP.format(x="0" if before else "", p="" if in_steps else "1", start="z" if in_steps else "acc", before=BEFORE[before].format(**of), **of)
    body = BODIES[form].format(step=step, behind=BEHIND[behind].format(**of), **of)
    name = "-".join(filter(None, [form, before, behind, f"{tiles}x{m}x{n}x{k}x{steps}"]))
    path = options.out / f"{name}.mlir"
    path.write_text(KERNEL.format(body=body, q="qs" if in_steps else "q", r="rs" if in_steps else "r", **of))
    return path


def fail(name, why):
    print(f"FAIL {name}: {why}")
    return 1


def says(done):
    return next((line for line in (done.stderr + done.stdout).splitlines() if "error: " in line), done.stderr + done.stdout)


def command(path, specialized):
    return [options.distaff, "run", path, "--target", options.target, "--pipeline", "run-cluster", f"--specialize={specialized}"]


def check(path, specialized, seeds):
    failures = 0
    every = command(path, specialized) + ["--check", "--every-stage"]
    runs = [("stages", every)] + [(f"seed {seed}", every[:-1] + [f"--stages={INTERLEAVED}", "--schedule", str(seed)]) for seed in seeds]
    for what, run in runs:
        done = fork_server.run(run)
        if done.returncode:
            failures += fail(f"{path.stem} {specialized} {what}", says(done))
    return failures


def in_one_run(path, specialized):
    """The kernel when its subgroups are apart, as it stands: its loop over workgroups is in it, and no grid."""
    after = options.out / f"{path.stem}-{specialized}.mlir"
    compile = command(path, specialized)
    compile[1] = "compile"
    done = fork_server.run([*compile, "--stop-after=distribute-subgroups", "-o", after])
    if done.returncode:
        raise SystemExit(says(done))
    text = after.read_text().replace("pipeline = RunClusterDistribute ", "")
    return text[: text.index("  func.func @k__grid")] + "}\n"


def mutants(text):
    """The text without what the members of a cluster wait for, one after the other; and with fences of other memory."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if "iree_gpu.global_subgroup_barrier id" in line:
            yield f"no barrier at {number}", "\n".join(lines[: number - 1] + lines[number + 2 :])
    for number, line in enumerate(lines):
        if "pcf.barrier" in line and line.count("fence(") == 1:
            other = "fence(%arg0) : memref<" + text.split("%arg0: memref<", 1)[1].split(">", 1)[0] + ">"
            yield f"other memory at {number}", "\n".join([*lines[:number], line.split("fence(")[0] + other, *lines[number + 1 :]])


def check_mutants(path, specialized):
    def faults(text, seed):
        mutant = options.out / "mutant.mlir"
        mutant.write_text(text)
        return says(fork_server.run([options.distaff, "run", mutant, "--target", options.target, "--schedule", str(seed)]))

    text = in_one_run(path, specialized)
    for seed in range(3):
        if "error" in (found := faults(text, seed)):
            return fail(f"{path.stem} {specialized} seed {seed}", found)
    there = list(mutants(text))
    caught = [what for what, mutant in there if any(" race: " in faults(mutant, seed) for seed in range(2))]
    print(f"{path.stem} {specialized}: {len(caught)} of {len(there)} mutants are a race")
    kinds = {what.split(" at ")[0] for what, _ in there}
    return fail(f"{path.stem} {specialized}", f"caught: {caught}") if {what.split(" at ")[0] for what in caught} != kinds else 0


def main():
    failures, turn = 0, depth.Turns(5)
    paths = [write(*kernel) for kernel in KERNELS]
    for path in paths:
        for specialized in SPECIALIZED:
            if turn():
                failures += check(path, specialized, depth.some(range(1, 1 + options.seeds), 4))
    for specialized in SPECIALIZED:
        failures += check_mutants(paths[0], specialized)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
