"""Three clusters that pass numbers on through panels, each pair with a barrier of its
own, in a loop: run as groups, as workers, as lanes and as PTX, where these are the
barriers 1, 2 and 3 with as many threads as the pair has. Without any one of them a race is
found. A target with one barrier refuses them.

    python3 named_barriers.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import fork_server
import npy
from pipeline_passes import TO_LANES, after_each, as_lanes, read_flags

options = read_flags()

# 1, 3 and 4 subgroups: barriers among 4, 7 and 8 of them.
KERNEL = """#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>
!L = !pcf.sref<32x32xi32, #sg>
!X = !pcf.sref<32x?xi32, #sg>
!O = !pcf.sref<32x32xi32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), ws.a>
!B = !pcf.cluster<#sg, (d0 -> d1), ws.b>
!C = !pcf.cluster<#sg, (d1 -> s0), ws.c>
!CP = !pcf.cluster<#sg, (d1 -> s0), shared: {tensor<32x32xi32>}, ws.c>
func.func @kernel(%in: tensor<32x?xi32>, %out: tensor<32x32xi32>) -> tensor<32x32xi32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %k = tensor.dim %in, %c1 : tensor<32x?xi32>
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !L  %q = pcf.alloc() : !L  pcf.yield %p, %q : !L, !L } -> (%la: !L, %lb: !L)
    execute(%x <- %in : tensor<32x?xi32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<32x32xi32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%c1, %c4]] (%a: !A, %b: !B, %c: !C) {
      %t0 = pcf.shared_executor.run_cluster(%c)[%c1, %c4] () {
        %e = tensor.empty() : tensor<32x32xi32>
        %zero = arith.constant 0 : i32
        %z = linalg.fill ins(%zero : i32) outs(%e : tensor<32x32xi32>) -> tensor<32x32xi32>
        pcf.cluster_yield %z : tensor<32x32xi32>
      } : (!C) -> !CP
      %t1 = scf.for %i = %c0 to %k step %c32 iter_args(%t = %t0) -> (!CP) {
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = pcf.read_slice %x[0, %i] [32, 32] [1, 1] : !X to tensor<32x32xi32>
          %e = tensor.empty() : tensor<32x32xi32>
          %w = linalg.add ins(%v, %v : tensor<32x32xi32>, tensor<32x32xi32>) outs(%e : tensor<32x32xi32>) -> tensor<32x32xi32>
          pcf.write_slice %w into %la[0, 0] [32, 32] [1, 1] : tensor<32x32xi32> into !L
          pcf.cluster_yield
        } : (!A)
        pcf.barrier(#sg) among(%a, %b)[%c1, %c4] fence(%la) : !A, !B, !L
        pcf.shared_executor.run_cluster(%b)[%c1, %c4] () {
          %v = pcf.read_slice %la[0, 0] [32, 32] [1, 1] : !L to tensor<32x32xi32>
          %e = tensor.empty() : tensor<32x32xi32>
          %w = linalg.add ins(%v, %v : tensor<32x32xi32>, tensor<32x32xi32>) outs(%e : tensor<32x32xi32>) -> tensor<32x32xi32>
          pcf.write_slice %w into %lb[0, 0] [32, 32] [1, 1] : tensor<32x32xi32> into !L
          pcf.cluster_yield
        } : (!B)
        pcf.barrier(#sg) among(%b, %c)[%c1, %c4] fence(%la, %lb) : !B, !C, !L, !L
        %u = pcf.shared_executor.run_cluster(%t)[%c1, %c4] (%acc: tensor<32x32xi32>) {
          %v = pcf.read_slice %lb[0, 0] [32, 32] [1, 1] : !L to tensor<32x32xi32>
          %w = linalg.add ins(%acc, %v : tensor<32x32xi32>, tensor<32x32xi32>) outs(%acc : tensor<32x32xi32>) -> tensor<32x32xi32>
          pcf.cluster_yield %w : tensor<32x32xi32>
        } : (!CP) -> !CP
        pcf.barrier(#sg) among(%c, %a, %b)[%c1, %c4] fence(%la, %lb) : !C, !A, !B, !L, !L
        scf.yield %u : !CP
      }
      pcf.shared_executor.run_cluster(%t1)[%c1, %c4] (%acc: tensor<32x32xi32>) {
        pcf.write_slice %acc into %o[0, 0] [32, 32] [1, 1] : tensor<32x32xi32> into !O
        pcf.cluster_yield
      } : (!CP)
      pcf.return
    } : !TG
    pcf.return
  }
  return %r : tensor<32x32xi32>
}
"""
STAGES = [("groups", []), *TO_LANES]


def run(path, steps, *flags, output="res0"):
    """The sum of every element's steps, doubled by two clusters, or what is said."""
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    done = fork_server.run([options.distaff, "run", path, "--target", "sm_80", "--shape", f"arg0=32x{32 * steps}", "--input", "arg0=iota",
                            "--input", "arg1=zeros", "--output", f"{output}={result}", *flags])
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    found = npy.read(result, "i32")
    expected = [4 * sum(row * 32 * steps + 32 * step + column for step in range(steps)) for row in range(32) for column in range(32)]
    return "" if found == expected else "other sums"


def main():
    failures, path = 0, options.out / "kernel.mlir"
    path.write_text(KERNEL)

    def report(isRight, *what):
        nonlocal failures
        failures += not isRight
        print("ok" if isRight else "FAIL", *what)

    for name, path in after_each(options, STAGES, path):
        isLanes = name == "concretize"
        kernel = as_lanes(path, "kernel") if isLanes else path
        for steps in (1, 3):
            for flags in [["--schedule", "1"], ["--schedule", "2"]] + [["--device", "ptx"]] * isLanes:
                said = run(kernel, steps, *flags, output="arg1" if isLanes else "res0")
                report(not said, name, f"steps {steps}", *flags, said)
    ptx = fork_server.run([options.distaff, "compile", kernel, "--target", "sm_80", "--emit", "ptx"])
    waits = sorted(set(re.findall(r"bar\.sync\s+(\d+)(?:, (\d+))?;", ptx.stdout)))
    report(waits == [("0", ""), ("1", "128"), ("2", "224"), ("3", "256")], "PTX waits", waits, ptx.stderr[:200])
    amd = options.out / "amd.mlir"
    amd.write_text(kernel.read_text().replace("subgroup_size = 32", "subgroup_size = 64"))
    done = fork_server.run([options.distaff, "compile", amd, "--target", "gfx942", "--emit", "gcn"])
    report("target has no named barriers" in done.stderr, "gfx942", done.stderr.splitlines()[:1])
    lines = KERNEL.splitlines(keepends=True)
    for i, line in enumerate(lines):
        if "pcf.barrier(" not in line:
            continue
        lacking = options.out / "lacking.mlir"
        lacking.write_text("".join(lines[:i] + lines[i + 1:]))
        said = [run(lacking, 3, "--schedule", str(seed)) for seed in range(8)]
        report(any(said), "without", line.strip(), max(said))
    print(failures, "failures")
    sys.exit(failures > 0)


main()
