// RUN: distaff-opt %s --distaff-normalize-for-phases=target=sm_80 "--distaff-configure-clusters=target=sm_80 producers=4" --verify-diagnostics
// RUN: not distaff-opt %s --distaff-normalize-for-phases=target=sm_80 "--distaff-configure-clusters=target=sm_80 producers=32" 2>&1 | FileCheck %s
// RUN: not distaff-opt %s --distaff-normalize-for-phases=target=sm_80 "--distaff-configure-clusters=target=sm_80 producers=-1" 2>&1 | FileCheck %s --check-prefix=FEWER

// CHECK: error: a workgroup of sm_80 has up to 32 subgroups, which leaves none besides 32 producers; give from 0 to 31
// FEWER: error: a workgroup of sm_80 has up to 32 subgroups, which leaves none besides -1 producers; give from 0 to 31

// Of 8 subgroups a lane has 191 registers for vectors, beside 4 producers 126 (PCF-88).
#config = #iree_gpu.lowering_config<{workgroup = [256, 128, 0], reduction = [0, 0, 8], subgroup = [64, 64, 0], promote_operands = [0, 1]}>
func.func @four_producers(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{needs 128 registers per lane for its `subgroup` tile and 26 for operands; in workgroups of 384 lanes sm_80 has 126 for vectors, so make the `subgroup` tile smaller}}
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
