// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 | FileCheck %s

// Workgroups of one subgroup with 32 conditions (VX-297).

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // 16 workgroups leave 128 registers to each lane, which holds a few and half as
  // many as there are conditions.
  // CHECK-LABEL: llvm.func @many_conditions(
  // CHECK-SAME: nvvm.minctasm = 16 : i32
  gpu.func @many_conditions(%m: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %at = gpu.thread_id x
    %x = memref.load %m[%at] : memref<64xf32>
    %v0 = arith.addf %x, %x : f32
    %p1 = arith.cmpf olt, %v0, %x : f32
    %v1 = arith.select %p1, %x, %v0 : f32
    %p2 = arith.cmpf olt, %v1, %x : f32
    %v2 = arith.select %p2, %x, %v1 : f32
    %p3 = arith.cmpf olt, %v2, %x : f32
    %v3 = arith.select %p3, %x, %v2 : f32
    %p4 = arith.cmpf olt, %v3, %x : f32
    %v4 = arith.select %p4, %x, %v3 : f32
    %p5 = arith.cmpf olt, %v4, %x : f32
    %v5 = arith.select %p5, %x, %v4 : f32
    %p6 = arith.cmpf olt, %v5, %x : f32
    %v6 = arith.select %p6, %x, %v5 : f32
    %p7 = arith.cmpf olt, %v6, %x : f32
    %v7 = arith.select %p7, %x, %v6 : f32
    %p8 = arith.cmpf olt, %v7, %x : f32
    %v8 = arith.select %p8, %x, %v7 : f32
    %p9 = arith.cmpf olt, %v8, %x : f32
    %v9 = arith.select %p9, %x, %v8 : f32
    %p10 = arith.cmpf olt, %v9, %x : f32
    %v10 = arith.select %p10, %x, %v9 : f32
    %p11 = arith.cmpf olt, %v10, %x : f32
    %v11 = arith.select %p11, %x, %v10 : f32
    %p12 = arith.cmpf olt, %v11, %x : f32
    %v12 = arith.select %p12, %x, %v11 : f32
    %p13 = arith.cmpf olt, %v12, %x : f32
    %v13 = arith.select %p13, %x, %v12 : f32
    %p14 = arith.cmpf olt, %v13, %x : f32
    %v14 = arith.select %p14, %x, %v13 : f32
    %p15 = arith.cmpf olt, %v14, %x : f32
    %v15 = arith.select %p15, %x, %v14 : f32
    %p16 = arith.cmpf olt, %v15, %x : f32
    %v16 = arith.select %p16, %x, %v15 : f32
    %p17 = arith.cmpf olt, %v16, %x : f32
    %v17 = arith.select %p17, %x, %v16 : f32
    %p18 = arith.cmpf olt, %v17, %x : f32
    %v18 = arith.select %p18, %x, %v17 : f32
    %p19 = arith.cmpf olt, %v18, %x : f32
    %v19 = arith.select %p19, %x, %v18 : f32
    %p20 = arith.cmpf olt, %v19, %x : f32
    %v20 = arith.select %p20, %x, %v19 : f32
    %p21 = arith.cmpf olt, %v20, %x : f32
    %v21 = arith.select %p21, %x, %v20 : f32
    %p22 = arith.cmpf olt, %v21, %x : f32
    %v22 = arith.select %p22, %x, %v21 : f32
    %p23 = arith.cmpf olt, %v22, %x : f32
    %v23 = arith.select %p23, %x, %v22 : f32
    %p24 = arith.cmpf olt, %v23, %x : f32
    %v24 = arith.select %p24, %x, %v23 : f32
    %p25 = arith.cmpf olt, %v24, %x : f32
    %v25 = arith.select %p25, %x, %v24 : f32
    %p26 = arith.cmpf olt, %v25, %x : f32
    %v26 = arith.select %p26, %x, %v25 : f32
    %p27 = arith.cmpf olt, %v26, %x : f32
    %v27 = arith.select %p27, %x, %v26 : f32
    %p28 = arith.cmpf olt, %v27, %x : f32
    %v28 = arith.select %p28, %x, %v27 : f32
    %p29 = arith.cmpf olt, %v28, %x : f32
    %v29 = arith.select %p29, %x, %v28 : f32
    %p30 = arith.cmpf olt, %v29, %x : f32
    %v30 = arith.select %p30, %x, %v29 : f32
    %p31 = arith.cmpf olt, %v30, %x : f32
    %v31 = arith.select %p31, %x, %v30 : f32
    %p32 = arith.cmpf olt, %v31, %x : f32
    %v32 = arith.select %p32, %x, %v31 : f32
    memref.store %v32, %m[%at] : memref<64xf32>
    gpu.return
  }

  // 52 words, three quarters as many and 24 are 115; with 16 more they are over 128.
  // CHECK-LABEL: llvm.func @conditions_take_registers(
  // CHECK-SAME: nvvm.minctasm = 12 : i32
  gpu.func @conditions_take_registers(%m: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %at = gpu.thread_id x
    %x = memref.load %m[%at] : memref<64xf32>
    %c0 = arith.constant 0 : index
    %w = vector.load %m[%c0] : memref<64xf32>, vector<52xf32>
    %v0 = arith.addf %x, %x : f32
    %p1 = arith.cmpf olt, %v0, %x : f32
    %v1 = arith.select %p1, %x, %v0 : f32
    %p2 = arith.cmpf olt, %v1, %x : f32
    %v2 = arith.select %p2, %x, %v1 : f32
    %p3 = arith.cmpf olt, %v2, %x : f32
    %v3 = arith.select %p3, %x, %v2 : f32
    %p4 = arith.cmpf olt, %v3, %x : f32
    %v4 = arith.select %p4, %x, %v3 : f32
    %p5 = arith.cmpf olt, %v4, %x : f32
    %v5 = arith.select %p5, %x, %v4 : f32
    %p6 = arith.cmpf olt, %v5, %x : f32
    %v6 = arith.select %p6, %x, %v5 : f32
    %p7 = arith.cmpf olt, %v6, %x : f32
    %v7 = arith.select %p7, %x, %v6 : f32
    %p8 = arith.cmpf olt, %v7, %x : f32
    %v8 = arith.select %p8, %x, %v7 : f32
    %p9 = arith.cmpf olt, %v8, %x : f32
    %v9 = arith.select %p9, %x, %v8 : f32
    %p10 = arith.cmpf olt, %v9, %x : f32
    %v10 = arith.select %p10, %x, %v9 : f32
    %p11 = arith.cmpf olt, %v10, %x : f32
    %v11 = arith.select %p11, %x, %v10 : f32
    %p12 = arith.cmpf olt, %v11, %x : f32
    %v12 = arith.select %p12, %x, %v11 : f32
    %p13 = arith.cmpf olt, %v12, %x : f32
    %v13 = arith.select %p13, %x, %v12 : f32
    %p14 = arith.cmpf olt, %v13, %x : f32
    %v14 = arith.select %p14, %x, %v13 : f32
    %p15 = arith.cmpf olt, %v14, %x : f32
    %v15 = arith.select %p15, %x, %v14 : f32
    %p16 = arith.cmpf olt, %v15, %x : f32
    %v16 = arith.select %p16, %x, %v15 : f32
    %p17 = arith.cmpf olt, %v16, %x : f32
    %v17 = arith.select %p17, %x, %v16 : f32
    %p18 = arith.cmpf olt, %v17, %x : f32
    %v18 = arith.select %p18, %x, %v17 : f32
    %p19 = arith.cmpf olt, %v18, %x : f32
    %v19 = arith.select %p19, %x, %v18 : f32
    %p20 = arith.cmpf olt, %v19, %x : f32
    %v20 = arith.select %p20, %x, %v19 : f32
    %p21 = arith.cmpf olt, %v20, %x : f32
    %v21 = arith.select %p21, %x, %v20 : f32
    %p22 = arith.cmpf olt, %v21, %x : f32
    %v22 = arith.select %p22, %x, %v21 : f32
    %p23 = arith.cmpf olt, %v22, %x : f32
    %v23 = arith.select %p23, %x, %v22 : f32
    %p24 = arith.cmpf olt, %v23, %x : f32
    %v24 = arith.select %p24, %x, %v23 : f32
    %p25 = arith.cmpf olt, %v24, %x : f32
    %v25 = arith.select %p25, %x, %v24 : f32
    %p26 = arith.cmpf olt, %v25, %x : f32
    %v26 = arith.select %p26, %x, %v25 : f32
    %p27 = arith.cmpf olt, %v26, %x : f32
    %v27 = arith.select %p27, %x, %v26 : f32
    %p28 = arith.cmpf olt, %v27, %x : f32
    %v28 = arith.select %p28, %x, %v27 : f32
    %p29 = arith.cmpf olt, %v28, %x : f32
    %v29 = arith.select %p29, %x, %v28 : f32
    %p30 = arith.cmpf olt, %v29, %x : f32
    %v30 = arith.select %p30, %x, %v29 : f32
    %p31 = arith.cmpf olt, %v30, %x : f32
    %v31 = arith.select %p31, %x, %v30 : f32
    %p32 = arith.cmpf olt, %v31, %x : f32
    %v32 = arith.select %p32, %x, %v31 : f32
    memref.store %v32, %m[%at] : memref<64xf32>
    vector.store %w, %m[%c0] : memref<64xf32>, vector<52xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @few_conditions(
  // CHECK-NOT: nvvm.minctasm
  gpu.func @few_conditions(%m: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %at = gpu.thread_id x
    %x = memref.load %m[%at] : memref<64xf32>
    %v0 = arith.addf %x, %x : f32
    %p1 = arith.cmpf olt, %v0, %x : f32
    %v1 = arith.select %p1, %x, %v0 : f32
    %p2 = arith.cmpf olt, %v1, %x : f32
    %v2 = arith.select %p2, %x, %v1 : f32
    %p3 = arith.cmpf olt, %v2, %x : f32
    %v3 = arith.select %p3, %x, %v2 : f32
    %p4 = arith.cmpf olt, %v3, %x : f32
    %v4 = arith.select %p4, %x, %v3 : f32
    %p5 = arith.cmpf olt, %v4, %x : f32
    %v5 = arith.select %p5, %x, %v4 : f32
    %p6 = arith.cmpf olt, %v5, %x : f32
    %v6 = arith.select %p6, %x, %v5 : f32
    %p7 = arith.cmpf olt, %v6, %x : f32
    %v7 = arith.select %p7, %x, %v6 : f32
    %p8 = arith.cmpf olt, %v7, %x : f32
    %v8 = arith.select %p8, %x, %v7 : f32
    %p9 = arith.cmpf olt, %v8, %x : f32
    %v9 = arith.select %p9, %x, %v8 : f32
    %p10 = arith.cmpf olt, %v9, %x : f32
    %v10 = arith.select %p10, %x, %v9 : f32
    %p11 = arith.cmpf olt, %v10, %x : f32
    %v11 = arith.select %p11, %x, %v10 : f32
    %p12 = arith.cmpf olt, %v11, %x : f32
    %v12 = arith.select %p12, %x, %v11 : f32
    %p13 = arith.cmpf olt, %v12, %x : f32
    %v13 = arith.select %p13, %x, %v12 : f32
    %p14 = arith.cmpf olt, %v13, %x : f32
    %v14 = arith.select %p14, %x, %v13 : f32
    %p15 = arith.cmpf olt, %v14, %x : f32
    %v15 = arith.select %p15, %x, %v14 : f32
    %p16 = arith.cmpf olt, %v15, %x : f32
    %v16 = arith.select %p16, %x, %v15 : f32
    %p17 = arith.cmpf olt, %v16, %x : f32
    %v17 = arith.select %p17, %x, %v16 : f32
    %p18 = arith.cmpf olt, %v17, %x : f32
    %v18 = arith.select %p18, %x, %v17 : f32
    %p19 = arith.cmpf olt, %v18, %x : f32
    %v19 = arith.select %p19, %x, %v18 : f32
    %p20 = arith.cmpf olt, %v19, %x : f32
    %v20 = arith.select %p20, %x, %v19 : f32
    %p21 = arith.cmpf olt, %v20, %x : f32
    %v21 = arith.select %p21, %x, %v20 : f32
    %p22 = arith.cmpf olt, %v21, %x : f32
    %v22 = arith.select %p22, %x, %v21 : f32
    %p23 = arith.cmpf olt, %v22, %x : f32
    %v23 = arith.select %p23, %x, %v22 : f32
    %p24 = arith.cmpf olt, %v23, %x : f32
    %v24 = arith.select %p24, %x, %v23 : f32
    %p25 = arith.cmpf olt, %v24, %x : f32
    %v25 = arith.select %p25, %x, %v24 : f32
    %p26 = arith.cmpf olt, %v25, %x : f32
    %v26 = arith.select %p26, %x, %v25 : f32
    %p27 = arith.cmpf olt, %v26, %x : f32
    %v27 = arith.select %p27, %x, %v26 : f32
    %p28 = arith.cmpf olt, %v27, %x : f32
    %v28 = arith.select %p28, %x, %v27 : f32
    %p29 = arith.cmpf olt, %v28, %x : f32
    %v29 = arith.select %p29, %x, %v28 : f32
    %p30 = arith.cmpf olt, %v29, %x : f32
    %v30 = arith.select %p30, %x, %v29 : f32
    %p31 = arith.cmpf olt, %v30, %x : f32
    %v31 = arith.select %p31, %x, %v30 : f32
    memref.store %v31, %m[%at] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @many_conditions_of_two_subgroups(
  // CHECK-NOT: nvvm.minctasm
  gpu.func @many_conditions_of_two_subgroups(%m: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    %at = gpu.thread_id x
    %x = memref.load %m[%at] : memref<64xf32>
    %v0 = arith.addf %x, %x : f32
    %p1 = arith.cmpf olt, %v0, %x : f32
    %v1 = arith.select %p1, %x, %v0 : f32
    %p2 = arith.cmpf olt, %v1, %x : f32
    %v2 = arith.select %p2, %x, %v1 : f32
    %p3 = arith.cmpf olt, %v2, %x : f32
    %v3 = arith.select %p3, %x, %v2 : f32
    %p4 = arith.cmpf olt, %v3, %x : f32
    %v4 = arith.select %p4, %x, %v3 : f32
    %p5 = arith.cmpf olt, %v4, %x : f32
    %v5 = arith.select %p5, %x, %v4 : f32
    %p6 = arith.cmpf olt, %v5, %x : f32
    %v6 = arith.select %p6, %x, %v5 : f32
    %p7 = arith.cmpf olt, %v6, %x : f32
    %v7 = arith.select %p7, %x, %v6 : f32
    %p8 = arith.cmpf olt, %v7, %x : f32
    %v8 = arith.select %p8, %x, %v7 : f32
    %p9 = arith.cmpf olt, %v8, %x : f32
    %v9 = arith.select %p9, %x, %v8 : f32
    %p10 = arith.cmpf olt, %v9, %x : f32
    %v10 = arith.select %p10, %x, %v9 : f32
    %p11 = arith.cmpf olt, %v10, %x : f32
    %v11 = arith.select %p11, %x, %v10 : f32
    %p12 = arith.cmpf olt, %v11, %x : f32
    %v12 = arith.select %p12, %x, %v11 : f32
    %p13 = arith.cmpf olt, %v12, %x : f32
    %v13 = arith.select %p13, %x, %v12 : f32
    %p14 = arith.cmpf olt, %v13, %x : f32
    %v14 = arith.select %p14, %x, %v13 : f32
    %p15 = arith.cmpf olt, %v14, %x : f32
    %v15 = arith.select %p15, %x, %v14 : f32
    %p16 = arith.cmpf olt, %v15, %x : f32
    %v16 = arith.select %p16, %x, %v15 : f32
    %p17 = arith.cmpf olt, %v16, %x : f32
    %v17 = arith.select %p17, %x, %v16 : f32
    %p18 = arith.cmpf olt, %v17, %x : f32
    %v18 = arith.select %p18, %x, %v17 : f32
    %p19 = arith.cmpf olt, %v18, %x : f32
    %v19 = arith.select %p19, %x, %v18 : f32
    %p20 = arith.cmpf olt, %v19, %x : f32
    %v20 = arith.select %p20, %x, %v19 : f32
    %p21 = arith.cmpf olt, %v20, %x : f32
    %v21 = arith.select %p21, %x, %v20 : f32
    %p22 = arith.cmpf olt, %v21, %x : f32
    %v22 = arith.select %p22, %x, %v21 : f32
    %p23 = arith.cmpf olt, %v22, %x : f32
    %v23 = arith.select %p23, %x, %v22 : f32
    %p24 = arith.cmpf olt, %v23, %x : f32
    %v24 = arith.select %p24, %x, %v23 : f32
    %p25 = arith.cmpf olt, %v24, %x : f32
    %v25 = arith.select %p25, %x, %v24 : f32
    %p26 = arith.cmpf olt, %v25, %x : f32
    %v26 = arith.select %p26, %x, %v25 : f32
    %p27 = arith.cmpf olt, %v26, %x : f32
    %v27 = arith.select %p27, %x, %v26 : f32
    %p28 = arith.cmpf olt, %v27, %x : f32
    %v28 = arith.select %p28, %x, %v27 : f32
    %p29 = arith.cmpf olt, %v28, %x : f32
    %v29 = arith.select %p29, %x, %v28 : f32
    %p30 = arith.cmpf olt, %v29, %x : f32
    %v30 = arith.select %p30, %x, %v29 : f32
    %p31 = arith.cmpf olt, %v30, %x : f32
    %v31 = arith.select %p31, %x, %v30 : f32
    %p32 = arith.cmpf olt, %v31, %x : f32
    %v32 = arith.select %p32, %x, %v31 : f32
    memref.store %v32, %m[%at] : memref<64xf32>
    gpu.return
  }
}
