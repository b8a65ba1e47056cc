// RUN: distaff-opt %examples/flash_attention.mlir --distaff-configure=target=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: distaff-opt %examples/flash_attention.mlir --distaff-configure=target=gfx942 | FileCheck %s --check-prefix=GFX942

// 32 rows are two instructions high on both targets, so two subgroups share
// them; a third would have to split what the row reductions run along.
// SM80:   workgroup_size = [64, 1, 1] subgroup_size = 32
// GFX942: workgroup_size = [128, 1, 1] subgroup_size = 64

// In f32 sm_80 has no instruction that is exact enough: lanes take points of the
// result, and both operands along all of K. One point each would read most and
// not fit 64 registers, of eight subgroups each holds two rows and two columns.
// RUN: distaff-opt %examples/flash_attention_f32_64.mlir --distaff-configure=target=sm_80 | FileCheck %s --check-prefix=PLAIN
// RUN: distaff compile %examples/flash_attention_f32_64.mlir --target sm_80 --emit ptx 2>&1 | FileCheck %s --check-prefix=SILENT
// PLAIN: workgroup_size = [256, 1, 1] subgroup_size = 32
// SILENT-NOT: warning
