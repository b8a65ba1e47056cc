// RUN: distaff-opt %s --split-input-file --distaff-write-lane-kernels | FileCheck %s

// What is known of the launch stays with the function, and its tables beside it.
// CHECK:       #[[INFO:.*]] = #iree_codegen.translation_info<pipeline = VectorDistribute subgroup_size = 32>
// CHECK-NOT:   func.func @scaled(
// CHECK-LABEL: gpu.module @kernels
// CHECK:         memref.global "private" constant @scaled__table
// CHECK:         gpu.func @scaled(%[[I:.*]]: memref<64xf32>, %[[O:.*]]: memref<64xf32> {iree.abi.output = 0 : index}) kernel
// CHECK-SAME:      known_block_size = array<i32: 32, 2, 1>
// CHECK-SAME:      known_grid_size = array<i32: 3, 1, 1>
// CHECK-SAME:      translation_info = #[[INFO]]}
// CHECK:           memref.get_global @scaled__table
// CHECK:           gpu.return
// CHECK:       func.func @scaled__grid() -> (index, index, index)
memref.global "private" constant @scaled__table : memref<2xf32> = dense<[1.0, 3.0]>
func.func @scaled(%i: memref<64xf32>, %o: memref<64xf32> {iree.abi.output = 0 : index}) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = VectorDistribute workgroup_size = [32, 2] subgroup_size = 32>} {
  %x = gpu.thread_id x
  %y = gpu.thread_id y
  %t = memref.get_global @scaled__table : memref<2xf32>
  %a = memref.load %i[%x] : memref<64xf32>
  %b = memref.load %t[%y] : memref<2xf32>
  %c = arith.mulf %a, %b : f32
  memref.store %c, %o[%x] : memref<64xf32>
  return
}
func.func @scaled__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  return %c3, %c1, %c1 : index, index, index
}

// -----

// One workgroup is not worth an attribute; another symbol may have the name.
// CHECK:     func.func private @kernels()
// CHECK:     gpu.module @kernels_0
// CHECK-NOT: known_grid_size
// CHECK:       gpu.func @one() kernel
// CHECK:       gpu.func @two() kernel
func.func private @kernels()
func.func @one() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32] subgroup_size = 32>} {
  return
}
func.func @two() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32] subgroup_size = 32>} {
  return
}

// -----

// CHECK:       gpu.func @doubled({{.*}}) kernel attributes {known_block_size = array<i32: 32, 1, 1>
// CHECK:         gpu.thread_id x
// CHECK:         gpu.return
func.func @doubled(%i: memref<32xf32>, %o: memref<32xf32> {iree.abi.output = 0 : index}) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32] subgroup_size = 32>} {
  %t = gpu.thread_id x
  %a = memref.load %i[%t] : memref<32xf32>
  %b = arith.addf %a, %a : f32
  memref.store %b, %o[%t] : memref<32xf32>
  return
}

// -----

// Modules of the file stay where they are, before and behind the kernel.
// CHECK:      gpu.module @kernels {
// CHECK-NEXT: }
// CHECK:      gpu.module @kernels_0 {
// CHECK:        gpu.func @beside_modules() kernel
// CHECK:      module @last {
gpu.module @kernels {
}
func.func @beside_modules() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32] subgroup_size = 32>} {
  return
}
module @last {
}
