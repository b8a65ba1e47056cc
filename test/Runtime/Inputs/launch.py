"""usage: launch.py LAUNCHER FAKE_DRIVER FOLDER: the tests of launch.test."""
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

LAUNCHER, DRIVER, FOLDER = sys.argv[1], sys.argv[2], Path(sys.argv[3])


def ptx(*types):
    """As much of PTX as the fake driver reads: the types of the parameters."""
    return (".version 8.0\n.target sm_80\n.visible .entry f(" + ", ".join(f".param .{t} p" for t in types) + ")\n").encode()


PTX = ptx("u64", "u64")


def array(name, shape, dtype="f32"):
    return {"name": name, "type": dtype, "shape": shape}


def manifest(arguments, results, grid, scalars=(), code=(("ptx", [8, 0], "later", PTX),)):
    return {
        "format": "distaff-package", "version": 1, "name": "f", "target": "sm_80", "arguments": arguments,
        "results": results, "workspaces": [],
        "launches": [{"kernel": "f", "grid": grid, "workgroup_size": [64, 2, 1], "shared_memory": 50000,
                      "buffers": [p["name"] for p in arguments + results if "shape" in p],
                      "scalars": list(scalars), "tensor_maps": []}],
        "code": [{"kind": kind, "architecture": "sm_80", "capability": capability, "runs_on": runs_on,
                  "bytes": len(data)} for kind, capability, runs_on, data in code],
    }


def package(name, description, code=(PTX,)):
    text = json.dumps(description).encode()
    body = struct.pack("<QQ", len(text), sum(map(len, code))) + text + b"".join(code)
    path = FOLDER / name
    path.write_bytes(b"DISTAFF\n" + struct.pack("<II", 1, zlib.crc32(body)) + body)
    return path


def launch(*arguments, **variables):
    log = FOLDER / "log"
    log.unlink(missing_ok=True)
    environment = {**os.environ, "DISTAFF_CUDA_DRIVER": DRIVER, "FAKE_CUDA_LOG": str(log), **variables}
    run = subprocess.run([LAUNCHER, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=60)
    run.calls = log.read_text().splitlines() if log.exists() else []
    return run


def save(name, values):
    header = str({"descr": "<f4", "fortran_order": False, "shape": (len(values),)}).ljust(117) + "\n"
    path = FOLDER / name
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(values)}f", *values))
    return path


def simple():
    return package("simple", manifest([array("arg0", [6])], [array("res0", [3], "i32")], [5, 1, 1]))


def whole_run():
    out = FOLDER / "out.npy"
    run = launch(simple(), "--input", f"arg0={save('in.npy', [1, 2, 3, 4, 5, 6])}", "--output", f"res0={out}", FAKE_CUDA_FILL="1")
    assert run.returncode == 0, run.stderr
    wanted = ["cuInit", "cuModuleLoadData ptx", "cuModuleGetFunction f", "cuFuncSetAttribute 8 50000", "cuMemAlloc 24", "cuMemcpyHtoD 24",
              "cuMemAlloc 12", "cuLaunchKernel grid 5 1 1 block 64 2 1 shared 50000 parameters buffer:24 buffer:12", "cuCtxSynchronize",
              "cuMemcpyDtoH 24", "cuMemcpyDtoH 12", "cuModuleUnload", "cuDevicePrimaryCtxRelease"]
    position = -1
    for call in wanted:
        assert call in run.calls[position + 1:], f"no {call} after {run.calls[:position + 1]}"
        position = run.calls.index(call, position + 1)
    assert run.calls.count("cuMemFree") == 2
    # The fake wrote bytes of 1 over the last buffer, the result.
    assert out.read_bytes()[-12:] == b"\x01" * 12


