"""What code large vectors become (VX-127): its size does not grow with their extents, no loop of
it accesses the stack, and accumulators stay in registers; and how many workgroups share them (VX-129).

    python3 large_vector_code.py OUT_DIR [--distaff PATH]
"""
import pathlib
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

import large_vectors


def addition(shape):
    dims = "x".join(map(str, shape))
    at = "%c0, %c0, %c0"
    body = [large_vectors.read("a", "%A", f"{dims}xf32", f"{dims}xf32", at), large_vectors.read("b", "%B", f"{dims}xf32", f"{dims}xf32", at),
            f"%s = arith.addf %a, %b : vector<{dims}xf32>", large_vectors.write("%s", "%C", f"{dims}xf32", f"{dims}xf32", at)]
    return large_vectors.text([f"{dims}xf32"] * 3, body)


SCAN = """func.func @scan(%x: tensor<3x5000xi32>, %a: tensor<3xi32>) -> tensor<3x5000xi32> {
  %e = tensor.empty() : tensor<3x5000xi32>
  %r:2 = iree_linalg_ext.scan dimension(1) inclusive(true) ins(%x : tensor<3x5000xi32>) outs(%e, %a : tensor<3x5000xi32>, tensor<3xi32>) {
  ^bb0(%p: i32, %q: i32):
    %s = arith.maxui %p, %q : i32
    iree_linalg_ext.yield %s : i32
  } -> tensor<3x5000xi32>, tensor<3xi32>
  return %r#0 : tensor<3x5000xi32>
}
"""


def text_bytes(path):
    """Bytes of the sections of code of an ELF file."""
    data = path.read_bytes()
    start, size, count, names = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(count)]
    table = sections[names][4]
    return sum(s[5] for s in sections if data[table + s[0]:].startswith(b".text"))


def compiled(chosen, name, kernel, *more):
    path = chosen.out / f"{name}.mlir"
    path.write_text(kernel)
    done = suite.distaff(chosen, "compile", path, *more)
    assert done.returncode == 0, f"{name}: {done.stderr[:500]}"
    return done.stdout


def code(chosen, name, kernel, target="host:avx2"):
    compiled(chosen, name, kernel, "--target", target, "--emit", "obj", "-o", chosen.out / f"{name}.o")
    return text_bytes(chosen.out / f"{name}.o")


def stack_accesses(chosen, name, kernel):
    """Vectors that the stack holds, in the assembly of a kernel: of what is allocated, and of what is spilled."""
    llvm = compiled(chosen, name, kernel, "--target", "host:avx2", "--emit", "llvm", "-o", "-")
    return len(re.findall(r"alloca .*(?:float|<)", llvm))


def main():
    chosen = suite.options()
    wrong = []

    def expect(what, holds):
        print("ok" if holds else "WRONG", what)
        if not holds:
            wrong.append(what)

    shapes = ((16, 32, 64), (64, 64, 64), (64, 256, 256))
    for target in ("host:avx2", "host:avx512"):
        sizes = [code(chosen, f"add_{'_'.join(map(str, shape))}", addition(shape), target) for shape in shapes]
        expect(f"{target}: additions take {sizes} bytes", max(sizes) < 8192 and max(sizes) <= 2 * min(sizes))
    product = large_vectors.text(*large_vectors.KERNELS["matmul"])
    size = code(chosen, "product", product)
    expect(f"a product of 64x64x64 takes {size} bytes", size < 16384)
    for name, kernel in (("addition", addition((64, 64, 64))), ("product", product)):
        expect(f"nothing of the {name} lies on the stack", stack_accesses(chosen, name, kernel) == 0)
    for name, most in (("softmax", 8192), ("carried_product", 8192), ("attention", 16384), ("scanned", 8192), ("scattered", 16384),
                       ("interleaved", 8192), ("interleaved_odd", 8192), ("bits", 4096), ("compressed", 4096), ("expanded", 4096),
                       ("scanned_row", 4096), ("masked_sums", 8192), ("outer_maximum", 8192),
                       ("turned_boxes", 16384), ("turned_four", 24576), ("gathered_boxes", 8192)):  # VX-247
        size = code(chosen, name, large_vectors.text(*large_vectors.KERNELS[name]))
        expect(f"{name} takes {size} bytes", size < most)
    # VX-249: a row's tile is straight code.
    size = code(chosen, "scan", SCAN)
    expect(f"a scan of rows takes {size} bytes", size < 65536)
    # As many as have enough of the level's vectors to do.
    for target, shape, workgroups in (("host:avx512", (16, 32, 64), 1), ("host:avx2", (16, 32, 64), 2), ("host:avx512", (64, 256, 256), 64), ("host:avx2", (64, 256, 256), 64)):
        tiled = compiled(chosen, "shared", addition(shape), "--target", target, "--stop-after=tile")
        count = re.search(r"scf.forall \(%\w+\) in \((\d+)\)", tiled)
        expect(f"{target}: an addition of {shape} is shared among {workgroups}", int(count[1] if count else 1) == workgroups)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
