// With anchors required, what no to_layout reaches is refused, each op of it, with the
// layout that it would take (DG4, VX-62); with that written it is taken.
// RUN: distaff-opt %s --distaff-assign-layouts="target=sm_80 require-anchors" --verify-diagnostics
// RUN: not distaff compile %s --target sm_80 --require-anchors 2>&1 | FileCheck %s
// RUN: not distaff run %s --target sm_80 --func two_parts --require-anchors 2>&1 | FileCheck %s
// RUN: not distaff explain %s --target sm_80 --func two_parts --require-anchors 2>&1 | FileCheck %s
// RUN: distaff run %s --target sm_80 --func reached --require-anchors --check --input arg0=whole:0:-9:9 --input arg2=40
// RUN: distaff compile %s --target sm_80 --func two_parts --emit ptx -o /dev/null
// CHECK-COUNT-2: and anchors are required (DG4)

#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [4], subgroup_strides = [0], thread_strides = [1]>
func.func @two_parts(%m: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) attributes {
    translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %y = iree_vector_ext.to_layout %x to layout(#L) : vector<64xf32>
  %n = arith.negf %y : vector<64xf32>
  vector.transfer_write %n, %o[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  // expected-error @below {{'vector.transfer_read' op is reached by no 'iree_vector_ext.to_layout', and anchors are required (DG4); lay out 'vector<64xf32>' by one, as #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [4], subgroup_strides = [0], thread_strides = [1]>, or leave it to be chosen}}
  %u = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-error @below {{'vector.transfer_write' op is reached by no}}
  vector.transfer_write %u, %p[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// A mask without a layout of its own, a constant and a vector of rank 0 need none.
func.func @reached(%m: memref<64xf32>, %o: memref<f32>, %b: index) attributes {
    translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %k = arith.constant dense<2.0> : vector<64xf32>
  %mask = vector.create_mask %b : vector<64xi1>
  %x = vector.transfer_read %m[%c0], %z, %mask {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %w = arith.mulf %x, %k : vector<64xf32>
  %y = iree_vector_ext.to_layout %w to layout(#L) : vector<64xf32>
  %s = vector.reduction <add>, %y : vector<64xf32> into f32
  %v = vector.broadcast %s : f32 to vector<f32>
  vector.transfer_write %v, %o[] : vector<f32>, memref<f32>
  return
}
