// RUN: distaff-opt %s -split-input-file -verify-diagnostics -distaff-form-flow

#sg = #iree_gpu.subgroup_scope
!SG = !pcf.threadgroup<#sg>

func.func @no_contraction() {
  // expected-error @+1 {{has no contraction; phases are formed for matrix products}}
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!SG = !pcf.threadgroup<#sg>
!A = !pcf.sref<64x64xf32, #sg>

func.func @no_config(%a: !A, %z: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    %x = pcf.read_slice %a[0, 0] [64, 64] [1, 1] : !A to tensor<64x64xf32>
    %e = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    // expected-error @+1 {{has no lowering_config; configure gives it one}}
    %m = linalg.matmul ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    pcf.write_slice %m into %a[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !A
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], reduction = [0, 0, 0]}>
!SG = !pcf.threadgroup<#sg>
!A = !pcf.sref<64x64xf32, #sg>

func.func @no_reduction_tile(%a: !A, %z: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    %x = pcf.read_slice %a[0, 0] [64, 64] [1, 1] : !A to tensor<64x64xf32>
    %e = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    // expected-error @+1 {{has no reduction tile for loop 2 in its lowering_config}}
    %m = linalg.matmul {lowering_config = #cfg} ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    pcf.write_slice %m into %a[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !A
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], reduction = [0, 0, 16]}>
!SG = !pcf.threadgroup<#sg>
!A = !pcf.sref<64x64xf32, #sg>

func.func @operand_is_moved(%a: !A, %z: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    %x = pcf.read_slice %a[0, 0] [64, 64] [1, 1] : !A to tensor<64x64xf32>
    // expected-error @+1 {{an operand of the contraction is neither a slice that is read nor made of such, element by element}}
    %y = tensor.insert_slice %x into %x[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<64x64xf32>
    %e = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    %m = linalg.matmul {lowering_config = #cfg} ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    pcf.write_slice %m into %a[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !A
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], reduction = [0, 0, 16]}>
!SG = !pcf.threadgroup<#sg>
!A = !pcf.sref<64x64xf32, #sg>

func.func @accumulates(%a: !A) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    %x = pcf.read_slice %a[0, 0] [64, 64] [1, 1] : !A to tensor<64x64xf32>
    // expected-error @+1 {{adds to a tensor that is not filled in the workgroup; phases begin with a fill}}
    %m = linalg.matmul {lowering_config = #cfg} ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
    pcf.write_slice %m into %a[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !A
    pcf.return
  }
  return
}
