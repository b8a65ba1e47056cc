// RUN: distaff-opt %s --distaff-distribute --split-input-file | FileCheck %s

// Lanes exchange elements, all of one round in one op; an index has the width that
// gpu.shuffle knows. lower-lane-exchange makes words of them.
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#five = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [5], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
// CHECK-LABEL: func.func @sum_of_f16
// CHECK-COUNT-4: gpu.shuffle idx %{{.*}} : f16
// CHECK-NOT: gpu.shuffle
func.func @sum_of_f16(%m: memref<5xf16>, %o: memref<f16>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<5xf16>, vector<5xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#five) : vector<5xf16>
  %2 = vector.multi_reduction <add>, %1, %z [0] : vector<5xf16> to f16
  memref.store %2, %o[] : memref<f16>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#five = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [5], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
// CHECK-LABEL: func.func @sum_of_i8
// CHECK-COUNT-4: gpu.shuffle idx %{{.*}} : i8
// CHECK-NOT: gpu.shuffle
func.func @sum_of_i8(%m: memref<5xi8>, %o: memref<i8>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i8
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<5xi8>, vector<5xi8>
  %1 = iree_vector_ext.to_layout %0 to layout(#five) : vector<5xi8>
  %2 = vector.multi_reduction <add>, %1, %z [0] : vector<5xi8> to i8
  memref.store %2, %o[] : memref<i8>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#five = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [5], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
// CHECK-LABEL: func.func @sum_of_bf16
// CHECK-COUNT-4: gpu.shuffle idx %{{.*}} : bf16
// CHECK-NOT: gpu.shuffle
func.func @sum_of_bf16(%m: memref<5xbf16>, %o: memref<bf16>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : bf16
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<5xbf16>, vector<5xbf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#five) : vector<5xbf16>
  %2 = vector.multi_reduction <add>, %1, %z [0] : vector<5xbf16> to bf16
  memref.store %2, %o[] : memref<bf16>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#five = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [5], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
// CHECK-LABEL: func.func @sum_of_f32
// CHECK-COUNT-4: gpu.shuffle idx %{{.*}} : f32
// CHECK-NOT: gpu.shuffle
func.func @sum_of_f32(%m: memref<5xf32>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<5xf32>, vector<5xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#five) : vector<5xf32>
  %2 = vector.multi_reduction <add>, %1, %z [0] : vector<5xf32> to f32
  memref.store %2, %o[] : memref<f32>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#five = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [5], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
// CHECK-LABEL: func.func @sum_of_i32
// CHECK-COUNT-4: gpu.shuffle idx %{{.*}} : i32
// CHECK-NOT: gpu.shuffle
func.func @sum_of_i32(%m: memref<5xi32>, %o: memref<i32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<5xi32>, vector<5xi32>
  %1 = iree_vector_ext.to_layout %0 to layout(#five) : vector<5xi32>
  %2 = vector.multi_reduction <add>, %1, %z [0] : vector<5xi32> to i32
  memref.store %2, %o[] : memref<i32>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#five = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [5], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
// CHECK-LABEL: func.func @sum_of_f64
// CHECK-COUNT-4: gpu.shuffle idx %{{.*}} : f64
// CHECK-NOT: gpu.shuffle
func.func @sum_of_f64(%m: memref<5xf64>, %o: memref<f64>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f64
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<5xf64>, vector<5xf64>
  %1 = iree_vector_ext.to_layout %0 to layout(#five) : vector<5xf64>
  %2 = vector.multi_reduction <add>, %1, %z [0] : vector<5xf64> to f64
  memref.store %2, %o[] : memref<f64>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#five = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [5], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
// CHECK-LABEL: func.func @sum_of_index
// CHECK-COUNT-4: gpu.shuffle idx %{{.*}} : i64
// CHECK-NOT: gpu.shuffle
func.func @sum_of_index(%m: memref<5xindex>, %o: memref<index>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<5xindex>, vector<5xindex>
  %1 = iree_vector_ext.to_layout %0 to layout(#five) : vector<5xindex>
  %2 = vector.multi_reduction <add>, %1, %z [0] : vector<5xindex> to index
  memref.store %2, %o[] : memref<index>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [3, 1], outer_tile = [1, 1], thread_tile = [1, 5], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>
// CHECK-LABEL: func.func @three_sums_of_f16
// CHECK-COUNT-4: gpu.shuffle idx %{{.*}} : vector<3xf16>
// CHECK-NOT: gpu.shuffle
func.func @three_sums_of_f16(%m: memref<3x5xf16>, %o: memref<3xf16>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %i = arith.constant dense<0.0> : vector<3xf16>
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<3x5xf16>, vector<3x5xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<3x5xf16>
  %2 = vector.multi_reduction <add>, %1, %i [1] : vector<3x5xf16> to vector<3xf16>
  vector.transfer_write %2, %o[%c0] {in_bounds = [true]} : vector<3xf16>, memref<3xf16>
  return
}

// -----

// Three rounds over five lanes and what is below: four exchanges, of two rows
// each; nobody reads the totals.
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 1], outer_tile = [1, 1], thread_tile = [1, 5], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>
// CHECK-LABEL: func.func @two_scans_of_f16
// CHECK-COUNT-4: gpu.shuffle idx %{{.*}} : vector<2xf16>
// CHECK-NOT: gpu.shuffle
func.func @two_scans_of_f16(%m: memref<2x5xf16>, %o: memref<2x5xf16>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %i = arith.constant dense<0.0> : vector<2xf16>
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<2x5xf16>, vector<2x5xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<2x5xf16>
  %2:2 = vector.scan <add>, %1, %i {inclusive = true, reduction_dim = 1 : i64} : vector<2x5xf16>, vector<2xf16>
  vector.transfer_write %2#0, %o[%c0, %c0] {in_bounds = [true, true]} : vector<2x5xf16>, memref<2x5xf16>
  return
}
