"""Compiles files of 1, 2 and 7 kernels on 1, 2 and 8 threads.

The text is the same on any number of threads. What is joined of the texts of
the kernels is what LLVM makes of the whole: GCN is assembled and compared with
the code object of the module, which is generated whole; PTX is run kernel by
kernel on the PTX machine. Errors come in the order of the kernels, and leave no
file.
"""
import os
import struct
import subprocess
import sys

DISTAFF, SCRATCH = sys.argv[1:]
LANES = {"sm_80": 32, "gfx942": 64}
KINDS = {"sm_80": "ptx", "gfx942": "gcn"}


def kernel(number, lanes, fails):
    """Adds number + 1 to the elements below number, negates the others."""
    other = '"llvm.intr.cos"(%v) : (f64) -> f64' if fails else "arith.negf %v : f64"
    return f"""gpu.func @k{number}(%a: memref<{lanes}xf64>) kernel attributes {{
    known_block_size = array<i32: {lanes}, 1, 1>,
    translation_info = #iree_codegen.translation_info<subgroup_size = {lanes}>}} {{
  %t = gpu.thread_id x
  %n = arith.constant {number} : index
  %c = arith.constant {number + 1}.0 : f64
  %v = memref.load %a[%t] : memref<{lanes}xf64>
  %isLow = arith.cmpi ult, %t, %n : index
  scf.if %isLow {{
    %w = arith.addf %v, %c : f64
    memref.store %w, %a[%t] : memref<{lanes}xf64>
  }} else {{
    %w = {other}
    memref.store %w, %a[%t] : memref<{lanes}xf64>
  }}
  gpu.return
}}
"""


def path(name):
    return os.path.join(SCRATCH, name)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def write_kernels(count, target, failing=()):
    source = path("kernels.mlir")
    with open(source, "w") as file:
        file.write("gpu.module @kernels {\n")
        for number in range(count):
            file.write(kernel(number, LANES[target], number in failing))
        file.write("}\n")
    return source


def compile_on(threads, source, target, kind):
    output = path(f"kernels.{kind}")
    if os.path.exists(output):
        os.remove(output)
    done = run(DISTAFF, "compile", source, "--target", target, "--emit", kind,
               "--threads", str(threads), "-o", output)
    if not os.path.exists(output):
        return done, None
    with open(output, "rb") as file:
        return done, file.read()


def instructions_of(object_file):
    listed = run("llvm-objdump", "-d", "--mcpu=gfx942", "--no-show-raw-insn", object_file)
    assert listed.returncode == 0, listed.stderr
    return [line.split("//")[0].strip() for line in listed.stdout.splitlines()
            if line.startswith("\t")]


def notes_of(object_file):
    listed = run("llvm-readelf", "--notes", object_file)
    return listed.stdout[listed.stdout.index("amdhsa.kernels"):]


def check_gcn(text, source):
    with open(path("joined.s"), "wb") as file:
        file.write(text)
    joined, whole = path("joined.o"), path("kernels.hsaco")
    made = run("llvm-mc", "-triple", "amdgcn-amd-amdhsa", "-mcpu=gfx942",
               "-filetype=obj", path("joined.s"), "-o", joined)
    assert made.returncode == 0, made.stderr
    done, _ = compile_on(1, source, "gfx942", "hsaco")
    assert done.returncode == 0, done.stderr
    assert instructions_of(joined) == instructions_of(whole)
    assert notes_of(joined) == notes_of(whole)


def npy(values):
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header = header.ljust(117) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
            struct.pack(f"<{len(values)}d", *values))


def check_ptx(count):
    values = [float(i) - 7.5 for i in range(32)]
    with open(path("in.npy"), "wb") as file:
        file.write(npy(values))
    for number in range(count):
        done = run(DISTAFF, "run", path("kernels.ptx"), "--target", "sm_80",
                   "--entry", f"k{number}", "--grid", "1", "--block", "32",
                   "--input", f"arg0={path('in.npy')}",
                   "--output", f"arg0={path('out.npy')}")
        assert done.returncode == 0, done.stderr
        with open(path("out.npy"), "rb") as file:
            got = list(struct.unpack("<32d", file.read()[-256:]))
        expected = [v + number + 1 if i < number else -v for i, v in enumerate(values)]
        assert got == expected, (number, got, expected)


def check_same(count, target):
    source, kind = write_kernels(count, target), KINDS[target]
    texts = []
    for threads in (1, 2, 8):
        done, text = compile_on(threads, source, target, kind)
        assert done.returncode == 0, done.stderr
        texts.append(text)
    assert texts.count(texts[0]) == len(texts), f"{count} kernels on {target}"
    if target == "sm_80":
        check_ptx(count)
    else:
        check_gcn(texts[0], source)


def check_errors(target):
    source = write_kernels(7, target, failing=(2, 5))
    for threads in (1, 2, 8):
        done, text = compile_on(threads, source, target, KINDS[target])
        assert done.returncode == 1 and text is None
        functions = [line for line in done.stderr.splitlines() if line.startswith("In function")]
        assert functions == ["In function: k2", "In function: k5"], done.stderr
        assert done.stderr.count(f"LLVM does not generate code for {target} from this") == 2


os.makedirs(SCRATCH, exist_ok=True)
for machine in LANES:
    for kernels in (1, 2, 7):
        check_same(kernels, machine)
    check_errors(machine)
