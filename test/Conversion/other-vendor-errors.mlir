// RUN: not distaff-opt %s --distaff-convert-gpu-to-nvvm=target=gfx942 2>&1 | FileCheck %s --check-prefix=NVVM
// RUN: not distaff-opt %s --distaff-convert-gpu-to-rocdl=target=sm_80 2>&1 | FileCheck %s --check-prefix=ROCDL
// RUN: not distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx1 2>&1 | FileCheck %s --check-prefix=NONE
// A conversion to a vendor's dialect says so when the target is another's, or none.

// NVVM: error: needs an NVIDIA target, got 'gfx942'
// ROCDL: error: needs an AMD target, got 'sm_80'
// NONE: error: needs an AMD target, got 'gfx1'
gpu.module @kernels {
}
