"""Copies that are waited for by tokens (PCF-118): a group adds up panels, each of which is
copied to a slot of a ring while the one before is added, as groups on the SIMT machine with
every order of arrival, then with barriers in the place of the waits, as lanes and as PTX,
where the copies are asynchronous. Without a wait, with a wait for another copy, or with a
copy to the slot that is read, a fault is found.

    python3 copy_tokens.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import fork_server
import npy
from pipeline_passes import TO_LANES, after_each, as_lanes, read_flags

options = read_flags()

KERNEL = """#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [{threads}, 1, 1] subgroup_size = {lanes}>
!X = !pcf.sref<{n}x8x32xi32, #sg>
!O = !pcf.sref<1x8x32xi32, sync(#sg)>
!R = !pcf.sref<2x8x32xi32, #sg>
!V = !pcf.sref<1x8x32xi32, #sg>
!TG = !pcf.threadgroup<#sg>
!C = !pcf.threadgroup<#sg, {{tensor<1x8x32xi32>, !pcf.copy_token}}>
func.func @kernel(%in: tensor<{n}x8x32xi32>, %out: tensor<1x8x32xi32>) -> tensor<1x8x32xi32> attributes {{translation_info = #launch}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant {n} : index
  %last = arith.constant {last} : index
  %r = pcf.shared_executor scope(#sg)
    initialize {{ %m = pcf.alloc() : !R  pcf.yield %m : !R }} -> (%ring: !R)
    execute(%x <- %in : tensor<{n}x8x32xi32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<1x8x32xi32>) {{
    %first = pcf.shared_executor.run_cluster(%tg)[] () {{
      %e = tensor.empty() : tensor<1x8x32xi32>
      %zero = arith.constant 0 : i32
      %z = linalg.fill ins(%zero : i32) outs(%e : tensor<1x8x32xi32>) -> tensor<1x8x32xi32>
      %from = pcf.subview %x[0, 0, 0] [1, 8, 32] [1, 1, 1] : !X to !V
      %to = pcf.subview %ring[0, 0, 0] [1, 8, 32] [1, 1, 1] : !R to !V
      %t = pcf.async_copy %from into %to : !V into !V
      pcf.cluster_yield %z, %t : tensor<1x8x32xi32>, !pcf.copy_token
    }} : (!TG) -> !C
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%it = %first) -> (!C) {{
      %k1 = arith.addi %k, %c1 : index
      %cur = arith.remui %k, %c2 : index
      %nxt = arith.remui {next}, %c2 : index
      %panel = arith.minui %k1, %last : index
      %next = pcf.shared_executor.run_cluster(%it)[] (%acc: tensor<1x8x32xi32>, %t: !pcf.copy_token) {{
        {wait}
        %from = pcf.subview %x[%panel, 0, 0] [1, 8, 32] [1, 1, 1] : !X to !V
        %to = pcf.subview %ring[%nxt, 0, 0] [1, 8, 32] [1, 1, 1] : !R to !V
        %u = pcf.async_copy %from into %to : !V into !V
        %v = pcf.read_slice %ring[%cur, 0, 0] [1, 8, 32] [1, 1, 1] : !R to tensor<1x8x32xi32>
        %s = linalg.add ins(%acc, %v : tensor<1x8x32xi32>, tensor<1x8x32xi32>) outs(%acc : tensor<1x8x32xi32>) -> tensor<1x8x32xi32>
        pcf.cluster_yield %s, %u : tensor<1x8x32xi32>, !pcf.copy_token
      }} : (!C) -> !C
      {barrier}
      scf.yield %next : !C
    }}
    pcf.shared_executor.run_cluster(%end)[] (%acc: tensor<1x8x32xi32>, %t: !pcf.copy_token) {{
      pcf.wait %t
      pcf.write_slice %acc into %o[0, 0, 0] [1, 8, 32] [1, 1, 1] : tensor<1x8x32xi32> into !O
      pcf.cluster_yield
    }} : (!C)
    pcf.return
  }}
  return %r : tensor<1x8x32xi32>
}}
"""
# Each subgroup copies its row, waits for it and reads it; an extent that differs is a fault.
WORKERS = """#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<pipeline = VectorDistribute workgroup_size = [64, 1, 1] subgroup_size = 32>
!A = !pcf.sref<2x4xi32, #sg>
!O = !pcf.sref<2x4xi32, sync(#sg)>
!D = !pcf.sref<1x?xi32, #sg>
func.func @kernel(%in: tensor<2x4xi32>, %size: index, %init: tensor<2x4xi32>) -> tensor<2x4xi32> attributes {{translation_info = #launch}} {{
  %c4 = arith.constant 4 : index
  %r = pcf.generic scope(#sg)
    initialize {{ %m = pcf.alloc() : !A  pcf.yield %m : !A }} -> (%ring: !A)
    execute(%x <- %in : tensor<2x4xi32>, %o = %init)[%id: index, %n: index] : (!A, !O) -> (tensor<2x4xi32>) {{
    %from = pcf.subview %x[%id, 0] [1, %size] [1, 1] : !A to !D
    %to = pcf.subview %ring[%id, 0] [1, %c4] [1, 1] : !A to !D
    %t = pcf.async_copy %from into %to : !D into !D
    {wait}
    %v = pcf.read_slice %ring[%id, 0] [1, 4] [1, 1] : !A to tensor<1x4xi32>
    pcf.write_slice %v into %o[%id, 0] [1, 4] [1, 1] : tensor<1x4xi32> into !O
    pcf.return
  }}
  return %r : tensor<2x4xi32>
}}
"""
failures = 0


def report(isRight, *what):
    global failures
    failures += not isRight
    print("ok" if isRight else "FAIL", *what)


def kernel(name, n, target="sm_80", wait="pcf.wait %t", next="%k1", barrier=""):
    lanes = 64 if target.startswith("gfx") else 32
    path = options.out / f"{name}.mlir"
    path.write_text(KERNEL.format(n=n, last=n - 1, threads=2 * lanes, lanes=lanes, wait=wait, next=next, barrier=barrier))
    return path


def run(path, n, *flags, output="res0", target="sm_80"):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    done = fork_server.run([options.distaff, "run", path, "--target", target, "--input", "arg0=iota", "--input", "arg1=zeros",
                            "--output", f"{output}={result}", *flags])
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    expected = [sum(256 * panel + place for panel in range(n)) for place in range(256)]
    return "" if npy.read(result, "i32") == expected else "other sums"


def check_stages(n):
    path = kernel(f"panels{n}", n)
    stages = [("groups", []), ("barriers", ["--pcf-resolve-copy-tokens"]), *TO_LANES]
    for stage, path in after_each(options, stages, path, prefix=f"{n}-"):
        isLanes = stage == "concretize"
        code = as_lanes(path, "kernel") if isLanes else path
        for flags in [["--schedule", str(seed)] for seed in ((0, 1, 2, 3) if stage == "groups" else (1,))] + [["--device", "ptx"]] * isLanes:
            said = run(code, n, *flags, output="arg1" if isLanes else "res0")
            report(not said, stage, f"{n} panels", *flags, said)
    return code


for count in (1, 2, 5):
    lanes = check_stages(count)
ptx = fork_server.run([options.distaff, "compile", lanes, "--target", "sm_80", "--emit", "ptx"]).stdout
report("cp.async" in ptx and "cp.async.wait_group" in ptx and "cp.async.commit_group" in ptx, "copies of PTX are asynchronous and waited for")
for target in ("gfx942", "sm_75"):
    path = kernel(f"panels-{target}", 3, target)
    stages = [("barriers", ["--pcf-resolve-copy-tokens"]), *TO_LANES]
    *_, (stage, path) = after_each(options, stages, path, prefix=f"{target}-")
    said = run(as_lanes(path, "kernel"), 3, output="arg1", target=target)
    report(not said, target, "lanes", said)


def check_fault(name, expected, **changes):
    path = kernel(name, 3, **changes)
    said = [run(path, 3, "--schedule", str(seed)) for seed in range(4)]
    report(any(expected in text for text in said), name, max(said))


check_fault("no wait", "copy", wait="")
check_fault("copies to the slot that is read", "copy", next="%k")


def check_workers(name, expected, size, wait):
    path = options.out / f"{name}.mlir"
    path.write_text(WORKERS.format(wait=wait))
    result = options.out / "result.npy"
    said = []
    for seed in range(4):
        done = fork_server.run([options.distaff, "run", path, "--target", "sm_80", "--input", "arg0=iota", "--input", f"arg1={size}", "--input", "arg2=zeros",
                                "--schedule", str(seed), "--output", f"res0={result}"])
        said.append("" if done.returncode == 0 and npy.read(result, "i32") == list(range(8)) else done.stderr.strip().splitlines()[0])
    isRight = not any(said) if not expected else any(expected in text for text in said)
    report(isRight, name, max(said))


check_workers("workers", "", 4, "pcf.wait %t")
check_workers("workers that do not wait", "an asynchronous copy of subgroup", 4, "")
check_workers("an extent that differs", "copies extent 3 of dimension 1 to extent 4", 3, "pcf.wait %t")
print(failures, "failures")
sys.exit(failures > 0)
