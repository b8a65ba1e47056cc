// RUN: distaff run %s --func row_per_workgroup --target sm_80 --check --every-stage | FileCheck %s --check-prefix=RAN
// RUN: distaff run %s --func row_per_workgroup --target sm_80 --check --device ptx | FileCheck %s --check-prefix=RAN
// RUN: distaff run %s --func row_per_subgroup --target sm_80 --check --every-stage | FileCheck %s --check-prefix=RAN
// RUN: distaff run %s --func row_per_subgroup --target sm_80 --check --device ptx | FileCheck %s --check-prefix=RAN
// RUN: distaff run %s --func ragged_row --target sm_80 --check --every-stage --shape arg0=1000 --shape arg1=1000 | FileCheck %s --check-prefix=RAN
// RUN: distaff run %s --func ragged_row --target sm_80 --check --every-stage --shape arg0=1 --shape arg1=1 | FileCheck %s --check-prefix=RAN
// RUN: distaff compile %s --func row_per_workgroup --target sm_80 --stop-after=distribute | FileCheck %s --check-prefix=WORKGROUP
// RUN: distaff compile %s --func row_per_subgroup --target sm_80 --stop-after=distribute | FileCheck %s --check-prefix=SUBGROUP
// VX-109: softmax over rows of 1024, by its layouts of the specification's 9.3, C;
// with masked columns, of which the maximum takes -inf and the sum 0 (W17).
// RAN: ok
// RAN-NOT: {{MISMATCH|undecided}}

#info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<subgroup_tile = [4], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [4], subgroup_strides = [1], thread_strides = [1]>
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [1, 8], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [0, 1]>

// Two reads of four, rounds over the lanes, and slots of four subgroups.
// WORKGROUP-COUNT-2: vector.transfer_read {{.*}}, vector<4xf32>
// WORKGROUP: gpu.subgroup_reduce maximumf
// WORKGROUP: gpu.barrier
// WORKGROUP: gpu.subgroup_reduce add
// WORKGROUP: gpu.barrier
// WORKGROUP-NOT: gpu.barrier
// WORKGROUP-COUNT-2: vector.transfer_write {{.*}} vector<4xf32>
func.func @row_per_workgroup(%x: memref<1024xf32>, %y: memref<1024xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %r = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<1024xf32>, vector<1024xf32>
  %a = iree_vector_ext.to_layout %r to layout(#row) : vector<1024xf32>
  %max = vector.multi_reduction <maximumf>, %a, %low [0] : vector<1024xf32> to f32
  %maxes = vector.broadcast %max : f32 to vector<1024xf32>
  %shifted = arith.subf %a, %maxes : vector<1024xf32>
  %e = math.exp %shifted : vector<1024xf32>
  %sum = vector.multi_reduction <add>, %e, %z [0] : vector<1024xf32> to f32
  %sums = vector.broadcast %sum : f32 to vector<1024xf32>
  %q = arith.divf %e, %sums : vector<1024xf32>
  vector.transfer_write %q, %y[%c0] {in_bounds = [true]} : vector<1024xf32>, memref<1024xf32>
  return
}

// Nothing leaves a subgroup.
// SUBGROUP-NOT: {{memref.alloc|gpu.barrier}}
// SUBGROUP: gpu.subgroup_reduce maximumf
// SUBGROUP-NOT: {{memref.alloc|gpu.barrier}}
// SUBGROUP: gpu.subgroup_reduce add
// SUBGROUP-NOT: {{memref.alloc|gpu.barrier}}
// SUBGROUP: gpu.return
func.func @row_per_subgroup(%x: memref<4x1024xf32>, %y: memref<4x1024xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %lows = arith.constant dense<0xFF800000> : vector<4xf32>
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  %r = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x1024xf32>, vector<4x1024xf32>
  %a = iree_vector_ext.to_layout %r to layout(#rows) : vector<4x1024xf32>
  %max = vector.multi_reduction <maximumf>, %a, %lows [1] : vector<4x1024xf32> to vector<4xf32>
  %turned = vector.broadcast %max : vector<4xf32> to vector<1024x4xf32>
  %maxes = vector.transpose %turned, [1, 0] : vector<1024x4xf32> to vector<4x1024xf32>
  %shifted = arith.subf %a, %maxes : vector<4x1024xf32>
  %e = math.exp %shifted : vector<4x1024xf32>
  %sum = vector.multi_reduction <add>, %e, %zeros [1] : vector<4x1024xf32> to vector<4xf32>
  %back = vector.broadcast %sum : vector<4xf32> to vector<1024x4xf32>
  %sums = vector.transpose %back, [1, 0] : vector<1024x4xf32> to vector<4x1024xf32>
  %q = arith.divf %e, %sums : vector<4x1024xf32>
  vector.transfer_write %q, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x1024xf32>, memref<4x1024xf32>
  return
}

// The padding would win the maximum, and enter the sum.
func.func @ragged_row(%x: memref<?xf32>, %y: memref<?xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %big = arith.constant 9.0 : f32
  %z = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = vector.create_mask %n : vector<1024xi1>
  %r = vector.transfer_read %x[%c0], %big, %m {in_bounds = [true]} : memref<?xf32>, vector<1024xf32>
  %a = iree_vector_ext.to_layout %r to layout(#row) : vector<1024xf32>
  %max = vector.mask %m { vector.multi_reduction <maximumf>, %a, %low [0] : vector<1024xf32> to f32 } : vector<1024xi1> -> f32
  %maxes = vector.broadcast %max : f32 to vector<1024xf32>
  %shifted = arith.subf %a, %maxes : vector<1024xf32>
  %e = math.exp %shifted : vector<1024xf32>
  %sum = vector.mask %m { vector.multi_reduction <add>, %e, %z [0] : vector<1024xf32> to f32 } : vector<1024xi1> -> f32
  %sums = vector.broadcast %sum : f32 to vector<1024xf32>
  %q = arith.divf %e, %sums : vector<1024xf32>
  vector.transfer_write %q, %y[%c0], %m {in_bounds = [true]} : vector<1024xf32>, memref<?xf32>
  return
}
