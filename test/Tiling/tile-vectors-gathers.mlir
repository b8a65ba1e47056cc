// RUN: distaff-opt %s --distaff-tile-vectors=target=sm_80 --canonicalize --cse | FileCheck %s
// RUN: distaff-opt %s --distaff-tile-vectors=target=host:avx2 --canonicalize --cse | FileCheck %s --check-prefix=HOST

// Slices of a transfer_gather (VX-209).

#workgroup = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#rows = affine_map<(d0, d1)[s0] -> (s0, d1)>
#places = affine_map<(d0, d1)[s0] -> (d0)>

// Index values and mask are those of the slice's rows. Of what is behind the last row nothing is read, so
// the mask of rows is one of all elements there.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for
// CHECK: %[[PLACES:.*]] = vector.transfer_read {{.*}} vector<32xi32>
// CHECK: %[[LEFT:.*]] = vector.create_mask %{{.*}} : vector<32xi1>
// CHECK: scf.for %[[J:.*]] =
// CHECK: iree_vector_ext.transfer_gather %{{.*}}[%{{.*}}, %[[J]]] [%[[PLACES]] : vector<32xi32>], %{{.*}}, %[[LEFT]] {{.*}} vector<32x16xf32>
// CHECK: %[[ROWS:.*]] = vector.transpose %{{.*}}, [1, 0] : vector<16x28xi1> to vector<28x16xi1>
// CHECK: %[[INSIDE:.*]] = vector.constant_mask [27, 16] : vector<28x16xi1>
// CHECK: %[[MASK:.*]] = arith.andi %[[ROWS]], %[[INSIDE]]
// CHECK: iree_vector_ext.transfer_gather {{.*}}, %[[MASK]] {{.*}} vector<28x16xf32>
// CHECK-NOT: vector<251x509xf32>
// HOST-LABEL: func.func @rows
// HOST: scf.for
// HOST: iree_vector_ext.transfer_gather
// HOST-NOT: vector<251x509xf32>
func.func @rows(%base: memref<700x509xf32>, %p: memref<251xi32>, %c: memref<251x509xf32>, %n: index) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %zi = arith.constant 0 : i32
  %rows = vector.transfer_read %p[%c0], %zi {in_bounds = [true]} : memref<251xi32>, vector<251xi32>
  %mask = vector.create_mask %n : vector<251xi1>
  %g = iree_vector_ext.transfer_gather %base[%c0, %c0] [%rows : vector<251xi32>], %z, %mask {indexing_maps = [#rows, #places, #places]} : memref<700x509xf32>, vector<251x509xf32>, vector<251xi1>
  vector.transfer_write %g, %c[%c0, %c0] {in_bounds = [true, true]} : vector<251x509xf32>, memref<251x509xf32>
  return
}
