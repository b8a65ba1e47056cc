// RUN: distaff-opt %s --distaff-normalize-for-phases=target=sm_80 --distaff-configure-clusters=target=sm_80 --split-input-file | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: distaff-opt %s --distaff-normalize-for-phases=target=gfx942 --distaff-configure-clusters=target=gfx942 --split-input-file | FileCheck %s --check-prefixes=CHECK,GFX942
// RUN: distaff-opt %s --distaff-normalize-for-phases=target=sm_80 "--distaff-configure-clusters=target=sm_80 producers=4" --split-input-file | FileCheck %s --check-prefix=BESIDE
// RUN: distaff-opt %s --distaff-normalize-for-phases=target=sm_80 "--distaff-configure-clusters=target=sm_80 strict-fp" --split-input-file | FileCheck %s --check-prefix=STRICT

// Instructions add floats in an order of their own.
// STRICT-NOT: MMA_SYNC

// The tiles are whole instructions, fit, and are divided among the subgroups
// that the workgroup's size says (PCF-88). A device has 108 multiprocessors of two
// such workgroups, or 304 compute units of four.
// SM80:   #[[CONFIG:.*]] = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, promote_operands = [0, 1], reduction = [0, 0, 64], resident = 216 : i64, subgroup = [64, 64, 0], workgroup = [128, 128, 0]}>
// SM80:   #[[INFO:.*]] = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [128, 1, 1] subgroup_size = 32>
// GFX942: #[[CONFIG:.*]] = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<MFMA_F32_32x32x8_F16>, promote_operands = [0, 1], reduction = [0, 0, 64], resident = 1216 : i64, subgroup = [32, 32, 0], workgroup = [64, 64, 0]}>
// GFX942: #[[INFO:.*]] = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [256, 1, 1] subgroup_size = 64>
// CHECK-LABEL: func.func @dynamic_matmul(
// CHECK-SAME: attributes {translation_info = #[[INFO]]}
// CHECK: linalg.matmul {lowering_config = #[[CONFIG]]}
func.func @dynamic_matmul(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// Small extents get small tiles, and no more of them than there are.
// SM80:   #{{.*}} = #iree_gpu.lowering_config<{{.*}} subgroup = [16, 8, 0], workgroup = [16, 8, 0]}>
// GFX942: #{{.*}} = #iree_gpu.lowering_config<{{.*}} subgroup = [16, 16, 0], workgroup = [16, 16, 0]}>
// CHECK-LABEL: func.func @small(
func.func @small(%a: tensor<17x33xf16>, %b: tensor<33x64xf16>, %c: tensor<17x64xf32>) -> tensor<17x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<17x33xf16>, tensor<33x64xf16>) outs(%c : tensor<17x64xf32>) -> tensor<17x64xf32>
  return %d : tensor<17x64xf32>
}

// -----

// No instruction multiplies these, so there is no `mma_kind`. Elementwise ops
// become linalg.
// CHECK: #[[CONFIG:.*]] = #iree_gpu.lowering_config<{promote_operands = [0, 1], reduction = [0, 0, {{[0-9]+}}], subgroup = [{{[0-9]+}}, {{[0-9]+}}, 0], workgroup = [{{[0-9]+}}, {{[0-9]+}}, 0]}>
// CHECK-LABEL: func.func @without_an_instruction(
// CHECK: linalg.generic
// CHECK: linalg.matmul {lowering_config = #[[CONFIG]]}
func.func @without_an_instruction(%a: tensor<1x7xi64>, %b: tensor<7x5xi64>, %c: tensor<1x5xi64>) -> tensor<1x5xi64> {
  %x = math.absi %a : tensor<1x7xi64>
  %d = linalg.matmul ins(%x, %b : tensor<1x7xi64>, tensor<7x5xi64>) outs(%c : tensor<1x5xi64>) -> tensor<1x5xi64>
  return %d : tensor<1x5xi64>
}

// -----

#part = #iree_gpu.lowering_config<{workgroup = [1, 96, 64, 0], promote_operands = [1]}>

