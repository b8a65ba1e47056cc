// RUN: distaff-opt %s -allow-unregistered-dialect > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --mlir-print-op-generic | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --emit-bytecode | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: FileCheck %s < %t.once

// Reads and writes of slices, static, dynamic, mixed, of rank 0 (PCF-14).

!ref = !pcf.sref<4x?xf32, #pcf.sequential>
!sync = !pcf.sref<4x8xf32, sync(#pcf.sequential)>
!scalar = !pcf.sref<f32, #pcf.sequential>

// CHECK-LABEL: @static_lists
// CHECK: %[[V:.*]] = pcf.read_slice %{{.*}}[1, 2] [2, 3] [1, 2] : !sref_4x8xf32_sync_sequential to vector<2x3xf32>
// CHECK: pcf.write_slice %[[V]] into %{{.*}}[1, 2] [2, 3] [1, 2] : vector<2x3xf32> into !sref_4x8xf32_sync_sequential
// CHECK: pcf.get_memref %{{.*}}[0, 0] [4, 8] [1, 1] : !sref_4x8xf32_sync_sequential to memref<4x8xf32, strided<[?, ?], offset: ?>>
func.func @static_lists(%r: !sync) {
  %v = pcf.read_slice %r[1, 2] [2, 3] [1, 2] : !sync to vector<2x3xf32>
  pcf.write_slice %v into %r[1, 2] [2, 3] [1, 2] : vector<2x3xf32> into !sync
  %m = pcf.get_memref %r[0, 0] [4, 8] [1, 1] : !sync to memref<4x8xf32, strided<[?, ?], offset: ?>>
  return
}

// CHECK-LABEL: @mixed_lists
// CHECK-SAME: %[[R:.*]]: !sref_4xDxf32_sequential, %[[I:.*]]: index, %[[S:.*]]: index, %[[T:.*]]: index
// CHECK: %[[X:.*]] = pcf.read_slice %[[R]][%[[I]], 0] [1, %[[S]]] [1, %[[T]]] {a} : !sref_4xDxf32_sequential to tensor<1x?xf32>
// CHECK: pcf.write_slice %[[X]] into %[[R]][0, %[[I]]] [%[[S]], %[[S]]] [%[[T]], 1] {b} : tensor<1x?xf32> into !sref_4xDxf32_sequential
// CHECK: pcf.get_memref %[[R]][%[[I]], %[[I]]] [2, %[[S]]] [1, -1] {c} : !sref_4xDxf32_sequential to memref<2x?xf32, strided<[?, ?], offset: ?>>
func.func @mixed_lists(%r: !ref, %i: index, %s: index, %t: index) {
  %x = pcf.read_slice %r[%i, 0] [1, %s] [1, %t] {a} : !ref to tensor<1x?xf32>
  pcf.write_slice %x into %r[0, %i] [%s, %s] [%t, 1] {b} : tensor<1x?xf32> into !ref
  %m = pcf.get_memref %r[%i, %i] [2, %s] [1, -1] {c} : !ref to memref<2x?xf32, strided<[?, ?], offset: ?>>
  return
}

// CHECK-LABEL: @rank_0
// CHECK: pcf.read_slice %{{.*}}[] [] [] : !sref_f32_sequential to tensor<f32>
// CHECK: pcf.read_slice %{{.*}}[] [] [] : !sref_f32_sequential to vector<f32>
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[] [] [] : vector<f32> into !sref_f32_sequential
// CHECK: pcf.get_memref %{{.*}}[] [] [] : !sref_f32_sequential to memref<f32, strided<[], offset: ?>>
func.func @rank_0(%r: !scalar) {
  %x = pcf.read_slice %r[] [] [] : !scalar to tensor<f32>
  %v = pcf.read_slice %r[] [] [] : !scalar to vector<f32>
  pcf.write_slice %v into %r[] [] [] : vector<f32> into !scalar
  %m = pcf.get_memref %r[] [] [] : !scalar to memref<f32, strided<[], offset: ?>>
  return
}

// PCF-26: a vector may be larger than the slice, when it is read and written;
// a source that is static may be as large as a size that is not known.
// CHECK-LABEL: @larger_vectors
func.func @larger_vectors(%r: !sync, %n: index, %m: memref<2x?xf32>) {
  %v = pcf.read_slice %r[3, 5] [1, 3] [1, 1] : !sync to vector<4x4xf32>
  pcf.write_slice %v into %r[3, 5] [1, 3] [1, 1] : vector<4x4xf32> into !sync
  %w = pcf.read_slice %r[0, 0] [%n, %n] [1, 1] : !sync to vector<2x2xf32>
  pcf.write_slice %w into %r[0, 0] [%n, %n] [1, 1] : vector<2x2xf32> into !sync
  pcf.write_slice %m into %r[0, 0] [%n, 3] [1, 1] : memref<2x?xf32> into !sync
  return
}

// PCF-27: a slice of size 0 is nowhere.
// CHECK-LABEL: @empty_slices_may_be_anywhere
func.func @empty_slices_may_be_anywhere(%r: !sync) {
  %x = pcf.read_slice %r[77, 5] [0, 3] [1, 1] : !sync to tensor<0x3xf32>
  %v = pcf.read_slice %r[0, 55] [2, 0] [9, 1] : !sync to vector<2x1xf32>
  pcf.write_slice %v into %r[77, 0] [2, 0] [1, 1] : vector<2x1xf32> into !sync
  return
}

// The last element counts, not offset + size * stride.
// CHECK-LABEL: @strided_slices_end_at_the_extent
func.func @strided_slices_end_at_the_extent(%r: !sync, %v: vector<2x3xf32>) {
  pcf.write_slice %v into %r[1, 1] [2, 3] [2, 3] : vector<2x3xf32> into !sync
  pcf.write_slice %v into %r[3, 7] [2, 3] [-3, -3] : vector<2x3xf32> into !sync
  return
}

// Tensors and memrefs of any scope's ref; types print as aliases.
// CHECK-LABEL: @other_scopes
// CHECK: pcf.read_slice %{{.*}}[0] [8] [1] : !sref_8xi8_workgrouplinearize to tensor<8xi8>
func.func @other_scopes(%r: !pcf.sref<8xi8, #iree_codegen.workgroup_scope<linearize>>) {
  %v = pcf.read_slice %r[0] [8] [1] : !pcf.sref<8xi8, #iree_codegen.workgroup_scope<linearize>> to tensor<8xi8>
  return
}
