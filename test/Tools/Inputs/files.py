"""usage: files.py FOLDER EXAMPLES: the cases of files.test."""
import math
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ForkServer"))
import cases
import fork_server

FOLDER, EXAMPLES = Path(sys.argv[1]), Path(sys.argv[2])
SM80 = ["--target", "sm_80"]
TWICE = """func.func @twice(%a: tensor<SHAPExELEMENT>) -> tensor<SHAPExELEMENT> {
  %s = arith.addf %a, %a : tensor<SHAPExELEMENT>
  return %s : tensor<SHAPExELEMENT>
}
"""
WIDEN = """func.func @widen(%a: tensor<4xELEMENT>) -> tensor<4xf32> {
  %s = arith.extf %a : tensor<4xELEMENT> to tensor<4xf32>
  return %s : tensor<4xf32>
}
"""
# The bits of 1, -2, 0.5 and 0, and how NumPy names the types that ml_dtypes adds.
SAVED = {"bf16": ("<V2", struct.pack("<4H", 0x3F80, 0xC000, 0x3F00, 0)), "f8E4M3FN": ("<V1", bytes([0x38, 0xC0, 0x30, 0])),
         "f8E5M2": ("<f1", bytes([0x3C, 0xC0, 0x38, 0])), "f8E4M3FNUZ": ("<V1", bytes([0x40, 0xC8, 0x38, 0])),
         "f8E5M2FNUZ": ("<V1", bytes([0x40, 0xC4, 0x3C, 0]))}


def write(name, text):
    path = FOLDER / name
    path.write_text(text)
    return path


def array(name, descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    path = FOLDER / name
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)
    return path


def distaff(*arguments):
    return fork_server.run(["distaff", *arguments], 120)


def refused(code, *arguments, says=(), tool="distaff"):
    run = fork_server.run([tool, *arguments], 120) if tool == "distaff" else subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=60)
    assert run.returncode == code, f"{arguments}: exit {run.returncode}, not {code}: {run.stderr[:300]}"
    for text in says:
        assert text in run.stderr, f"{arguments}: no '{text}' in {run.stderr[:400]}"
    assert not run.stdout, run.stdout[:200]
    return run.stderr


def floats(path):
    data = path.read_bytes()
    return struct.unpack(f"<{(len(data) - 10 - struct.unpack('<H', data[8:10])[0]) // 4}f", data[10 + struct.unpack("<H", data[8:10])[0]:])


def arrays_are_read_as_ml_dtypes_saves_them():
    for element, (descr, data) in SAVED.items():
        kernel = write("widen.mlir", WIDEN.replace("ELEMENT", element))
        for spelling in (descr, descr.replace("<", "|")):
            out = FOLDER / "out.npy"
            run = distaff("run", kernel, *SM80, "--stop-after=input", "--input", f"arg0={array('saved.npy', spelling, (4,), data)}", "--output", f"res0={out}")
            assert run.returncode == 0 and floats(out) == (1, -2, 0.5, 0), f"{element} {spelling}: {run.stderr[:300]}"
    # Raw bytes are those of a type that NumPy has not, and a float of one byte is that which has its name.
    for element, descr, size in (("f16", "<V2", 2), ("f8E4M3FN", "<f1", 1), ("bf16", "<V1", 1), ("f8E5M2", "<V2", 2)):
        file = array("wrong.npy", descr, (4,), bytes(4 * size))
        refused(2, "run", write("widen.mlir", WIDEN.replace("ELEMENT", element)), *SM80, "--input", f"arg0={file}", says=["holds dtype", f"takes {element}"])


