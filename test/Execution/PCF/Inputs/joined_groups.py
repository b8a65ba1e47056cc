"""Phases that take payload of clusters of two groups, one inside of the other, which are split
at the same points (PCF-114): the same values, which the launch may choose, or constants that are
equal. Each stage on sm_80 and gfx942, and PTX; the members' code under many interleavings. Members
who are counted from another point are found.

    python3 joined_groups.py OUT_DIR [--seeds N] [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
from pipeline_passes import TO_LANES, after_each, as_lanes, optimize, read_flags

options = read_flags(seeds=200)

# Members of o.b have one number each, those of o.i.b, who are the same, another one, which grows in
# a loop; so does a tile that all of them hold.
KERNEL = """#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [{threads}, 1, 1] subgroup_size = {lanes}>
!TG = !pcf.threadgroup<#sg>
!OA = !pcf.cluster<#sg, (0 -> {outer}), o.a>
!OB = !pcf.cluster<#sg, ({outer} -> s0), o.b>
!OP = !pcf.cluster<#sg, ({outer} -> s0), private: {{index}}, o.b>
!OS = !pcf.cluster<#sg, ({outer} -> s0), shared: {{tensor<4x32xi32>}}, o.b>
!IA = !pcf.cluster<#sg, (0 -> {inner}), o.i.a>
!IB = !pcf.cluster<#sg, ({inner} -> s0), o.i.b>
!IP = !pcf.cluster<#sg, ({inner} -> s0), private: {{index}}, o.i.b>
!IS = !pcf.cluster<#sg, ({inner} -> s0), shared: {{tensor<4x32xi32>}}, o.i.b>
!I = !pcf.sref<4x32xi32, #sg>
!O = !pcf.sref<4x32xi32, sync(#sg)>
!N = !pcf.sref<{n}x32xi32, sync(#sg)>
func.func @kernel(%in: tensor<4x32xi32>, %out: tensor<4x32xi32>, %sums: tensor<{n}x32xi32>{argument}) -> (tensor<4x32xi32>, tensor<{n}x32xi32>)
    attributes {{translation_info = #launch}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
{constant}  %same = arith.constant {split} : index
  %steps = arith.constant {steps} : index
  %r:2 = pcf.shared_executor scope(#sg) execute(%x <- %in : tensor<4x32xi32>, %o = %out, %s = %sums)[%tg: !TG]
    : (!I, !O, !N) -> (tensor<4x32xi32>, tensor<{n}x32xi32>) {{
    pcf.shared_executor.tile_group %tg ns(o) split [[{outer_point}]] (%a: !OA, %b: !OB) {{
      %p = pcf.shared_executor.run_thread(%b)[{outer_range}] () [%id: index] {{
        pcf.cluster_yield %id : index
      }} : (!OB) -> !OP
      %whole = pcf.shared_executor.run_cluster(%b)[{outer_range}] () {{
        %t = pcf.read_slice %x[0, 0] [4, 32] [1, 1] : !I to tensor<4x32xi32>
        pcf.cluster_yield %t : tensor<4x32xi32>
      }} : (!OB) -> !OS
      pcf.shared_executor.tile_group %tg ns(i) split [[{inner_point}]] (%ia: !IA, %ib: !IB) {{
        %q0 = pcf.shared_executor.run_thread(%ib)[{inner_range}] () [%id: index] {{
          pcf.cluster_yield %c1 : index
        }} : (!IB) -> !IP
        %t0 = pcf.shared_executor.run_cluster(%ib)[{inner_range}] () {{
          %t = pcf.read_slice %x[0, 0] [4, 32] [1, 1] : !I to tensor<4x32xi32>
          pcf.cluster_yield %t : tensor<4x32xi32>
        }} : (!IB) -> !IS
        %q:2 = scf.for %i = %c0 to %steps step %c1 iter_args(%qi = %q0, %ti = %t0) -> (!IP, !IS) {{
          %q1 = pcf.shared_executor.run_thread({first})[{joined}] ({arguments}) [%id: index] {{
            %twice = arith.addi %w, %w : index
            %next = arith.addi %twice, %v : index
            pcf.cluster_yield %next : index
          }} : ({first_types}) -> {first_result}
          %q2 = pcf.shared_executor.run_thread(%qi, %q1)[{second}] (%w: index, %v: index) [%id: index] {{
            %next = arith.addi %w, %v : index
            pcf.cluster_yield %next : index
          }} : (!IP, {first_result}) -> !IP
          %t1 = pcf.shared_executor.run_cluster(%ti, %whole)[{joined}] (%u: tensor<4x32xi32>, %v: tensor<4x32xi32>) {{
            %w = linalg.add ins(%u, %v : tensor<4x32xi32>, tensor<4x32xi32>) outs(%u : tensor<4x32xi32>) -> tensor<4x32xi32>
            pcf.cluster_yield %w : tensor<4x32xi32>
          }} : (!IS, !OS) -> !IS
          pcf.barrier(#sg) among(%ib)[{inner_range}] : !IB
          scf.yield %q2, %t1 : !IP, !IS
        }}
        pcf.shared_executor.run_thread(%q#0)[{inner_range}] (%v: index) [%id: index] {{
          %n = arith.index_cast %v : index to i32
          %e = tensor.empty() : tensor<1x32xi32>
          %f = linalg.fill ins(%n : i32) outs(%e : tensor<1x32xi32>) -> tensor<1x32xi32>
          pcf.write_slice %f into %s[%id, 0] [1, 32] [1, 1] : tensor<1x32xi32> into !N
          pcf.cluster_yield
        }} : (!IP)
        pcf.shared_executor.run_cluster(%q#1)[{inner_range}] (%t: tensor<4x32xi32>) {{
          pcf.write_slice %t into %o[0, 0] [4, 32] [1, 1] : tensor<4x32xi32> into !O
          pcf.cluster_yield
        }} : (!IS)
        pcf.return
      }} : !TG
      pcf.return
    }} : !TG
    pcf.return
  }}
  return %r#0, %r#1 : tensor<4x32xi32>, tensor<{n}x32xi32>
}}
"""

# How the two groups say where they are split: the bound, the point, and the values of its range.
WAYS = {
    "one value": (("d0", "%k", "%k"), ("d0", "%k", "%k")),
    "an argument": (("d0", "%k", "%k"), ("d0", "%k", "%k")),
    "equal constants": (("d0", "%k", "%k"), ("d0", "%same", "%same")),
    "a number and a value": (("{split}", "{split}", ""), ("d0", "%k", "%k")),
    "a value and a number": (("d0", "%k", "%k"), ("{split}", "{split}", "")),
}


# Lanes of a subgroup.
LANES = {"sm_80": 32, "gfx942": 64}


def write(path, way, is_outer_first, n, split, steps, lanes):
    (outer, outer_point, outer_range), (inner, inner_point, inner_range) = [
        [text.format(split=split) for text in texts] for texts in WAYS[way]]
    is_argument = way == "an argument"
    first = ("%p, %qi", "%v: index, %w: index", "!OP, !IP", "!OP") if is_outer_first else (
        "%qi, %p", "%w: index, %v: index", "!IP, !OP", "!IP")
    path.write_text(KERNEL.format(
        threads=lanes * (n + split), lanes=lanes, argument=", %k: index" * is_argument,
        constant="" if is_argument else f"  %k = arith.constant {split} : index\n", n=n, split=split, steps=steps, outer=outer, outer_point=outer_point,
        outer_range=outer_range, inner=inner, inner_point=inner_point, inner_range=inner_range,
        joined=inner_range or outer_range, second=inner_range or outer_range * is_outer_first, first=first[0], arguments=first[1], first_types=first[2],
        first_result=first[3]))


def reference(values, n, steps):
    numbers = [1] * n
    for _ in range(steps):
        numbers = [number + 2 * number + member for member, number in enumerate(numbers)]
    return [value * (steps + 1) for value in values], [number for number in numbers for _ in range(32)]


def run(path, target, split, is_lanes, *flags):
    """What the kernel gives, or what was said instead."""
    results = [options.out / name for name in ("tile.npy", "sums.npy")]
    outputs = ["arg1", "arg2"] if is_lanes else ["res0", "res1"]
    command = [options.distaff, "run", path, "--target", target, *flags, "--input", f"arg0={options.out / 'in.npy'}"]
    command += ["--input", "arg1=zeros", "--input", "arg2=zeros", *(["--input", f"arg3={split}"] if split else [])]
    for name, result in zip(outputs, results):
        command += ["--output", f"{name}={result}"]
    done = fork_server.run(command)
    return [npy.read(result, "i32") for result in results] if done.returncode == 0 else done.stderr.strip()


def say(is_right, *what):
    print("ok" if is_right else "FAIL", *what)
    return 0 if is_right else 1


def check(way, is_outer_first, n, split, steps, target):
    """Each stage, in two orders, and PTX."""
    name = f"{way.replace(' ', '_')}-{target}"
    path = options.out / f"{name}.mlir"
    write(path, way, is_outer_first, n, split, steps, LANES[target])
    wanted, given, failures = list(reference(values, n, steps)), split * (way == "an argument"), 0
    for stage, path in after_each(options, [("groups", []), ("merge", ["--pcf-merge-groups"]), *TO_LANES], path, prefix=f"{name}-"):
        is_lanes = stage == "concretize"
        kernel = as_lanes(path, "kernel") if is_lanes else path
        for flags in [["--schedule", "1"]] + ([["--schedule", "2"]] + [["--device", "ptx"]] * (target == "sm_80")) * is_lanes:
            found = run(kernel, target, given, is_lanes, *flags)
            failures += say(found == wanted, stage, way, target, f"{n} members, {steps} steps", *flags, found if isinstance(found, str) else "")
    return failures


def check_replicated(target):
    """What is between the two halves of resolution, where each case has the phases of all clusters (PCF-157), for groups
    in groups, with payload that grows in a loop. A case that takes its members for others is found."""
    source, n, split, steps = options.out / f"replicated-{target}.mlir", 3, 2, 2
    write(source, "an argument", False, n, split, steps, LANES[target])
    wanted, failures = list(reference(values, n, steps)), 0
    passes = ["--pcf-merge-groups", "--pcf-distribute=scope=#iree_gpu.subgroup_scope", "--pcf-replicate-clusters"]
    path = optimize(options, source, passes, options.out / f"replicated-{target}-made.mlir")
    for seed in range(1, 4):
        found = run(path, target, split, False, "--schedule", seed)
        failures += say(found == wanted, "replicated", target, "--schedule", seed, found if isinstance(found, str) else "")
    text = path.read_text()
    spoilt = text.replace("arith.subi %id, %arg3", "arith.subi %id, %id")
    assert spoilt != text and text.count("unrealized_conversion_cast to") > 0
    path.write_text(spoilt)
    return failures + say(run(path, target, split, False) != wanted, "spoilt: replicated", target, "members who are all the first")


def check_orders(target):
    """Equal bits in every order, of what the pipeline makes for its members."""
    path, n, split, steps = options.out / f"orders-{target}.mlir", 2, 2, 3
    write(path, "an argument", True, n, split, steps, LANES[target])
    wanted, seeds = list(reference(values, n, steps)), depth.some(range(options.seeds), 29)
    wrong = {seed: found for seed in seeds
             if (found := run(path, target, split, False, "--stop-after=distribute-subgroups", "--schedule", seed)) != wanted}
    failures = say(not wrong, target, len(seeds), "orders", *list(wrong.items())[:1])
    # A barrier of some subgroups is one by name; where gfx942 has none of these, all subgroups wait (PCF-167).
    devices = [["--stop-after=distribute-lanes"], ["--stop-after=convert"]] + [["--device=ptx"]] * (target == "sm_80")
    for device in devices:
        found = run(path, target, split, False, *device)
        failures += say(found == wanted, target, *device, found if isinstance(found, str) else "")
    made = fork_server.run([options.distaff, "compile", path, "--target", target, "--stop-after=distribute-subgroups"]).stdout
    spoilt = made.replace("arith.subi %id, %arg3", "arith.subi %id, %id")
    assert spoilt != made
    path.write_text(spoilt)
    failures += say(run(path, target, split, False) != wanted, "spoilt:", target, "members who are all the first")
    return failures


failures = 0
draw = random.Random(114)
values = [draw.randrange(-1000, 1000) for _ in range(4 * 32)]
npy.write(options.out / "in.npy", "i32", (4, 32), values)
for way, is_outer_first, n, split, steps in (
        ("one value", True, 2, 1, 3), ("equal constants", False, 4, 2, 1),
        ("a number and a value", True, 1, 1, 2), ("a value and a number", False, 2, 2, 0)):
    failures += check(way, is_outer_first, n, split, steps, "sm_80")
for target in LANES:
    failures += check("an argument", True, 3, 1, 2, target)
    failures += check_orders(target) + check_replicated(target)
failures += check("equal constants", True, 2, 1, 1, "gfx942")
print(failures, "failures")
sys.exit(failures > 0)
