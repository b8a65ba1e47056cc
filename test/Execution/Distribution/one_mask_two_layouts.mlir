// A created mask is built once for each layout that is demanded of it, and once more
// for what is made of it in another shape (W22, VX-56, VX-74): no user gets the bits of
// another one's lanes.
// RUN: distaff run %s --target sm_80 --check --every-stage --input arg4=5 --input arg5=9 | FileCheck %s
// RUN: distaff run %s --target sm_80 --check --every-stage --input arg4=16 --input arg5=1 | FileCheck %s
// RUN: distaff run %s --target sm_80 --device ptx --check --input arg4=3 --input arg5=31
// RUN: distaff compile %s --target sm_80 --stop-after=assign-layouts | FileCheck %s --check-prefix=LAID
// CHECK: distribute {{.*}} ok
// CHECK: lower {{.*}} ok
// CHECK: convert {{.*}} ok
// Nothing is converted: neither anchored value, nor the mask.
// LAID-COUNT-2: to_layout
// LAID-NOT: to_layout

#rows = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 8], subgroup_strides = [1, 0], thread_strides = [4, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [2, 2], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [2, 1], subgroup_strides = [0, 1], thread_strides = [1, 4]>
func.func @one_mask(%a: memref<16x32xf32>, %b: memref<16x32xf32>, %o: memref<16x32xf32>, %t: memref<32x16xf32>, %m: index, %n: index) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : vector<16x32xf32>
  %k = vector.create_mask %m, %n : vector<16x32xi1>
  %x0 = vector.transfer_read %a[%c0, %c0], %z, %k {in_bounds = [true, true]} : memref<16x32xf32>, vector<16x32xf32>
  %x = iree_vector_ext.to_layout %x0 to layout(#rows) : vector<16x32xf32>
  %y0 = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x32xf32>, vector<16x32xf32>
  %y = iree_vector_ext.to_layout %y0 to layout(#columns) : vector<16x32xf32>
  vector.transfer_write %x, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf32>, memref<16x32xf32>
  %s = arith.select %k, %y, %two : vector<16x32xi1>, vector<16x32xf32>
  %u = vector.transpose %s, [1, 0] : vector<16x32xf32> to vector<32x16xf32>
  %kt = vector.transpose %k, [1, 0] : vector<16x32xi1> to vector<32x16xi1>
  vector.transfer_write %u, %t[%c0, %c0], %kt {in_bounds = [true, true]} : vector<32x16xf32>, memref<32x16xf32>
  return
}
