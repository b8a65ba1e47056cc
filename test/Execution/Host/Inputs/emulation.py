"""Code for instructions that this machine may lack, run on it.

Kernels are compiled to LLVM's IR for a level of the instruction set. Intrinsics are replaced by functions that do what Intel's
Software Developer's Manual, volume 2, says of VPDPBUSD, VDPBF16PS, and of AMX, written here, and the rest is compiled for the
baseline.
"""
import ctypes
import re
import shutil
import subprocess

FOURS, FLOATS = "llvm.x86.avx512.vpdpbusd.", "llvm.x86.avx512bf16.dpbf16ps."


def emulated(name, width):
    """A definition in LLVM's IR of one intrinsic for so many words."""
    if name == FOURS:
        parts, element, acc = 4 * width, "i8", "i32"
    else:
        parts, element, acc = 2 * width, "bfloat", "float"
    of = f"<{width} x {acc}>"
    lines = [f"define internal {of} @emulated_{width}_{acc}({of} %c, <{parts} x {element}> %a, <{parts} x {element}> %b) {{"]
    number = 0

    def emit(text):
        nonlocal number
        number += 1
        lines.append(f"  %v{number} = {text}")
        return f"%v{number}"

    sum = "%c"
    steps = range(4) if name == FOURS else (1, 0)  # of bf16 the upper one first
    for step in steps:
        mask = ", ".join(f"i32 {len(steps) * word + step}" for word in range(width))
        taken = []
        for operand, extend in (("%a", "zext"), ("%b", "sext")):
            part = emit(f"shufflevector <{parts} x {element}> {operand}, <{parts} x {element}> poison, <{width} x i32> <{mask}>")
            if name == FOURS:
                taken.append(emit(f"{extend} <{width} x i8> {part} to {of}"))
            else:
                bits = emit(f"bitcast <{width} x bfloat> {part} to <{width} x i16>")
                wide = emit(f"zext <{width} x i16> {bits} to <{width} x i32>")
                sixteen = ", ".join(["i32 16"] * width)
                moved = emit(f"shl <{width} x i32> {wide}, <{sixteen}>")
                taken.append(emit(f"bitcast <{width} x i32> {moved} to {of}"))
        op = ("mul", "add") if name == FOURS else ("fmul", "fadd")
        product = emit(f"{op[0]} {of} {taken[0]}, {taken[1]}")
        sum = emit(f"{op[1]} {of} {sum}, {product}")
    return "\n".join(lines + [f"  ret {of} {sum}", "}"])



# A tile is 16 rows of 64 bytes. What is loaded of less has zeros behind it; rows and bytes of each operand are as they are given.
TILES_IN_C = r"""
#include <stdint.h>
#include <string.h>
typedef union { uint8_t u8[16][64]; int8_t i8[16][64]; uint16_t h[16][32]; int32_t i32[16][16]; uint32_t u32[16][16]; float f[16][16]; } tile;
static float of_bf16(uint16_t bits) { uint32_t wide = (uint32_t)bits << 16; float f; memcpy(&f, &wide, 4); return f; }
static float of_f16(uint16_t bits) { _Float16 h; memcpy(&h, &bits, 2); return (float)h; }
void amx_load(uint16_t rows, uint16_t bytes, const uint8_t *from, int64_t stride, tile *t) {
  memset(t, 0, sizeof(*t));
  for (int i = 0; i < rows; ++i) memcpy(t->u8[i], from + i * stride, bytes);
}
void amx_store(uint16_t rows, uint16_t bytes, uint8_t *into, int64_t stride, const tile *t) {
  for (int i = 0; i < rows; ++i) memcpy(into + i * stride, t->u8[i], bytes);
}
#define INTEGERS(name, A, B) \
  void amx_##name(uint16_t m, uint16_t n, uint16_t k, tile *c, const tile *a, const tile *b) { \
    for (int i = 0; i < m; ++i) \
      for (int w = 0; w < k / 4; ++w) \
        for (int j = 0; j < n / 4; ++j) \
          for (int p = 0; p < 4; ++p) \
            c->u32[i][j] += (uint32_t)((int32_t)a->A[i][4 * w + p] * (int32_t)b->B[w][4 * j + p]); \
  }
INTEGERS(tdpbssd, i8, i8)
INTEGERS(tdpbsud, i8, u8)
INTEGERS(tdpbusd, u8, i8)
INTEGERS(tdpbuud, u8, u8)
#define FLOATS(name, number) \
  void amx_##name(uint16_t m, uint16_t n, uint16_t k, tile *c, const tile *a, const tile *b) { \
    for (int i = 0; i < m; ++i) { \
      float sums[16] = {0}; \
      for (int w = 0; w < k / 4; ++w) \
        for (int j = 0; j < n / 4; ++j) \
          for (int p = 0; p < 2; ++p) \
            sums[j] += number(a->h[i][2 * w + p]) * number(b->h[w][2 * j + p]); \
      for (int j = 0; j < n / 4; ++j) c->f[i][j] += sums[j]; \
    } \
  }
FLOATS(tdpbf16ps, of_bf16)
FLOATS(tdpfp16ps, of_f16)
"""
TILE_PRODUCTS = ("tdpbssd", "tdpbsud", "tdpbusd", "tdpbuud", "tdpbf16ps", "tdpfp16ps")
TILE = "<256 x i32>"


