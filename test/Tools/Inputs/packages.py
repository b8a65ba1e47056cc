"""usage: packages.py EXAMPLES FAKE_DRIVER FOLDER: the cases of packages.test."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

sys.path += [str(Path(__file__).resolve().parents[2] / folder) for folder in ("ForkServer", "Execution/Inputs")]
import depth
import fork_server

EXAMPLES, DRIVER, FOLDER = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
# Those that go the other pipeline too, and how.
OTHER = {"matmul_dynamic": [["--pipeline=run-cluster"], ["--pipeline=run-cluster", "--specialize=producer-consumer"]], "matmul_f16": [["--pipeline=run-cluster"]]}
LANES = {"sm_80": 32, "sm_90a": 32, "gfx942": 64}
BYTES = {"f16": 2, "f32": 4}


def distaff(*arguments):
    run = fork_server.run(["distaff", *arguments], 300)
    assert run.returncode == 0, run.stderr[:400]
    return run.stdout


def unpack(path):
    data = path.read_bytes()
    assert data[:8] == b"DISTAFF\n"
    version, checksum, manifest_size, code_size = struct.unpack("<IIQQ", data[8:32])
    assert version == 1 and checksum == zlib.crc32(data[16:]) and len(data) == 32 + manifest_size + code_size
    manifest, code, position = json.loads(data[32:32 + manifest_size]), [], 32 + manifest_size
    for entry in manifest["code"]:
        code.append(data[position:position + entry["bytes"]])
        position += entry["bytes"]
    return manifest, code


def check(kernel, target, flags):
    source = (EXAMPLES / f"{kernel}.mlir").read_text()
    path = FOLDER / f"{kernel}.{target}{''.join(flags)}.package"
    distaff("compile", EXAMPLES / f"{kernel}.mlir", "--target", target, *flags, "--emit", "package", "-o", path)
    manifest, code = unpack(path)
    lowered = distaff("compile", EXAMPLES / f"{kernel}.mlir", "--target", target, *flags)

    if kernel == "matmul_dynamic":
        return check_dynamic(path, manifest, target)
    if kernel == "attention_rfc":
        return check_workgroup_memory(path, manifest, target)
    types = re.findall(r"%\w+: (?:memref|tensor)<([\dx]+)x(f\d+)>", re.search(r"func\.func @\w+\((.*?)\)", source, re.S).group(1))
    assert [(p["shape"], p["type"]) for p in manifest["arguments"]] == [(list(map(int, shape.split("x"))), dtype) for shape, dtype in types]
    launch, = manifest["launches"]
    assert launch["buffers"] == [p["name"] for p in manifest["arguments"] + manifest["results"]]
    size = re.search(r"known_block_size = array<i32: (\d+), (\d+), (\d+)>", lowered).groups()
    assert launch["workgroup_size"] == list(map(int, size))
    grid = lowered[lowered.index("__grid"):]
    constants = dict(re.findall(r"(%\w+) = arith\.constant (\d+) : index", grid))
    assert launch["grid"] == [int(constants[name]) for name in re.search(r"return (%\w+), (%\w+), (%\w+)", grid).groups()]

    if target == "gfx942":
        assert [entry["kind"] for entry in manifest["code"]] == ["hsaco"] and code[0][:4] == b"\x7fELF"
        return
    assert manifest["code"][0]["kind"] == "ptx" and manifest["code"][0]["runs_on"] == ("exact" if target == "sm_90a" else "later")
    assert f".visible .entry {launch['kernel']}(" in code[0].decode() and f".target {target}" in code[0].decode()
    # A later capability takes the PTX, whose parameters the fake driver describes.
    if target == "sm_80":
        launch_it(path, launch, capability="9.0")


def check_workgroup_memory(path, manifest, target):
    """Arguments in workgroup memory are the kernel's own: nothing is passed but how much there is."""
    [launch] = manifest["launches"]
    assert manifest["arguments"] == manifest["results"] == launch["buffers"] == [], manifest
    assert launch["grid"] == [1, 1, 1] and launch["workgroup_size"] == [256, 1, 1], launch
    # AMD's code objects declare theirs.
    is_given = launch["shared_memory"] >= 4 * 128 * 64 * 2
    assert is_given if target.startswith("sm_") else launch["shared_memory"] == 0, launch
    if target == "sm_80":
        call = launch_call(path, "9.0")
        assert call.split() == f"cuLaunchKernel grid 1 1 1 block 256 1 1 shared {launch['shared_memory']} parameters".split(), call


