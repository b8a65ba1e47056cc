// RUN: distaff-opt %s --distaff-tile=target=sm_80 --split-input-file --verify-diagnostics

#config = #iree_gpu.lowering_config<{workgroup = [64, 0, 0], reduction = [0, 0, 16]}>

func.func @no_tile(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'linalg.matmul' op has a dynamic extent along loop 1 and no workgroup tile for it; give it one}}
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [64, 32, 0], reduction = [0, 0, 0]}>

func.func @no_step(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'linalg.matmul' op has a dynamic extent along loop 2 and no reduction tile for it; give it one}}
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [64, 32, 0], reduction = [8, 0, 16]}>

func.func @walk_along_the_result(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'linalg.matmul' op has a reduction tile for loop 0; where tiles are cut workgroups share the loops of the result and walk those that are reduced}}
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [64, 32, 0], reduction = [0, 0, 16]}>

// A launch knows the extents of arguments, and what follows from them.
func.func @extent_of_a_scalar(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  // expected-note @+1 {{the tensor}}
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  // expected-error @+1 {{'linalg.matmul' op has an extent, dimension 1 of the result, that is no sum, product or quotient of its arguments' extents}}
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @bound_of_a_scalar(%a: memref<8xf32>, %n: index) {
  // expected-error @+1 {{has a bound along #gpu.block<x> that is no constant, sum, product or quotient of the extents of its arguments}}
  scf.forall (%i) in (%n) {
  } {mapping = [#gpu.block<x>]}
  return
}
