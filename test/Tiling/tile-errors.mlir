// RUN: distaff-opt %s --distaff-tile=target=sm_80 --split-input-file --verify-diagnostics

#config = #iree_gpu.lowering_config<{workgroup = [8, 16]}>

func.func @reduced_loop_on_the_grid(%x: tensor<64x96xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  // expected-error @+1 {{workgroup tile 16 of extent 96 lies along a dimension that an op of the kernel reduces or lacks, so workgroups cannot share it; only 0 is possible}}
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x96xf32>) outs(%f : tensor<64xf32>) dimensions = [1] {lowering_config = #config}
  return %sum : tensor<64xf32>
}

// -----

func.func @not_configured(%a: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  // expected-error @+1 {{has no lowering_config to tile by; run distaff-configure first}}
  %r = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

func.func @no_mapping(%a: memref<8xf32>) {
  // expected-error @+1 {{has no mapping to workgroups; write {mapping = [#gpu.block<x>]} or so after its body}}
  scf.forall (%i) in (8) {
  }
  return
}

// -----

func.func @mapped_to_threads(%a: memref<8xf32>) {
  // expected-error @+1 {{is mapped to #gpu.thread<x>; a kernel's loop is mapped to #gpu.block<x>}}
  scf.forall (%i) in (8) {
  } {mapping = [#gpu.thread<x>]}
  return
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [1, 2, 0], reduction = [0, 1, 16]}>

func.func @walks_of_a_softmax_nest(%x: tensor<8x8x256xf32>) -> tensor<8x8x256xf32> {
  %e = tensor.empty() : tensor<8x8x256xf32>
  // expected-error @+2 {{is walked both along what it reduces and along its result, which other ops of the kernel read}}
  // expected-note @+1 {{the tiles are those of this op}}
  %r = linalg.softmax {lowering_config = #config} dimension(2) ins(%x : tensor<8x8x256xf32>) outs(%e : tensor<8x8x256xf32>) -> tensor<8x8x256xf32>
  return %r : tensor<8x8x256xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [0, 0], reduction = [16, 0]}>
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// A row of the sum takes a row and a column of the same values.
func.func @walk_along_both_sides_of_a_transpose(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %y = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-error @+1 {{reduction tile 16 of extent 64 lies along a dimension of which an op of the kernel needs different parts at once; only 0 is possible}}
  %r = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel"], lowering_config = #config}
      ins(%y, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
