"""The kernels of examples/specialization with phases, compiled as they stand: every product by the matrix unit on every
GPU, with nothing spilled whatever the split is, since code is the same for all; values for several numbers of panels,
splits and orders of the machine, and as PTX. A kernel whose rounds lack their barrier, or that lets the last members
write what is not theirs, is found.

    python3 phase_examples.py OUT_DIR [--seeds N] [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
import references
from pipeline_passes import read_flags

options = read_flags(seeds=200)
M, N, PANEL = 256, 128, 32
EXAMPLES = ROOT / "examples" / "specialization"
WAYS = ["producer_consumer", "by_hand", "ping_pong", "halves", "panels", "together"]
# Targets, and how many subgroups a workgroup of 256 lanes has.
NVIDIA, AMD = ["sm_80", "sm_75", "sm_86", "sm_89", "sm_90a"], ["gfx942", "gfx908", "gfx90a", "gfx950", "gfx1100", "gfx1201"]
SUBGROUPS = {"sm_80": 8, "gfx942": 4}


def say(is_right, *what):
    print("ok" if is_right else "FAIL", *what)
    return 0 if is_right else 1


def compile_to(way, target, kind):
    done = fork_server.run([options.distaff, "compile", EXAMPLES / f"{way}.mlir", "--target", target, "--emit", kind])
    return done.stdout, done.stderr.strip()


def spilled_by_ptxas(text, target):
    """What ptxas says of spills; nothing where there is none."""
    ptxas = shutil.which("ptxas")
    if not ptxas:
        return ""
    path = options.out / "kernel.ptx"
    path.write_text(text)
    said = subprocess.run([ptxas, "-arch", target, "-v", path, "-o", options.out / "kernel.cubin"], capture_output=True, text=True).stderr
    return "" if "0 bytes spill stores, 0 bytes spill loads" in said else said


def check_code(way, target):
    """Matrix instructions, and no multiplications of sums beside them; no spills, of which AMD's code object tells."""
    if target in NVIDIA:
        text, said = compile_to(way, target, "ptx")
        count, others = len(re.findall(r"\bmma\.sync|\bwgmma\.mma", text)), len(re.findall(r"\bfma\.rn", text))
        said = said or spilled_by_ptxas(text, target)
    else:
        text, said = compile_to(way, target, "gcn")
        count, others = len(re.findall(r"\bv_(?:s?w?mfmac?|mfma|wmma)_", text)), len(re.findall(r"\bv_(?:fma|fmac|mac)_", text))
        spills = dict(re.findall(r"\.(vgpr_spill_count|private_segment_fixed_size): +(\d+)", text))
        said = said or str({name: size for name, size in spills.items() if size != "0"} or "")
    return say(count > 0 and others == 0 and not said, way, target, count, "matrix instructions", said[:200])


def arguments(rng, panels, split):
    k = panels * PANEL
    a, b = ([rng.randint(-4, 4) for _ in range(count)] for count in (M * k, k * N))
    files = [npy.write(options.out / "a.npy", "f16", (1, M, k), a), npy.write(options.out / "b.npy", "f16", (1, k, N), b),
             npy.write(options.out / "c.npy", "f32", (1, M, N), [rng.uniform(1, 9) for _ in range(M * N)])]
    return [*files, split, panels], npy.to_bytes(references.matmul(a, b, M, N, k), "f32")


def run(path, target, inputs, *flags):
    """The bytes of the result, or what was said instead."""
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    command = [options.distaff, "run", path, "--target", target, *flags, "--output", f"res0={result}"]
    for i, value in enumerate(inputs):
        command += ["--input", f"arg{i}={value}"]
    done = fork_server.run(list(map(str, command)))
    return result.read_bytes()[-4 * M * N:] if done.returncode == 0 else done.stderr.strip().splitlines()[0]


def check_values(way, target, rng):
    """Every split, and the orders that seeds choose, of the code after a stage and of PTX."""
    failures = 0
    devices = [["--stop-after=distribute-subgroups"], ["--stop-after=convert"]] + [["--device=ptx"]] * target.startswith("sm")
    splits = range(1, SUBGROUPS[target]) if way not in ("panels", "together") else [1]
    turn = depth.Turns(11)
    cases = [(split, device) for split in splits for device in devices]
    for split, device in turn.of(cases):
        inputs, product = arguments(rng, rng.choice([1, 2, 3, 5]), split)
        found = run(EXAMPLES / f"{way}.mlir", target, inputs, *device, "--schedule", rng.randint(1, 1 << 20))
        failures += say(found == product, way, target, "split", split, "panels", inputs[-1], *device, "" if found == product else str(found)[:200])
    return failures


def check_orders(way, target, rng):
    """Equal bits in every order."""
    inputs, product = arguments(rng, 3, SUBGROUPS[target] - 1)
    seeds = depth.some(range(options.seeds), 67)
    path, stage = EXAMPLES / f"{way}.mlir", "--stop-after=distribute-subgroups"
    wrong = {seed for seed in seeds if run(path, target, inputs, stage, "--schedule", seed) != product}
    return say(not wrong, way, target, len(seeds), "orders", *wrong)


