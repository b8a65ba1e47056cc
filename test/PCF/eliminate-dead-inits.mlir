// RUN: distaff-opt %s --pcf-eliminate-dead-inits | FileCheck %s
// RUN: distaff-opt %s --pcf-eliminate-dead-inits=assume-covering=false | FileCheck %s --check-prefix=PROVED

#wg = #iree_codegen.workgroup_scope
!R = !pcf.sref<8xi32, #wg>
!W = !pcf.sref<8xi32, sync(#wg)>
!D = !pcf.sref<?xi32, sync(#wg)>

// CHECK-LABEL: @rows
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8xi32>
// CHECK: pcf.loop {{.*}} execute(%{{.*}} <- %arg0 : tensor<8xi32>, %{{.*}} = %[[E]])
// PROVED-LABEL: @rows
// PROVED: = tensor.empty() : tensor<8xi32>
func.func @rows(%in: tensor<8xi32>, %first: tensor<8xi32>) -> tensor<8xi32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %r = pcf.loop scope(#wg) count(%c2) execute(%x <- %in : tensor<8xi32>, %o = %first)[%id: index] : (!R, !W) -> (tensor<8xi32>) {
    %at = arith.muli %id, %c4 : index
    %v = pcf.read_slice %x[%at] [4] [1] : !R to tensor<4xi32>
    pcf.write_slice %v into %o[%at] [4] [1] : tensor<4xi32> into !W
    pcf.return
  }
  return %r : tensor<8xi32>
}

// Half of it is not written, which only a proof sees.
// CHECK-LABEL: @half
// CHECK: tensor.empty
// PROVED-LABEL: @half
// PROVED-NOT: tensor.empty
func.func @half(%in: tensor<8xi32>, %first: tensor<8xi32>) -> tensor<8xi32> {
  %c1 = arith.constant 1 : index
  %r = pcf.loop scope(#wg) count(%c1) execute(%x <- %in : tensor<8xi32>, %o = %first)[%id: index] : (!R, !W) -> (tensor<8xi32>) {
    %v = pcf.read_slice %x[0] [4] [1] : !R to tensor<4xi32>
    pcf.write_slice %v into %o[0] [4] [1] : tensor<4xi32> into !W
    pcf.return
  }
  return %r : tensor<8xi32>
}

// What is read is seen, and a ref that nobody writes shows its first value.
// CHECK-LABEL: @seen
// CHECK-NOT: tensor.empty
func.func @seen(%first: tensor<8xi32>, %untouched: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %r:2 = pcf.loop scope(#wg) count(%c2) execute(%o = %first, %p = %untouched)[%id: index] : (!W, !W) -> (tensor<8xi32>, tensor<8xi32>) {
    %at = arith.muli %id, %c4 : index
    %v = pcf.read_slice %o[%at] [4] [1] : !W to tensor<4xi32>
    pcf.write_slice %v into %o[%at] [4] [1] : tensor<4xi32> into !W
    pcf.return
  }
  return %r#0, %r#1 : tensor<8xi32>, tensor<8xi32>
}

// Extents stay those of the init, and views are looked through.
// CHECK-LABEL: @dynamic
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: tensor.empty(%[[N]]) : tensor<?xi32>
// PROVED-LABEL: @dynamic
// PROVED-NOT: tensor.empty
func.func @dynamic(%first: tensor<?xi32>, %v: tensor<4xi32>) -> tensor<?xi32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %r = pcf.loop scope(#wg) count(%c2) execute(%o = %first)[%id: index] : (!D) -> (tensor<?xi32>) {
    %at = arith.muli %id, %c4 : index
    %view = pcf.subview %o[%at] [4] [1] : !D to !pcf.sref<4xi32, sync(#wg)>
    pcf.write_slice %v into %view[0] [4] [1] : tensor<4xi32> into !pcf.sref<4xi32, sync(#wg)>
    pcf.return
  }
  return %r : tensor<?xi32>
}
