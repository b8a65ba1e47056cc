// RUN: distaff compile %s --func long --target gfx942 --emit llvm -o - | FileCheck %s
// RUN: distaff compile %s --func reads --target gfx942 --emit llvm -o - | FileCheck %s --check-prefix=READS
// RUN: distaff compile %s --func short --target gfx942 --emit llvm -o - | FileCheck %s --check-prefix=SHORT

// LLVM's scheduler holds every access of a block against every store: 127 barriers make
// parts of 8 stores of 1024, and 15 such parts of 1024 loads and 128 stores.
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>

// CHECK-LABEL: define amdgpu_kernel void @long
// CHECK-COUNT-127: call void @llvm.amdgcn.sched.barrier(i32 0)
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

// READS-LABEL: define amdgpu_kernel void @reads
// READS-COUNT-15: call void @llvm.amdgcn.sched.barrier(i32 0)
// READS-NOT: call void @llvm.amdgcn.sched.barrier
func.func @reads(%a: memref<262144xf32>, %b: memref<32768xf32>)
    attributes {translation_info = #launch, distaff.native_vector = array<i64: 32768>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0], %zero {in_bounds = [true]} : memref<262144xf32>, vector<262144xf32>
  %parts = vector.shape_cast %x : vector<262144xf32> to vector<8x32768xf32>
  %none = arith.constant dense<0.0> : vector<32768xf32>
  %y = vector.multi_reduction <add>, %parts, %none [0] : vector<8x32768xf32> to vector<32768xf32>
  vector.transfer_write %y, %b[%c0] {in_bounds = [true]} : vector<32768xf32>, memref<32768xf32>
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
