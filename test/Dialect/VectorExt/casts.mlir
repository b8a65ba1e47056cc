// RUN: distaff-opt %s | distaff-opt | FileCheck %s
// RUN: distaff-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

// VX-12
// CHECK-LABEL: func.func @casts_keep_their_types
func.func @casts_keep_their_types(%part: vector<1x2xf32>, %whole: vector<64xf32>) -> (vector<64xf32>, vector<1x2xf32>) {
  // CHECK: iree_vector_ext.to_simd %{{.*}} : vector<1x2xf32> -> vector<64xf32>
  %0 = iree_vector_ext.to_simd %part : vector<1x2xf32> -> vector<64xf32>
  // CHECK: iree_vector_ext.to_simt %{{.*}} : vector<64xf32> -> vector<1x2xf32>
  %1 = iree_vector_ext.to_simt %whole : vector<64xf32> -> vector<1x2xf32>
  return %0, %1 : vector<64xf32>, vector<1x2xf32>
}

// VX-12: any rank, and every lane may hold everything.
// CHECK-LABEL: func.func @rank_zero
func.func @rank_zero(%v: vector<f32>) -> vector<f32> {
  // CHECK: iree_vector_ext.to_simt %{{.*}} : vector<f32> -> vector<f32>
  %0 = iree_vector_ext.to_simt %v : vector<f32> -> vector<f32>
  return %0 : vector<f32>
}

// VX-12
// FOLD-LABEL: func.func @inverse_casts_fold
// FOLD-SAME: %[[PART:.*]]: vector<2xf32>, %[[WHOLE:.*]]: vector<64xf32>
func.func @inverse_casts_fold(%part: vector<2xf32>, %whole: vector<64xf32>) -> (vector<2xf32>, vector<64xf32>) {
  // FOLD-NEXT: return %[[PART]], %[[WHOLE]]
  %0 = iree_vector_ext.to_simd %part : vector<2xf32> -> vector<64xf32>
  %1 = iree_vector_ext.to_simt %0 : vector<64xf32> -> vector<2xf32>
  %2 = iree_vector_ext.to_simt %whole : vector<64xf32> -> vector<2xf32>
  %3 = iree_vector_ext.to_simd %2 : vector<2xf32> -> vector<64xf32>
  return %1, %3 : vector<2xf32>, vector<64xf32>
}

// VX-12
// FOLD-LABEL: func.func @casts_to_other_types_stay
func.func @casts_to_other_types_stay(%part: vector<2xf32>, %whole: vector<64xf32>) -> (vector<1x2xf32>, vector<8x8xf32>) {
  // FOLD: to_simd
  // FOLD: to_simt
  // FOLD: to_simt
  // FOLD: to_simd
  %0 = iree_vector_ext.to_simd %part : vector<2xf32> -> vector<64xf32>
  %1 = iree_vector_ext.to_simt %0 : vector<64xf32> -> vector<1x2xf32>
  %2 = iree_vector_ext.to_simt %whole : vector<64xf32> -> vector<2xf32>
  %3 = iree_vector_ext.to_simd %2 : vector<2xf32> -> vector<8x8xf32>
  return %1, %3 : vector<1x2xf32>, vector<8x8xf32>
}