def arrays_have_any_name():
    dynamic = write("dynamic.mlir", TWICE.replace("SHAPE", "?").replace("ELEMENT", "f32"))
    static = write("static.mlir", TWICE.replace("SHAPE", "3").replace("ELEMENT", "f32"))
    for name in ("plain", "x.npz", "x.npy.1", "random", "1e5.dat"):
        file = array(name, "<f4", (3,), struct.pack("<3f", 1, 2, 3))
        for kernel in (dynamic, static):
            out = FOLDER / "twice"
            where = str(file) if name != "random" else f"{FOLDER}/./random"
            run = distaff("run", kernel, *SM80, "--input", f"arg0={where}", "--output", f"res0={out}")
            assert run.returncode == 0 and floats(out) == (2, 4, 6), f"{name}: {run.stderr[:300]}"
    refused(2, "run", dynamic, *SM80, "--input", f"arg0={FOLDER}/absent", says=["cannot open", "absent': No such file"])
    for numbers in ("random:3", "zeros", "iota", "7"):
        refused(2, "run", dynamic, *SM80, "--input", f"arg0={numbers}", says=["has dynamic extents: give its shape"])


def outputs_are_refused_before_the_run():
    """A kernel that would run for minutes."""
    endless = write("endless.mlir", """func.func @endless(%out: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 4000000000 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %many step %c1 {
    %x = memref.load %out[%c0] : memref<1xi32>
    %y = arith.addi %x, %one : i32
    memref.store %y, %out[%c0] : memref<1xi32>
  }
  return
}
""")
    ptx = write("copy.ptx", distaff("compile", write("static.mlir", TWICE.replace("SHAPE", "3").replace("ELEMENT", "f32")), *SM80, "--emit", "ptx").stdout)
    for path, says in ((FOLDER / "no" / "x.npy", "No such file or directory"), (FOLDER, "Is a directory"), (FOLDER / "copy.ptx" / "x", "Not a directory")):
        before = time.monotonic()
        refused(2, "run", endless, *SM80, "--output", f"arg0={path}", says=[f"cannot write '{path}': {says}"])
        refused(2, "run", ptx, *SM80, "--entry", "twice", "--grid", "1", "--block", "32", "--shape", "arg0=3xf32", "--shape", "arg1=3xf32", "--output", f"arg1={path}", says=[says])
        for command in (["compile", endless, *SM80, "--emit", "ptx"], ["explain", endless, *SM80]):
            refused(2, *command, "-o", path, says=[f"cannot write '{path}': {says}"])
        assert time.monotonic() - before < 10
    package = FOLDER / "k.package"
    assert distaff("compile", EXAMPLES / "row_sum.mlir", *SM80, "--emit", "package", "-o", package).returncode == 0
    refused(2, package, "--output", f"res0={FOLDER}/no/x.npy", says=["no/x.npy': No such file"], tool="distaff-launch")


