// RUN: distaff-opt %s --allow-unregistered-dialect --distaff-import-dispatches -verify-diagnostics -split-input-file

// VX-161
// expected-error @+1 {{is compiled for 2 devices; dump it for one, or keep one hal.executable.variant}}
hal.executable private @e {
  // expected-note @+1 {{for #hal.executable.target<"cuda", "ptx">}}
  hal.executable.variant public @a target(<"cuda", "ptx">) {
    builtin.module {
    }
  }
  // expected-note @+1 {{for #hal.executable.target<"rocm", "hsaco">}}
  hal.executable.variant public @b target(<"rocm", "hsaco">) {
    builtin.module {
    }
  }
}

// -----

// VX-161: code is no dispatch any more.
// expected-error @+1 {{holds executables of IREE without the function of a dispatch; dump it before code is made of it, as by --compile-to=executable-sources}}
module {
  hal.executable private @e {
    hal.executable.variant public @a target(<"cuda", "ptx">) {
      builtin.module {
        llvm.func @f(%p: !llvm.ptr) {
          llvm.return
        }
      }
    }
  }
}

// -----

// expected-error @+1 {{reads what its launch passes by ops of IREE, and has arguments or results, too}}
func.func @arguments(%i: index) {
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  return
}

// -----

func.func @type() {
  // expected-error @+1 {{is of type 'vector<4xf32>'; a binding is read as a dispatch.tensor or as a memref}}
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : vector<4xf32>
  vector.print %a : vector<4xf32>
  return
}

// -----

func.func @elements() {
  // expected-error @+1 {{holds elements of 'complex<f32>'; a kernel's arrays are of integers, floats or index}}
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xcomplex<f32>>
  memref.copy %a, %a : memref<4xcomplex<f32>> to memref<4xcomplex<f32>>
  return
}

// -----

// VX-161: bytes of one binding are of one type.
func.func @two_types() {
  // expected-note @+1 {{the other one}}
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  // expected-error @+1 {{is 'memref<8xf16>', and 'memref<4xf32>' elsewhere; an array of a kernel has one type}}
  %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<8xf16>
  memref.copy %a, %a : memref<4xf32> to memref<4xf32>
  memref.copy %b, %b : memref<8xf16> to memref<8xf16>
  return
}

// -----

func.func @in_a_loop() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>>
  %e = tensor.empty() : tensor<1xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-error @+1 {{writes to a binding inside of 'scf.for'; a result of a kernel is written once, at the end, so give it the dispatch as it is dumped before its loops}}
    iree_tensor_ext.dispatch.tensor.store %e, %a, offsets = [%i], sizes = [1], strides = [1] : tensor<1xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>>
  }
  return
}

// -----

func.func @tensors_and_memrefs() {
  %c0 = arith.constant 0 : index
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  // expected-error @+1 {{reads or writes a tensor in a function that accesses memrefs too; give it the dispatch as it is dumped before or after bufferization}}
  %t = iree_codegen.load_from_buffer %a : memref<4xf32> -> tensor<4xf32>
  %x = tensor.extract %t[%c0] : tensor<4xf32>
  memref.store %x, %a[%c0] : memref<4xf32>
  return
}

// -----