def constants_are_filled_before_a_launch():
    """Once each, of the size that the code has; a package with other ones is refused."""
    text = PTX + b".visible .global .align 64 .b8 w[6];\n.visible .global .align 64 .b8 v[4];\n"
    description = manifest([array("arg0", [6])], [array("res0", [3], "i32")], [5, 1, 1], code=[("ptx", [8, 0], "later", text)])
    description["constants"] = [{"symbol": "w", "bytes": 6}, {"symbol": "v", "bytes": 4}]
    run = launch(package("constants", description, [text, b"weight", b"bias"]))
    assert run.returncode == 0, run.stderr
    filled = [call for call in run.calls if "Global" in call or call in ("cuMemcpyHtoD 6", "cuMemcpyHtoD 4")]
    assert filled == ["cuModuleGetGlobal w", "cuMemcpyHtoD 6", "cuModuleGetGlobal v", "cuMemcpyHtoD 4"], run.calls
    assert run.calls.index("cuMemcpyHtoD 4") < min(i for i, call in enumerate(run.calls) if "cuLaunchKernel" in call)
    for call in ("cuModuleGetGlobal", "cuMemcpyHtoD"):
        run = launch(package("constants", description, [text, b"weight", b"bias"]), FAKE_CUDA_FAIL=call)
        assert run.returncode == 1 and "out of memory" in run.stderr and "cuModuleUnload" in run.calls, (call, run.stderr)
    for reason, wrong in (("declares no variable 'w' of 5 bytes", [{"symbol": "w", "bytes": 5}, {"symbol": "v", "bytes": 5}]),
                          ("declares no variable 'u'", [{"symbol": "u", "bytes": 6}, {"symbol": "v", "bytes": 4}]),
                          ("listed twice", [{"symbol": "w", "bytes": 6}, {"symbol": "w", "bytes": 4}]),
                          ("longer than the file", [{"symbol": "w", "bytes": 6}, {"symbol": "v", "bytes": 2**40}]),
                          ("shorter than the file", [{"symbol": "w", "bytes": 6}]), ("no name of a variable", [{"symbol": "a b", "bytes": 10}]),
                          ("'symbol' is missing", [{"bytes": 10}]), ("a constant is empty", [{"symbol": "w", "bytes": 0}]), ("no list", 7)):
        description["constants"] = wrong
        run = launch(package("damaged", description, [text, b"weight", b"bias"]))
        assert run.returncode == 2 and reason in run.stderr and not run.calls, (reason, run.stderr)


def dynamic_extents():
    path = package("dynamic", manifest(
        [array("arg0", [["extent", 0], 4]), {"name": "arg1", "type": "f32"}], [array("res0", [["multiply", ["extent", 0], 2]])],
        [["ceildiv", ["extent", 0], 32], 1, 1], scalars=["arg1"],
        code=[("ptx", [8, 0], "later", ptx("u64", "u64", "f32", "u64"))]), [ptx("u64", "u64", "f32", "u64")])
    run = launch(path, "--shape", "arg0=33x4", "--input", "arg1=2.5")
    assert run.returncode == 0, run.stderr
    assert "cuMemAlloc 528" in run.calls and "cuMemAlloc 264" in run.calls
    # Buffers, scalars, extents: in this order, and with these values.
    assert "cuLaunchKernel grid 2 1 1 block 64 2 1 shared 50000 parameters buffer:528 buffer:264 0x40200000 0x21" in run.calls, run.calls
    empty = launch(path, "--shape", "arg0=0x4")
    assert empty.returncode == 0 and not any("cuLaunchKernel" in call for call in empty.calls), "an empty grid launches nothing"
    assert launch(path).returncode == 2, "a dynamic extent must be given"


