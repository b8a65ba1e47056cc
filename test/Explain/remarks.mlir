// RUN: distaff compile %s --target sm_80 --func no_instruction --remarks -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: distaff compile %s --target sm_80 --func no_instruction --remarks --stop-after=distribute 2>/dev/null | FileCheck %s --check-prefix=PLAIN
// RUN: distaff compile %s --target sm_80 --func no_instruction -o %t.mlir 2>&1 | count 0
// RUN: distaff run %s --target sm_80 --func no_instruction --check --every-stage --input arg0=whole:1:-9:9 --input arg1=whole:2:-9:9 --input arg2=whole:3:-9:9 | FileCheck %s --check-prefix=RAN
// RUN: distaff compile %s --target sm_80 --func moved --remarks -o %t.mlir 2>&1 | FileCheck %s --check-prefix=MOVED
// Decisions as remarks (DG9): where no instruction fits, the plain form and why (VX-105);
// conversions with their fields and the tiers that lost (VX-50); reductions.

// NONE: remarks.mlir:[[#@LINE+15]]:1: remark: contraction: plain multiply-adds, since 30x8x16 (m, n, k) is no multiple of 16x8x16, 16x8x8
// PLAIN-NOT: inner_tiled
// PLAIN: gpu.return
// RAN: convert {{.*}} ok
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @no_instruction(%a: memref<30x16xf16>, %b: memref<16x8xf16>, %c: memref<30x8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<30x16xf16>, vector<30x16xf16>
  %1 = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %2 = vector.transfer_read %c[%c0, %c0], %z {in_bounds = [true, true]} : memref<30x8xf32>, vector<30x8xf32>
  %3 = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %0, %1, %2 : vector<30x16xf16>, vector<16x8xf16> into vector<30x8xf32>
  vector.transfer_write %3, %c[%c0, %c0] {in_bounds = [true, true]} : vector<30x8xf32>, memref<30x8xf32>
  return
}

#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [32, 1], element_tile = [1, 32], subgroup_strides = [0, 0], thread_strides = [1, 0]>
#column = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [32, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>
// MOVED: remarks.mlir:[[#@LINE+9]]:1: remark: conversion from {{.*}} to {{.*}}: T3 shared memory, cost {{[0-9]+}}, 0 moves, 0 selects, 0 shuffles in 0 rounds of 1 elements, {{[1-9][0-9]*}} bytes of shared memory in {{[1-9][0-9]*}} wavefronts, since shared_memory_conversion demands it; not T0: {{.*}}; not T1: {{.*}}; not T1s: {{.*}}; not T2: shared memory is demanded
// MOVED: remarks.mlir:[[#@LINE+9]]:1: remark: add of 32 elements per lane, 1 lanes and 1 subgroups per result, 0 rounds; each result is then on 1 lanes
func.func @moved(%x: memref<32x32xf32>, %y: memref<32xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : vector<32xf32>
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<32x32xf32>
  %2 = math.exp2 %1 : vector<32x32xf32>
  %3 = iree_vector_ext.to_layout %2 to layout(#column) {shared_memory_conversion} : vector<32x32xf32>
  %4 = vector.multi_reduction <add>, %3, %zeros [0] : vector<32x32xf32> to vector<32xf32>
  vector.transfer_write %4, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  return
}

// RUN: distaff compile %examples/flash_attention.mlir --target sm_80 --remarks -o %t.mlir 2>&1 | FileCheck %s --check-prefix=ATTENTION
// ATTENTION: remark: contraction: m16n8k16 f16, subgroups 2x1x1, cost 2048; not m16n8k16 f16, subgroups 1x2x1: the kernel would cost {{[0-9]+}} instead of {{[0-9]+}}

// RUN: distaff compile %examples/flash_attention_f32_64.mlir --target gfx942 --remarks -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SLOTS
// SLOTS: more issue slots

// RUN: distaff compile %source/test/Distribution/contract-mma-sync.mlir --target sm_80 --remarks -o %t.mlir 2>&1 | FileCheck %s --check-prefix=ANCHORED
// ANCHORED: remark: contraction: m16n8k16 f16, subgroups 1x1x1, since its operands' mma_kind
