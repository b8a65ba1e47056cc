"""Two clusters take turns at the matrix unit (PCF-143): an attention on vectors, of several numbers of tiles and steps, by
run-cluster with --specialize=ping-pong, compared with the float64 evaluation and with the bytes of vector-distribute on
NVIDIA; on AMD, where that reads operands in other layouts and adds in another order, with those of run-cluster alone, under many interleavings of clusters and of lanes. An odd number of tiles leaves the second cluster without one at the
end. Between two barriers of the loop no two clusters multiply. Then each barrier goes in turn, or what it fences does:
some seed must find a race or other bytes.

    python3 turns.py OUT_DIR [--target T] [--seeds N] [--distaff PATH]
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / part) for part in ("ForkServer", "Execution/Inputs")]
import depth
import fork_server
from pipeline_passes import read_flags

options = read_flags(target="sm_80", seeds=200)
PING_PONG = ["--pipeline", "run-cluster", "--specialize", "ping-pong"]
REFERENCE = [] if options.target.startswith("sm_") else ["--pipeline", "run-cluster"]
# Tiles of 32 rows, and steps of 32 keys.
SHAPES = [(3, 3), (4, 2), (1, 1), (2, 4)]

ATTENTION = """#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @attention(%q: memref<{rows}x16xf16>, %k: memref<{keys}x16xf16>, %v: memref<{keys}x16xf16>, %o: memref<{rows}x16xf32>) {{
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %end = arith.constant {keys} : index
  %h = arith.constant 0.0 : f16
  %m0 = arith.constant dense<0xFF800000> : vector<32xf32>
  %l0 = arith.constant dense<0.0> : vector<32xf32>
  %s0 = arith.constant dense<0.0> : vector<32x32xf32>
  %a0 = arith.constant dense<0.0> : vector<32x16xf32>
  scf.forall (%tile) in ({tiles}) {{
    %row = arith.muli %tile, %c32 : index
    %qh = vector.transfer_read %q[%row, %c0], %h {{in_bounds = [true, true]}} : memref<{rows}x16xf16>, vector<32x16xf16>
    %qf = arith.extf %qh : vector<32x16xf16> to vector<32x16xf32>
    %r:3 = scf.for %j = %c0 to %end step %c32 iter_args(%m = %m0, %l = %l0, %acc = %a0) -> (vector<32xf32>, vector<32xf32>, vector<32x16xf32>) {{
      %kh = vector.transfer_read %k[%j, %c0], %h {{in_bounds = [true, true]}} : memref<{keys}x16xf16>, vector<32x16xf16>
      %kf = arith.extf %kh : vector<32x16xf16> to vector<32x16xf32>
      %s = vector.contract {{indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}} %qf, %kf, %s0 : vector<32x16xf32>, vector<32x16xf32> into vector<32x32xf32>
      %mn = vector.multi_reduction <maximumf>, %s, %m [1] : vector<32x32xf32> to vector<32xf32>
      %mb = vector.broadcast %mn : vector<32xf32> to vector<32x32xf32>
      %mt = vector.transpose %mb, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
      %d = arith.subf %s, %mt : vector<32x32xf32>
      %p = math.exp2 %d : vector<32x32xf32>
      %dm = arith.subf %m, %mn : vector<32xf32>
      %f = math.exp2 %dm : vector<32xf32>
      %fl = arith.mulf %f, %l : vector<32xf32>
      %ln = vector.multi_reduction <add>, %p, %fl [1] : vector<32x32xf32> to vector<32xf32>
      %fb = vector.broadcast %f : vector<32xf32> to vector<16x32xf32>
      %ft = vector.transpose %fb, [1, 0] : vector<16x32xf32> to vector<32x16xf32>
      %fa = arith.mulf %ft, %acc : vector<32x16xf32>
      %ph = arith.truncf %p : vector<32x32xf32> to vector<32x32xf16>
      %pf = arith.extf %ph : vector<32x32xf16> to vector<32x32xf32>
      %vh = vector.transfer_read %v[%j, %c0], %h {{in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>}} : memref<{keys}x16xf16>, vector<16x32xf16>
      %vf = arith.extf %vh : vector<16x32xf16> to vector<16x32xf32>
      %an = vector.contract {{indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}} %pf, %vf, %fa : vector<32x32xf32>, vector<16x32xf32> into vector<32x16xf32>
      scf.yield %mn, %ln, %an : vector<32xf32>, vector<32xf32>, vector<32x16xf32>
    }}
    %lb = vector.broadcast %r#1 : vector<32xf32> to vector<16x32xf32>
    %lt = vector.transpose %lb, [1, 0] : vector<16x32xf32> to vector<32x16xf32>
    %out = arith.divf %r#2, %lt : vector<32x16xf32>
    vector.transfer_write %out, %o[%row, %c0] {{in_bounds = [true, true]}} : vector<32x16xf32>, memref<{rows}x16xf32>
  }} {{mapping = [#gpu.block<x>]}}
  return
}}
"""


def fail(name, why):
    print(f"FAIL {name}: {why}")
    return 1


def says(done):
    return next((line for line in (done.stderr + done.stdout).splitlines() if "error: " in line), done.stderr + done.stdout)


def run(path, *flags):
    """The bytes that a run leaves, or what it says."""
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    done = fork_server.run([options.distaff, "run", path, "--target", options.target, "--output", f"arg3={result}", *flags])
    return result.read_bytes() if done.returncode == 0 and result.exists() else says(done)


def lowered(path, stage):
    after = options.out / f"{path.stem}-{stage}.mlir"
    done = fork_server.run([options.distaff, "compile", path, "--target", options.target, *PING_PONG, f"--stop-after={stage}", "-o", after])
    if done.returncode:
        raise SystemExit(says(done))
    return after


def clusters_that_multiply(text):
    """Of each slot of the loop with the steps, the clusters with a product in it."""
    slots, inside = [set()], False
    for line in text.split("\n"):
        inside |= "scf.for" in line and "iter_args" in line
        if "run_cluster" in line:
            owner = "even" if "!pp_even" in text[text.index(line) :].split("} : (")[1][:40] else "odd"
        if inside and "vector.contract" in line:
            slots[-1].add(owner)
        if inside and "pcf.barrier" in line:
            slots.append(set())
    return slots


def without_fences(line):
    return line.split(" fence(")[0]


def mutants(text):
    """The text without any fence, and without each of its barriers: those of the loop that keep the clusters in step
    order nothing."""
    lines = text.split("\n")
    barriers = [number for number, line in enumerate(lines) if "pcf.barrier" in line]
    yield "without fences", "\n".join(without_fences(line) if number in barriers else line for number, line in enumerate(lines))
    for number in barriers:
        yield f"without barrier {number}", "\n".join(lines[:number] + lines[number + 1 :])


def check(tiles, steps, seeds):
    name, failures = f"{tiles} tiles of {steps} steps", 0
    path = options.out / f"attention-{tiles}-{steps}.mlir"
    path.write_text(ATTENTION.format(tiles=tiles, rows=32 * tiles, keys=32 * steps))
    command = [options.distaff, "run", path, "--target", options.target, *PING_PONG, "--check"]
    done = fork_server.run([*command, *depth.stages(["--every-stage"])])
    if done.returncode:
        failures += fail(name, says(done))
    if options.target == "sm_80" and (emitted := fork_server.run([*command, "--device", "ptx"])).returncode:
        failures += fail(f"{name} ptx", says(emitted))
    expected = run(path, *REFERENCE)
    for stage in ("specialize", "lower"):
        after = lowered(path, stage)
        for seed in seeds:
            found = run(after, "--schedule", str(seed))
            if found != expected:
                failures += fail(f"{name} {stage} seed {seed}", found if isinstance(found, str) else "other bytes")
    slots = clusters_that_multiply((options.out / f"{path.stem}-specialize.mlir").read_text())
    together = sum(len(slot) > 1 for slot in slots)
    print(f"{name}: {sum(len(slot) == 1 for slot in slots)} slots with products of one cluster, {together} of both")
    return failures + (fail(name, "two clusters multiply at a time") if together else 0)


def check_mutants(tiles, steps):
    path = options.out / f"attention-{tiles}-{steps}.mlir"
    expected, caught, there = run(path, *REFERENCE), 0, 0
    for what, text in depth.some(mutants((options.out / f"{path.stem}-specialize.mlir").read_text()), 4):
        mutant = options.out / "mutant.mlir"
        mutant.write_text(text)
        is_caught = any(run(mutant, "--schedule", str(seed)) != expected for seed in range(10))
        caught, there = caught + is_caught, there + 1
        print(f"{what}: {'caught' if is_caught else 'missed'}")
    return fail("mutants", "none is caught") if not caught else 0


def main():
    seeds, shapes = depth.some(range(options.seeds), 67), depth.some(SHAPES, 3)
    failures = sum(check(tiles, steps, seeds) for tiles, steps in shapes)
    failures += check_mutants(*shapes[0])
    print(failures, "failures")
    sys.exit(failures > 0)


main()