def launches_pass_extents_of_their_own():
    """The second one sees only the workspace, of twice as many elements as the second dimension."""
    code = ptx("u64", "u64", "u64")
    description = manifest([array("arg0", [["extent", 0], ["extent", 1]])], [array("res0", [["extent", 1]])], [["ceildiv", ["extent", 0], 32], 1, 1],
                           code=[("ptx", [8, 0], "later", code)])
    first = description["launches"][0]
    second = {**first, "grid": [["extent", 1], 1, 1], "buffers": ["workspace0", "res0"], "extents": [["multiply", ["extent", 1], 2]]}
    description["workspaces"] = [{"name": "workspace0", "bytes": ["multiply", 8, ["extent", 1]]}]
    description["launches"] = [{**first, "buffers": ["arg0", "workspace0"], "extents": [["extent", 0]]}, second]
    run = launch(package("own", description, [code]), "--shape", "arg0=33x5")
    assert run.returncode == 0, run.stderr
    launched = [call for call in run.calls if "cuLaunchKernel" in call]
    assert launched == ["cuLaunchKernel grid 2 1 1 block 64 2 1 shared 50000 parameters buffer:660 buffer:40 0x21",
                        "cuLaunchKernel grid 5 1 1 block 64 2 1 shared 50000 parameters buffer:40 buffer:20 0xa"], launched
    # Of an empty grid the others are launched all the same.
    run = launch(package("own", description, [code]), "--shape", "arg0=0x5")
    assert run.returncode == 0 and sum("cuLaunchKernel" in call for call in run.calls) == 1, (run.stderr, run.calls)
    for wrong in ([["extent", 2]], [7, ["extent"]], 7, [], [["extent", 0], ["extent", 1]]):
        second["extents"] = wrong
        run = launch(package("damaged", description, [code]), "--shape", "arg0=3x5")
        assert run.returncode == 2 and not run.calls, (wrong, run.stderr)
    second["extents"] = [["subtract", 3, ["extent", 1]]]
    run = launch(package("negative", description, [code]), "--shape", "arg0=3x5")
    assert run.returncode == 2 and "an extent that 'f' is passed is out of range" in run.stderr, run.stderr


def extents_meet_what_the_package_requires():
    description = manifest([array("arg0", [["extent", 0]]), array("arg1", [["extent", 1]])], [array("res0", [["extent", 0]])],
                           [["ceildiv", ["extent", 0], 32], 1, 1], code=[("ptx", [8, 0], "later", ptx(*["u64"] * 5))])
    description["requirements"] = [{"equal": [["extent", 0], ["multiply", ["extent", 1], 2]], "message": "arg0 is twice as long as arg1"}]
    path = package("required", description, [ptx(*["u64"] * 5)])
    assert launch(path, "--shape", "arg0=66", "--shape", "arg1=33").returncode == 0
    run = launch(path, "--shape", "arg0=66", "--shape", "arg1=66")
    assert run.returncode == 2 and "arg0 is twice as long as arg1" in run.stderr and not any("cuLaunch" in call for call in run.calls), run.stderr
    for wrong in ([{"equal": [1], "message": ""}], [{"equal": [["extent", 2], 1], "message": ""}], [{"message": ""}], {}, [7]):
        description["requirements"] = wrong
        run = launch(package("damaged", description, [ptx(*["u64"] * 5)]), "--shape", "arg0=1", "--shape", "arg1=1")
        assert run.returncode == 2 and "manifest is wrong" in run.stderr, (wrong, run.stderr)


def shared_memory_is_asked_for_within_the_device():
    def sized(size):
        description = manifest([array("arg0", [6])], [array("res0", [3])], [1, 1, 1])
        description["launches"][0]["shared_memory"] = size
        return package("shared", description)
    small = launch(sized(49152))
    assert small.returncode == 0 and not any("cuFuncSetAttribute" in call for call in small.calls), small.calls
    assert any("shared 49152 " in call for call in small.calls)
    for size, device in ((49168, "49168"), (100000, "100000"), (166912, "166912")):
        run = launch(sized(size), FAKE_CUDA_SHARED=device)
        assert run.returncode == 0 and f"cuFuncSetAttribute 8 {size}" in run.calls, (run.stderr, run.calls)
        assert any(f"shared {size} " in call for call in run.calls), run.calls
        run = launch(sized(size), FAKE_CUDA_SHARED=str(size - 1))
        assert run.returncode == 1 and f"needs {size} bytes" in run.stderr and f"has {size - 1}" in run.stderr, run.stderr
        assert not any("cuLaunchKernel" in call for call in run.calls) and "cuModuleUnload" in run.calls, run.calls