def receive_signals():
    """Those that the parent process has turned off, as nohup does."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def a_signal_leaves_nothing_half_written():
    """Of two outputs one is written beside its name when the other, a pipe that nobody reads, keeps the process."""
    kernel = write("two.mlir", "func.func @two(%a: memref<4xf32>, %b: memref<4xf32>) { return }\n")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        pipe = FOLDER / f"pipe{number}"
        os.mkfifo(pipe)
        process = subprocess.Popen(["distaff", "run", kernel, *SM80, "--output", f"arg0={FOLDER}/kept.npy", "--output", f"arg1={pipe}"],
                                   stderr=subprocess.PIPE, preexec_fn=receive_signals)
        until = time.monotonic() + 30
        while not list(FOLDER.glob(".distaff-*")) and time.monotonic() < until:
            time.sleep(0.01)
        hidden = list(FOLDER.glob(".distaff-*"))
        process.send_signal(number)
        process.wait(30)
        assert hidden and process.returncode == -number, f"{number}: {hidden} {process.returncode}"
        assert not list(FOLDER.glob(".distaff-*")) and not (FOLDER / "kept.npy").exists(), list(FOLDER.iterdir())


def a_reader_that_has_enough_is_no_error():
    for command in (["compile", EXAMPLES / "softmax.mlir", *SM80, "--emit", "ptx"], ["run", EXAMPLES / "softmax.mlir", *SM80, "--check"], ["targets"]):
        read, written = os.pipe()
        process = subprocess.Popen(["distaff", *command], stdout=written, stderr=subprocess.PIPE, text=True)
        os.close(read)
        os.close(written)
        said = process.communicate(timeout=60)[1]
        assert process.returncode == 0 and "error" not in said, f"{command}: exit {process.returncode}: {said[:300]}"


def what_cannot_be_shown_is_an_error_whatever_was_found():
    wrong = write("fault.mlir", "func.func @f(%m: memref<4xf32>, %i: index) {\n  %z = arith.constant 0.0 : f32\n  memref.store %z, %m[%i] : memref<4xf32>\n  return\n}\n")
    with open("/dev/full", "w") as full:
        for command in (["run", EXAMPLES / "row_sum.mlir", *SM80, "--check"], ["run", EXAMPLES / "row_sum.mlir", *SM80, "--every-stage"], ["run", EXAMPLES / "row_sum.mlir", *SM80]):
            run = subprocess.run(["distaff", *command], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            assert run.returncode == 2 and "cannot write to standard output: No space left" in run.stderr, f"{command}: {run.returncode} {run.stderr[:300]}"
    refused(1, "run", wrong, *SM80, "--input", "arg1=9", says=["out of bounds"])


def binary_output_is_not_shown_on_a_terminal():
    for target, kind, is_binary in (("host", "obj", True), ("gfx942", "hsaco", True), ("sm_80", "ptx", False)):
        main, terminal = pty.openpty()
        out = open(FOLDER / "said", "w+")
        process = subprocess.Popen(["distaff", "compile", EXAMPLES / "row_sum.mlir", "--target", target, "--emit", kind], stdout=terminal, stderr=out)
        os.close(terminal)
        shown = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        process.wait(60)
        out.seek(0)
        said = out.read()
        assert (process.returncode == 2 and not shown and "is binary, and a terminal would show it: -o FILE" in said) if is_binary else b".entry" in shown, (kind, said, shown[:80])


def a_run_says_what_ran():
    softmax = EXAMPLES / "softmax.mlir"
    line = r"@softmax ran for sm_80 on the SIMT machine, after lower in \d+\.\d+ s; --check compares what it computes, --output writes it\n"
    assert re.fullmatch(line, distaff("run", softmax, *SM80).stdout)
    assert " on the SIMT machine, after tile in " in distaff("run", softmax, *SM80, "--stop-after=tile").stdout
    assert " ran for sm_80 on --device ptx in " in distaff("run", softmax, *SM80, "--device", "ptx").stdout.replace("ptx ptx", "ptx")
    for flags in (["--check"], ["--counters"], ["--output", f"res0={FOLDER}/y.npy"], ["--stages=lower"]):
        assert " ran for " not in distaff("run", softmax, *SM80, *flags).stdout, flags


def every_kernel_of_a_file_is_explained():
    two = write("two.mlir", TWICE.replace("SHAPE", "8").replace("ELEMENT", "f32") + TWICE.replace("SHAPE", "16").replace("ELEMENT", "f32").replace("@twice", "@again"))
    one, other, both = (distaff("explain", two, *SM80, *flags) for flags in (["--func", "twice"], ["--func", "again"], []))
    assert both.returncode == 0 and both.stdout == one.stdout + "\n" + other.stdout != "\n", both.stderr[:300]
    import json
    listed = json.loads(distaff("explain", two, *SM80, "--format", "json").stdout)
    assert len(listed) == 2 and listed[0] == json.loads(distaff("explain", two, *SM80, "--format", "json", "--func", "twice").stdout)
    refused(2, "explain", two, *SM80, "--format", "html", says=["name one with --func"])


def errors_without_a_line_have_none():
    two = write("two_kernels.mlir", "func.func @a(%m: memref<4xf32>) { return }\nfunc.func @b(%m: memref<4xf32>) { return }\n")
    said = refused(2, "run", two, *SM80, says=["two_kernels.mlir': has several kernels, name one with --func: @a @b"])
    assert ":0:0" not in said, said


def ptx_is_run_and_not_compiled():
    ptx = write("k.ptx", ".version 7.0\n.target sm_80\n")
    for command in ("compile", "explain"):
        refused(2, command, ptx, *SM80, says=["k.ptx' is PTX, and distaff " + command + " takes MLIR; distaff run runs it"])


def config_lists_its_keys_for_the_target_and_the_kernel():
    matmul = EXAMPLES / "matmul_f16.mlir"
    for command in ("compile", "run", "explain"):
        nvidia = distaff(command, matmul, *SM80, "--config", "help")
        assert nvidia.returncode == 0, nvidia.stderr
        for text in ("for sm_80", "workgroup=64x64x0", "NV_MMA_SYNC_F32_16x8x16_F16", "a multiple of 32 up to 1024", "@matmul_f16", "linalg.matmul", "512x384x256"):
            assert text in nvidia.stdout, f"no '{text}' in {nvidia.stdout}"
        assert "MFMA" not in nvidia.stdout and "contractions" not in nvidia.stdout
    host = distaff("compile", matmul, "--target", "host", "--config", "help").stdout
    assert "contractions=NAME" in host and "dot" in host and "mma_kind" not in host, host
    refused(2, "compile", matmul, "--config", "help", says=["no target given"])
    for target, own, others in (("sm_80", "NV_MMA_SYNC", "MFMA"), ("gfx942", "MFMA", "NV_MMA"), ("gfx1100", "WMMAR3", "MFMA")):
        said = refused(2, "compile", matmul, "--target", target, "--config", "mma_kind=HMMA_16816", says=[own, f"unknown MMA instruction; {target} has "])
        assert others not in said, said


def packages_are_described_and_of_a_vendor():
    package = FOLDER / "dynamic.package"
    assert distaff("compile", EXAMPLES / "matmul_dynamic.mlir", *SM80, "--emit", "package", "-o", package).returncode == 0
    info = subprocess.run(["distaff-launch", "--info", package], capture_output=True, text=True, timeout=60)
    assert info.returncode == 0, info.stderr
    for pattern in (r"function +matmul_dynamic", r"target +sm_80", r"argument +arg0 +f16 +\?x\?", r"result +res0 +f32 +\?x\?", r"launch +\S+: .* workgroups of \d+x\d+x\d+ lanes", r"code +ptx for sm_80, \d+ bytes"):
        assert re.search(pattern, info.stdout), f"no {pattern} in {info.stdout}"
    refused(2, "--info", FOLDER / "absent.package", says=["absent.package"], tool="distaff-launch")
    amd = FOLDER / "amd.package"
    assert distaff("compile", EXAMPLES / "row_sum.mlir", "--target", "gfx942", "--emit", "package", "-o", amd).returncode == 0
    said = refused(1, amd, says=["is a package for gfx942, and this launcher runs those for NVIDIA GPUs"], tool="distaff-launch")
    assert "CUDA driver" not in said


CASES = [arrays_are_read_as_ml_dtypes_saves_them, arrays_have_any_name, outputs_are_refused_before_the_run, a_signal_leaves_nothing_half_written,
         a_reader_that_has_enough_is_no_error, what_cannot_be_shown_is_an_error_whatever_was_found, binary_output_is_not_shown_on_a_terminal, a_run_says_what_ran,
         every_kernel_of_a_file_is_explained, errors_without_a_line_have_none, ptx_is_run_and_not_compiled, config_lists_its_keys_for_the_target_and_the_kernel,
         packages_are_described_and_of_a_vendor]
cases.main(CASES, FOLDER)
