"""A handle with shared and private payload (PCF-112): a tile that all subgroups hold together
and a number that each has for itself, through a loop in which both change, as groups, with
handles of one kind, as members, and on to lanes and PTX.

    python3 both_payloads.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import fork_server
import npy
from pipeline_passes import TO_LANES, after_each, as_lanes, read_flags

options = read_flags()

# Members of ws.b add up their ids plus 1 in every step, and all of them together double the tile.
KERNEL = """#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [{threads}, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), ws.a>
!B = !pcf.cluster<#sg, (d0 -> s0), ws.b>
!P = !pcf.cluster<#sg, (d0 -> s0), private: {{index}}, ws.b>
!S = !pcf.cluster<#sg, (d0 -> s0), shared: {{tensor<{rows}x32xi32>}}, ws.b>
!PS = !pcf.cluster<#sg, (d0 -> s0), shared: {{tensor<{rows}x32xi32>}}, private: {{index}}, ws.b>
!I = !pcf.sref<{rows}x32xi32, #sg>
!O = !pcf.sref<{rows}x32xi32, sync(#sg)>
!N = !pcf.sref<{n}x32xi32, sync(#sg)>
func.func @kernel(%in: tensor<{rows}x32xi32>, %out: tensor<{rows}x32xi32>, %sums: tensor<{n}x32xi32>) -> (tensor<{rows}x32xi32>, tensor<{n}x32xi32>)
    attributes {{translation_info = #launch}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant {steps} : index
  %r:2 = pcf.shared_executor scope(#sg) execute(%x <- %in : tensor<{rows}x32xi32>, %o = %out, %s = %sums)[%tg: !TG]
    : (!I, !O, !N) -> (tensor<{rows}x32xi32>, tensor<{n}x32xi32>) {{
    pcf.shared_executor.tile_group %tg ns(ws) split [[%c1]] (%a: !A, %b: !B) {{
      %p = pcf.shared_executor.run_thread(%b)[%c1] () [%id: index] {{
        pcf.cluster_yield %id : index
      }} : (!B) -> !P
      %ps = pcf.shared_executor.run_cluster(%p)[%c1] () {{
        %t = pcf.read_slice %x[0, 0] [{rows}, 32] [1, 1] : !I to tensor<{rows}x32xi32>
        pcf.cluster_yield %t : tensor<{rows}x32xi32>
      }} : (!P) -> !PS
      %end = scf.for %i = %c0 to %steps step %c1 iter_args(%it = %ps) -> (!PS) {{
        %y = pcf.shared_executor.run_cluster(%it)[%c1] (%t: tensor<{rows}x32xi32>) {{
          %u = linalg.add ins(%t, %t : tensor<{rows}x32xi32>, tensor<{rows}x32xi32>) outs(%t : tensor<{rows}x32xi32>) -> tensor<{rows}x32xi32>
          pcf.cluster_yield %u : tensor<{rows}x32xi32>
        }} : (!PS) -> !PS
        %z = pcf.shared_executor.run_thread(%y)[%c1] (%k: index) [%id: index] {{
          %one = arith.addi %id, %c1 : index
          %next = arith.addi %k, %one : index
          pcf.cluster_yield %next : index
        }} : (!PS) -> !PS
        scf.yield %z : !PS
      }}
      pcf.shared_executor.run_thread(%end)[%c1] (%k: index) [%id: index] {{
        %v = arith.index_cast %k : index to i32
        %e = tensor.empty() : tensor<1x32xi32>
        %f = linalg.fill ins(%v : i32) outs(%e : tensor<1x32xi32>) -> tensor<1x32xi32>
        pcf.write_slice %f into %s[%id, 0] [1, 32] [1, 1] : tensor<1x32xi32> into !N
        pcf.cluster_yield
      }} : (!PS)
      pcf.shared_executor.run_cluster(%end)[%c1] (%t: tensor<{rows}x32xi32>) {{
        pcf.write_slice %t into %o[0, 0] [{rows}, 32] [1, 1] : tensor<{rows}x32xi32> into !O
        pcf.cluster_yield
      }} : (!PS)
      pcf.return
    }} : !TG
    pcf.return
  }}
  return %r#0, %r#1 : tensor<{rows}x32xi32>, tensor<{n}x32xi32>
}}
"""
failures = 0
for n, rows, steps in ((2, 4, 3), (1, 2, 0), (4, 8, 1)):
    path = options.out / f"kernel{n}.mlir"
    path.write_text(KERNEL.format(threads=32 * (n + 1), n=n, rows=rows, steps=steps))
    tile = [(row * 32 + column) << steps for row in range(rows) for column in range(32)]
    sums = [member + steps * (member + 1) for member in range(n) for _ in range(32)]
    for stage, path in after_each(options, [("groups", []), ("separate", ["--pcf-separate-payload"]), *TO_LANES], path, prefix=f"{n}-"):
        isLanes = stage == "concretize"
        kernel = as_lanes(path, "kernel") if isLanes else path
        for flags in [["--schedule", "1"]] + [["--schedule", "2"], ["--device", "ptx"]] * isLanes:
            results = [options.out / name for name in ("tile.npy", "sums.npy")]
            outputs = ["arg1", "arg2"] if isLanes else ["res0", "res1"]
            done = fork_server.run([options.distaff, "run", kernel, "--target", "sm_80", "--input", "arg0=iota", "--input", "arg1=zeros", "--input", "arg2=zeros",
                                    *flags, *(flag for pair in zip(outputs, results) for flag in ("--output", "=".join(map(str, pair))))])
            said = done.stderr.strip().splitlines()[:1]
            isRight = done.returncode == 0 and [npy.read(result, "i32") for result in results] == [tile, sums]
            failures += not isRight
            print("ok" if isRight else "FAIL", stage, f"{n} members, {steps} steps", *flags, *said)
print(failures, "failures")
sys.exit(failures > 0)
