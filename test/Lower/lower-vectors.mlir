// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-vectors{target=sm_80},canonicalize)))' | FileCheck %s

gpu.module @kernels {
  // Shapes are names: a transposed, sliced and reshaped tile is stored without any
  // code but the loads and the stores.
  // CHECK-LABEL: func @renaming_emits_nothing
  // CHECK: %[[R0:.*]]:4 = vector.to_elements
  // CHECK: %[[R1:.*]]:4 = vector.to_elements
  // CHECK-NEXT: %[[V:.*]] = vector.from_elements %[[R0]]#1, %[[R1]]#1, %[[R0]]#2, %[[R1]]#2
  // CHECK-NEXT: vector.store %[[V]]
  // CHECK-NEXT: gpu.return
  gpu.func @renaming_emits_nothing(%m: memref<2x4xf32>, %o: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %v = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<2x4xf32>, vector<2x4xf32>
    %t = vector.transpose %v, [1, 0] : vector<2x4xf32> to vector<4x2xf32>
    %s = vector.extract_strided_slice %t {offsets = [1, 0], sizes = [2, 2], strides = [1, 1]} : vector<4x2xf32> to vector<2x2xf32>
    %c = vector.shape_cast %s : vector<2x2xf32> to vector<4xf32>
    vector.store %c, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // CHECK-LABEL: func @loops_carry_registers
  // CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32, f32)
  // CHECK: scf.yield %{{.*}}, %{{.*}} : f32, f32
  gpu.func @loops_carry_registers(%m: memref<2xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %init = arith.constant dense<1.0> : vector<2xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %init) -> vector<2xf32> {
      %y = arith.mulf %x, %x : vector<2xf32>
      scf.yield %y : vector<2xf32>
    }
    vector.store %r, %m[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }

  // The address is a multiple of 4 elements: one 128-bit load.
  // CHECK-LABEL: func @aligned_runs_are_wide
  // CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<8x128xf32>, vector<4xf32>
  // CHECK-NOT: load
  gpu.func @aligned_runs_are_wide(%m: memref<8x128xf32>, %o: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %j = arith.muli %t, %c4 : index
    %v = vector.transfer_read %m[%b, %j], %z {in_bounds = [true]} : memref<8x128xf32>, vector<4xf32>
    vector.store %v, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // Nothing is known of the index: one load per element.
  // CHECK-LABEL: func @unaligned_runs_are_narrow
  // CHECK-COUNT-4: memref.load
  // CHECK-NOT: load
  gpu.func @unaligned_runs_are_narrow(%m: memref<8x128xf32>, %o: memref<4xf32>, %j: index) kernel {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %v = vector.transfer_read %m[%c0, %j], %z {in_bounds = [true]} : memref<8x128xf32>, vector<4xf32>
    vector.store %v, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // A swizzle that keeps the low bits keeps the width: t ^ ((t >> 6 & 15) << 2) is a
  // multiple of 4 where t is.
  // CHECK-LABEL: func @swizzled_runs_are_wide
  // CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<8192xf16>, vector<4xf16>
  gpu.func @swizzled_runs_are_wide(%m: memref<8192xf16>, %o: memref<4xf16>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %c15 = arith.constant 15 : index
    %t = gpu.thread_id x
    %a = arith.shli %t, %c2 : index
    %r = arith.shrui %a, %c6 : index
    %low = arith.andi %r, %c15 : index
    %s = arith.shli %low, %c2 : index
    %x = arith.xori %a, %s : index
    %v = vector.load %m[%x] : memref<8192xf16>, vector<4xf16>
    vector.store %v, %o[%c0] : memref<4xf16>, vector<4xf16>
    gpu.return
  }

  // Rows of 6 elements: 2 divides every row's start, 4 does not.
  // CHECK-LABEL: func @the_row_stride_limits_the_width
  // CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<8x6xf32>, vector<2xf32>
  // CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<8x6xf32>, vector<2xf32>
  gpu.func @the_row_stride_limits_the_width(%m: memref<8x6xf32>, %o: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %b = gpu.block_id x
    %v = vector.transfer_read %m[%b, %c0], %z {in_bounds = [true]} : memref<8x6xf32>, vector<4xf32>
    vector.store %v, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // The op may know more than the indices show; half of a promise is half the
  // width.
  // CHECK-LABEL: func @a_promised_alignment_counts
  // CHECK-COUNT-4: memref.load
  // CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
  // CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<?x?xf32>, vector<2xf32>
  // CHECK-NOT: load
  // CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<?x?xf32>, vector<4xf32>
  gpu.func @a_promised_alignment_counts(%a: memref<?x?xf32>, %i: index) kernel {
    %0 = vector.load %a[%i, %i] : memref<?x?xf32>, vector<4xf32>
    %1 = vector.load %a[%i, %i] {alignment = 8} : memref<?x?xf32>, vector<4xf32>
    %2 = arith.addf %0, %1 : vector<4xf32>
    vector.store %2, %a[%i, %i] {alignment = 16} : memref<?x?xf32>, vector<4xf32>
    gpu.return
  }

  // A promise is about the first row; the others are a stride apart.
  // CHECK-LABEL: func @a_promise_does_not_reach_other_rows
  // CHECK-COUNT-4: vector.load %{{.*}} {alignment = 8 : i64} : memref<8x6xf32>, vector<2xf32>
  // CHECK-NOT: load
  gpu.func @a_promise_does_not_reach_other_rows(%a: memref<8x6xf32>, %b: memref<2x4xf32>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %0 = vector.load %a[%i, %i] {alignment = 16} : memref<8x6xf32>, vector<2x4xf32>
    vector.store %0, %b[%c0, %c0] : memref<2x4xf32>, vector<2x4xf32>
    gpu.return
  }

  // CHECK-LABEL: func @positions_are_wide_too
  // CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<64xindex>, vector<2xindex>
  // CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<64xindex>, vector<2xindex>
  gpu.func @positions_are_wide_too(%a: memref<64xindex>, %b: memref<64xindex>) kernel {
    %c2 = arith.constant 2 : index
    %0 = vector.load %a[%c2] : memref<64xindex>, vector<2xindex>
    vector.store %0, %b[%c2] : memref<64xindex>, vector<2xindex>
    gpu.return
  }

  // The run follows memory, not the vector's innermost dim.
  // CHECK-LABEL: func @a_permuted_read_is_wide_too
  // CHECK: %[[ROW:.*]]:2 = vector.to_elements
  // CHECK: %[[NEXT:.*]]:2 = vector.to_elements
  // CHECK: vector.from_elements %[[ROW]]#0, %[[NEXT]]#0, %[[ROW]]#1, %[[NEXT]]#1
  gpu.func @a_permuted_read_is_wide_too(%m: memref<2x2xf32>, %o: memref<2x2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %v = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<2x2xf32>, vector<2x2xf32>
    %s = vector.shape_cast %v : vector<2x2xf32> to vector<4xf32>
    %p = memref.collapse_shape %o [[0, 1]] : memref<2x2xf32> into memref<4xf32>
    vector.transfer_write %v, %o[%c0, %c0] {in_bounds = [true, true]} : vector<2x2xf32>, memref<2x2xf32>
    %a = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
    vector.store %s, %a[%c0] : memref<4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.return
  }

  // CHECK-LABEL: func @broadcast_dims_are_read_once
  // CHECK-COUNT-1: memref.load
  // CHECK-NOT: load
  gpu.func @broadcast_dims_are_read_once(%m: memref<8xf32>, %o: memref<4xf32>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %v = vector.transfer_read %m[%i], %z {in_bounds = [true], permutation_map = affine_map<(d0) -> (0)>} : memref<8xf32>, vector<4xf32>
    vector.store %v, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // What may leave the memref is guarded and padded, element by element.
  // CHECK-LABEL: func @outside_is_padding
  // CHECK-SAME: %[[M:.*]]: memref<?xf32>, %{{.*}}: memref<2xf32>, %[[I:.*]]: index
  // CHECK: %[[PAD:.*]] = arith.constant 7.0
  // CHECK: %[[IN:.*]] = arith.cmpi ult, %[[I]], %
  // CHECK: scf.if %[[IN]] -> (f32)
  // CHECK: memref.load %[[M]][%[[I]]]
  // CHECK: scf.yield %[[PAD]]
  gpu.func @outside_is_padding(%m: memref<?xf32>, %o: memref<2xf32>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 7.0 : f32
    %v = vector.transfer_read %m[%i], %pad : memref<?xf32>, vector<2xf32>
    vector.store %v, %o[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }

  // A chunk that is wholly inside or outside is guarded once.
  // CHECK-LABEL: func @whole_chunks_are_guarded_once
  // CHECK: arith.cmpi ult
  // CHECK-NOT: arith.cmpi
  // CHECK: scf.if
  // CHECK: vector.store {{.*}} vector<4xf32>
  gpu.func @whole_chunks_are_guarded_once(%o: memref<96xf32>, %x: f32) kernel {
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %j = arith.muli %t, %c4 : index
    %v = vector.broadcast %x : f32 to vector<4xf32>
    vector.transfer_write %v, %o[%j] : vector<4xf32>, memref<96xf32>
    gpu.return
  }

  // A transfer's mask has the dims of the memref: here it is transposed.
  // CHECK-LABEL: func @masks_are_paired_by_coordinates
  // CHECK: memref.load %{{.*}}[%c0, %c0]
  // CHECK: memref.load %{{.*}}[%c1, %c0]
  // CHECK-NOT: memref.load
  gpu.func @masks_are_paired_by_coordinates(%m: memref<2x2xf32>, %o: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %mask = arith.constant dense<[[true, false], [true, false]]> : vector<2x2xi1>
    %v = vector.transfer_read %m[%c0, %c0], %z, %mask {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<2x2xf32>, vector<2x2xf32>
    %s = vector.shape_cast %v : vector<2x2xf32> to vector<4xf32>
    vector.store %s, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // The one element of a mask without dims is within a bound of 1, not of 0.
  // CHECK-LABEL: func @masks_without_dims
  // CHECK: memref.store %true, %{{.*}}[%c0]
  // CHECK: memref.store %false, %{{.*}}[%c1]
  gpu.func @masks_without_dims(%o: memref<2xi1>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = vector.constant_mask [1] : vector<i1>
    %none = vector.constant_mask [0] : vector<i1>
    %a = vector.extract %one[] : i1 from vector<i1>
    %b = vector.extract %none[] : i1 from vector<i1>
    memref.store %a, %o[%c0] : memref<2xi1>
    memref.store %b, %o[%c1] : memref<2xi1>
    gpu.return
  }

  // The accumulator is combined last.
  // CHECK-LABEL: func @reductions_are_trees
  // CHECK: %[[E:.*]]:4 = vector.to_elements
  // CHECK: %[[A:.*]] = arith.addf %[[E]]#0, %[[E]]#1
  // CHECK: %[[B:.*]] = arith.addf %[[E]]#2, %[[E]]#3
  // CHECK: %[[C:.*]] = arith.addf %[[A]], %[[B]]
  // CHECK: arith.addf %[[C]], %{{.*}}
  gpu.func @reductions_are_trees(%m: memref<4xf32>, %o: memref<f32>, %acc: f32) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %m[%c0] : memref<4xf32>, vector<4xf32>
    %r = vector.multi_reduction <add>, %v, %acc [0] : vector<4xf32> to f32
    memref.store %r, %o[] : memref<f32>
    gpu.return
  }

  // Ascending k from the accumulator, in the accumulator's type.
  // CHECK-LABEL: func @contractions_go_up_in_k
  // CHECK-SAME: %[[ACC:[a-z0-9]*]]: f32
  // CHECK: %[[S0:.*]] = math.fma %{{.*}}, %{{.*}}, %[[ACC]] : f32
  // CHECK: math.fma %{{.*}}, %{{.*}}, %[[S0]] : f32
  gpu.func @contractions_go_up_in_k(%a: memref<2xf16>, %o: memref<f32>, %acc: f32) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %a[%c0] : memref<2xf16>, vector<2xf16>
    %e = arith.extf %v : vector<2xf16> to vector<2xf32>
    %r = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
      iterator_types = ["reduction"], kind = #vector.kind<add>} %e, %e, %acc : vector<2xf32>, vector<2xf32> into f32
    memref.store %r, %o[] : memref<f32>
    gpu.return
  }

  // One condition for four halves: two words, each chosen whole.
  // CHECK-LABEL: func @selects_words
  // CHECK-COUNT-2: arith.select %{{.*}} : i32
  // CHECK-NOT: arith.select
  // CHECK: return
  gpu.func @selects_words(%m: memref<8xf16>, %which: i1) attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %a = vector.load %m[%c0] : memref<8xf16>, vector<4xf16>
    %b = vector.load %m[%c4] : memref<8xf16>, vector<4xf16>
    %r = arith.select %which, %a, %b : vector<4xf16>
    vector.store %r, %m[%c0] : memref<8xf16>, vector<4xf16>
    gpu.return
  }

  // A position known only at run time is a chain of selects.
  // CHECK-LABEL: func @dynamic_extract_selects
  // CHECK: %[[E:.*]]:2 = vector.to_elements
  // CHECK: %[[IS1:.*]] = arith.cmpi eq, %{{.*}}, %c1
  // CHECK: arith.select %[[IS1]], %[[E]]#1, %[[E]]#0
  gpu.func @dynamic_extract_selects(%m: memref<2xf32>, %i: index) -> f32 {
    %c0 = arith.constant 0 : index
    %v = vector.load %m[%c0] : memref<2xf32>, vector<2xf32>
    %x = vector.extract %v[%i] : f32 from vector<2xf32>
    gpu.return %x : f32
  }

  // Two k steps: the accumulator goes straight from one instruction to the next.
  // CHECK-LABEL: func @inner_tiled_unrolls
  // CHECK: %[[D:.*]] = iree_codegen.inner_tiled {{.*}} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
  // CHECK: iree_codegen.inner_tiled {{.*}} outs(%[[D]])
  // CHECK-NOT: iree_codegen.inner_tiled
  gpu.func @inner_tiled_unrolls(%a: memref<16xf16>, %o: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %a[%c0] : memref<16xf16>, vector<16xf16>
    %lhs = vector.shape_cast %v : vector<16xf16> to vector<1x2x4x2xf16>
    %half = vector.extract_strided_slice %v {offsets = [0], sizes = [8], strides = [1]} : vector<16xf16> to vector<8xf16>
    %rhs = vector.shape_cast %half : vector<8xf16> to vector<2x1x2x2xf16>
    %acc = arith.constant dense<0.0> : vector<1x1x2x2xf32>
    %d = iree_codegen.inner_tiled ins(%lhs, %rhs) outs(%acc) {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
    } : vector<1x2x4x2xf16>, vector<2x1x2x2xf16> into vector<1x1x2x2xf32>
    %s = vector.shape_cast %d : vector<1x1x2x2xf32> to vector<4xf32>
    vector.store %s, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // Dims that are split are elements of the memory that they split, as wide as
  // that has them next to each other.
  // CHECK-LABEL: func @split_dims
  // CHECK-SAME: (%[[M:.*]]: memref<16x8xf32>, %[[I:.*]]: index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
  // CHECK: %[[R1:.*]] = arith.addi %[[I]], %[[C4]]
  // CHECK: vector.load %[[M]][%[[R1]], %[[C4]]] {alignment = 16 : i64} : memref<16x8xf32>, vector<4xf32>
  // CHECK: %[[R2:.*]] = arith.addi %[[I]], %[[C8]]
  // CHECK: vector.load %[[M]][%[[R2]], %[[C4]]] {alignment = 16 : i64} : memref<16x8xf32>, vector<4xf32>
  // CHECK-NOT: load
  gpu.func @split_dims(%m: memref<16x8xf32>, %i: index, %o: memref<8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %s = memref.expand_shape %m [[0, 1], [2, 3]] output_shape [4, 4, 2, 4] : memref<16x8xf32> into memref<4x4x2x4xf32>
    %v = memref.subview %s[0, %i, 1, 0] [4, 1, 1, 4] [1, 1, 1, 1] : memref<4x4x2x4xf32> to memref<4x1x1x4xf32, strided<[32, 8, 4, 1], offset: ?>>
    %t = vector.transfer_read %v[%c1, %c0, %c0, %c0], %z {in_bounds = [true, true, true, true]} : memref<4x1x1x4xf32, strided<[32, 8, 4, 1], offset: ?>>, vector<2x1x1x4xf32>
    %f = vector.shape_cast %t : vector<2x1x1x4xf32> to vector<8xf32>
    vector.store %f, %o[%c0] : memref<8xf32>, vector<8xf32>
    gpu.return
  }

  // What the edge cuts is cut between wide accesses (VX-252) where a multiple of them is
  // left, else between elements.
  // CHECK-LABEL: func @edges_of_fours
  // CHECK: scf.if {{.*}} -> (vector<4xf32>)
  // CHECK:   vector.load {{.*}} vector<4xf32>
  // CHECK-COUNT-4: memref.load
  // CHECK-NOT: load
  gpu.func @edges_of_fours(%m: memref<64xf32>, %n: index, %o: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %n4 = arith.muli %n, %c4 : index
    %v = memref.subview %m[0] [%n4] [1] : memref<64xf32> to memref<?xf32, strided<[1]>>
    %a = vector.transfer_read %v[%c4], %z : memref<?xf32, strided<[1]>>, vector<4xf32>
    %w = memref.subview %m[0] [%n] [1] : memref<64xf32> to memref<?xf32, strided<[1]>>
    %b = vector.transfer_read %w[%c4], %z : memref<?xf32, strided<[1]>>, vector<4xf32>
    %ab = arith.addf %a, %b : vector<4xf32>
    vector.store %ab, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // A view begins where its offset says: at a multiple of 16 bytes, of 8, of 4.
  // CHECK-LABEL: func @views_start_at_their_offset
  // CHECK: vector.load %{{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
  // CHECK: vector.load %{{.*}} {alignment = 8 : i64} : {{.*}}, vector<2xf32>
  // CHECK: vector.load %{{.*}} {alignment = 8 : i64} : {{.*}}, vector<2xf32>
  // CHECK-COUNT-4: memref.load
  // CHECK-NOT: load
  gpu.func @views_start_at_their_offset(%m: memref<64xf32>, %o: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %z = arith.constant 0.0 : f32
    %v8 = memref.subview %m[8] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 8>>
    %v2 = memref.subview %m[2] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 2>>
    %v1 = memref.subview %m[1] [8] [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 1>>
    %a = vector.transfer_read %v8[%c4], %z {in_bounds = [true]} : memref<8xf32, strided<[1], offset: 8>>, vector<4xf32>
    %b = vector.transfer_read %v2[%c4], %z {in_bounds = [true]} : memref<8xf32, strided<[1], offset: 2>>, vector<4xf32>
    %c = vector.transfer_read %v1[%c4], %z {in_bounds = [true]} : memref<8xf32, strided<[1], offset: 1>>, vector<4xf32>
    %ab = arith.addf %a, %b : vector<4xf32>
    %abc = arith.addf %ab, %c : vector<4xf32>
    vector.store %abc, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // A part of a buffer of bytes begins at its shift: at 16 bytes, at 8, where nobody knows.
  // CHECK-LABEL: func @views_of_bytes_start_at_their_shift
  // CHECK: vector.load %{{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
  // CHECK-COUNT-8: memref.load
  // CHECK-NOT: load
  gpu.func @views_of_bytes_start_at_their_shift(%n: index, %o: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %z = arith.constant 0.0 : f32
    %m = memref.alloc() : memref<256xi8, #gpu.address_space<workgroup>>
    %v32 = memref.view %m[%c32][] : memref<256xi8, #gpu.address_space<workgroup>> to memref<8xf32, #gpu.address_space<workgroup>>
    %v8 = memref.view %m[%c8][] : memref<256xi8, #gpu.address_space<workgroup>> to memref<8xf32, #gpu.address_space<workgroup>>
    %vn = memref.view %m[%n][] : memref<256xi8, #gpu.address_space<workgroup>> to memref<8xf32, #gpu.address_space<workgroup>>
    %a = vector.transfer_read %v32[%c0], %z {in_bounds = [true]} : memref<8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    %b = vector.transfer_read %v8[%c0], %z {in_bounds = [true]} : memref<8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    %c = vector.transfer_read %vn[%c0], %z {in_bounds = [true]} : memref<8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    %ab = arith.addf %a, %b : vector<4xf32>
    %abc = arith.addf %ab, %c : vector<4xf32>
    vector.store %abc, %o[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}