func.func @parts_of_z() {
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  // expected-error @+1 {{and a grid has x, y and z; give it the dispatch as it is dumped before its workgroups are distributed}}
  scf.forall (%i, %j) in (2, 2) {
    memref.copy %a, %a : memref<4xf32> to memref<4xf32>
  } {mapping = [#iree_codegen.workgroup_mapping<z:1>, #iree_codegen.workgroup_mapping<z>]}
  return
}

// -----

// expected-error @+1 {{knows its workgroup, and nothing says how many there are; dump it with --mlir-print-ir-module-scope, so that its hal.executable.export is there}}
func.func @no_grid() {
  %z = arith.constant 0.0 : f32
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %i = hal.interface.workgroup.id[0] : index
  memref.store %z, %a[%i] : memref<4xf32>
  return
}

// -----

hal.executable private @e {
  hal.executable.variant public @v target(<"cuda", "ptx">) {
  hal.executable.export public @no_grid_yet layout(#hal.pipeline.layout<bindings = []>) count(%d: !hal.device) -> (index, index, index) {
    %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
    hal.return %x, %y, %z : index, index, index
  }
  builtin.module {
  // expected-error @+1 {{knows its workgroup, and its grid is not chosen yet; dump it with --mlir-print-ir-module-scope, after ReconcileTranslationInfo}}
  func.func @no_grid_yet() {
    %z = arith.constant 0.0 : f32
    %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
    %i = hal.interface.workgroup.id[0] : index
    memref.store %z, %a[%i] : memref<4xf32>
    return
  }
}
}
}

// -----

hal.executable private @e {
  hal.executable.variant public @v target(<"cuda", "ptx">) {
  hal.executable.export public @no_workload layout(#hal.pipeline.layout<bindings = []>) count(%d: !hal.device, %n: index) -> (index, index, index) {
    hal.return %n, %n, %n : index, index, index
  }
  builtin.module {
  // expected-error @+1 {{is launched on a grid of part 0 of its workload, which the function does not have; give it the dispatch as it is dumped earlier}}
  func.func @no_workload() {
    %z = arith.constant 0.0 : f32
    %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
    %i = hal.interface.workgroup.id[0] : index
    memref.store %z, %a[%i] : memref<4xf32>
    return
  }
}
}
}

// -----

// expected-error @+1 {{is the program of one lane, and nothing says how many there are; it needs a workgroup_size in its translation_info or its export}}
func.func @no_lanes() {
  %z = arith.constant 0.0 : f32
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %i = gpu.thread_id x
  memref.store %z, %a[%i] : memref<4xf32>
  return
}

// -----

// expected-error @+1 {{has a grid that depends on a constant of its launch which is no extent of an array; a kernel's grid is a function of extents}}
func.func @grid_of_a_number() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1]>} {
  %z = arith.constant 0.0 : f32
  %w = hal.interface.constant.load layout(<constants = 1, bindings = []>) ordinal(0) : i32
  %n = arith.index_castui %w : i32 to index
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  scf.forall (%i) in (%n) {
    %t = gpu.thread_id x
    memref.store %z, %a[%t] : memref<4xf32>
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  return
}

// -----

func.func @two_loops() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1]>} {
  %z = arith.constant 0.0 : f32
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  scf.forall (%i) in (4) {
    %t = gpu.thread_id x
    memref.store %z, %a[%t] : memref<4xf32>
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  // expected-error @+1 {{is a second loop over workgroups; one launch has one grid}}
  scf.forall (%i) in (4) {
    memref.store %z, %a[%i] : memref<4xf32>
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  return
}

// -----

func.func @inner_loop() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1]>} {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  scf.for %k = %c0 to %c1 step %c1 {
    // expected-error @+1 {{is not the function's outermost loop}}
    scf.forall (%i) in (4) {
      %t = gpu.thread_id x
      memref.store %z, %a[%t] : memref<4xf32>
    } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  }
  return
}

// -----

// expected-note @+1 {{the other one}}
func.func @twice() {
  return
}
hal.executable private @e {
  hal.executable.variant public @v target(<"cuda", "ptx">) {
    builtin.module {
      // expected-error @+1 {{@twice is defined twice; dump one dispatch at a time}}
      func.func @twice() {
        %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
        return
      }
    }
  }
}

// -----

// expected-error @+1 {{knows its workgroup and returns tensors; give it the dispatch as it is dumped before its workgroups are distributed}}
func.func @tensor_of_a_workgroup() {
  %z = arith.constant 0.0 : f32
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<1xf32>
  %i = hal.interface.workgroup.id[0] upper_bound 1 : index
  %e = tensor.empty() : tensor<1xf32>
  %r = tensor.insert %z into %e[%i] : tensor<1xf32>
  iree_codegen.store_to_buffer %r, %a : tensor<1xf32> into memref<1xf32>
  return
}

// -----

func.func @count_behind_its_use() {
  %z = arith.constant 0.0 : f32
  %w = hal.interface.constant.load layout(<constants = 1, bindings = []>) ordinal(0) : i32
  %n = arith.index_castui %w : i32 to index
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<?xf32>{%n}
  // expected-error @+1 {{knows its workgroup before the function has computed how many there are; give it the dispatch as it is dumped earlier}}
  %i = hal.interface.workgroup.id[0] : index
  memref.store %z, %a[%i] : memref<?xf32>
  %m = arith.addi %n, %n : index
  iree_codegen.workgroup_count_hint(%m)
  return
}

// -----

