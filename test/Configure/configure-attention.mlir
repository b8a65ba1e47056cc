// RUN: distaff-opt %examples/flash_attention.mlir --distaff-configure=target=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: distaff-opt %examples/flash_attention.mlir --distaff-configure=target=gfx942 | FileCheck %s --check-prefix=GFX942

// 32 rows are two instructions high on both targets, so two subgroups share
// them; a third would have to split what the row reductions run along.
// SM80:   workgroup_size = [64, 1, 1] subgroup_size = 32
// GFX942: workgroup_size = [128, 1, 1] subgroup_size = 64