def prefers_a_cubin_that_fits():
    cubin = b"\x7fELF".ljust(18, b"\0") + struct.pack("<H", 190) + b"\0" * 44 + b"f"  # 190: CUDA
    path = package("both", manifest([array("arg0", [6])], [array("res0", [3])], [1, 1, 1],
                   code=(("ptx", [8, 0], "later", PTX), ("cubin", [8, 0], "same-major", cubin))), (PTX, cubin))
    assert "cuModuleLoadData cubin" in launch(path).calls
    assert "cuModuleLoadData ptx" in launch(path, FAKE_CUDA_CAPABILITY="9.0").calls
    old = launch(path, FAKE_CUDA_CAPABILITY="7.5")
    assert old.returncode == 1 and "7.5" in old.stderr and "sm_80" in old.stderr


def scalars_and_extents_in_order():
    """Every width of scalar, and extents of two arguments, none equal to another."""
    types = ["u64", "u64", "u64", "b8", "b16", "f32", "f64", "u64", "u64", "u64"]
    path = package("many", manifest(
        [array("arg0", [["extent", 0], ["extent", 1]]), {"name": "arg1", "type": "i8"}, {"name": "arg2", "type": "i16"}, array("arg3", [5, ["extent", 2]]),
         {"name": "arg4", "type": "f32"}, {"name": "arg5", "type": "f64"}], [array("res0", [["extent", 2]], "i8")], [7, 3, 2],
        scalars=["arg1", "arg2", "arg4", "arg5"], code=[("ptx", [8, 0], "later", ptx(*types))]), [ptx(*types)])
    run = launch(path, "--shape", "arg0=3x2", "--shape", "arg3=5x11", "--input", "arg1=7", "--input", "arg2=513", "--input", "arg4=1.5",
                 "--input", "arg5=-2")
    assert run.returncode == 0, run.stderr
    values = "buffer:24 buffer:220 buffer:11 0x7 0x201 0x3fc00000 0xc000000000000000 0x3 0x2 0xb"
    assert f"cuLaunchKernel grid 7 3 2 block 64 2 1 shared 50000 parameters {values}" in run.calls, run.calls


def several_numbers_per_byte():
    """Files have one per byte, memory two: 15 numbers are 8 bytes, and a result's bytes become numbers with a sign."""
    path = package("packed", manifest([array("arg0", [3, 5], "i4"), array("arg1", [["extent", 0]], "i2")], [array("res0", [3], "i4")], [5, 1, 1],
                                      code=[("ptx", [8, 0], "later", ptx("u64", "u64", "u64", "u64"))]), [ptx("u64", "u64", "u64", "u64")])
    out = FOLDER / "out.npy"
    run = launch(path, "--shape", "arg1=9", "--output", f"res0={out}", FAKE_CUDA_FILL="31")
    assert run.returncode == 0, run.stderr
    assert any("parameters buffer:8 buffer:3 buffer:2 0x9" in call for call in run.calls), run.calls
    assert out.read_bytes()[-3:] == b"\xff\x01\xff" and b"'|i1'" in out.read_bytes(), out.read_bytes()
    launch(path, "--shape", "arg1=9", "--input", "arg0=5", "--output", f"arg0={out}")
    assert out.read_bytes()[-15:] == b"\x05" * 15, out.read_bytes()
    # One that is marked has a byte per number in memory, too, with zeros above it.
    arrays = [{**array("arg0", [3, 5], "i4"), "unpacked": True}], [{**array("res0", [3], "i4"), "unpacked": True}]
    path = package("unpacked", manifest(*arrays, [5, 1, 1], code=[("ptx", [8, 0], "later", ptx("u64", "u64"))]), [ptx("u64", "u64")])
    run = launch(path, "--input", "arg0=-1", "--output", f"res0={out}", FAKE_CUDA_FILL="31")
    assert run.returncode == 0 and any("parameters buffer:15 buffer:3" in call for call in run.calls), (run.stderr, run.calls)
    assert out.read_bytes()[-3:] == b"\xff" * 3, out.read_bytes()
    arrays[0][0]["unpacked"] = 1
    path = package("unpacked", manifest(*arrays, [5, 1, 1], code=[("ptx", [8, 0], "later", ptx("u64", "u64"))]), [ptx("u64", "u64")])
    run = launch(path)
    assert run.returncode == 2 and "'unpacked' of 'arg0' is neither true nor false" in run.stderr, run.stderr


