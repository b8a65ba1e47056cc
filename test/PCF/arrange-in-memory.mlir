// RUN: distaff-opt %s -pcf-arrange-in-memory | FileCheck %s
// RUN: distaff-opt %s -pcf-arrange-in-memory=scope=#iree_gpu.lane_scope | FileCheck %s --check-prefix=LANES

// What arranges elements anew goes through memory (PCF-176), windows become slices (PCF-177), and
// elements are loaded (PCF-178). Values are in test/Execution/PCF/arranged.test.

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<7x9xi32, #sg>
!O = !pcf.sref<63xi32, #sg>
!TG = !pcf.threadgroup<#sg>

// Offsets are composed where the memory is only read: %x is an argument of the executor.
// CHECK-LABEL: @slice_of_slice
// CHECK-NOT: pcf.alloc
// CHECK: pcf.read_slice %{{.*}}[3, 5] [2, 2] [1, 2] : {{.*}} to tensor<2x2xi32>
// CHECK-NOT: tensor.extract_slice
// LANES-LABEL: @slice_of_slice
// LANES: tensor.extract_slice
func.func @slice_of_slice(%in: tensor<7x9xi32>, %out: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %r = pcf.shared_executor scope(#sg) execute(%x <- %in : tensor<7x9xi32>, %o = %out)[%tg: !TG]
      : (!A, !pcf.sref<2x2xi32, sync(#sg)>) -> (tensor<2x2xi32>) {
    %a = pcf.read_slice %x[1, 1] [5, 8] [1, 1] : !A to tensor<5x8xi32>
    %b = tensor.extract_slice %a[2, 4] [2, 2] [1, 2] : tensor<5x8xi32> to tensor<2x2xi32>
    pcf.write_slice %b into %o[0, 0] [2, 2] [1, 1] : tensor<2x2xi32> into !pcf.sref<2x2xi32, sync(#sg)>
    pcf.return
  }
  return %r : tensor<2x2xi32>
}

// A computed tensor is written where it is made; a dimension that is dropped is one of a view.
// CHECK-LABEL: @row_of_sum
// CHECK: pcf.alloc() : !sref_7x9xi32_subgroup
// CHECK: -> (%[[M:.*]]: !sref_7x9xi32_subgroup)
// CHECK: %[[D:.*]] = arith.addi
// CHECK-NEXT: pcf.write_slice %[[D]] into %[[M]][0, 0] [7, 9] [1, 1]
// CHECK: %[[V:.*]] = pcf.subview %[[M]][2, 0] [1, 9] [1, 1]
// CHECK: pcf.read_slice %[[V]][0] [9] [1]
func.func @row_of_sum(%x: !A, %out: !O) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %a = pcf.read_slice %x[0, 0] [7, 9] [1, 1] : !A to tensor<7x9xi32>
    %d = arith.addi %a, %a : tensor<7x9xi32>
    %b = tensor.extract_slice %d[2, 0] [1, 9] [1, 1] : tensor<7x9xi32> to tensor<9xi32>
    pcf.write_slice %b into %out[0] [9] [1] : tensor<9xi32> into !O
    pcf.return
  }
  return
}

// The padding, then what it surrounds.
// CHECK-LABEL: @pad
// CHECK: %[[P:.*]] = arith.constant dense<3> : tensor<9x11xi32>
// CHECK: pcf.write_slice %[[P]] into %[[M:.*]][0, 0] [9, 11] [1, 1]
// CHECK: pcf.write_slice %{{.*}} into %[[M]][1, 2] [7, 9] [1, 1]
// CHECK: pcf.read_slice %[[M]][0, 0] [9, 11] [1, 1]
func.func @pad(%x: !A, %out: !pcf.sref<9x11xi32, #sg>, %three: i32) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %a = pcf.read_slice %x[0, 0] [7, 9] [1, 1] : !A to tensor<7x9xi32>
    %b = tensor.pad %a low[1, 2] high[1, 0] {
    ^bb0(%i: index, %j: index):
      %c = arith.constant 3 : i32
      tensor.yield %c : i32
    } : tensor<7x9xi32> to tensor<9x11xi32>
    pcf.write_slice %b into %out[0, 0] [9, 11] [1, 1] : tensor<9x11xi32> into !pcf.sref<9x11xi32, #sg>
    pcf.return
  }
  return
}

// Memory in one shape, written as another.
// CHECK-LABEL: @collapse
// CHECK: pcf.alloc() : !sref_63xi32_subgroup
// CHECK: %[[V:.*]] = pcf.expand_shape %[[M:[a-z0-9]+]] {{\[}}[0, 1]] : !sref_63xi32_subgroup into !sref_7x9xi32_subgroup
// CHECK: pcf.write_slice %{{.*}} into %[[V]][0, 0] [7, 9] [1, 1]
// CHECK: pcf.read_slice %[[M]][0] [63] [1]
func.func @collapse(%x: !A, %out: !O) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %a = pcf.read_slice %x[0, 0] [7, 9] [1, 1] : !A to tensor<7x9xi32>
    %b = tensor.collapse_shape %a [[0, 1]] : tensor<7x9xi32> into tensor<63xi32>
    pcf.write_slice %b into %out[0] [63] [1] : tensor<63xi32> into !O
    pcf.return
  }
  return
}

// A window of 2 is two ops, in order; the filter's elements are numbers.
// CHECK-LABEL: @window
// CHECK-NOT: to tensor<7xi32>
// CHECK: %[[A0:.*]] = pcf.read_slice %{{.*}}[0] [6] [1] : {{.*}} to tensor<6xi32>
// CHECK: pcf.get_memref %{{.*}}[0] [1] [1]
// CHECK: %[[F0:.*]] = memref.load
// CHECK: %[[R0:.*]] = linalg.generic {{.*}} ins(%[[A0]], %[[F0]] : tensor<6xi32>, i32)
// CHECK: %[[A1:.*]] = pcf.read_slice %{{.*}}[1] [6] [1] : {{.*}} to tensor<6xi32>
// CHECK: pcf.get_memref %{{.*}}[1] [1] [1]
// CHECK: %[[F1:.*]] = memref.load
// CHECK: linalg.generic {{.*}} ins(%[[A1]], %[[F1]] : tensor<6xi32>, i32) outs(%[[R0]] : tensor<6xi32>)
func.func @window(%in: tensor<7xi32>, %filter: tensor<2xi32>, %out: tensor<6xi32>, %zero: i32) -> tensor<6xi32> {
  %r = pcf.shared_executor scope(#sg) execute(%x <- %in : tensor<7xi32>, %f <- %filter : tensor<2xi32>, %o = %out)[%tg: !TG]
      : (!pcf.sref<7xi32, #sg>, !pcf.sref<2xi32, #sg>, !pcf.sref<6xi32, sync(#sg)>) -> (tensor<6xi32>) {
    %a = pcf.read_slice %x[0] [7] [1] : !pcf.sref<7xi32, #sg> to tensor<7xi32>
    %b = pcf.read_slice %f[0] [2] [1] : !pcf.sref<2xi32, #sg> to tensor<2xi32>
    %e = tensor.empty() : tensor<6xi32>
    %z = linalg.fill ins(%zero : i32) outs(%e : tensor<6xi32>) -> tensor<6xi32>
    %c = linalg.conv_1d ins(%a, %b : tensor<7xi32>, tensor<2xi32>) outs(%z : tensor<6xi32>) -> tensor<6xi32>
    pcf.write_slice %c into %o[0] [6] [1] : tensor<6xi32> into !pcf.sref<6xi32, sync(#sg)>
    pcf.return
  }
  return %r : tensor<6xi32>
}
