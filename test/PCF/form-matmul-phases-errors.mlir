// RUN: distaff-opt %s -split-input-file -verify-diagnostics -distaff-form-matmul-phases

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
#cfg = #iree_gpu.lowering_config<{workgroup = [64, 64], reduction = [0, 0, 16]}>
!SG = !pcf.threadgroup<#sg>
!A = !pcf.sref<64x64xf32, #sg>

func.func @two_workgroup_tiles(%a: !A, %z: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    %x = pcf.read_slice %a[0, 0] [64, 64] [1, 1] : !A to tensor<64x64xf32>
    %e = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    // expected-error @+1 {{needs a workgroup and a reduction tile for each of 3 loops in its lowering_config}}
    %m = linalg.matmul {lowering_config = #cfg} ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    pcf.write_slice %m into %a[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !A
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], reduction = [0, 16]}>
!SG = !pcf.threadgroup<#sg>
!A = !pcf.sref<64x64xf32, #sg>

func.func @two_reduction_tiles(%a: !A, %z: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    %x = pcf.read_slice %a[0, 0] [64, 64] [1, 1] : !A to tensor<64x64xf32>
    %e = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    // expected-error @+1 {{needs a workgroup and a reduction tile for each of 3 loops in its lowering_config}}
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

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [16, 1, 1] subgroup_size = 16>
!TG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

#cfg = #iree_gpu.lowering_config<{workgroup = [16, 16, 0], reduction = [0, 0, 16]}>
!A = !pcf.sref<?x?xf32, #sg>
// A row of what is read is needed for one element of the operand.
func.func @softmax_of_a_slice(%a: !A, %b: !A, %out: !A, %z: f32, %n: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
      %x = pcf.read_slice %a[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
      %y = pcf.read_slice %b[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
      %e = tensor.empty() : tensor<16x16xf32>
      // expected-error @+1 {{an operand of the contraction is neither a slice that is read nor made of such}}
      %s = linalg.softmax dimension(1) ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
      %m = linalg.matmul {lowering_config = #cfg} ins(%s, %y : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
      pcf.write_slice %m into %out[0, 0] [16, 16] [1, 1] : tensor<16x16xf32> into !A
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [16, 1, 1] subgroup_size = 16>
!TG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

#cfg = #iree_gpu.lowering_config<{workgroup = [16, 16, 0], reduction = [0, 0, 16]}>
!A = !pcf.sref<?x?xf32, #sg>
// What an empty tensor holds is not read.
func.func @added_to_its_init(%a: !A, %b: !A, %out: !A, %z: f32, %n: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
      %x = pcf.read_slice %a[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
      %y = pcf.read_slice %b[0, 0] [16, 16] [1, 1] : !A to tensor<16x16xf32>
      // expected-error @+1 {{an operand of the contraction is neither a slice that is read nor made of such}}
      %e = tensor.empty() : tensor<16x16xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%x, %y : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) { ^bb0(%p: f32, %q: f32, %r: f32):
        %w = arith.addf %p, %r : f32
        linalg.yield %w : f32 } -> tensor<16x16xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
      %m = linalg.matmul {lowering_config = #cfg} ins(%s, %y : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
      pcf.write_slice %m into %out[0, 0] [16, 16] [1, 1] : tensor<16x16xf32> into !A
    pcf.return
  }
  return
}
