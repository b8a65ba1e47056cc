// RUN: distaff-opt %s --distaff-import-dispatches -split-input-file --mlir-print-local-scope | FileCheck %s

// VX-161: a binding is an argument, where it is written a result; the words of an extent are none.
// CHECK-LABEL: func.func @row_sum(
// CHECK-SAME:    %[[A:.*]]: tensor<?x48xf32>) -> tensor<?xf32> {
// CHECK:         %[[N:.*]] = tensor.dim %[[A]], %c0
// CHECK:         %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK:         %[[R:.*]] = linalg.reduce ins(%[[A]] : tensor<?x48xf32>) outs(%[[E]] : tensor<?xf32>)
// CHECK:         return %[[R]] : tensor<?xf32>
// CHECK-NOT:     hal
func.func @row_sum() {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : i64
  %0 = hal.interface.constant.load layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) ordinal(0) : i32
  %1 = hal.interface.constant.load layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) ordinal(1) : i32
  %2 = arith.extui %0 : i32 to i64
  %3 = arith.extui %1 : i32 to i64
  %4 = arith.shli %3, %c32 : i64
  %5 = arith.ori %2, %4 : i64
  %6 = arith.index_castui %5 : i64 to index
  %7 = util.assume.int %6<umin = 0, umax = 9007199254740991> : index
  %n = iree_tensor_ext.dispatch.workload.ordinal %7, 0 : index
  %a = hal.interface.binding.subspan layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) flags(ReadOnly) : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?x48xf32>>{%n}
  %b = hal.interface.binding.subspan layout(<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) : !iree_tensor_ext.dispatch.tensor<writeonly:tensor<?xf32>>{%n}
  %x = iree_tensor_ext.dispatch.tensor.load %a, offsets = [0, 0], sizes = [%n, 48], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?x48xf32>>{%n} -> tensor<?x48xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.reduce ins(%x : tensor<?x48xf32>) outs(%e : tensor<?xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %s = arith.addf %in, %out : f32
      linalg.yield %s : f32
    }
  iree_tensor_ext.dispatch.tensor.store %r, %b, offsets = [0], sizes = [%n], strides = [1] : tensor<?xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<?xf32>>{%n}
  return
}

// -----

// VX-161, VX-226: what is around a function is gone; how ops of linalg are tiled is kept as what to follow; vectors have their layouts for so many lanes.
// CHECK-NOT:   hal
// CHECK:       func.func @tensors() -> tensor<8xf32> attributes {inherited_config = #iree_codegen.translation_info<workgroup_size = [64, 1, 1]>, translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1]>} {
// CHECK:         linalg.fill {lowering_config = #iree_gpu.lowering_config<{thread = [1]}>} ins
// CHECK:       func.func @vectors_with_layouts(%{{.*}}: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
hal.executable private @e {
  hal.executable.variant public @v target(<"cuda", "ptx">) {
    hal.executable.export public @tensors ordinal(0) layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>) count(%d: !hal.device) -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      hal.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @tensors() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1]>} {
        %z = arith.constant 0.0 : f32
        %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<8xf32, #hal.descriptor_type<storage_buffer>>
        %e = tensor.empty() : tensor<8xf32>
        %r = linalg.fill {lowering_config = #iree_gpu.lowering_config<{padding = [1], thread = [1]}>} ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
        iree_codegen.store_to_buffer %r, %b : tensor<8xf32> into memref<8xf32, #hal.descriptor_type<storage_buffer>>
        return
      }
      func.func @vectors_with_layouts() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [32, 1, 1] subgroup_size = 32, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2>}>} {
        %c0 = arith.constant 0 : index
        %z = arith.constant 0.0 : f32
        %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<64xf32, #hal.descriptor_type<storage_buffer>>
        %v = vector.transfer_read %b[%c0], %z {in_bounds = [true]} : memref<64xf32, #hal.descriptor_type<storage_buffer>>, vector<64xf32>
        %l = iree_vector_ext.to_layout %v to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>) : vector<64xf32>
        vector.transfer_write %l, %b[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32, #hal.descriptor_type<storage_buffer>>
        return
      }
    }
  }
}

