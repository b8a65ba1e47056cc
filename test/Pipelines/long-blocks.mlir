// RUN: distaff compile %s --func long --target gfx942 --emit llvm -o - | FileCheck %s
// RUN: distaff compile %s --func short --target gfx942 --emit llvm -o - | FileCheck %s --check-prefix=SHORT

// LLVM's scheduler holds every access of a block against every other one: of 2048,
// 7 barriers make parts of 256.
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>

// CHECK-LABEL: define amdgpu_kernel void @long
// CHECK-COUNT-7: call void @llvm.amdgcn.sched.barrier(i32 0)
// CHECK-NOT: call void @llvm.amdgcn.sched.barrier
func.func @long(%a: memref<262144xf32>, %b: memref<262144xf32>)
    attributes {translation_info = #launch, distaff.native_vector = array<i64: 262144>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0], %zero {in_bounds = [true]} : memref<262144xf32>, vector<262144xf32>
  %y = arith.addf %x, %x : vector<262144xf32>
  vector.transfer_write %y, %b[%c0] {in_bounds = [true]} : vector<262144xf32>, memref<262144xf32>
  return
}

// SHORT-LABEL: define amdgpu_kernel void @short
// SHORT-NOT: sched.barrier
func.func @short(%a: memref<65536xf32>, %b: memref<65536xf32>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0], %zero {in_bounds = [true]} : memref<65536xf32>, vector<65536xf32>
  %y = arith.addf %x, %x : vector<65536xf32>
  vector.transfer_write %y, %b[%c0] {in_bounds = [true]} : vector<65536xf32>, memref<65536xf32>
  return
}
