// RUN: distaff-opt %s -split-input-file -verify-diagnostics -pcf-arrange-in-memory

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<?x9xi32, #sg>
func.func @no_bound(%x: !A, %n: index, %out: !pcf.sref<?x18xi32, #sg>) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    %a = pcf.read_slice %x[0, 0] [%n, 9] [1, 1] : !A to tensor<?x9xi32>
    // expected-error @+1 {{'tensor.concat' op arranges a tensor in memory, and an extent of it has no known upper bound; take the smaller of the extent and a number, by arith.minui or affine.min, where it is computed}}
    %b = tensor.concat dim(1) %a, %a : (tensor<?x9xi32>, tensor<?x9xi32>) -> tensor<?x18xi32>
    pcf.write_slice %b into %out[0, 0] [%n, 18] [1, 1] : tensor<?x18xi32> into !pcf.sref<?x18xi32, #sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<8x9xi32, #sg>
func.func @dynamic_inside(%x: !A, %given: index, %out: !pcf.sref<?xi32, #sg>) {
  %c9 = arith.constant 9 : index
  %n = arith.minui %given, %c9 : index
  %m = arith.muli %n, %c9 : index
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    %a = pcf.read_slice %x[0, 0] [8, %n] [1, 1] : !A to tensor<8x?xi32>
    // expected-error @+1 {{'tensor.collapse_shape' op joins or splits dimensions of which one behind the first of a group is dynamic, outside of phases; give extents that are known to all dimensions of a group but the first}}
    %b = tensor.collapse_shape %a [[0, 1]] : tensor<8x?xi32> into tensor<?xi32>
    pcf.write_slice %b into %out[0] [%m] [1] : tensor<?xi32> into !pcf.sref<?xi32, #sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<8xindex, #sg>
func.func @positions(%x: !A, %out: !pcf.sref<16xindex, #sg>) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    %a = pcf.read_slice %x[0] [8] [1] : !A to tensor<8xindex>
    // expected-error @+1 {{'tensor.concat' op arranges elements of type 'index' in memory, which holds integers and floats; convert them by arith.index_cast}}
    %b = tensor.concat dim(0) %a, %a : (tensor<8xindex>, tensor<8xindex>) -> tensor<16xindex>
    pcf.write_slice %b into %out[0] [16] [1] : tensor<16xindex> into !pcf.sref<16xindex, #sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#ln = #iree_gpu.lane_scope
!A = !pcf.sref<8xi32, #ln>
func.func @no_memory(%x: !A, %out: !pcf.sref<16xi32, #ln>) {
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    %a = pcf.read_slice %x[0] [8] [1] : !A to tensor<8xi32>
    // expected-error @+1 {{'tensor.concat' op arranges a tensor in memory, of which these workers have none; run them below a pcf.generic of one id, of a scope that allocates, whose number of workers the launch says}}
    %b = tensor.concat dim(0) %a, %a : (tensor<8xi32>, tensor<8xi32>) -> tensor<16xi32>
    pcf.write_slice %b into %out[0] [16] [1] : tensor<16xi32> into !pcf.sref<16xi32, #ln>
    pcf.return
  }
  return
}