// What a user fixed stays, and the rest agrees with it: boxes divide 96x64. Of
// batches a workgroup takes one at a time.
// CHECK: #[[CONFIG:.*]] = #iree_gpu.lowering_config<{mma_kind = {{.*}}, promote_operands = [1], reduction = [0, 0, 0, {{[0-9]+}}], resident = {{[0-9]+}} : i64, subgroup = [1, {{(96|48|32|16)}}, {{(64|32|16|8)}}, 0], workgroup = [1, 96, 64, 0]}>
// CHECK-LABEL: func.func @fixed_in_part(
// CHECK: linalg.batch_matmul {lowering_config = #[[CONFIG]]}
func.func @fixed_in_part(%a: tensor<?x?x?xf16>, %b: tensor<?x?x?xf16>, %c: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %d = linalg.batch_matmul {lowering_config = #part} ins(%a, %b : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%c : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %d : tensor<?x?x?xf32>
}

// -----

// A box has a point for every lane, also where no panels are copied by all.
// SM80:   #{{.*}} = #iree_gpu.lowering_config<{promote_operands = [], {{.*}} subgroup = [4, 8, 0], workgroup = [4, 8, 0]}>
// GFX942: #{{.*}} = #iree_gpu.lowering_config<{promote_operands = [], {{.*}} subgroup = [8, 8, 0], workgroup = [8, 8, 0]}>
// CHECK-LABEL: func.func @a_point_per_lane(
func.func @a_point_per_lane(%a: tensor<1x7xi64>, %b: tensor<7x5xi64>, %c: tensor<1x5xi64>) -> tensor<1x5xi64> {
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{promote_operands = []}>} ins(%a, %b : tensor<1x7xi64>, tensor<7x5xi64>) outs(%c : tensor<1x5xi64>) -> tensor<1x5xi64>
  return %d : tensor<1x5xi64>
}

// -----

// A kernel that starts workers itself is left alone.
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
// CHECK-LABEL: func.func @started(
// CHECK-NOT: lowering_config
// CHECK: pcf.loop
func.func @started(%a: tensor<8xf32>) -> tensor<8xf32> attributes {translation_info = #info} {
  %n = arith.constant 1 : index
  %r = pcf.loop scope(#iree_codegen.workgroup_scope) count(%n) execute(%x = %a)[%i: index] : (!pcf.sref<8xf32, #iree_codegen.workgroup_scope>) -> (tensor<8xf32>) {
    pcf.return
  }
  return %r : tensor<8xf32>
}

// -----

// 3 x 72 tiles are one for each of the 216 workgroups that sm_80 runs at a time; of
// more some have several. With four subgroups of producers besides there is one at a
// time on each multiprocessor.
#tiles = #iree_gpu.lowering_config<{workgroup = [128, 128, 0], reduction = [0, 0, 64], subgroup = [64, 64, 0]}>
// SM80-NOT: resident
// SM80-LABEL: func.func @one_each(
// BESIDE-LABEL: func.func @started(
// BESIDE: #{{.*}} = #iree_gpu.lowering_config<{{.*}}resident = 108 : i64
// BESIDE-LABEL: func.func @one_each(
func.func @one_each(%a: tensor<384x64xf16>, %b: tensor<64x9216xf16>, %c: tensor<384x9216xf32>) -> tensor<384x9216xf32> {
  %d = linalg.matmul {lowering_config = #tiles} ins(%a, %b : tensor<384x64xf16>, tensor<64x9216xf16>) outs(%c : tensor<384x9216xf32>) -> tensor<384x9216xf32>
  return %d : tensor<384x9216xf32>
}

// -----

#tiles = #iree_gpu.lowering_config<{workgroup = [128, 128, 0], reduction = [0, 0, 64], subgroup = [64, 64, 0]}>
// SM80: #{{.*}} = #iree_gpu.lowering_config<{{.*}}resident = {{216|324}} : i64
// CHECK-LABEL: func.func @several_each(
func.func @several_each(%a: tensor<384x64xf16>, %b: tensor<64x73728xf16>, %c: tensor<384x73728xf32>) -> tensor<384x73728xf32> {
  %d = linalg.matmul {lowering_config = #tiles} ins(%a, %b : tensor<384x64xf16>, tensor<64x73728xf16>) outs(%c : tensor<384x73728xf32>) -> tensor<384x73728xf32>
  return %d : tensor<384x73728xf32>
}

// -----

// What a user asks for stays.
#asked = #iree_gpu.lowering_config<{resident = 7}>
// CHECK: #{{.*}} = #iree_gpu.lowering_config<{{.*}}resident = 7 : i64
// CHECK-LABEL: func.func @asked(
func.func @asked(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = linalg.matmul {lowering_config = #asked} ins(%a, %b : tensor<16x16xf16>, tensor<16x16xf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}
