"""Compares what `distaff explain` says of the pipeline run-cluster with what is made and
run: usage phases.py OUT_DIR.
"""
import json
import pathlib
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ForkServer"))
import fork_server

OUT = pathlib.Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)
KERNEL = """
#config = #iree_gpu.lowering_config<{%s}>
func.func @k(%%a: tensor<%dx%dxf16>, %%b: tensor<%dx%dxf16>) -> tensor<%dx%dxf32> {
  %%z = arith.constant 0.0 : f32
  %%e = tensor.empty() : tensor<%dx%dxf32>
  %%f = linalg.fill ins(%%z : f32) outs(%%e : tensor<%dx%dxf32>) -> tensor<%dx%dxf32>
  %%r = linalg.matmul {lowering_config = #config} ins(%%a, %%b : tensor<%dx%dxf16>, tensor<%dx%dxf16>) outs(%%f : tensor<%dx%dxf32>) -> tensor<%dx%dxf32>
  return %%r : tensor<%dx%dxf32>
}
"""
# What the user fixes, and extents; the third takes more shared memory than a kernel has unasked on sm_80.
CASES = [("", 100, 60, 130), ("workgroup = [32, 32, 0], subgroup = [16, 16, 0], reduction = [0, 0, 32]", 70, 33, 65),
         ("workgroup = [128, 128, 0], reduction = [0, 0, 128]", 128, 128, 256)]
STATIC = {"sm_80": 48 * 1024, "gfx942": 64 * 1024}


def distaff(*arguments):
    done = fork_server.run(["distaff", *arguments])
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def manifest(path):
    text = path.read_bytes()
    return json.JSONDecoder().raw_decode(text[text.index(b'{"format"'):].decode("latin-1"))[0]


def allocated(ir):
    """Bytes of the allocations in workgroup memory of a module."""
    total = 0
    for extents, bits in re.findall(r"memref\.alloc\(\).*memref<((?:\d+x)+)[a-z]+(\d+), #gpu.address_space<workgroup>>", ir):
        size = int(bits) // 8
        for extent in extents.split("x")[:-1]:
            size *= int(extent)
        total += size
    return total


def trip_count(text):
    """A count of iterations: `4`, or `ceil(130/64)`."""
    divided = re.fullmatch(r"ceil\((\d+)/(\d+)\)", text)
    return -(-int(divided.group(1)) // int(divided.group(2))) if divided else int(text)


def steps(program, kind, trips=1):
    """The steps of a kind, each with how often it is run."""
    for step in program:
        if step["kind"] == kind:
            yield step, trips
        elif "steps" in step:
            yield from steps(step["steps"], kind, trips * trip_count(step["trips"]))


def check(path, target, m, n, k):
    """What is wrong, in words."""
    flags = [path, "--target", target, "--pipeline", "run-cluster"]
    said = json.loads(distaff("explain", *flags, "--format", "json"))
    text = distaff("explain", *flags)
    program, = said["programs"]
    memories = program["memories"]
    panels = sum(memory["bytes"] for memory in memories if memory["kind"] == "panel")
    wrong = []

    def expect(what, found, expected):
        wrong.extend([f"{what}: {found}, expected {expected}"] * (found != expected))

    expect("panels, and all that is allocated", panels, said["kernel"]["allocatedBytes"])
    concretized = distaff("compile", *flags, "--stop-after=concretize")
    expect("panels, and what concretize allocates", panels, allocated(concretized))
    expect("panels in the text", re.search(r"for panels (\d+) B", text).group(1), str(panels))
    package = OUT / "k.package"
    distaff("compile", *flags, "--emit", "package", "-o", package)
    expect("shared memory of the launch", manifest(package)["launches"][0]["shared_memory"], panels if panels > STATIC[target] else 0)
    phases = [step for step, _ in steps(program["steps"], "phase")]
    expect("what is done", [step["label"] for step in phases], ["fill", "copy", "matmul", "store"])
    kinds = lambda accesses: {memories[access["memory"]]["kind"] for access in accesses}
    expect("who copies, reads, writes", [(kinds(step["reads"]), kinds(step["writes"])) for step in phases],
           [(set(), set()), ({"readonly"}, {"panel"}), ({"panel"}, set()), (set(), {"result"})])
    grid = re.search(r"known_grid_size = array<i32: (\d+), (\d+), (\d+)>", concretized)
    workgroups = 1
    for count in grid.groups() if grid else ():
        workgroups *= int(count)
    waited = workgroups * sum(trips for _, trips in steps(program["steps"], "barrier"))
    counted = re.search(r"barriers +(\d+)", distaff("run", *flags, "--counters")).group(1)
    expect("barriers that are waited for", waited, int(counted))
    return wrong


failures = kernels = 0
for number, (config, m, n, k) in enumerate(CASES):
    path = OUT / f"{number}.mlir"
    path.write_text(KERNEL % (config, m, k, k, n, m, n, m, n, m, n, m, n, m, k, k, n, m, n, m, n, m, n))
    for target in STATIC:
        wrong = check(path, target, m, n, k)
        kernels += 1
        failures += bool(wrong)
        print("FAIL" if wrong else "ok", target, config or "as chosen", *wrong)
print(f"{kernels} kernels, {failures} failures")
