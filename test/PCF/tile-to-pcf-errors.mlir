// RUN: distaff-opt %s --distaff-tile-to-pcf=target=sm_80 --split-input-file --verify-diagnostics

// What is no contraction with ops on elements around it is refused as in
// test/Configure/configure-clusters-errors.mlir; here, what configure makes so.

func.func @not_configured(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{has no lowering_config; configure gives it one}}
  %d = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [4, 4], reduction = [0, 0, 8]}>
func.func @a_tile_too_few(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{needs a workgroup tile for each of 3 loops in its lowering_config, has 2}}
  %d = linalg.matmul {lowering_config = #cfg} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [4, 4, 8], reduction = [0, 0, 8]}>
func.func @workgroups_along_a_sum(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{has a workgroup tile for loop 2, which it reduces; a workgroup takes all of it in the steps that `reduction` says}}
  %d = linalg.matmul {lowering_config = #cfg} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [4, 0, 0], reduction = [0, 0, 8]}>
func.func @no_tile(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{has no workgroup tile for loop 1 in its lowering_config}}
  %d = linalg.matmul {lowering_config = #cfg} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [1, 16, 0], reduction = [0, 0, 8]}>
// expected-error @+1 {{has 70000 workgroups along y, sm_80 launches up to 65535; give each more of the work}}
func.func @more_than_are_launched(%a: tensor<70000x8xf32>, %b: tensor<8x32xf32>, %c: tensor<70000x32xf32>) -> tensor<70000x32xf32> {
  %d = linalg.matmul {lowering_config = #cfg} ins(%a, %b : tensor<70000x8xf32>, tensor<8x32xf32>) outs(%c : tensor<70000x32xf32>) -> tensor<70000x32xf32>
  return %d : tensor<70000x32xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [4, 4, 0], reduction = [0, 0, 8]}>
func.func @extent_from_nowhere(%a: tensor<8x8xf32>, %n: index) -> tensor<8x?xf32> {
  %z = arith.constant 0.0 : f32
  // expected-note @+1 {{the tensor}}
  %e = tensor.empty(%n) : tensor<8x?xf32>
  %b = linalg.fill ins(%z : f32) outs(%e : tensor<8x?xf32>) -> tensor<8x?xf32>
  // expected-error @+1 {{has an extent, dimension 1 of the result, that is no sum, product or quotient of its arguments' extents}}
  %d = linalg.matmul {lowering_config = #cfg} ins(%a, %b : tensor<8x8xf32>, tensor<8x?xf32>) outs(%b : tensor<8x?xf32>) -> tensor<8x?xf32>
  return %d : tensor<8x?xf32>
}


// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [4, 4, 0], reduction = [0, 0, 8]}>
func.func @a_row_for_all(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %d = linalg.matmul {lowering_config = #cfg} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-error @+1 {{has an indexing map that is more than a choice of its loops}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%d, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [4, 4, 0], reduction = [0, 0, 8]}>
func.func @only_rows_stay(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %d = linalg.matmul {lowering_config = #cfg} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-error @+1 {{has a result without some of its loops}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<8x8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p0: f32, %p1: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [4, 4, 0], reduction = [0, 0, 8]}>
func.func @rows_with_rows(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>, %e: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> {
  %d = linalg.matmul {lowering_config = #cfg} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-error @+1 {{walks one loop of the product twice}}
  %r = linalg.generic {indexing_maps = [affine_map<(p, q, r) -> (p, q)>, affine_map<(p, q, r) -> (r, q)>, affine_map<(p, q, r) -> (p, q, r)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%d, %d : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8x8xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<8x8x8xf32>
  return %r : tensor<8x8x8xf32>
}

// -----

// expected-error @+1 {{has several basic blocks; use scf.if, scf.for and scf.while for control flow}}
func.func @several_blocks(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  cf.br ^next
^next:
  %d = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// -----

#wg = #iree_codegen.workgroup_scope
func.func @as_many_as_memory_says(%m: memref<4xf32>, %n: memref<index>) {
  %count = memref.load %n[] : memref<index>
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{has a count, number 0, that is no constant, sum, product or quotient of the extents of its arguments}}
  pcf.loop scope(#wg) count(%count) execute[%i: index] {
    memref.store %z, %m[%i] : memref<4xf32>
    pcf.return
  }
  return
}
