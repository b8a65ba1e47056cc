// RUN: distaff compile %s --func=small --target sm_80 --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff compile %s --func=large --target sm_80 --emit ptx | FileCheck %s --check-prefix=LARGE
// RUN: distaff explain %s --func=large --target sm_80 | FileCheck %s --check-prefix=EXPLAIN
// RUN: distaff explain %s --func=large --target sm_80 --format json | FileCheck %s --check-prefix=JSON
// RUN: distaff run %s --func=small --target sm_80 --check --every-stage | FileCheck %s --check-prefix=RAN
// RUN: distaff run %s --func=small --target sm_80 --device ptx --check | FileCheck %s --check-prefix=DEVICE
// RUN: distaff compile %s --func=rows --target sm_80 --emit ptx | FileCheck %s --check-prefix=ROWS
// RUN: distaff run %s --func=rows --target sm_80 --check --every-stage | FileCheck %s --check-prefix=RAN
// RUN: not distaff run %s --func=grid --target sm_80 --device ptx 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: distaff run %s --func=grid --target sm_80 --check | FileCheck %s --check-prefix=LOWERED
// RUN: not distaff compile %s --func=too_large --target sm_80 --emit ptx 2>&1 | FileCheck %s --check-prefix=SIZE
// An argument in workgroup memory is memory of the kernel's own; the machine
// fills it, and reads it back. No launch does: run has the kernel do it.

#translation = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#wg = #gpu.address_space<workgroup>

// PTX: // small: argument 1 is not passed: 256 bytes of shared memory at small__workgroup_0 + 0, aligned to 16
// PTX: .visible .entry small(
// PTX-NEXT: .param .u64 .ptr .global .align 16 small_param_0,
// PTX-NEXT: .param .u64 .ptr .global .align 16 small_param_1
// PTX-NEXT: )
// PTX: .shared .align 16 .b8 small__workgroup_0[256]
// RAN: lower {{.*}} ok
// RAN: convert {{.*}} ok
// DEVICE: ptx {{.*}} ok
func.func @small(%x: memref<64xf32>, %m: memref<64xf32, #wg>, %y: memref<64xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %b = vector.transfer_read %m[%c0], %pad {in_bounds = [true]} : memref<64xf32, #wg>, vector<64xf32>
  %s = arith.addf %a, %b : vector<64xf32>
  vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  vector.transfer_write %a, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32, #wg>
  return
}

// What a kernel can declare is less than this: one array, whose bytes the
// launch passes.
// LARGE: // large: launch with 65552 bytes of dynamic shared memory
// LARGE: // large: argument 0 is not passed: 16 bytes of shared memory at large__workgroup + 0, aligned to 16
// LARGE: // large: argument 2 is not passed: 65536 bytes of shared memory at large__workgroup + 16, aligned to 16
// LARGE: .visible .entry large(
// LARGE-NEXT: .param .u64 .ptr .global .align 16 large_param_0
// LARGE-NEXT: )
// EXPLAIN: arg2 is not passed: 65536 B of shared memory at large__workgroup + 16, aligned to 16
// JSON: "argument": 2,
// JSON-NEXT: "bytes": 65536,
// JSON-NEXT: "elementBytes": 4,
// JSON-NEXT: "offset": 16,
// JSON-NEXT: "strides": [
// JSON-NEXT: 1
// JSON-NEXT: ],
// JSON-NEXT: "symbol": "large__workgroup"
func.func @large(%n: memref<4xf32, #wg>, %x: memref<64xf32>, %m: memref<16384xf32, #wg>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %b = vector.transfer_read %n[%c0], %pad {in_bounds = [true]} : memref<4xf32, #wg>, vector<4xf32>
  vector.transfer_write %a, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<16384xf32, #wg>
  vector.transfer_write %b, %m[%c64] {in_bounds = [true]} : vector<4xf32>, memref<16384xf32, #wg>
  return
}

// SIZE: error: the kernel needs 167936 bytes of workgroup memory, sm_80 has 166912; make the kernel's buffers smaller
// SIZE: note: allocates 'memref<41984xf32
func.func @too_large(%m: memref<41984xf32, #wg>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<64xf32>
  vector.transfer_write %v, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<41984xf32, #wg>
  return
}

// Its author says how far its rows are apart.
// ROWS: // rows: argument 0 is not passed: 1264 bytes of shared memory at rows__workgroup_0 + 0, aligned to 16, element (i, j) at byte 80 i + 2 j
// ROWS: .shared .align 16 .b8 rows__workgroup_0[1264]
func.func @rows(%m: memref<16x32xf16, strided<[40, 1]>, #wg>, %y: memref<16x32xf16>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %a = vector.transfer_read %m[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32xf16, strided<[40, 1]>, #wg>, vector<16x32xf16>
  vector.transfer_write %a, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16>
  return
}

// Each workgroup has an %m of its own; which of them is the one after the run?
// GRID: error: {{.*}} is not launched: argument 0 lies in workgroup memory, of which each workgroup writes its own; launch one workgroup; or run it with --device simt
// LOWERED: lower {{.*}} ok
func.func @grid(%m: memref<64xf32, #wg>, %y: memref<2x64xf32>) attributes {translation_info = #translation} {
  scf.forall (%i) in (2) {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : f32
    %a = vector.transfer_read %m[%c0], %pad {in_bounds = [true]} : memref<64xf32, #wg>, vector<64xf32>
    %b = arith.addf %a, %a : vector<64xf32>
    vector.transfer_write %b, %y[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<2x64xf32>
    vector.transfer_write %b, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32, #wg>
  } {mapping = [#gpu.block<x>]}
  return
}
