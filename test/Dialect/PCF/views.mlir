// RUN: distaff-opt %s -allow-unregistered-dialect > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --mlir-print-op-generic | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --emit-bytecode | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: FileCheck %s < %t.once

// Views (PCF-14, PCF-28).

!ref = !pcf.sref<4x8xf32, sync(#pcf.sequential)>
!dynamic = !pcf.sref<?x?xf32, #pcf.sequential>

// CHECK-LABEL: @subviews
// CHECK-SAME: %[[R:.*]]: !sref_4x8xf32_sync_sequential, %[[I:.*]]: index, %[[N:.*]]: index
// CHECK: pcf.subview %[[R]][1, 2] [2, 3] [1, 2] : !sref_4x8xf32_sync_sequential to !sref_2x3xf32_sync_sequential
// CHECK: pcf.subview %[[R]][%[[I]], 0] [1, %[[N]]] [1, %[[N]]] {a} : !sref_4x8xf32_sync_sequential to !sref_1xDxf32_sync_sequential
// CHECK: pcf.subview %[[R]][%[[I]], 0] [1, %[[N]]] [1, 1] : !sref_4x8xf32_sync_sequential to !sref_Dxf32_sync_sequential
// CHECK: pcf.subview %[[R]][%[[I]], 7] [1, 1] [1, 1] : !sref_4x8xf32_sync_sequential to !sref_f32_sync_sequential
func.func @subviews(%r: !ref, %i: index, %n: index) {
  %a = pcf.subview %r[1, 2] [2, 3] [1, 2] : !ref to !pcf.sref<2x3xf32, sync(#pcf.sequential)>
  %b = pcf.subview %r[%i, 0] [1, %n] [1, %n] {a} : !ref to !pcf.sref<1x?xf32, sync(#pcf.sequential)>
  %c = pcf.subview %r[%i, 0] [1, %n] [1, 1] : !ref to !pcf.sref<?xf32, sync(#pcf.sequential)>
  %d = pcf.subview %r[%i, 7] [1, 1] [1, 1] : !ref to !pcf.sref<f32, sync(#pcf.sequential)>
  return
}

// CHECK-LABEL: @subview_of_rank_0
// CHECK: pcf.subview %{{.*}}[] [] [] : !sref_f32_sequential to !sref_f32_sequential
func.func @subview_of_rank_0(%r: !pcf.sref<f32, #pcf.sequential>) {
  %a = pcf.subview %r[] [] [] : !pcf.sref<f32, #pcf.sequential> to !pcf.sref<f32, #pcf.sequential>
  return
}

// CHECK-LABEL: @expand_shapes
// CHECK: pcf.expand_shape %{{.*}} {{\[\[}}0, 1], [2, 3, 4]] : !sref_4x8xf32_sync_sequential into !sref_2x2x1x4x2xf32_sync_sequential
// CHECK: pcf.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [%{{.*}}, 16, %{{.*}}] {a} : !sref_DxDxf32_sequential into !sref_Dx16xDxf32_sequential
// CHECK: pcf.expand_shape %{{.*}} [] : !sref_f32_sequential into !sref_1x1xf32_sequential
func.func @expand_shapes(%r: !ref, %d: !dynamic, %s: !pcf.sref<f32, #pcf.sequential>, %n: index) {
  %a = pcf.expand_shape %r [[0, 1], [2, 3, 4]] : !ref into !pcf.sref<2x2x1x4x2xf32, sync(#pcf.sequential)>
  %b = pcf.expand_shape %d [[0, 1], [2]] output_shape [%n, 16, %n] {a} : !dynamic into !pcf.sref<?x16x?xf32, #pcf.sequential>
  %c = pcf.expand_shape %s [] : !pcf.sref<f32, #pcf.sequential> into !pcf.sref<1x1xf32, #pcf.sequential>
  return
}

// A group without elements may have any other factors.
// CHECK-LABEL: @expand_nothing
func.func @expand_nothing(%r: !pcf.sref<0x4xf32, #pcf.sequential>) {
  %a = pcf.expand_shape %r [[0, 1], [2]] : !pcf.sref<0x4xf32, #pcf.sequential> into !pcf.sref<5x0x4xf32, #pcf.sequential>
  return
}
