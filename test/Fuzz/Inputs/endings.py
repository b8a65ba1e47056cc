"""usage: endings.py BIN FOLDER: fuzz.py says of every way to end what it is. The commands are small programs that end so."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import fuzz

BIN, FOLDER = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
LIMITS = fuzz.Limits(seconds=60, megabytes=2000, sanitized="DISTAFF_SANITIZED" in os.environ, keep=False)
# MLIR's parser of this op reads through null after the error.
TEXT = """func.func @t(%a: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.transpose ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [a]
  return %r : tensor<4x4xf32>
}"""
# As LLVM prints a stack: libraries by their file, us by the program's or the source's.
STACK = """ #0 0x0001 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/usr/lib/libLLVM.so+0x1)
 #1 0x0002 (/lib/libc.so.6+0x2)
%s
 #3 0x0004 mlir::parseSourceFile(llvm::SourceMgr const&) (/usr/lib/libMLIR.so+0x4)
 #4 0x0005 void llvm::function_ref<void ()>::callback_fn<distaff::KernelInput::parse(llvm::StringRef)::$_0>(long) KernelInput.cpp:0:0
 #5 0x0006 llvm::CrashRecoveryContext::RunSafely(llvm::function_ref<void ()>) (/usr/lib/libLLVM.so+0x6)
 #6 0x0007 distaff::KernelInput::parse(llvm::StringRef) (/opt/bin/distaff+0x7)
distaff: error: does not survive
"""


def ending_of(command, output=None, limits=LIMITS):
    code, seconds, megabytes = fuzz.run_limited([str(word) for word in command], {}, FOLDER, limits)
    return fuzz.judge(command, code, seconds, megabytes, output, FOLDER, limits)


def shell(script, **more):
    return ending_of(["/bin/sh", "-c", script], **more)[0]


def stack(frame):
    (FOLDER / "stack").write_text(STACK % frame)
    return ending_of(["/bin/sh", "-c", "cat stack >&2; exit 1"])


def check(found, wanted):
    assert found == wanted, (found, wanted)


FOLDER.mkdir(parents=True, exist_ok=True)
(FOLDER / "input.mlir").write_text(TEXT)
(FOLDER / "output").write_text("half of it")
check(shell("exit 0"), "accepted")
check(shell("echo error: no >&2; exit 1"), "refused")
check(shell("echo error: not decided >&2; exit 3"), "undecided")
check(shell("echo MISMATCH; exit 1"), "differed")
check(shell("exit 1"), "silent")
check(shell("echo error: no >&2; exit 1", output=FOLDER / "output"), "left output")
check(shell("echo error: no >&2; kill -SEGV $$"), "crashed")
check(shell("echo error: no >&2; kill -ABRT $$"), "crashed")
check(shell("echo error: no >&2; exit 134"), "crashed")
check(shell("echo AddressSanitizer: error >&2; exit 1"), "crashed")
check(shell("echo 'a.cpp:1:2: runtime error: signed integer overflow' >&2; exit 0"), "crashed")
check(shell("exec sleep 60", limits=LIMITS._replace(seconds=0.1)), "hung")
check(shell("while :; do :; done", limits=LIMITS._replace(seconds=0.5)), "hung")
check(ending_of([sys.executable, "-c", "a = b'x' * (200 << 20)"], limits=LIMITS._replace(megabytes=150))[0], "over memory")
check(shell("echo error: out of memory >&2; exit 1"), "refused")
for says, ending in (("more than the 9 that compile in seconds", "accepted"), ("nothing", "hung")):
    busy = f"import sys, time\nsys.stderr.write('warning: {says}')\nwhile time.process_time() < 1: pass"
    check(ending_of([sys.executable, "-c", busy], limits=LIMITS._replace(seconds=0.5))[0], ending)
check(stack(" #2 0x0003 distaff::check(mlir::Type) (/opt/bin/distaff+0x3)"), ("crashed", "contained, with distaff::check on the stack"))
check(stack(" #2 0x0003 check(mlir::Type) SizeLimits.cpp:0:0"), ("crashed", "contained, with check on the stack"))
check(stack(" #2 0x0003 mlir::linalg::TransposeOp::parse(mlir::OpAsmParser&) (/usr/lib/libMLIR.so+0x3)"),
      ("contained", "mlir::linalg::TransposeOp::parse < mlir::parseSourceFile"))
for tool in fuzz.depth.Turns(2).of(("distaff-opt", "distaff")):
    words = [BIN / tool, *(["compile", "--target", "sm_80"] if tool == "distaff" else []), "input.mlir"]
    ending, where = ending_of(words)
    check(ending, "contained")
    check("NamedAttrList::set" in where, True)
print("all endings are told")
