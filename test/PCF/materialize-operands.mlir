// RUN: distaff-opt %s -pcf-materialize-operands | FileCheck %s
// RUN: distaff-opt %s -pcf-materialize-operands -pcf-materialize-operands | FileCheck %s
// RUN: distaff-opt %s -pcf-materialize-operands=scope=#iree_gpu.lane_scope | FileCheck %s --check-prefix=LANES

// What members share out and an op needs whole goes through memory (PCF-150).

#sg = #iree_gpu.subgroup_scope
#ln = #iree_gpu.lane_scope
#L4 = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!A = !pcf.sref<16x16xf32, #sg>
!S = !pcf.sref<16xf32, #sg>
!TG = !pcf.threadgroup<#sg>

// The product's boxes are written, and whole rows read; what else the phase behind uses is read again.
// CHECK-LABEL: @sum_of_product
// CHECK: pcf.shared_executor
// CHECK:   pcf.alloc() : !sref_16x16xf32_subgroup
// CHECK: -> (%[[PANEL:.*]]: !sref_16x16xf32_subgroup)
// CHECK: %[[P:.*]] = linalg.matmul
// CHECK-NEXT: pcf.write_slice %[[P]] into %[[PANEL]][0, 0] [16, 16] [1, 1]
// CHECK: %[[Q:.*]] = pcf.read_slice %[[PANEL]][0, 0] [16, 16] [1, 1]
// CHECK: %[[A:.*]] = pcf.read_slice %arg0
// CHECK: linalg.reduce { arith.addf } ins(%[[Q]]
// CHECK: arith.addf %[[Q]], %{{.*}}
// CHECK: arith.addf %{{.*}}, %[[A]]
// LANES-LABEL: @sum_of_product
// LANES-NOT: pcf.alloc
// LANES: return
func.func @sum_of_product(%x: !A, %out: !S, %zero: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %a = pcf.read_slice %x[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
    %b = pcf.read_slice %x[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
    %e = tensor.empty() : tensor<16x16xf32>
    %e1 = tensor.empty() : tensor<16xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
    %p = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
    %s = linalg.reduce { arith.addf } ins(%p : tensor<16x16xf32>) outs(%z1 : tensor<16xf32>) dimensions = [1]
    %t = linalg.broadcast ins(%s : tensor<16xf32>) outs(%e : tensor<16x16xf32>) dimensions = [1]
    %u = arith.addf %p, %t : tensor<16x16xf32>
    %v = arith.addf %u, %a : tensor<16x16xf32>
    %w = linalg.reduce { arith.addf } ins(%v : tensor<16x16xf32>) outs(%z1 : tensor<16xf32>) dimensions = [1]
    pcf.write_slice %w into %out[0] [16] [1] : tensor<16xf32> into !S
    pcf.return
  }
  return
}

// Rows alone: members share out rows, and nothing is written.
// CHECK-LABEL: @rows_alone
// CHECK-NOT: pcf.alloc
// CHECK: return
func.func @rows_alone(%x: !A, %out: !A, %zero: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %a = pcf.read_slice %x[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
    %e = tensor.empty() : tensor<16x16xf32>
    %e1 = tensor.empty() : tensor<16xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16xf32>) -> tensor<16xf32>
    %s = linalg.reduce { arith.addf } ins(%a : tensor<16x16xf32>) outs(%z1 : tensor<16xf32>) dimensions = [1]
    %t = linalg.broadcast ins(%s : tensor<16xf32>) outs(%e : tensor<16x16xf32>) dimensions = [1]
    %u = arith.addf %a, %t : tensor<16x16xf32>
    pcf.write_slice %u into %out[0, 0] [16, 16] [1, 1] : tensor<16x16xf32> into !A
    pcf.return
  }
  return
}

// A matrix times itself, and what turns round: read once for each.
// CHECK-LABEL: @read_twice
// CHECK-NOT: pcf.alloc
// CHECK: %[[A:.*]] = pcf.read_slice %arg0
// CHECK: %[[B:.*]] = pcf.read_slice %arg0
// CHECK: linalg.matmul ins(%[[B]], %[[A]] :
func.func @read_twice(%x: !A, %out: !A, %zero: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %a = pcf.read_slice %x[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
    %e = tensor.empty() : tensor<16x16xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
    %p = linalg.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
    pcf.write_slice %p into %out[0, 0] [16, 16] [1, 1] : tensor<16x16xf32> into !A
    pcf.return
  }
  return
}

// Lanes have no memory of their own: each subgroup has a slot.
// CHECK-LABEL: @slots
// LANES-LABEL: @slots
// LANES: pcf.generic
// LANES:   pcf.alloc() : !sref_64x16xf32_subgroup
// LANES: -> (%[[PANEL:.*]]: !sref_64x16xf32_subgroup) execute(%{{.*}})[%[[ID:.*]]: index, %{{.*}}: index]
// LANES: %[[AT:.*]] = affine.apply #{{.*}}(%[[ID]])
// LANES: %[[P:.*]] = linalg.matmul
// LANES-NEXT: pcf.write_slice %[[P]] into %[[PANEL]][%[[AT]], 0] [16, 16] [1, 1]
// LANES: pcf.read_slice %[[PANEL]][%[[AT]], 0] [16, 16] [1, 1]
// LANES: linalg.matmul
func.func @slots(%in: tensor<16x16xf32>, %out: tensor<64x16xf32>, %zero: f32) -> tensor<64x16xf32> attributes {translation_info = #L4} {
  %r = pcf.generic scope(#sg)
    execute(%x <- %in : tensor<16x16xf32>, %o = %out)[%id: index, %n: index] : (!A, !pcf.sref<64x16xf32, sync(#sg)>) -> (tensor<64x16xf32>) {
    %c16 = arith.constant 16 : index
    %at = arith.muli %id, %c16 : index
    pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
      %a = pcf.read_slice %x[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
      %b = pcf.read_slice %x[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
      %e = tensor.empty() : tensor<16x16xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
      %p = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
      %q = linalg.matmul ins(%p, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
      pcf.write_slice %q into %o[%at, 0] [16, 16] [1, 1] : tensor<16x16xf32> into !pcf.sref<64x16xf32, sync(#sg)>
      pcf.return
    }
    pcf.return
  }
  return %r : tensor<64x16xf32>
}
