// RUN: distaff compile %s --func=small --target sm_80 --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff compile %s --func=large --target sm_80 --emit ptx | FileCheck %s --check-prefix=LARGE
// RUN: distaff explain %s --func=large --target sm_80 | FileCheck %s --check-prefix=EXPLAIN
// RUN: distaff explain %s --func=large --target sm_80 --format json | FileCheck %s --check-prefix=JSON
// RUN: distaff run %s --func=small --target sm_80 --check --every-stage | FileCheck %s --check-prefix=RAN
// RUN: not distaff run %s --func=small --target sm_80 --device ptx 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not distaff compile %s --func=too_large --target sm_80 --emit ptx 2>&1 | FileCheck %s --check-prefix=SIZE
// An argument in workgroup memory is memory of the kernel's own; the machine
// fills it, and reads it back, and no launch does.

#translation = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#wg = #gpu.address_space<workgroup>

// PTX: // small: argument 1 is not passed: 256 bytes of shared memory at small__workgroup_0 + 0, aligned to 16
// PTX: .visible .entry small(
// PTX-NEXT: .param .u64 .ptr .global .align 16 small_param_0,
// PTX-NEXT: .param .u64 .ptr .global .align 16 small_param_1
// PTX-NEXT: )
// PTX: .shared .align 16 .b8 small__workgroup_0[256]
// RAN: lower {{.*}} ok
// DEVICE: arg1 of type 'memref<64xf32, #gpu.address_space<workgroup>>' is workgroup memory, which no launch fills or reads; run it with --device simt
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
// JSON-NEXT: "offset": 16,
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

// SIZE: error: 'func.func' op needs 167936 bytes of workgroup memory, sm_80 has 166912; make the kernel's buffers smaller
// SIZE: note: allocates 'memref<41984xf32
func.func @too_large(%m: memref<41984xf32, #wg>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<64xf32>
  vector.transfer_write %v, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<41984xf32, #wg>
  return
}