def grids_within_the_hardware():
    """2^31 - 1 along x, 65535 along y and z; the formula's value counts."""
    for axis, limit in ((0, 2**31 - 1), (1, 65535), (2, 65535)):
        for extent, fits in ((limit, True), (limit + 1, False)):
            grid = [1, 1, 1]
            grid[axis] = ["extent", 0]
            path = package("grid", manifest([array("arg0", [["extent", 0], 0])], [array("res0", [3])], grid,
                                            code=[("ptx", [8, 0], "later", ptx("u64", "u64", "u64"))]), [ptx("u64", "u64", "u64")])
            run = launch(path, "--shape", f"arg0={extent}x0")
            launched = any("cuLaunchKernel" in call for call in run.calls)
            assert launched == fits and (run.returncode == 0) == fits, (axis, extent, run.stderr)
            assert fits or "grid" in run.stderr, run.stderr


def empty_arrays_take_no_memory():
    """Rows without elements, more of them than a machine has memory for."""
    path = package("empty", manifest([array("arg0", [["extent", 0], 0])], [array("res0", [3])], [1, 1, 1],
                                     code=[("ptx", [8, 0], "later", ptx("u64", "u64", "u64"))]), [ptx("u64", "u64", "u64")])
    run = launch(path, "--shape", "arg0=100000000000x0")
    assert run.returncode == 0 and any("cuLaunchKernel" in call for call in run.calls), run.stderr


def timing():
    run = launch(simple(), "--time", "7")
    assert run.returncode == 0 and "median 125.00 us" in run.stdout and "7 launches" in run.stdout, run.stdout
    assert run.calls.count("cuEventElapsedTime") == 7


def damaged_package_before_the_driver_is_opened():
    whole = simple().read_bytes()
    path = FOLDER / "damaged"
    for data in [whole[:cut] for cut in (0, 1, 8, 31, 32, 100, len(whole) - 1)] + [whole[:50] + b"?" + whole[51:]]:
        path.write_bytes(data)
        run = launch(path)
        assert run.returncode == 2 and "damaged" in run.stderr and not run.calls, (run.stderr, run.calls)
    assert launch(FOLDER / "absent").returncode == 2


def no_driver_and_no_device():
    run = launch(simple(), DISTAFF_CUDA_DRIVER=str(FOLDER / "no-such-driver.so"))
    assert run.returncode == 1 and "no CUDA driver" in run.stderr
    run = launch(simple(), FAKE_CUDA_DEVICES="0")
    assert run.returncode == 1 and "no CUDA device 0" in run.stderr


def failed_calls_free_what_was_allocated():
    for call in ("cuInit", "cuModuleLoadData", "cuMemAlloc", "cuMemcpyHtoD", "cuLaunchKernel", "cuCtxSynchronize"):
        run = launch(simple(), FAKE_CUDA_FAIL=call)
        assert run.returncode == 1 and "out of memory" in run.stderr, (call, run.stderr)
        if call in ("cuMemcpyHtoD", "cuLaunchKernel", "cuCtxSynchronize"):
            allocated = sum(line.startswith("cuMemAlloc") for line in run.calls)
            assert run.calls.count("cuMemFree") == allocated, (call, run.calls)