def check_dynamic(path, manifest, target):
    """Shapes and grids are formulas; extents that contradict each other are refused."""
    shapes = {p["name"]: p["shape"] for p in manifest["arguments"] + manifest["results"]}
    extents = [["extent", number] for number in range(4)]
    assert shapes == {"arg0": extents[:2], "arg1": extents[2:], "res0": [extents[0], extents[3]]}, shapes
    [requirement] = manifest["requirements"]
    assert requirement["equal"] == extents[1:3] and "dimension 1 of arg0 and dimension 0 of arg1" in requirement["message"], requirement
    [launch] = manifest["launches"]
    # Each tile has a workgroup, along two dims or in an order of its own, or as many share them out as run at a time.
    x, y, z = launch["grid"]
    shared = x[0] == "minimum"
    tiles, resident = x[1:] if shared else (x, None)
    is_ordered = tiles[0] == "multiply"
    assert not is_ordered or y == 1, launch
    (_, m, rows), (_, n, columns) = sorted(tiles[1:] if is_ordered else [x, y], key=lambda count: count[1])
    assert (m, n, z) == (extents[0], extents[3], 1) and launch["buffers"] == ["arg0", "arg1", "res0"], launch
    if target != "sm_80":
        return
    flags = ["--shape", "arg0=129x17", "--shape", "arg1=17x65"]
    call = launch_call(path, "9.0", flags)
    tiles = -(-65 // columns), -(-129 // rows)
    grid = [tiles[0] * tiles[1], 1] if is_ordered else tiles
    assert call.startswith(f"cuLaunchKernel grid {grid[0]} {grid[1]} 1 "), call
    # Pointers to arrays of these sizes, then the extents.
    assert call.endswith(f" buffer:{129 * 17 * 2} buffer:{17 * 65 * 2} buffer:{129 * 65 * 4} 0x81 0x11 0x11 0x41"), call
    if shared:
        call = launch_call(path, "9.0", ["--shape", f"arg0={rows * 20}x1", "--shape", f"arg1=1x{columns * 20}"])
        assert tiles[0] * tiles[1] < resident < 400 and call.startswith(f"cuLaunchKernel grid {resident} 1 1 "), call
    run = subprocess.run(["distaff-launch", path, *flags[:-1], "arg1=18x65"], env={**os.environ, "DISTAFF_CUDA_DRIVER": DRIVER},
                         capture_output=True, text=True, timeout=60)
    assert run.returncode == 2 and requirement["message"] in run.stderr, run.stderr


def launch_call(path, capability, flags=()):
    log = path.with_suffix(".log")
    log.unlink(missing_ok=True)
    environment = {**os.environ, "DISTAFF_CUDA_DRIVER": DRIVER, "FAKE_CUDA_LOG": str(log), "FAKE_CUDA_CAPABILITY": capability}
    run = subprocess.run(["distaff-launch", path, *flags], env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    [call] = [line for line in log.read_text().splitlines() if line.startswith("cuLaunchKernel")]
    return call


def launch_it(path, launch, capability):
    grid, size = " ".join(map(str, launch["grid"])), " ".join(map(str, launch["workgroup_size"]))
    call = launch_call(path, capability)
    begin, parameters = call.split(" parameters ")
    assert begin == f"cuLaunchKernel grid {grid} block {size} shared 0", call
    assert [word.split(":")[0] for word in parameters.split()] == ["buffer"] * len(launch["buffers"]), call



shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
done, turn = 0, depth.Turns(5)
for source in sorted(EXAMPLES.glob("*.mlir")):
    given = re.search(r"subgroup_size = (\d+)", source.read_text())
    if source.stem == "transformer_block":
        continue  # of several launches, whose packages are those of Execution/Linalg/launches.test
    for target, lanes in LANES.items():
        if given and int(given.group(1)) != lanes:
            continue
        for flags in [[], *OTHER.get(source.stem, [])]:
            if not turn():
                continue
            try:
                check(source.stem, target, flags)
                done += 1
            except AssertionError as error:
                print("FAIL", source.stem, target, *flags, error)
print(done, "packages")
