"""Clusters whose bounds are affine expressions of range values and of the number of
workers (PCF-113): who is in which, and with which id, as groups and as workers; and
what they do together, from groups to lanes and to PTX, with a barrier among two of them.

    python3 cluster_bounds.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import fork_server
import npy
from pipeline_passes import TO_LANES, after_each, as_lanes, read_flags

options = read_flags()

HEAD = """#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [{threads}, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> s0 floordiv 3), w.a>
!B = !pcf.cluster<#sg, (s0 floordiv 3 -> d0), w.b>
!C = !pcf.cluster<#sg, (d0 -> d0 + 1), w.c>
!D = !pcf.cluster<#sg, (d0 + 1 -> s0), w.d>
"""
SPLIT = """pcf.shared_executor.tile_group %tg ns(w) split [[s0 floordiv 3, %k, d0 + 1]] (%a: !A, %b: !B, %c: !C, %d: !D) {"""

# Every member writes 100 * the number of its cluster + its id in it where its id in the grid is.
MEMBERS = """func.func @kernel(%k: index) -> tensor<{n}xi32> attributes {{translation_info = #launch}} {{
  %r = pcf.shared_executor scope(#sg) execute(%o)[%tg: !TG] : (!pcf.sref<{n}xi32, sync(#sg)>) -> (tensor<{n}xi32>) {{
    {split}
{phases}
      pcf.return
    }} : !TG
    pcf.return
  }}
  return %r : tensor<{n}xi32>
}}
"""
MEMBER = """      pcf.shared_executor.run_thread(%{name})[{ranges}] () [%id: index] {{
        %low = affine.apply affine_map<(d0) -> ({low})>(%k)
        %at = arith.addi %low, %id : index
        %code = arith.constant {code} : index
        %sum = arith.addi %code, %id : index
        %v = arith.index_cast %sum : index to i32
        %e = vector.broadcast %v : i32 to vector<1xi32>
        pcf.write_slice %e into %o[%at] [1] [1] : vector<1xi32> into !pcf.sref<{n}xi32, sync(#sg)>
        pcf.cluster_yield
      }} : (!{type})
"""

# b doubles what it reads, a barrier of b and c publishes it, c adds one; a and d copy.
TOGETHER = """!L = !pcf.sref<1x64xi32, #sg>
!I = !pcf.sref<4x64xi32, #sg>
!O = !pcf.sref<4x64xi32, sync(#sg)>
func.func @kernel(%in: tensor<4x64xi32>, %out: tensor<4x64xi32>) -> tensor<4x64xi32> attributes {{translation_info = #launch}} {{
  %k = arith.constant {k} : index
  %one = arith.constant dense<1> : tensor<1x64xi32>
  %r = pcf.shared_executor scope(#sg)
    initialize {{ %p = pcf.alloc() : !L  pcf.yield %p : !L }} -> (%la: !L)
    execute(%x <- %in : tensor<4x64xi32>, %o = %out)[%tg: !TG] : (!I, !O) -> (tensor<4x64xi32>) {{
    {split}
      pcf.shared_executor.run_cluster(%a)[] () {{
        %v = pcf.read_slice %x[0, 0] [1, 64] [1, 1] : !I to tensor<1x64xi32>
        pcf.write_slice %v into %o[0, 0] [1, 64] [1, 1] : tensor<1x64xi32> into !O
        pcf.cluster_yield
      }} : (!A)
      pcf.shared_executor.run_cluster(%b)[%k] () {{
        %v = pcf.read_slice %x[1, 0] [1, 64] [1, 1] : !I to tensor<1x64xi32>
        pcf.write_slice %v into %o[1, 0] [1, 64] [1, 1] : tensor<1x64xi32> into !O
        %e = tensor.empty() : tensor<1x64xi32>
        %w = linalg.add ins(%v, %v : tensor<1x64xi32>, tensor<1x64xi32>) outs(%e : tensor<1x64xi32>) -> tensor<1x64xi32>
        pcf.write_slice %w into %la[0, 0] [1, 64] [1, 1] : tensor<1x64xi32> into !L
        pcf.cluster_yield
      }} : (!B)
      {barrier}
      pcf.shared_executor.run_cluster(%c)[%k] () {{
        %v = pcf.read_slice %la[0, 0] [1, 64] [1, 1] : !L to tensor<1x64xi32>
        %e = tensor.empty() : tensor<1x64xi32>
        %w = linalg.add ins(%v, %one : tensor<1x64xi32>, tensor<1x64xi32>) outs(%e : tensor<1x64xi32>) -> tensor<1x64xi32>
        pcf.write_slice %w into %o[2, 0] [1, 64] [1, 1] : tensor<1x64xi32> into !O
        pcf.cluster_yield
      }} : (!C)
      pcf.shared_executor.run_cluster(%d)[%k] () {{
        %v = pcf.read_slice %x[3, 0] [1, 64] [1, 1] : !I to tensor<1x64xi32>
        pcf.write_slice %v into %o[3, 0] [1, 64] [1, 1] : tensor<1x64xi32> into !O
        pcf.cluster_yield
      }} : (!D)
      pcf.return
    }} : !TG
    pcf.return
  }}
  return %r : tensor<4x64xi32>
}}
"""
BARRIER = "pcf.barrier(#sg) among(%b, %c)[%k] fence(%la) : !B, !C, !L"
failures = 0


def report(isRight, *what):
    global failures
    failures += not isRight
    print("ok" if isRight else "FAIL", *what)


def run(path, *flags, output="res0"):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    done = fork_server.run([options.distaff, "run", path, "--target", "sm_80", "--output", f"{output}={result}", *flags])
    return (npy.read(result, "i32"), "") if done.returncode == 0 else (None, done.stderr.strip().splitlines()[0])


def check_members(n):
    rows = [("a", "A", "", "0"), ("b", "B", "%k", f"{n // 3}"), ("c", "C", "%k", "d0"), ("d", "D", "%k", "d0 + 1")]
    phases = "".join(MEMBER.format(name=name, type=kind, ranges=ranges, low=low, code=100 * number, n=n)
                     for number, (name, kind, ranges, low) in enumerate(rows))
    path = options.out / f"members{n}.mlir"
    path.write_text(HEAD.format(threads=32 * n) + MEMBERS.format(n=n, split=SPLIT, phases=phases))
    stages = [("groups", []), ("workers", ["--pcf-resolve-clusters"])]
    for stage, path in after_each(options, stages, path, prefix=f"members{n}-"):
        for k in range(n // 3, n):
            ends = [0, n // 3, k, k + 1, n]
            expected = [100 * number + i for number in range(4) for i in range(ends[number + 1] - ends[number])]
            found, said = run(path, "--input", f"arg0={k}")
            report(found == expected, stage, f"{n} subgroups, k = {k}", said or found)
    # Points must not decrease: k + 1 beyond the end, or k before the first third.
    group = options.out / f"members{n}.mlir"
    for k in (n, n // 3 - 1):
        _, said = run(group, "--input", f"arg0={k}")
        report("the split points decrease" in said, f"{n} subgroups, k = {k} is refused", said)


def check_together(n, k):
    path = options.out / f"together{n}-{k}.mlir"
    text = HEAD.format(threads=32 * n) + TOGETHER.format(split=SPLIT, k=k, barrier=BARRIER)
    path.write_text(text)
    given = list(range(256))
    ends = [0, n // 3, k, k + 1, n]
    empty = [ends[i] == ends[i + 1] for i in range(4)]
    rows = [given[64 * row:64 * row + 64] for row in range(4)]
    rows[2] = [2 * value + 1 for value in rows[1]]
    for row in range(4):
        if empty[row]:
            rows[row] = [0] * 64
    for stage, path in after_each(options, [("groups", []), *TO_LANES], path, prefix=f"together{n}-{k}-"):
        isLanes = stage == "concretize"
        kernel = as_lanes(path, "kernel") if isLanes else path
        for flags in [["--schedule", "1"]] + [["--schedule", "2"], ["--device", "ptx"]] * isLanes:
            found, said = run(kernel, "--input", "arg0=iota", "--input", "arg1=zeros", *flags, output="arg1" if isLanes else "res0")
            report(found == [value for row in rows for value in row], stage, f"{n} subgroups, k = {k}", *flags, said)
    lacking = options.out / "lacking.mlir"
    lacking.write_text(text.replace(BARRIER, ""))
    said = max(run(lacking, "--input", "arg0=iota", "--input", "arg1=zeros", "--schedule", str(seed))[1] for seed in range(4))
    report("race" in said, f"{n} subgroups without the barrier", said)


for count in (1, 2, 5, 8):
    check_members(count)
check_together(8, 5)
check_together(4, 2)
check_together(8, 7)  # the last cluster has nobody
print(failures, "failures")
sys.exit(failures > 0)
