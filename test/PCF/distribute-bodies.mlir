// RUN: distaff-opt %s -split-input-file -pcf-distribute='impl=#pcf.tensor_tiling<workers=[4,4]>' | FileCheck %s

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [16, 1, 1] subgroup_size = 16>
!TG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

// A condition of all elements is no tensor.
// CHECK-LABEL: func.func @scalar_condition
// CHECK: arith.select %arg1, %{{.*}}, %{{.*}} : tensor<16x16xf32>
func.func @scalar_condition(%c: f32, %b: i1, %n: index, %out: !pcf.sref<?x?xf32, #ln>, %in: !pcf.sref<?x?xf32, #ln>, %m: memref<64x64xf32>, %o1: !pcf.sref<?xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
 %x = pcf.read_slice %in[0,0][64,64][1,1] : !pcf.sref<?x?xf32, #ln> to tensor<64x64xf32>
 %y = arith.negf %x : tensor<64x64xf32>
 %s = arith.select %b, %x, %y : tensor<64x64xf32>
 pcf.write_slice %s into %out[0,0][64,64][1,1] : tensor<64x64xf32> into !pcf.sref<?x?xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
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

// One constant is made anew for each operand, in the box that it wants.
// CHECK-LABEL: func.func @constant_twice
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<16x64xf32>, tensor<64x16xf32>) outs(%{{.*}} : tensor<16x16xf32>)
func.func @constant_twice(%c: f32, %b: i1, %n: index, %out: !pcf.sref<?x?xf32, #ln>, %in: !pcf.sref<?x?xf32, #ln>, %m: memref<64x64xf32>, %o1: !pcf.sref<?xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
 %k = arith.constant dense<2.0> : tensor<64x64xf32>
 %e = tensor.empty() : tensor<64x64xf32>
 %z = linalg.fill ins(%c : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
 %s = linalg.matmul ins(%k, %k : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
 pcf.write_slice %s into %out[0,0][64,64][1,1] : tensor<64x64xf32> into !pcf.sref<?x?xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
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

// What is not split keeps its padding.
// CHECK-LABEL: func.func @pad_of_unknown_extent
// CHECK: tensor.pad %{{.*}} low[0, 0] high[%arg2, 3]
func.func @pad_of_unknown_extent(%c: f32, %b: i1, %n: index, %out: !pcf.sref<?x?xf32, #ln>, %in: !pcf.sref<?x?xf32, #ln>, %m: memref<64x64xf32>, %o1: !pcf.sref<?xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
 %x = pcf.read_slice %in[0,0][%n,%n][1,1] : !pcf.sref<?x?xf32, #ln> to tensor<?x?xf32>
 %p = tensor.pad %x low[0,0] high[%n,3] { ^bb0(%i: index, %j: index): tensor.yield %c : f32 } : tensor<?x?xf32> to tensor<?x?xf32>
 %n2 = arith.addi %n, %n : index
 %c3 = arith.constant 3 : index
 %n3 = arith.addi %n, %c3 : index
 pcf.write_slice %p into %out[0,0][%n2,%n3][1,1] : tensor<?x?xf32> into !pcf.sref<?x?xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
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

// A loop may be of the second result alone.
// CHECK-LABEL: func.func @loop_of_second_result
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<16x16xf32>) outs(%{{.*}}, %{{.*}} : tensor<16xf32>, tensor<16x16xf32>)
func.func @loop_of_second_result(%c: f32, %b: i1, %n: index, %out: !pcf.sref<?x?xf32, #ln>, %in: !pcf.sref<?x?xf32, #ln>, %m: memref<64x64xf32>, %o1: !pcf.sref<?xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
 %e = tensor.empty() : tensor<64xf32>
 %e2 = tensor.empty() : tensor<64x64xf32>
 %x = pcf.read_slice %in[0,0][64,64][1,1] : !pcf.sref<?x?xf32, #ln> to tensor<64x64xf32>
 %r:2 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%x : tensor<64x64xf32>) outs(%e, %e2 : tensor<64xf32>, tensor<64x64xf32>) { ^bb0(%p: f32, %q: f32, %s: f32):
  linalg.yield %p, %p : f32, f32 } -> (tensor<64xf32>, tensor<64x64xf32>)
 pcf.write_slice %r#1 into %out[0,0][64,64][1,1] : tensor<64x64xf32> into !pcf.sref<?x?xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>

// Nothing is shared out among four members without a division by it.
// CHECK-LABEL: func.func @extent_of_zero
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[{{.*}}] [0, {{[0-9]+}}] [1, 1]
func.func @extent_of_zero(%s: !pcf.sref<0x8xf32, #sg>, %z: f32) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : tensor<0x8xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<0x8xf32>) -> tensor<0x8xf32>
      pcf.write_slice %f into %s[0, 0] [0, 8] [1, 1] : tensor<0x8xf32> into !pcf.sref<0x8xf32, #sg>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}
