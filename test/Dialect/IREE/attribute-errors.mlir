// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{workgroup_size has 4 dimensions, a workgroup has at most 3}}
func.func private @four_dimensions() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1, 1]>}

// -----

// expected-error @+1 {{workgroup_size must be positive, got 0}}
func.func private @no_threads() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 0, 1]>}

// -----

// expected-error @+1 {{subgroup_size must be positive, got -32}}
func.func private @negative_subgroup() attributes {translation_info = #iree_codegen.translation_info<subgroup_size = -32>}

// -----

// expected-error @+1 {{workgroup must be a list of integers, got 64 : i64}}
func.func private @tile_is_no_list() attributes {lowering_config = #iree_gpu.lowering_config<{workgroup = 64}>}

// -----

// expected-error @+1 {{reduction must not be negative, got -1}}
func.func private @negative_tile() attributes {lowering_config = #iree_gpu.lowering_config<{reduction = [0, -1]}>}

// -----

// expected-error @+1 {{resident must be a number of workgroups from 1, got 0 : i64}}
func.func private @nobody_resident() attributes {lowering_config = #iree_gpu.lowering_config<{resident = 0}>}

// -----

// expected-error @+1 {{resident must be a number of workgroups from 1, got [2]}}
func.func private @resident_is_no_list() attributes {lowering_config = #iree_gpu.lowering_config<{resident = [2]}>}

// -----

// expected-error @+1 {{resident must be a number of workgroups from 1, got true}}
func.func private @resident_is_no_flag() attributes {lowering_config = #iree_gpu.lowering_config<{resident = true}>}

// -----

// expected-error @+1 {{subgroup_basis must be [[counts], [positions]], got [2 : i32, 2 : i32]}}
func.func private @flat_basis() attributes {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [2 : i32, 2 : i32]}>}

// -----

// expected-error @+1 {{subgroup_basis counts must be positive, got 0}}
func.func private @no_subgroups() attributes {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[0, 1], [0, 1]]}>}

// -----

// expected-error @+1 {{subgroup_basis position 2 is not one of its 2 counts}}
func.func private @position_out_of_range() attributes {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[2, 1], [0, 2]]}>}

// -----

// expected-error @+1 {{mma_kind must be an #iree_gpu.mma_layout, got "mma"}}
func.func private @kind_is_no_instruction() attributes {lowering_config = #iree_gpu.lowering_config<{mma_kind = "mma"}>}

// -----

// expected-error @+1 {{unknown MMA instruction 'MFMA_F32_17x17x16_F16'; those with the most similar names are MFMA_F32_16x16x16_F16, }}
func.func private @unknown_instruction() attributes {kind = #iree_gpu.mma_layout<MFMA_F32_17x17x16_F16>}

// -----

// Of a family that is none, one of each.
// expected-error-re @+1 {{unknown MMA instruction 'FOO'; those with the most similar names are {{.*}}NV_MMA_SYNC_{{.*}}}}
func.func private @unknown_family() attributes {kind = #iree_gpu.mma_layout<FOO>}

// -----

// expected-error @+1 {{workgroup_size has more than 2147483648 lanes, got [4294967296, 4294967296, 4294967296]}}
func.func private @lanes_wrap() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [4294967296, 4294967296, 4294967296] subgroup_size = 32>}

// -----

// expected-error @+1 {{subgroup_size is more than 2147483648, got 4611686018427387904}}
func.func private @huge_subgroup() attributes {translation_info = #iree_codegen.translation_info<subgroup_size = 4611686018427387904>}

// -----

// expected-error @+1 {{subgroup_basis has more than 2147483648 subgroups, got [4294967296, 4294967296]}}
func.func private @subgroups_wrap() attributes {config = #iree_gpu.lowering_config<{subgroup_basis = [[4294967296, 4294967296], [0, 1]]}>}

// -----

// expected-error @+1 {{lane_basis has more than 2147483648 lanes, got [4294967296, 4294967296]}}
func.func private @subgroups_wrap_of_lanes() attributes {config = #iree_gpu.lowering_config<{lane_basis = [[4294967296, 4294967296], [0, 1]]}>}

// -----

// expected-error @+1 {{workgroup is beyond any extent, got 4611686018427387904}}
func.func private @huge_tile() attributes {config = #iree_gpu.lowering_config<{workgroup = [4611686018427387904]}>}

// -----

// expected-error @+1 {{workgroup must be a list of integers}}
func.func private @wide_tile() attributes {config = #iree_gpu.lowering_config<{workgroup = [170141183460469231731687303715884105727 : i128]}>}

// -----

// A key that nobody reads is no wish that may be dropped (VX-113).
// expected-error @+1 {{lowering_config has the unknown key `foo`, known are workgroup, reduction, partial_reduction, subgroup, subgroup_basis, lane_basis, thread, mma_kind, promote_operands, resident}}
func.func private @unknown_key() attributes {lowering_config = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], foo = 3}>}

// -----

// expected-error @+1 {{lowering_config has the unknown key `promote`}}
func.func private @nearly_a_key() attributes {lowering_config = #iree_gpu.lowering_config<{promote = [0, 1]}>}

// -----

// expected-error @+1 {{workgroup must be a list of integers, got "x"}}
func.func private @tiles_are_a_string() attributes {lowering_config = #iree_gpu.lowering_config<{workgroup = "x"}>}

// -----

// expected-error @+1 {{workgroup must be a list of integers, got [1.6}}
func.func private @tiles_are_floats() attributes {lowering_config = #iree_gpu.lowering_config<{workgroup = [16.0, 8.0]}>}

// -----

// expected-error @+1 {{promote_operands must be a list of integers, got [true, false]}}
func.func private @operands_are_bits() attributes {lowering_config = #iree_gpu.lowering_config<{promote_operands = [true, false]}>}

// -----

// expected-error @+1 {{reduction must be a list of integers, got [18446744073709551616 : i128]}}
func.func private @tile_beyond_64_bits() attributes {lowering_config = #iree_gpu.lowering_config<{reduction = [18446744073709551616 : i128]}>}

// -----

// expected-error @+1 {{partial_reduction must be a list of integers, got 4 : i64}}
func.func private @partial_is_no_list() attributes {lowering_config = #iree_gpu.lowering_config<{partial_reduction = 4}>}

// -----

// expected-error @+1 {{lane_basis must be [[counts], [positions]], got [1, 2]}}
func.func private @flat_lane_basis() attributes {lowering_config = #iree_gpu.lowering_config<{lane_basis = [1, 2]}>}
