// RUN: distaff-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// The flag as it is printed here, and as IREE 3.13 prints it.
// CHECK: @flags() attributes {a = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major>, b = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, c = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major>}
func.func private @flags() attributes {
  a = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major>,
  b = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major = false>,
  c = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major = true>}

// -----

// expected-error @+1 {{expected true or false}}
func.func private @neither() attributes {a = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major = 1>}
