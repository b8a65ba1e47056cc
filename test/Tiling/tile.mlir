// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 --distaff-tile=target=sm_80 --split-input-file | FileCheck %s

#config = #iree_gpu.lowering_config<{workgroup = [64, 32, 0], reduction = [0, 0, 16], subgroup_basis = [[2, 1, 1], [0, 1, 2]]}>

// What feeds the matmul is computed in its K loop, what follows it after that.
// CHECK-LABEL: func.func @prologue_and_epilogue_fuse
// CHECK:       scf.forall (%[[M:.*]], %[[N:.*]]) in (4, 6)
// CHECK:         linalg.fill {{.*}} -> tensor<64x32xf32>
// CHECK:         scf.for %{{.*}} = %c0 to %c128 step %c16
// CHECK:           arith.truncf %{{.*}} : f32 to f16
// CHECK:           linalg.matmul {{.*}} ins(%{{.*}} : tensor<64x16xf16>, tensor<16x32xf16>)
// CHECK:         arith.maximumf
// CHECK:         tensor.parallel_insert_slice %{{.*}} [64, 32] [1, 1]
// CHECK:       {mapping = [#gpu.block<y>, #gpu.block<x>]}
// CHECK-NOT:   linalg
// CHECK-LABEL: func.func @prologue_and_epilogue_fuse__grid() -> (index, index, index)
// CHECK:         return %c6, %c4, %c1
func.func @prologue_and_epilogue_fuse(%a: tensor<256x128xf32>, %b: tensor<128x192xf16>, %bias: tensor<192xf32>) -> tensor<256x192xf32> {
  %zero = arith.constant 0.0 : f32
  %ah = arith.truncf %a : tensor<256x128xf32> to tensor<256x128xf16>
  %e = tensor.empty() : tensor<256x192xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<256x192xf32>) -> tensor<256x192xf32>
  %d = linalg.matmul {lowering_config = #config} ins(%ah, %b : tensor<256x128xf16>, tensor<128x192xf16>) outs(%c : tensor<256x192xf32>) -> tensor<256x192xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%d, %bias : tensor<256x192xf32>, tensor<192xf32>) outs(%e : tensor<256x192xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<256x192xf32>
  return %r : tensor<256x192xf32>
}

// -----

#rows = #iree_gpu.lowering_config<{workgroup = [4, 0], reduction = [0, 0]}>
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>

// Softmax is max, exp, sum and division on the same rows; the exponentials are
// computed once.
// CHECK-LABEL: func.func @softmax_fuses_by_rows
// CHECK:       scf.forall (%{{.*}}) in (256)
// CHECK:         arith.maxnumf
// CHECK:         math.exp
// CHECK-NOT:     math.exp
// CHECK:         arith.addf
// CHECK:         arith.divf
// CHECK:         tensor.parallel_insert_slice %{{.*}} [4, 768] [1, 1]
// CHECK:       {mapping = [#gpu.block<x>]}
func.func @softmax_fuses_by_rows(%x: tensor<1024x768xf32>) -> tensor<1024x768xf32> attributes {translation_info = #launch} {
  %e = tensor.empty() : tensor<1024x768xf32>
  %y = linalg.softmax {lowering_config = #rows} dimension(1) ins(%x : tensor<1024x768xf32>) outs(%e : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  return %y : tensor<1024x768xf32>
}

// -----

#rows = #iree_gpu.lowering_config<{workgroup = [1, 0], reduction = [0, 256]}>
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1]>

// A row that is walked is walked by each reduction and by the result; what is
// elementwise is computed again in each walk, so no row is ever held.
// CHECK-LABEL: func.func @long_rows_are_walked
// CHECK:       scf.forall
// CHECK:         scf.for {{.*}} -> (tensor<1x256xf32>)
// CHECK:           arith.maxnumf
// CHECK:         linalg.reduce
// CHECK:         scf.for {{.*}} -> (tensor<1x256xf32>)
// CHECK:           math.exp
// CHECK:           arith.addf
// CHECK:         linalg.reduce
// CHECK:         scf.for {{.*}} -> (tensor<1x2048xf32>)
// CHECK:           math.exp
// CHECK:           arith.divf
// CHECK:         tensor.parallel_insert_slice
func.func @long_rows_are_walked(%x: tensor<8x2048xf32>) -> tensor<8x2048xf32> attributes {translation_info = #launch} {
  %e = tensor.empty() : tensor<8x2048xf32>
  %y = linalg.softmax {lowering_config = #rows} dimension(1) ins(%x : tensor<8x2048xf32>) outs(%e : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  return %y : tensor<8x2048xf32>
}

// -----

// Two reductions of one argument share its rows; a producer that is returned
// is computed once.
// CHECK-LABEL: func.func @several_results_share_one_loop
// CHECK:       scf.forall (%{{.*}}) in ({{.*}}) shared_outs(%[[Y:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}, %[[MAX:.*]] = %{{.*}})
// CHECK:         math.exp2
// CHECK-NOT:     math.exp2
// CHECK-DAG:     tensor.parallel_insert_slice %{{.*}} into %[[Y]]
// CHECK-DAG:     tensor.parallel_insert_slice %{{.*}} into %[[SUM]]
// CHECK-DAG:     tensor.parallel_insert_slice %{{.*}} into %[[MAX]]
// CHECK-NOT:   scf.forall
func.func @several_results_share_one_loop(%x: tensor<64x96xf32>) -> (tensor<64x96xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<64xf32>
  %y = math.exp2 %x : tensor<64x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %g = linalg.fill ins(%low : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%y : tensor<64x96xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<64x96xf32>) outs(%g : tensor<64xf32>) dimensions = [1]
  return %y, %sum, %max : tensor<64x96xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

#tiles = #iree_gpu.lowering_config<{workgroup = [1, 2, 1, 3, 32]}>
#launch = #iree_codegen.translation_info<workgroup_size = [96, 1, 1]>

// A grid has three dimensions; the outermost ones share z.
// CHECK-LABEL: func.func @five_loops_on_three_dimensions
// CHECK:       scf.forall (%[[Z:.*]], %{{.*}}, %{{.*}}) in (30, 2, 2)
// CHECK:         affine.delinearize_index %[[Z]] into (3, 2, 5)
// CHECK:       {mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
func.func @five_loops_on_three_dimensions(%a: tensor<3x4x5x6x64xf32>) -> tensor<3x4x5x6x64xf32> attributes {translation_info = #launch} {
  %e = tensor.empty() : tensor<3x4x5x6x64xf32>
  %r = linalg.exp {lowering_config = #tiles} ins(%a : tensor<3x4x5x6x64xf32>) outs(%e : tensor<3x4x5x6x64xf32>) -> tensor<3x4x5x6x64xf32>
  return %r : tensor<3x4x5x6x64xf32>
}

// -----

// Rows and columns of %a are different axes here, although they are one tensor.
// CHECK-LABEL: func.func @an_argument_read_twice_has_two_axes
// CHECK:       scf.forall (%[[M:.*]], %[[N:.*]]) in ({{[0-9]+}}, {{[0-9]+}})
func.func @an_argument_read_twice_has_two_axes(%a: tensor<64x32xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
      ins(%a, %a : tensor<64x32xf16>, tensor<64x32xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
