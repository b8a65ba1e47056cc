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

#config = #iree_gpu.lowering_config<{workgroup = [64, 32, 0], reduction = [24, 0, 16]}>

func.func @steps_that_leave_a_rest_of_the_tile(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'linalg.matmul' op reduction tile 24 does not divide the workgroup tile 64 along the same dimension}}
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [8], reduction = [0]}>

func.func @extent_that_the_root_lacks(%a: tensor<16xf32>, %x: tensor<16x?xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  // expected-error @+1 {{'linalg.generic' op has a dynamic extent along loop 1 that it would have to hold whole; make it static, or put the op into a kernel of its own}}
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<16x?xf32>) outs(%f : tensor<16xf32>) dimensions = [1]
  // expected-note @+1 {{the kernel is tiled by the loops of this op}}
  %r = linalg.exp {lowering_config = #config} ins(%a : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  return %sum, %r : tensor<16xf32>, tensor<16xf32>
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
  // expected-error @+1 {{upper bound along #gpu.block<x> is not an affine function of the extents of the kernel's arguments}}
  scf.forall (%i) in (%n) {
  } {mapping = [#gpu.block<x>]}
  return
}
