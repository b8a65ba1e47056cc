// RUN: distaff-opt %s | FileCheck %s
// RUN: distaff-opt %s | distaff-opt | FileCheck %s

// CHECK-DAG: #[[FULL:.*]] = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, promote_operands = [0, 1], reduction = [0, 0, 64], subgroup = [128, 64, 0], workgroup = [256, 128, 0]}>
// CHECK-DAG: #[[BASIS:.*]] = #iree_gpu.lowering_config<{subgroup_basis = {{\[\[}}2, 2, 1], [0, 1, 2]]}>
// CHECK-DAG: #[[EMPTY:.*]] = #iree_gpu.lowering_config<{}>

// CHECK: func.func private @full() attributes {lowering_config = #[[FULL]]}
func.func private @full() attributes {lowering_config = #iree_gpu.lowering_config<{workgroup = [256, 128, 0], reduction = [0, 0, 64], subgroup = [128, 64, 0], promote_operands = [0, 1], mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>}
// CHECK: func.func private @basis() attributes {lowering_config = #[[BASIS]]}
func.func private @basis() attributes {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[2, 2, 1], [0, 1, 2]]}>}
// CHECK: func.func private @empty() attributes {lowering_config = #[[EMPTY]]}
func.func private @empty() attributes {lowering_config = #iree_gpu.lowering_config<{}>}
// CHECK: func.func private @column_major() attributes {kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major>}
func.func private @column_major() attributes {kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major>}