// expected-error @+1 {{knows its workgroup in several blocks; give it the dispatch as it is dumped before SCFToControlFlow}}
func.func @blocks() {
  %z = arith.constant 0.0 : f32
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %i = hal.interface.workgroup.id[0] upper_bound 4 : index
  cf.br ^bb1
^bb1:
  memref.store %z, %a[%i] : memref<4xf32>
  return
}

// -----

func.func @size_of_a_workgroup() {
  %z = arith.constant 0.0 : f32
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  // expected-error @+1 {{reads the size of a workgroup, which nothing says; it needs a workgroup_size in the function's translation_info or its export}}
  %i = hal.interface.workgroup.size[0] : index
  memref.store %z, %a[%i] : memref<4xf32>
  return
}

// -----

func.func @parts_that_overlap() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  // expected-note @+1 {{the other array}}
  %a = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) offset(%c0) : memref<32xf32>
  // expected-error @+1 {{takes bytes 64 to 128 of binding 0, of which another array has bytes 0 to 128; arrays of a kernel share no memory, so let one array be both}}
  %b = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) offset(%c64) : memref<16xf32, strided<[1], offset: 16>>
  %x = memref.load %a[%c0] : memref<32xf32>
  memref.store %x, %b[%c0] : memref<16xf32, strided<[1], offset: 16>>
  return
}

// -----

func.func @other_tiles() {
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %a, %b, %c = "test.values"() : () -> (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>)
  // expected-error @+1 {{has trailing dims that are none of the instruction of its kind #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>; give it the dispatch as it is dumped before GPUPackToIntrinsicsPass}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>> : vector<4x2xf16>, vector<2x2xf16> into vector<2x2xf32>
  return
}

// -----

func.func @virtual_instruction() {
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %a, %b, %c = "test.values"() : () -> (vector<1x8xf16>, vector<1x8xf16>, vector<4x1xf32>)
  // expected-error @+1 {{has trailing dims that are none of the instruction of its kind #iree_gpu.virtual_mma_layout<VMFMA_F32_16x16x32_F16>; give it}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.virtual_mma_layout<VMFMA_F32_16x16x32_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>> : vector<1x8xf16>, vector<1x8xf16> into vector<4x1xf32>
  return
}

// -----

func.func @tiles_of_a_workgroup_of_other_sizes() {
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %a, %b, %c = "test.values"() : () -> (tensor<16x8xf16>, tensor<8x16xf16>, tensor<16x8xf32>)
  // expected-error @+1 {{has trailing dims that are none of the instruction of its kind}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = true>> : tensor<16x8xf16>, tensor<8x16xf16> into tensor<16x8xf32>
  return
}

// -----

func.func @tensors_of_lanes() {
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %a, %b, %c = "test.values"() : () -> (tensor<2x?x2x2xf16>, tensor<?x2x2xf16>, tensor<2x1x2xf32>)
  // expected-error @+1 {{computes tensors of a lane whose extents are not static; give it the dispatch as it is dumped before GPUPackToIntrinsicsPass, or once its ops are of vectors}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>> : tensor<2x?x2x2xf16>, tensor<?x2x2xf16> into tensor<2x1x2xf32>
  return
}

// -----

