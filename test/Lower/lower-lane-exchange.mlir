// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-lane-exchange{target=sm_80},canonicalize,cse)))' | FileCheck %s

#w32 = #iree_codegen.translation_info<subgroup_size = 32>
#w64 = #iree_codegen.translation_info<subgroup_size = 64>

gpu.module @kernels {
  // Offsets are the stride times 1, 2, ..., half the cluster's size.
  // CHECK-LABEL: func @offsets_of_a_strided_cluster
  // CHECK-DAG: %[[O4:.*]] = arith.constant 4 : i32
  // CHECK-DAG: %[[O8:.*]] = arith.constant 8 : i32
  // CHECK-DAG: %[[O16:.*]] = arith.constant 16 : i32
  // CHECK-DAG: %[[W:.*]] = arith.constant 32 : i32
  // CHECK: gpu.shuffle xor %{{.*}}, %[[O4]], %[[W]] : f32
  // CHECK: arith.maximumf
  // CHECK: gpu.shuffle xor %{{.*}}, %[[O8]], %
  // CHECK: arith.maximumf
  // CHECK: gpu.shuffle xor %{{.*}}, %[[O16]], %
  // CHECK: arith.maximumf
  // CHECK-NOT: gpu.shuffle
  gpu.func @offsets_of_a_strided_cluster(%v: f32) -> f32 attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #w32} {
    %r = gpu.subgroup_reduce maximumf %v cluster(size = 8, stride = 4) : (f32) -> f32
    gpu.return %r : f32
  }

  // CHECK-LABEL: func @no_cluster_is_the_subgroup
  // CHECK-COUNT-6: gpu.shuffle xor
  // CHECK-NOT: gpu.shuffle
  gpu.func @no_cluster_is_the_subgroup(%v: i32) -> i32 attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #w64} {
    %r = gpu.subgroup_reduce minsi %v : (i32) -> i32
    gpu.return %r : i32
  }

  // Two halves share a word; each is combined in its own type.
  // CHECK-LABEL: func @halves_share_a_word
  // CHECK: vector.bitcast {{.*}} : vector<2xf16> to vector<1xi32>
  // CHECK-NOT: arith.shli
  // CHECK: gpu.shuffle xor {{.*}} : i32
  // CHECK-NOT: gpu.shuffle
  // CHECK: arith.addf {{.*}} : f16
  // CHECK: arith.addf {{.*}} : f16
  gpu.func @halves_share_a_word(%v: vector<2xf16>) -> vector<2xf16> attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #w32} {
    %r = gpu.subgroup_reduce add %v cluster(size = 2) : (vector<2xf16>) -> vector<2xf16>
    gpu.return %r : vector<2xf16>
  }

  // CHECK-LABEL: func @doubles_are_two_words
  // CHECK-COUNT-2: gpu.shuffle xor {{.*}} : i32
  // CHECK-NOT: gpu.shuffle
  // CHECK: arith.mulf {{.*}} : f64
  gpu.func @doubles_are_two_words(%v: f64) -> f64 attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #w32} {
    %r = gpu.subgroup_reduce mul %v cluster(size = 2) : (f64) -> f64
    gpu.return %r : f64
  }

  // No target shuffles more than a word at a time.
  // CHECK-LABEL: func @a_wide_shuffle_that_was_there_is_split
  // CHECK-COUNT-2: gpu.shuffle idx {{.*}} : i32
  // CHECK-NOT: gpu.shuffle
  // CHECK: arith.bitcast {{.*}} : i64 to f64
  gpu.func @a_wide_shuffle_that_was_there_is_split(%v: f64, %lane: i32) -> f64 attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #w32} {
    %w = arith.constant 32 : i32
    %r, %valid = gpu.shuffle idx %v, %lane, %w : f64
    gpu.return %r : f64
  }

  // Five halves are three words.
  // CHECK-LABEL: func @elements_of_a_shuffle_share_words
  // CHECK-COUNT-3: gpu.shuffle up {{.*}} : i32
  // CHECK-NOT: gpu.shuffle
  gpu.func @elements_of_a_shuffle_share_words(%v: vector<5xf16>, %by: i32) -> (vector<5xf16>, i1) attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #w32} {
    %w = arith.constant 32 : i32
    %r, %valid = gpu.shuffle up %v, %by, %w : vector<5xf16>
    gpu.return %r, %valid : vector<5xf16>, i1
  }

  // CHECK-LABEL: func @odd_widths_take_whole_words
  // CHECK: arith.extui {{.*}} : i48 to i64
  // CHECK-COUNT-2: gpu.shuffle idx {{.*}} : i32
  // CHECK-NOT: gpu.shuffle
  gpu.func @odd_widths_take_whole_words(%v: i48, %lane: i32) -> i48 attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #w32} {
    %w = arith.constant 32 : i32
    %r, %valid = gpu.shuffle idx %v, %lane, %w : i48
    gpu.return %r : i48
  }
}
