// RUN: distaff-opt %s --distaff-normalize-for-phases=target=gfx942 "--distaff-configure-clusters=target=gfx942 panel-slots=2" --verify-diagnostics --split-input-file

// Two slots of a tile of 256x128x64 in f16 are 96 KiB, of which gfx942 has 64 (PCF-88).
#config = #iree_gpu.lowering_config<{workgroup = [256, 128, 0], reduction = [0, 0, 64], subgroup = [128, 64, 0], promote_operands = [0, 1], mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>
func.func @two_slots(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{needs 98304 bytes of shared memory for 2 slots of its promoted operands, gfx942 has 65536; make the `workgroup` or the `reduction` tiles smaller, or the slots fewer}}
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// Slots are there to be filled ahead, and without panels there are none.
#config = #iree_gpu.lowering_config<{promote_operands = []}>
func.func @nothing_promoted(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'linalg.matmul' op has empty `promote_operands`, and where nothing is copied to shared memory there is nothing that producers could copy ahead; promote an operand, 0 or 1, or do not specialize}}
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
