// RUN: distaff compile %s --func long --target gfx942 --emit llvm -o - | FileCheck %s
// RUN: distaff compile %s --func reads --target gfx942 --emit llvm -o - | FileCheck %s --check-prefix=READS
// RUN: distaff compile %s --func short --target gfx942 --emit llvm -o - | FileCheck %s --check-prefix=SHORT
// RUN: distaff compile %s --func maxima --target gfx942 --emit llvm -o - | FileCheck %s --check-prefix=MAXIMA
// RUN: distaff compile %s --func maxima --target gfx942 --emit gcn -o - | FileCheck %s --check-prefix=MASKS
// RUN: distaff compile %s --func few_minima --target gfx942 --emit llvm -o - | FileCheck %s --check-prefix=FEW

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

// VX-280. A maximum that hands on what is no number is a selection by a mask of lanes, which
// takes two scalar registers: 3 barriers make parts of 16 of 64, each with its products.
// MAXIMA-LABEL: define amdgpu_kernel void @maxima
// MAXIMA-COUNT-3: call void @llvm.amdgcn.sched.barrier(i32 0)
// MAXIMA-NEXT: shufflevector
// MAXIMA-NEXT: [[PRODUCT:%.*]] = fmul <2 x float>
// MAXIMA-NEXT: [[FIRST:%.*]] = extractelement <2 x float> [[PRODUCT]], i64 0
// MAXIMA-NEXT: call float @llvm.maximum.f32(float {{.*}}, float [[FIRST]])
// MAXIMA-NOT: call void @llvm.amdgcn.sched.barrier
// MASKS: .sgpr_spill_count: 0
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
#product = {
  indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"],
  lowering_config = #iree_gpu.lowering_config<{workgroup = [4, 256, 0], reduction = [0, 0, 4]}>
}
func.func @maxima(%a: tensor<4x64xf32>, %b: tensor<64x1024xf32>, %init: tensor<4x1024xf32>) -> tensor<4x1024xf32>
    attributes {translation_info = #launch} {
  %0 = linalg.generic #product ins(%a, %b : tensor<4x64xf32>, tensor<64x1024xf32>) outs(%init : tensor<4x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %most: f32):
    %p = arith.mulf %x, %y : f32
    %m = arith.maximumf %most, %p : f32
    linalg.yield %m : f32
  } -> tensor<4x1024xf32>
  return %0 : tensor<4x1024xf32>
}

// Half as many masks find their registers.
// FEW-LABEL: define amdgpu_kernel void @few_minima
// FEW-NOT: sched.barrier
#few = {
  indexing_maps = [#left, #right, #result], iterator_types = ["parallel", "parallel", "reduction"],
  lowering_config = #iree_gpu.lowering_config<{workgroup = [4, 128, 0], reduction = [0, 0, 4]}>
}
func.func @few_minima(%a: tensor<4x64xf32>, %b: tensor<64x1024xf32>, %init: tensor<4x1024xf32>) -> tensor<4x1024xf32>
    attributes {translation_info = #launch} {
  %0 = linalg.generic #few ins(%a, %b : tensor<4x64xf32>, tensor<64x1024xf32>) outs(%init : tensor<4x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %least: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.minimumf %least, %s : f32
    linalg.yield %m : f32
  } -> tensor<4x1024xf32>
  return %0 : tensor<4x1024xf32>
}