// -----

// VX-161: a binding that is not wholly written keeps what it held: it is an argument and a result.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[A:.*]]: tensor<4x3xf32>, %[[B:.*]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK:         %[[R:.*]] = tensor.insert_slice %[[A]] into %[[B]][0, 5] [4, 3] [1, 1]
// CHECK:         return %[[R]]
func.func @columns() {
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x3xf32>>
  %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x8xf32>>
  %x = iree_tensor_ext.dispatch.tensor.load %a, offsets = [0, 0], sizes = [4, 3], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x3xf32>> -> tensor<4x3xf32>
  iree_tensor_ext.dispatch.tensor.store %x, %b, offsets = [0, 5], sizes = [4, 3], strides = [1, 1] : tensor<4x3xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x8xf32>>
  return
}

// -----

// VX-161: so is one that a copy writes to a part of, by linalg on the buffers themselves.
// CHECK-LABEL: func.func @copied_columns(
// CHECK-SAME:    %[[A:.*]]: tensor<4x3xf32>, %[[B:.*]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK:         %[[PART:.*]] = tensor.extract_slice %[[B]][0, 5] [4, 3] [1, 1]
// CHECK:         %[[X:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<4x3xf32>) outs(%[[PART]] : tensor<4x3xf32>)
// CHECK:         %[[R:.*]] = tensor.insert_slice %[[X]] into %[[B]][0, 5] [4, 3] [1, 1]
// CHECK:         return %[[R]]
#id = affine_map<(i, j) -> (i, j)>
func.func @copied_columns() {
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4x3xf32, #hal.descriptor_type<storage_buffer>>
  %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<4x8xf32, #hal.descriptor_type<storage_buffer>>
  %aligned = memref.assume_alignment %b, 64 : memref<4x8xf32, #hal.descriptor_type<storage_buffer>>
  %part = memref.subview %aligned[0, 5] [4, 3] [1, 1] : memref<4x8xf32, #hal.descriptor_type<storage_buffer>> to memref<4x3xf32, strided<[8, 1], offset: 5>, #hal.descriptor_type<storage_buffer>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<4x3xf32, #hal.descriptor_type<storage_buffer>>) outs(%part : memref<4x3xf32, strided<[8, 1], offset: 5>, #hal.descriptor_type<storage_buffer>>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// VX-161: parts of one binding at different offsets are arrays of their own; what is read after it was written is what was
// written; one binding in two shapes is one array.
// CHECK-LABEL: func.func @spans(
// CHECK-SAME:    %[[A:.*]]: tensor<2x8xf32>) -> (tensor<16xf32>, tensor<2x8xf32>)
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[A]]
// CHECK:         %[[TWICE:.*]] = arith.addf %[[FLAT]], %[[FLAT]] : tensor<16xf32>
// CHECK:         %[[AGAIN:.*]] = arith.addf %[[TWICE]], %[[FLAT]] : tensor<16xf32>
// CHECK:         %[[SHAPED:.*]] = tensor.expand_shape %[[AGAIN]]
// CHECK:         %[[SUM:.*]] = arith.addf %[[SHAPED]], %[[A]]
// CHECK:         return %[[TWICE]], %[[SUM]] : tensor<16xf32>, tensor<2x8xf32>
func.func @spans() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) offset(%c0) : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x8xf32>>
  %flat = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) offset(%c0) : !iree_tensor_ext.dispatch.tensor<readonly:tensor<16xf32>>
  %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) offset(%c0) : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<16xf32>>
  %c = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) offset(%c64) : !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x8xf32>>
  %y = iree_tensor_ext.dispatch.tensor.load %flat, offsets = [0], sizes = [16], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<16xf32>> -> tensor<16xf32>
  %twice = arith.addf %y, %y : tensor<16xf32>
  iree_tensor_ext.dispatch.tensor.store %twice, %b, offsets = [0], sizes = [16], strides = [1] : tensor<16xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<16xf32>>
  %z = iree_tensor_ext.dispatch.tensor.load %b, offsets = [0], sizes = [16], strides = [1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<16xf32>> -> tensor<16xf32>
  %again = arith.addf %z, %y : tensor<16xf32>
  %shaped = tensor.expand_shape %again [[0, 1]] output_shape [2, 8] : tensor<16xf32> into tensor<2x8xf32>
  %x = iree_tensor_ext.dispatch.tensor.load %a, offsets = [0, 0], sizes = [2, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x8xf32>> -> tensor<2x8xf32>
  %sum = arith.addf %shaped, %x : tensor<2x8xf32>
  iree_tensor_ext.dispatch.tensor.store %sum, %c, offsets = [0, 0], sizes = [2, 8], strides = [1, 1] : tensor<2x8xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x8xf32>>
  return
}

// -----

// VX-161: a number that is no extent is an argument, two words one index; a result whose extent no argument has is an
// argument, too, for its shape.
// CHECK-LABEL: func.func @numbers(
// CHECK-SAME:    %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<?xf32>, %[[S:.*]]: f32, %[[I:.*]]: index, %[[W:.*]]: i32) -> tensor<?xf32>
// CHECK:         %[[N:.*]] = tensor.dim %[[B]], %c0
// CHECK:         tensor.empty(%[[N]])
// CHECK:         tensor.extract %[[A]][%[[I]]]
// CHECK:         arith.sitofp %[[W]] : i32 to f32
func.func @numbers() {
  %c32 = arith.constant 32 : i64
  %0 = hal.interface.constant.load layout(<constants = 5, bindings = [#hal.pipeline.binding<storage_buffer>]>) ordinal(0) : i32
  %s = hal.interface.constant.load layout(<constants = 5, bindings = [#hal.pipeline.binding<storage_buffer>]>) ordinal(1) : f32
  %2 = hal.interface.constant.load layout(<constants = 5, bindings = [#hal.pipeline.binding<storage_buffer>]>) ordinal(2) : i32
  %3 = hal.interface.constant.load layout(<constants = 5, bindings = [#hal.pipeline.binding<storage_buffer>]>) ordinal(3) : i32
  %w = hal.interface.constant.load layout(<constants = 5, bindings = [#hal.pipeline.binding<storage_buffer>]>) ordinal(4) : i32
  %n = arith.index_castui %0 : i32 to index
  %5 = arith.extui %2 : i32 to i64
  %6 = arith.extui %3 : i32 to i64
  %7 = arith.shli %6, %c32 : i64
  %8 = arith.ori %5, %7 : i64
  %i = arith.index_castui %8 : i64 to index
  %a = hal.interface.binding.subspan layout(<constants = 5, bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<8xf32, #hal.descriptor_type<storage_buffer>>
  %b = hal.interface.binding.subspan layout(<constants = 5, bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<?xf32, #hal.descriptor_type<storage_buffer>>{%n}
  %x = iree_codegen.load_from_buffer %a : memref<8xf32, #hal.descriptor_type<storage_buffer>> -> tensor<8xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %picked = tensor.extract %x[%i] : tensor<8xf32>
  %number = arith.sitofp %w : i32 to f32
  %sum = arith.addf %picked, %number : f32
  %product = arith.mulf %sum, %s : f32
  %r = linalg.fill ins(%product : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  iree_codegen.store_to_buffer %r, %b : tensor<?xf32> into memref<?xf32, #hal.descriptor_type<storage_buffer>>
  return
}

// -----

// VX-161: on memrefs each binding is an argument, from its own first element on; the grid is a loop.
// CHECK-LABEL: func.func @vectors(
// CHECK-SAME:    %[[A:.*]]: memref<?x8xf32>, %[[B:.*]]: memref<16xf32>)
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[A]], %c0
// CHECK-DAG:     %[[X:.*]] = affine.apply affine_map<()[s0] -> (s0 ceildiv 4)>()[%[[N]]]
// CHECK:         scf.forall (%{{.*}}, %{{.*}}, %[[ID:.*]]) in (1, 1, %[[X]]) {
// CHECK:           memref.subview %[[B]][%[[ID]]] [1] [1] : memref<16xf32> to memref<1xf32, strided<[1], offset: ?>>
// CHECK:         } {mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
hal.executable private @e {
  hal.executable.variant public @v target(<"cuda", "ptx">) {
  hal.executable.export public @vectors layout(#hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer>]>) count(%d: !hal.device, %n: index) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    %x = affine.apply affine_map<()[s0] -> (s0 ceildiv 4)>()[%n]
    hal.return %x, %c1, %c1 : index, index, index
  }
  builtin.module {
  func.func @vectors() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %z = arith.constant 0.0 : f32
    %w = hal.interface.constant.load layout(<constants = 1, bindings = [#hal.pipeline.binding<storage_buffer>]>) ordinal(0) : i32
    %i = arith.index_castui %w : i32 to index
    %n = iree_tensor_ext.dispatch.workload.ordinal %i, 0 : index
    %a = hal.interface.binding.subspan layout(<constants = 1, bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) offset(%c0) : memref<?x8xf32, #amdgpu.address_space<fat_raw_buffer>>{%n}
    %b = hal.interface.binding.subspan layout(<constants = 1, bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) offset(%c64) : memref<16xf32, strided<[1], offset: 16>, #hal.descriptor_type<storage_buffer>>
    %aligned = memref.assume_alignment %b, 64 : memref<16xf32, strided<[1], offset: 16>, #hal.descriptor_type<storage_buffer>>
    %id = hal.interface.workgroup.id[0] : index
    %part = memref.subview %aligned[%id] [1] [1] : memref<16xf32, strided<[1], offset: 16>, #hal.descriptor_type<storage_buffer>> to memref<1xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
    %v = vector.transfer_read %a[%id, %c0], %z {in_bounds = [true]} : memref<?x8xf32, #amdgpu.address_space<fat_raw_buffer>>, vector<8xf32>
    %s = vector.reduction <add>, %v : vector<8xf32> into f32
    memref.store %s, %part[%c0] : memref<1xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
    return
  }
}
}
}

// -----

// VX-161: the program of one lane is a gpu.func, with the grid that its loop over workgroups says.
// CHECK:       func.func @lanes__grid(%[[N:.*]]: index) -> (index, index, index) attributes {host} {
// CHECK:         %[[X:.*]] = affine.apply affine_map<()[s0] -> (s0 ceildiv 32)>()[%[[N]]]
// CHECK:         return %[[X]], %c2{{.*}}, %c1{{.*}}
// CHECK:       gpu.module @lanes_lane
// CHECK:         gpu.func @lanes(%[[A:.*]]: memref<2x?xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>}
// CHECK-DAG:     %[[BX:.*]] = gpu.block_id x
// CHECK-DAG:     %[[BY:.*]] = gpu.block_id y
// CHECK:         affine.apply affine_map<()[s0] -> (s0 * 32)>()[%[[BX]]]
func.func @lanes() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %z = arith.constant 0.0 : f32
  %w = hal.interface.constant.load layout(<constants = 1, bindings = [#hal.pipeline.binding<storage_buffer>]>) ordinal(0) : i32
  %n = arith.index_castui %w : i32 to index
  %a = hal.interface.binding.subspan layout(<constants = 1, bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<2x?xf32, #hal.descriptor_type<storage_buffer>>{%n}
  scf.forall (%i, %j) = (0, 0) to (2, %n) step (1, 32) {
    %t = gpu.thread_id x
    %k = arith.addi %j, %t : index
    %in = arith.cmpi ult, %k, %n : index
    scf.if %in {
      memref.store %z, %a[%i, %k] : memref<2x?xf32, #hal.descriptor_type<storage_buffer>>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<y>, #iree_codegen.workgroup_mapping<x>]}
  return
}

// -----

// VX-161: a reduction of i1 that is stored as i8 is one of i1.
// CHECK-LABEL: func.func @any(
// CHECK:         %[[INIT:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4xi1>)
// CHECK:           arith.trunci %{{.*}} : i8 to i1
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<4x8xi8>) outs(%[[INIT]] : tensor<4xi1>) {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: i8, %[[Y:.*]]: i1):
// CHECK-NEXT:      %[[T:.*]] = arith.trunci %[[X]] : i8 to i1
// CHECK-NEXT:      %[[OR:.*]] = arith.ori %[[T]], %[[Y]] : i1
// CHECK:           linalg.yield %[[OR]] : i1
// CHECK:         linalg.generic {{.*}} ins(%[[R]] : tensor<4xi1>) outs(%{{.*}} : tensor<4xi8>)
// CHECK:           arith.extui %{{.*}} : i1 to i8
// CHECK-LABEL: func.func @largest(
// CHECK:         ^bb0(%[[X:.*]]: f16, %[[Y:.*]]: f16):
// CHECK-NEXT:      %[[M:.*]] = arith.maximumf %[[X]], %[[Y]] : f16
// CHECK-NEXT:      linalg.yield %[[M]]
#rows = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (i)>
module {
  func.func @any() {
    %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4x8xi8>
    %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<4xi8>
    %0 = iree_codegen.load_from_buffer %a : memref<4x8xi8> -> tensor<4x8xi8>
    %1 = iree_codegen.load_from_buffer %b : memref<4xi8> -> tensor<4xi8>
    %2 = linalg.generic {indexing_maps = [#rows, #one], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<4x8xi8>) outs(%1 : tensor<4xi8>) {
    ^bb0(%x: i8, %y: i8):
      %t = arith.trunci %x : i8 to i1
      %u = arith.trunci %y : i8 to i1
      %v = arith.ori %t, %u : i1
      %w = arith.extui %v : i1 to i8
      linalg.yield %w : i8
    } -> tensor<4xi8>
    iree_codegen.store_to_buffer %2, %b : tensor<4xi8> into memref<4xi8>
    return
  }
  func.func @largest() {
    %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4x8xf16>
    %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<4xf16>
    %0 = iree_codegen.load_from_buffer %a : memref<4x8xf16> -> tensor<4x8xf16>
    %1 = iree_codegen.load_from_buffer %b : memref<4xf16> -> tensor<4xf16>
    %2 = linalg.generic {indexing_maps = [#rows, #one], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<4x8xf16>) outs(%1 : tensor<4xf16>) {
    ^bb0(%x: f16, %y: f16):
      %t = arith.extf %x : f16 to f32
      %u = arith.extf %y : f16 to f32
      %v = arith.maximumf %t, %u : f32
      %w = arith.truncf %v : f32 to f16
      linalg.yield %w : f16
    } -> tensor<4xf16>
    iree_codegen.store_to_buffer %2, %b : tensor<4xf16> into memref<4xf16>
    return
  }
}

// -----

// VX-161: the size of a workgroup is what the launch says of it.
// CHECK-LABEL: func.func @size_of_a_workgroup(
// CHECK-SAME:    %[[A:.*]]: memref<64xf32>)
// CHECK:         %[[C:.*]] = arith.constant 32 : index
// CHECK:         memref.store %{{.*}}, %[[A]][%[[C]]]
func.func @size_of_a_workgroup() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1]>} {
  %z = arith.constant 0.0 : f32
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<64xf32>
  %i = hal.interface.workgroup.size[0] : index
  memref.store %z, %a[%i] : memref<64xf32>
  return
}

// -----

// VX-161: a copy of a buffer to itself is none.
// CHECK-LABEL: func.func @copied_to_itself(
// CHECK-NOT:     linalg.generic
// CHECK-NOT:     memref.copy
// CHECK:         memref.store
#own = affine_map<(i) -> (i)>
func.func @copied_to_itself() {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  memref.store %z, %a[%c0] : memref<4xf32>
  memref.copy %a, %a : memref<4xf32> to memref<4xf32>
  linalg.generic {indexing_maps = [#own, #own], iterator_types = ["parallel"]} ins(%a : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}
