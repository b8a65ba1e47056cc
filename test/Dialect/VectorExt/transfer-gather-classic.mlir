// RUN: distaff-opt %s | FileCheck %s
// RUN: distaff-opt %s | distaff-opt | FileCheck %s
// The classic form can be printed, and is the same gather when it is read again.
// RUN: distaff-opt %s --print-classic-gathers | distaff-opt | FileCheck %s
// RUN: distaff-opt %s --print-classic-gathers | FileCheck %s --check-prefix=CLASSIC

// The classic form becomes the unified one on parsing.

// VX-14: each base dim is contiguous or gathered; maps are over the slice.
// CHECK-DAG: #[[BASE:.*]] = affine_map<(d0, d1, d2)[s0, s1] -> (d2, s0, s1)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1, d2)[s0, s1] -> (d2)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1, d2)[s0, s1] -> (d1, d0)>
// VX-14: the published spelling names gathered dims in operand order.
// CHECK-DAG: #[[PBASE:.*]] = affine_map<(d0, d1, d2)[s0, s1] -> (s0, d1, s1)>
// CHECK-DAG: #[[PFIRST:.*]] = affine_map<(d0, d1, d2)[s0, s1] -> (d0)>
// CHECK-DAG: #[[PSECOND:.*]] = affine_map<(d0, d1, d2)[s0, s1] -> (d2, d1)>
// VX-14: the mask has the dims of the slice, broadcast dims left out.
// CHECK-DAG: #[[MBASE:.*]] = affine_map<(d0, d1, d2)[s0] -> (s0, d0)>
// CHECK-DAG: #[[MINDEX:.*]] = affine_map<(d0, d1, d2)[s0] -> (d2)>
// CHECK-DAG: #[[MMASK:.*]] = affine_map<(d0, d1, d2)[s0] -> (d2, d0)>

// VX-14
// CHECK-LABEL: func.func @one_entry_per_base_dim
func.func @one_entry_per_base_dim(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c0: index, %off: index, %pad: f32) -> vector<16x8x2xf32> {
  // CHECK: transfer_gather %{{.*}}[%[[C0:.*]], %[[OFF:.*]], %[[C0]]] [%{{.*}} : vector<2xindex>, %{{.*}} : vector<8x16xindex>], %{{.*}} {indexing_maps = [#[[BASE]], #[[FIRST]], #[[SECOND]]]} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  %g = iree_vector_ext.transfer_gather %base[%c0, %off, %c0][None, %i0 : vector<2xindex>, %i1 : vector<8x16xindex>], %pad {
    indexed_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>],
    permutation_map = affine_map<(i, j, k) -> (k, j, i)>, in_bounds = [true, true, true]
  } : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return %g : vector<16x8x2xf32>
}

