// RUN: distaff compile %s --target sm_80 --require-anchors --stop-after=assign-layouts | FileCheck %s

// New dims of extent 1 have no room for lanes: the layout goes on through them
// in both directions, and one anchor reaches all (5.3).
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 4], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>

// CHECK: @forward
// CHECK: vector.broadcast {{.*}} vector<8x16xf32> to vector<1x1x8x16xf32>
func.func @forward(%x: memref<8x16xf32>, %o: memref<1x1x8x16xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x16xf32>, vector<8x16xf32>
  %l = iree_vector_ext.to_layout %v to layout(#rows) : vector<8x16xf32>
  %b = vector.broadcast %l : vector<8x16xf32> to vector<1x1x8x16xf32>
  %e = math.exp %b : vector<1x1x8x16xf32>
  vector.transfer_write %e, %o[%c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true]} : vector<1x1x8x16xf32>, memref<1x1x8x16xf32>
  return
}