// expected-error @+1 {{shares work out among lanes, and nothing says how many there are; it needs a workgroup_size in its translation_info or its export}}
func.func @lanes_without_number() {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  scf.forall (%i) in (4) {
    memref.store %f, %m[%i] : memref<4xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

func.func @subgroups_without_size() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1]>} {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  // expected-error @+1 {{is mapped to subgroups or their lanes, and nothing says how many lanes a subgroup has; it needs a subgroup_size in the function's translation_info or its export}}
  scf.forall (%i) in (4) {
    memref.store %f, %m[%i] : memref<4xf32>
  } {mapping = [#gpu.warp<linear_dim_0>]}
  return
}

// -----

func.func @memory_of_a_subgroup() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1] subgroup_size = 32>} {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  scf.forall (%i) in (2) {
    // expected-error @+1 {{computes what a subgroup has alone, which is not shared out among its lanes yet; give it the dispatch as it is dumped before GPUApplyTilingLevelPass, or behind GPUFuseAndHoistParallelLoopsPass}}
    memref.store %f, %m[%i] : memref<4xf32>
  } {mapping = [#gpu.warp<linear_dim_0>]}
  return
}

// -----

func.func @beside_the_workgroups() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1]>} {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  scf.forall (%w) in (2) {
    scf.forall (%i) in (4) {
      memref.store %f, %m[%i] : memref<4xf32>
    } {mapping = [#gpu.thread<linear_dim_0>]}
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  // expected-error @+1 {{is beside the loop over workgroups, which share no memory but the arguments; give it the dispatch as it is dumped before TileAndDistributeToWorkgroupsUsingForallOpPass, or behind GPUFuseAndHoistParallelLoopsPass}}
  memref.store %f, %m[%c0] : memref<4xf32>
  return
}

// -----

func.func @memory_of_lanes() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1]>} {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %k = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>) binding(1) : memref<4xindex>
  %n = memref.dim %m, %c0 : memref<4xf32>
  scf.forall (%i) in (4) {
    %d = memref.load %k[%i] : memref<4xindex>
    // expected-error @+1 {{of a lane's or a workgroup's memory has an extent that is not static; give it the dispatch as it is dumped behind IREEComprehensiveBufferizePass}}
    %a = memref.alloc(%d) : memref<?xf32>
    memref.store %f, %a[%c0] : memref<?xf32>
    %v = memref.load %a[%c0] : memref<?xf32>
    memref.store %v, %m[%i] : memref<4xf32>
  } {mapping = [#gpu.thread<linear_dim_0>]}
  return
}

// -----

func.func @pads_of_lanes() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1]>} {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %t = iree_codegen.load_from_buffer %m : memref<4xf32> -> tensor<4xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<4xf32>) {
    %s = tensor.extract_slice %o[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    // expected-error @+1 {{in a dispatch whose lanes share tensors out has a result whose extents are not static; give it the dispatch as it is dumped before GPUApplyTilingLevelPass, or behind GPUDistributeForallPass}}
    %p = tensor.pad %s low[0] high[%i] {
    ^bb0(%j: index):
      tensor.yield %f : f32
    } : tensor<1xf32> to tensor<?xf32>
    %q = tensor.extract_slice %p[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  } {mapping = [#gpu.thread<linear_dim_0>]}
  iree_codegen.store_to_buffer %r, %m : tensor<4xf32> into memref<4xf32>
  return
}

// -----

func.func @barrier_of_what_is_no_memory() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1]>} {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %t = iree_codegen.load_from_buffer %m : memref<4xf32> -> tensor<4xf32>
  %r = scf.forall (%i) in (64) shared_outs(%o = %t) -> (tensor<4xf32>) {
    // expected-error @+1 {{shares a tensor that is no allocation of its own with a static shape; give it the dispatch as it is dumped before GPUFuseAndHoistParallelLoopsPass}}
    %b = iree_gpu.barrier_region ins(%o : tensor<4xf32>) {
    ^bb0(%p: tensor<4xf32>):
      iree_gpu.yield %p : tensor<4xf32>
    } : tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b into %o[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  } {mapping = [#gpu.thread<linear_dim_0>]}
  iree_codegen.store_to_buffer %r, %m : tensor<4xf32> into memref<4xf32>
  return
}

// -----

func.func @types_of_a_barrier() attributes {translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [64, 1, 1]>} {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %t = iree_codegen.load_from_buffer %m : memref<4xf32> -> tensor<4xf32>
  // expected-error @+1 {{has inputs of types 'tensor<4xf32>', needed as those of its block's arguments, of what it yields and of its results}}
  %b = iree_gpu.barrier_region ins(%t : tensor<4xf32>) {
  ^bb0(%p: tensor<4xf32>):
    %q = tensor.extract_slice %p[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
    iree_gpu.yield %q : tensor<2xf32>
  } : tensor<2xf32>
  return
}

// -----

func.func @tiles_of_a_computed_size() {
  %n = arith.constant 2 : index
  %m = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>) binding(0) : memref<4xf32>
  %x = tensor.empty() : tensor<4xf32>
  %t = tensor.empty(%n) : tensor<2x?xf32>
  %o = tensor.empty() : tensor<4xf32>
  %r = scf.forall (%i) in (1) shared_outs(%p = %o) -> (tensor<4xf32>) {
    // expected-error @+1 {{has tiles of a computed size in a loop over workgroups; give it the dispatch as it is dumped before its workgroups are distributed}}
    %k = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%n] into %t : tensor<4xf32> -> tensor<2x?xf32>
    %u = linalg.unpack %k inner_dims_pos = [0] inner_tiles = [%n] into %x : tensor<2x?xf32> -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %p[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  return
}