def spoil(way, rng):
    """Bugs that a run is to find in what distribution makes."""
    inputs, product = arguments(rng, 3, 7)
    path = options.out / "distributed.mlir"
    done = fork_server.run([options.distaff, "compile", EXAMPLES / f"{way}.mlir", "--target", "sm_80", "--stop-after=distribute-subgroups", "-o", path])
    assert done.returncode == 0, done.stderr
    text = path.read_text()
    bugs = {
        "one round less": re.sub(r"arith\.ceildivui (%\w+), (%\w+)", r"arith.divui \1, \2", text),
        "turns that begin with the second": re.sub(r"= arith\.addi (%\d+), (%id\w*) : index", r"= arith.addi \1, \1 : index", text),
    }
    failures = 0
    for name, spoilt in bugs.items():
        assert spoilt != text, name
        path.write_text(spoilt)
        found = run(path, "sm_80", inputs, "--schedule", 3)
        failures += say(found != product, "spoilt", way, name)
    return failures


# Some copy a panel, which others add twice to what they begin with; that another round follows, and copies again, only
# the barrier of rounds says.
ONE_PANEL = """
#sg = #iree_gpu.subgroup_scope
!P = !pcf.cluster<#sg, (0 -> d0), ws.a>
!C = !pcf.cluster<#sg, (d0 -> s0), ws.b>
!X = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<1x256x128xf32>}, ws.b>
!L = !pcf.sref<1x256x128xf32, #sg>
!O = !pcf.sref<1x256x128xf32, sync(#sg)>
func.func @add(%a: tensor<1x256x128xf32>, %c: tensor<1x256x128xf32>, %p: index) -> tensor<1x256x128xf32>
    attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !L  pcf.yield %m : !L } -> (%l: !L)
      execute(%A <- %a : tensor<1x256x128xf32>, %O = %c)[%tg: !pcf.threadgroup<#sg>] : (!L, !O) -> (tensor<1x256x128xf32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%p]] (%first: !P, %rest: !C) {
      %h = pcf.shared_executor.run_cluster(%rest)[%p] () {
        %x = pcf.read_slice %O[0, 0, 0] [1, 256, 128] [1, 1, 1] : !O to tensor<1x256x128xf32>
        pcf.cluster_yield %x : tensor<1x256x128xf32> } : (!C) -> !X
      pcf.shared_executor.run_cluster(%first)[%p] () {
        %x = pcf.read_slice %A[0, 0, 0] [1, 256, 128] [1, 1, 1] : !L to tensor<1x256x128xf32>
        pcf.write_slice %x into %l[0, 0, 0] [1, 256, 128] [1, 1, 1] : tensor<1x256x128xf32> into !L
        pcf.cluster_yield } : (!P)
      pcf.barrier(#sg) fence(%l, %O) : !L, !O
      %s = scf.for %k = %c0 to %c2 step %c1 iter_args(%it = %h) -> (!X) {
        %n = pcf.shared_executor.run_cluster(%it)[%p] (%x: tensor<1x256x128xf32>) {
          %y = pcf.read_slice %l[0, 0, 0] [1, 256, 128] [1, 1, 1] : !L to tensor<1x256x128xf32>
          %s = arith.addf %x, %y : tensor<1x256x128xf32>
          pcf.cluster_yield %s : tensor<1x256x128xf32> } : (!X) -> !X
        scf.yield %n : !X }
      pcf.shared_executor.run_cluster(%s)[%p] (%x: tensor<1x256x128xf32>) {
        pcf.write_slice %x into %O[0, 0, 0] [1, 256, 128] [1, 1, 1] : tensor<1x256x128xf32> into !O
        pcf.cluster_yield } : (!X)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %r : tensor<1x256x128xf32>
}
"""


def check_one_panel(rng):
    """A result that begins as what it was, part by part; the barrier that ends a round is needed."""
    path, stage = options.out / "one_panel.mlir", "--stop-after=distribute-subgroups"
    a, c = ([rng.randint(-99, 99) for _ in range(M * N)] for _ in "ac")
    inputs = [npy.write(options.out / f"{name}.npy", "f32", (1, M, N), numbers) for name, numbers in (("a", a), ("c", c))]
    expected, failures = npy.to_bytes([2 * x + y for x, y in zip(a, c)], "f32"), 0
    for target, split in [("sm_80", 1), ("sm_80", 3), ("gfx942", 1)]:
        path.write_text(ONE_PANEL)
        failures += say(run(path, target, [*inputs, split], stage) == expected, "one panel", target, "split", split)
    made = fork_server.run([options.distaff, "compile", path, "--target", "sm_80", stage]).stdout
    barriers = list(re.finditer(r"\n *pcf\.barrier\(#iree_gpu\.subgroup_scope\)[^\n]*", made))
    path.write_text(made[:barriers[-1].start()] + made[barriers[-1].end():])
    said = {str(run(path, "sm_80", [*inputs, 2], "--schedule", seed))[:200] for seed in range(1, 9)}
    return failures + say(any("race" in one for one in said), "spoilt one panel: rounds without their barrier")


def main():
    rng, failures, turn = random.Random(5), 0, depth.Turns(7)
    for way in WAYS:
        for target in turn.of(NVIDIA + AMD):
            failures += check_code(way, target)
        for target in SUBGROUPS:
            failures += check_values(way, target, rng)
    failures += check_one_panel(rng)
    for way in WAYS[:2]:
        failures += sum(check_orders(way, target, rng) for target in SUBGROUPS)
    failures += spoil("producer_consumer", rng)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
