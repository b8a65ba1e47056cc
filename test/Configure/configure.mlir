// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: distaff-opt %s --distaff-form-launches=target=gfx942 --distaff-configure=target=gfx942 | FileCheck %s --check-prefixes=CHECK,GFX942

// SM80-DAG:   #[[MATMUL:.*]] = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>,
// GFX942-DAG: #[[MATMUL:.*]] = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<MFMA_F32_{{.*}}_F16>,

// SM80-DAG:   #[[TWO_SUBGROUPS:.*]] = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
// GFX942-DAG: #[[TWO_SUBGROUPS:.*]] = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 64>

// CHECK-DAG:  #[[PLAIN:.*]] = #iree_gpu.lowering_config<{reduction = [0, 0, {{.*}}], workgroup = [{{.*}}, 0]}>

// A contraction runs on the instruction of its element types, and there are
// enough workgroups to fill the device.
// CHECK-LABEL: func.func @contraction_gets_an_instruction
// CHECK-SAME:  translation_info = #
// CHECK:       linalg.fill
// CHECK-NOT:   lowering_config
// CHECK:       linalg.matmul {lowering_config = #[[MATMUL]]} ins
func.func @contraction_gets_an_instruction(%a: tensor<512x256xf16>, %b: tensor<256x384xf16>) -> tensor<512x384xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x384xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<512x384xf32>) -> tensor<512x384xf32>
  %d = linalg.matmul ins(%a, %b : tensor<512x256xf16>, tensor<256x384xf16>) outs(%c : tensor<512x384xf32>) -> tensor<512x384xf32>
  return %d : tensor<512x384xf32>
}

// No instruction takes i64.
// CHECK-LABEL: func.func @i64_contraction_gets_none
// CHECK:       linalg.matmul {lowering_config = #[[PLAIN]]}
func.func @i64_contraction_gets_none(%a: tensor<64x48xi64>, %b: tensor<48x80xi64>) -> tensor<64x80xi64> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<64x80xi64>
  %c = linalg.fill ins(%zero : i64) outs(%e : tensor<64x80xi64>) -> tensor<64x80xi64>
  %d = linalg.matmul ins(%a, %b : tensor<64x48xi64>, tensor<48x80xi64>) outs(%c : tensor<64x80xi64>) -> tensor<64x80xi64>
  return %d : tensor<64x80xi64>
}

// Elementwise ops on tensors become linalg, a splat a fill, and an argument
// that is returned a copy.
// CHECK-LABEL: func.func @tensors_become_linalg
// CHECK:       linalg.fill
// CHECK:       linalg.generic
// CHECK:         arith.addf
// CHECK:       linalg.copy
func.func @tensors_become_linalg(%a: tensor<7x9xf32>) -> (tensor<7x9xf32>, tensor<7x9xf32>) {
  %c = arith.constant dense<2.0> : tensor<7x9xf32>
  %r = arith.addf %a, %c : tensor<7x9xf32>
  return %r, %a : tensor<7x9xf32>, tensor<7x9xf32>
}

// Results become arguments after all others, in order, which say so.
// CHECK-LABEL: func.func @vectors_are_passed_in_memory
// CHECK-SAME:  (%[[A:.*]]: memref<16x64xf32>, %[[S:.*]]: f32, %[[ROWS:.*]]: memref<16xf32> {iree.abi.output = 0 : index}, %[[ALL:.*]]: memref<f32> {iree.abi.output = 1 : index})
// CHECK:       vector.transfer_read %[[A]]{{.*}} : memref<16x64xf32>, vector<16x64xf32>
// CHECK:       vector.transfer_write %{{.*}}, %[[ROWS]]
// CHECK:       memref.store %{{.*}}, %[[ALL]][] : memref<f32>
// CHECK:       return{{$}}
func.func @vectors_are_passed_in_memory(%a: vector<16x64xf32>, %s: f32) -> (vector<16xf32>, f32) {
  %z = arith.constant dense<0.0> : vector<16xf32>
  %z0 = arith.constant 0.0 : f32
  %b = vector.broadcast %s : f32 to vector<16x64xf32>
  %m = arith.mulf %a, %b : vector<16x64xf32>
  %r = vector.multi_reduction <add>, %m, %z [1] : vector<16x64xf32> to vector<16xf32>
  %t = vector.multi_reduction <add>, %r, %z0 [0] : vector<16xf32> to f32
  return %r, %t : vector<16xf32>, f32
}

// Two subgroups take 16 rows each, as high as an instruction. More would split
// the columns, along which the squares are summed.
// CHECK-LABEL: func.func @rows_are_squared_and_summed
// CHECK-SAME:  translation_info = #[[TWO_SUBGROUPS]]}
func.func @rows_are_squared_and_summed(%a: vector<32x64xf16>, %b: vector<128x64xf16>) -> vector<32xf32> {
  %z = arith.constant dense<0.0> : vector<32x128xf32>
  %z1 = arith.constant dense<0.0> : vector<32xf32>
  %c = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %z : vector<32x64xf16>, vector<128x64xf16> into vector<32x128xf32>
  %s = arith.mulf %c, %c : vector<32x128xf32>
  %r = vector.multi_reduction <add>, %s, %z1 [1] : vector<32x128xf32> to vector<32xf32>
  return %r : vector<32xf32>
}