// VX-14
// CHECK-LABEL: func.func @published_spelling
func.func @published_spelling(%base: memref<8192x8x16xf32>, %i0: vector<16xindex>, %i1: vector<2x8xindex>, %c0: index, %pad: f32) -> vector<16x8x2xf32> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<16xindex>, %{{.*}} : vector<2x8xindex>], %{{.*}} {indexing_maps = [#[[PBASE]], #[[PFIRST]], #[[PSECOND]]]} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  %g = iree_vector_ext.transfer_gather %base[%c0, %c0, %c0](%i0, %i1), %pad {
    gather_dims = [0, 2], index_maps = [affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
    in_bounds = [true, true, true], permutation_map = affine_map<(i, j, k) -> (k, j, i)>
  } : memref<8192x8x16xf32> -> vector<16x8x2xf32>
  return %g : vector<16x8x2xf32>
}

// VX-14: without in_bounds every dim may leave the base; without a
// permutation map it is the minor identity.
// CHECK-LABEL: func.func @defaults
func.func @defaults(%base: memref<4x512x8xf32>, %rows: vector<16xindex>, %c0: index, %pad: f32) -> vector<16x8xf32> {
  // CHECK: {indexing_maps = {{.*}}, in_bounds = [false, false]} : memref<4x512x8xf32>, vector<16x8xf32>
  %g = iree_vector_ext.transfer_gather %base[%c0, %c0, %c0][None, %rows : vector<16xindex>, None], %pad {
    indexed_maps = [affine_map<(i, j, k) -> (j)>]
  } : memref<4x512x8xf32>, vector<16x8xf32>
  return %g : vector<16x8xf32>
}

// VX-14
// CHECK-LABEL: func.func @masks_are_over_the_slice
func.func @masks_are_over_the_slice(%base: memref<512x8xf32>, %rows: vector<4xindex>, %c0: index, %pad: f32, %m: vector<4x8xi1>) -> (vector<8x3x4xf32>, vector<8x3x4xf32>) {
  // CHECK: transfer_gather {{.*}} {indexing_maps = [#[[MBASE]], #[[MINDEX]], #[[MMASK]]]} : memref<512x8xf32>, vector<8x3x4xf32>, vector<4x8xi1>
  %0 = iree_vector_ext.transfer_gather %base[%c0, %c0][%rows : vector<4xindex>, None], %pad, %m {
    indexed_maps = [affine_map<(i, j) -> (i)>], permutation_map = affine_map<(i, j) -> (j, 0, i)>, in_bounds = [true, true, true]
  } : memref<512x8xf32>, vector<8x3x4xf32>, vector<4x8xi1>
  // The type of the mask follows from its map.
  // CHECK: transfer_gather {{.*}} : memref<512x8xf32>, vector<8x3x4xf32>, vector<4x8xi1>
  %1 = iree_vector_ext.transfer_gather %base[%c0, %c0][%rows : vector<4xindex>, None], %pad, %m {
    indexed_maps = [affine_map<(i, j) -> (i)>], permutation_map = affine_map<(i, j) -> (j, 0, i)>, in_bounds = [true, true, true]
  } : memref<512x8xf32>, vector<8x3x4xf32>
  return %0, %1 : vector<8x3x4xf32>, vector<8x3x4xf32>
}

// VX-14: nothing gathered.
// CHECK-LABEL: func.func @contiguous
func.func @contiguous(%base: memref<512x8xf32>, %c0: index, %pad: f32) -> (vector<8xf32>, vector<8xf32>) {
  // CHECK: transfer_gather %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} {indexing_maps = {{.*}}, in_bounds = [false]} : memref<512x8xf32>, vector<8xf32>
  %0 = iree_vector_ext.transfer_gather %base[%c0, %c0][None, None], %pad : memref<512x8xf32>, vector<8xf32>
  // CHECK: transfer_gather
  %1 = iree_vector_ext.transfer_gather %base[%c0, %c0], %pad : memref<512x8xf32>, vector<8xf32>
  return %0, %1 : vector<8xf32>, vector<8xf32>
}

// VX-14: the generic form is accepted, and prints as the unified one.
// CHECK-LABEL: func.func @generic_form
func.func @generic_form(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c0: index, %pad: f32) -> vector<16x8x2xf32> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<2xindex>, %{{.*}} : vector<8x16xindex>], %{{.*}} {indexing_maps = [#[[BASE]], #[[FIRST]], #[[SECOND]]]} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  %g = "iree_vector_ext.transfer_gather"(%base, %c0, %c0, %c0, %i0, %i1, %pad) {
    indexed = [false, true, true], indexed_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>],
    permutation_map = affine_map<(i, j, k) -> (k, j, i)>, in_bounds = [true, true, true],
    operandSegmentSizes = array<i32: 1, 3, 2, 1, 0>
  } : (memref<8192x8x16xf32>, index, index, index, vector<2xindex>, vector<8x16xindex>, f32) -> vector<16x8x2xf32>
  return %g : vector<16x8x2xf32>
}

// VX-14: which of two gathered dims of the base a vector dim lies along is one choice of two; defaults are written.
// CLASSIC-DAG: #[[PERMUTATION:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CLASSIC-DAG: #[[I:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CLASSIC-DAG: #[[JK:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CLASSIC-LABEL: func.func @one_entry_per_base_dim
// CLASSIC: transfer_gather %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}][None, %{{.*}} : vector<2xindex>, %{{.*}} : vector<8x16xindex>], %{{.*}} {indexed_maps = [#[[I]], #[[JK]]], permutation_map = #[[PERMUTATION]], in_bounds = [true, true, true]} : memref<8192x8x16xf32>, vector<16x8x2xf32>
// CLASSIC-LABEL: func.func @defaults
// CLASSIC: [None, %{{.*}} : vector<16xindex>, None], %{{.*}} {indexed_maps = [{{.*}}], permutation_map = {{.*}}, in_bounds = [false, false]}
// A gather of which an index value looks at more dims than base dims are gathered has no classic form.
// CLASSIC-LABEL: func.func @no_classic_form
// CLASSIC: transfer_gather %{{.*}}[%{{.*}}] [%{{.*}} : vector<4x8xindex>], %{{.*}} {indexing_maps =
// CHECK-LABEL: func.func @no_classic_form
func.func @no_classic_form(%base: memref<512xf32>, %at: vector<4x8xindex>, %c0: index, %pad: f32) -> vector<4x8xf32> {
  %g = iree_vector_ext.transfer_gather %base[%c0] [%at : vector<4x8xindex>], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, affine_map<(d0, d1)[s0] -> (d0, d1)>]
  } : memref<512xf32>, vector<4x8xf32>
  return %g : vector<4x8xf32>
}