def with_tiles(code):
    """The code with tiles in vectors, and functions for what is done with them; and which were called."""
    found = {name for name in TILE_PRODUCTS if f"@llvm.x86.{name}.internal(" in code}
    code = re.sub(r"^declare .*@llvm\.x86\.t\w+\.internal\(.*$", "", code, flags=re.M)
    code = re.sub(r"@llvm\.x86\.(t\w+)\.internal\(", r"@emulated_\1(", code).replace("x86_amx", TILE)
    # The system lends what is emulated.
    code = re.sub(r"= call i64 asm sideeffect \"syscall\".*$", "= add i64 0, 0", code, flags=re.M)
    lines = ["declare void @amx_load(i16, i16, ptr, i64, ptr)", "declare void @amx_store(i16, i16, ptr, i64, ptr)",
             f"define internal {TILE} @emulated_tileloadd64(i16 %r, i16 %c, ptr %p, i64 %s) noinline {{",
             f"  %t = alloca {TILE}, align 64", "  call void @amx_load(i16 %r, i16 %c, ptr %p, i64 %s, ptr %t)",
             f"  %v = load {TILE}, ptr %t", f"  ret {TILE} %v", "}",
             f"define internal void @emulated_tilestored64(i16 %r, i16 %c, ptr %p, i64 %s, {TILE} %v) noinline {{",
             f"  %t = alloca {TILE}, align 64", f"  store {TILE} %v, ptr %t",
             "  call void @amx_store(i16 %r, i16 %c, ptr %p, i64 %s, ptr %t)", "  ret void", "}"]
    for name in found:
        lines += [f"declare void @amx_{name}(i16, i16, i16, ptr, ptr, ptr)",
                  f"define internal {TILE} @emulated_{name}(i16 %m, i16 %n, i16 %k, {TILE} %c, {TILE} %a, {TILE} %b) noinline {{"]
        lines += [line for x in "cab" for line in (f"  %t{x} = alloca {TILE}, align 64", f"  store {TILE} %{x}, ptr %t{x}")]
        lines += [f"  call void @amx_{name}(i16 %m, i16 %n, i16 %k, ptr %tc, ptr %ta, ptr %tb)", f"  %v = load {TILE}, ptr %tc",
                  f"  ret {TILE} %v", "}"]
    return code + "\n" + "\n".join(lines) + "\n", found


def build(chosen, name, level, text):
    """The kernel's function, for the machine that this is, and which intrinsics it had."""
    path = chosen.out / f"{name}.mlir"
    path.write_text(text)
    compiled = subprocess.run([chosen.distaff, "compile", str(path), "--target", f"host:{level}", "--emit", "llvm", "-o", "-"],
                              capture_output=True, text=True)
    if compiled.returncode != 0:
        raise SystemExit(f"{name}: {compiled.stderr}")
    code = compiled.stdout
    found = set(re.findall(r"@(" + re.escape(FOURS) + "|" + re.escape(FLOATS) + r")(\d+)", code))
    for intrinsic, bits in found:
        width, acc = int(bits) // 32, "i32" if intrinsic == FOURS else "float"
        code = re.sub(rf"^declare .*@{re.escape(intrinsic + bits)}\(.*$", "", code, flags=re.M)
        code = code.replace(f"@{intrinsic}{bits}(", f"@emulated_{width}_{acc}(") + "\n" + emulated(intrinsic, width)
    files = []
    if "x86_amx" in code:
        code, tiles = with_tiles(code)
        found |= {(name, 0) for name in tiles}
        files = [chosen.out / "tiles.c"]
        files[0].write_text(TILES_IN_C)
    # Of attributes only those that name a machine's instructions are in the way.
    code = re.sub(r'"(target-cpu|target-features|tune-cpu)"="[^"]*"', "", code)
    llvm, shared = chosen.out / f"{name}.ll", chosen.out / f"{name}.so"
    llvm.write_text(code)
    clang = shutil.which("clang-22") or shutil.which("clang")
    subprocess.run([clang, "-O1", "-w", "-march=x86-64-v3", "-shared", "-fPIC", str(llvm), *map(str, files), "-o", str(shared), "-lm"], check=True)
    return ctypes.CDLL(str(shared)).k, {intrinsic for intrinsic, _ in found}
