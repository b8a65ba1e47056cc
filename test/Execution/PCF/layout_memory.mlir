// Phases by layouts, before and after, with equal results and no race: through two refs of one memref, through
// a view that is made before the phase, and of three dimensions (PCF-73).
//
// DEFINE: %{impl} = impl=#iree_vector_ext.nested_layout<subgroup_tile=[1,1],batch_tile=[1,1],outer_tile=[1,1],thread_tile=[1,1],element_tile=[1,1],subgroup_strides=[0,0],thread_strides=[0,0]>
// RUN: distaff-opt %s "--pcf-distribute=%{impl}" -o %t.mlir
// RUN: distaff run %s --func two_refs_of_one_memref --target sm_80 --input arg0=iota
// RUN: distaff run %t.mlir --func two_refs_of_one_memref --target sm_80 --input arg0=iota --schedule 1
// RUN: distaff run %s --func view --target sm_80 --input arg0=iota --output res0=%t.0.npy
// RUN: distaff run %t.mlir --func view --target sm_80 --input arg0=iota --output res0=%t.1.npy --schedule 2
// RUN: cmp %t.0.npy %t.1.npy
// RUN: distaff run %s --func three_dimensions --target sm_80 --input arg0=iota --output res0=%t.2.npy
// RUN: distaff run %t.mlir --func three_dimensions --target sm_80 --input arg0=iota --output res0=%t.3.npy --schedule 3
// RUN: cmp %t.2.npy %t.3.npy

#s = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!G = !pcf.threadgroup<#s>
!Q = !pcf.sref<8x8xi32, #s>
!R = !pcf.sref<24x32xi32, sync(#s)>
!T = !pcf.sref<16x16x32xi32, sync(#s)>

func.func @two_refs_of_one_memref(%m: memref<8x8xi32>) attributes {translation_info = #launch} {
  %r:2 = pcf.shared_executor scope(#s) execute(%q = %m, %o = %m)[%tg: !G] : (!Q, !Q) -> (memref<8x8xi32>, memref<8x8xi32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %q[0, 0] [8, 8] [1, 1] : !Q to tensor<8x8xi32>
      %e = tensor.empty() : tensor<8x8xi32>
      %t = linalg.transpose ins(%x : tensor<8x8xi32>) outs(%e : tensor<8x8xi32>) permutation = [1, 0]
      pcf.write_slice %t into %o[0, 0] [8, 8] [1, 1] : tensor<8x8xi32> into !Q
      pcf.cluster_yield
    } : (!G)
    pcf.return
  }
  return
}

func.func @view(%a: tensor<24x32xi32>) -> tensor<24x32xi32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#s) execute(%o = %a)[%tg: !G] : (!R) -> (tensor<24x32xi32>) {
    %v = pcf.subview %o[0, 0] [8, 16] [1, 1] : !R to !pcf.sref<8x16xi32, sync(#s)>
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %o[8, 0] [8, 16] [1, 1] : !R to tensor<8x16xi32>
      pcf.write_slice %x into %v[0, 0] [8, 16] [1, 1] : tensor<8x16xi32> into !pcf.sref<8x16xi32, sync(#s)>
      pcf.cluster_yield
    } : (!G)
    pcf.return
  }
  return %r : tensor<24x32xi32>
}

func.func @three_dimensions(%a: tensor<16x16x32xi32>) -> tensor<16x16x32xi32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#s) execute(%o = %a)[%tg: !G] : (!T) -> (tensor<16x16x32xi32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %o[0, 0, 0] [2, 8, 16] [1, 1, 1] : !T to tensor<2x8x16xi32>
      pcf.write_slice %x into %o[8, 0, 0] [2, 8, 16] [1, 1, 1] : tensor<2x8x16xi32> into !T
      pcf.cluster_yield
    } : (!G)
    pcf.return
  }
  return %r : tensor<16x16x32xi32>
}