def a_right_checksum_is_no_excuse():
    """Each is refused with its reason before the driver is opened."""
    def damaged(change):
        description = manifest([array("arg0", [6])], [array("res0", [3], "i32")], [5, 1, 1])
        change(description)
        return launch(package("wrong", description))
    at_launch = lambda key, value: lambda m: m["launches"][0].update({key: value})
    for reason, change in (
            ("larger than any machine", lambda m: m["arguments"][0].update(shape=[2147483648, 2147483648])),
            ("larger than any machine", lambda m: m["results"][0].update(shape=[2**63 - 1, 768])),
            ("an integer is due|no formula", lambda m: m["results"][0].update(shape=[2**63])),
            ("grid x is 0", at_launch("grid", [0, 1, 1])), ("grid x is -1", at_launch("grid", [-1, 1, 1])),
            ("grid x is", at_launch("grid", [2**63 - 1, 1, 1])), ("grid y is", at_launch("grid", [1, 65536, 1])),
            ("1024 lanes", at_launch("workgroup_size", [64, 64, 1])), ("1 to 1024", at_launch("workgroup_size", [4096, 1, 1])),
            ("shared_memory", at_launch("shared_memory", 1 << 40)), ("no launch takes 'res0'", at_launch("buffers", ["arg0"])),
            ("no ptx for gfx942", lambda m: m["code"][0].update(architecture="gfx942"))):
        run = damaged(change)
        assert run.returncode == 2 and any(r in run.stderr for r in reason.split("|")) and not run.calls, (reason, run.returncode, run.stderr, run.calls)


def extents_are_checked_before_the_driver_is_opened():
    path = package("dynamic", manifest([array("arg0", [["extent", 0], 4])], [array("res0", [["multiply", ["extent", 0], 2]])],
                                       [["ceildiv", ["extent", 0], 32], 1, 1], code=[("ptx", [8, 0], "later", ptx("u64", "u64", "u64"))]), [ptx("u64", "u64", "u64")])
    for shape in ("33x5", "33", "33x4x1", "-1x4", "x4", "33x", "9223372036854775808x4", "4611686018427387904x4", "68719476768x4", "+3x4", " 3x4"):
        run = launch(path, "--shape", f"arg0={shape}")
        assert run.returncode == 2 and "error: " in run.stderr and not run.calls, (shape, run.returncode, run.stderr, run.calls)
    run = launch(simple(), "--shape", "arg0=7")
    assert run.returncode == 2 and "'arg0' is 6 in the package, not 7" in run.stderr and not run.calls, run.stderr


def code_that_takes_other_parameters():
    """The driver would read pointers from beyond the list; a cubin's parameters are known to it alone."""
    run = launch(simple(), FAKE_CUDA_PARAMETERS="3")
    assert run.returncode == 2 and "does not take the 2 parameters" in run.stderr and "cuModuleUnload" in run.calls, run.stderr
    assert launch(simple(), FAKE_CUDA_PARAMETERS="1").returncode == 2
    assert launch(simple(), FAKE_CUDA_PARAMETERS="2").returncode == 0
    # A comment declares nothing, wherever it is.
    for text in (b"// .entry f()\n" + PTX, PTX.replace(b".visible", b"/* .entry f() */ .visible")):
        path = package("commented", manifest([array("arg0", [6])], [array("res0", [3], "i32")], [5, 1, 1], code=[("ptx", [8, 0], "later", text)]), [text])
        run = launch(path, FAKE_CUDA_PARAMETERS="2")
        assert run.returncode == 0, (text, run.stderr)


def bad_flags():
    for flags in (["--input", "arg9=zeros"], ["--input", "res0=zeros"], ["--output", "arg9=x"], ["--input", "arg0"], ["--time", "0"], ["--device", "x"],
                  ["--no-such", "1"], ["--input"], ["--input", f"arg0={save('short.npy', [1, 2])}"], ["--output", "res0=/no/such/folder/x.npy"]):
        run = launch(simple(), *flags)
        assert run.returncode == 2 and run.stderr.strip(), (flags, run.returncode, run.stderr)


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
for check in (whole_run, constants_are_filled_before_a_launch, dynamic_extents, launches_pass_extents_of_their_own, scalars_and_extents_in_order, several_numbers_per_byte, grids_within_the_hardware, empty_arrays_take_no_memory, shared_memory_is_asked_for_within_the_device, prefers_a_cubin_that_fits, timing, damaged_package_before_the_driver_is_opened,
              no_driver_and_no_device, failed_calls_free_what_was_allocated, a_right_checksum_is_no_excuse,
              extents_are_checked_before_the_driver_is_opened, code_that_takes_other_parameters, bad_flags):
    try:
        check()
        print("ok", check.__name__)
    except AssertionError as error:
        print("FAIL", check.__name__, error)
