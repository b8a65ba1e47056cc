// After GenericVectorizationPass, for gfx942.
func.func @conv_dispatch_0_conv_2x4x5x11x3x3x5_f16xf16xf32() attributes {gpu.known_block_size = array<i32: 512, 1, 1>, translation_info = #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<TileAndFuse> workgroup_size = [512, 1, 1] subgroup_size = 64, {gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2, no_reduce_shared_memory_bank_conflicts = false, use_igemm_convolution = true>}>} {
  %0 = ub.poison : f16
  %c2 = arith.constant 2 : index
  %cst = arith.constant dense<0.000000e+00> : vector<1x1x1x1x4x1xf32>
  %1 = ub.poison : f32
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %cst_0 = arith.constant 0.000000e+00 : f16
  %cst_1 = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %2 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(0) alignment(64) offset(%c0) : memref<2x6x7x5xf16, #hal.descriptor_type<storage_buffer>>
  %3 = amdgpu.fat_raw_buffer_cast %2 resetOffset : memref<2x6x7x5xf16, #hal.descriptor_type<storage_buffer>> to memref<2x6x7x5xf16, #amdgpu.address_space<fat_raw_buffer>>
  %4 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(1) alignment(64) offset(%c0) : memref<3x3x5x11xf16, #hal.descriptor_type<storage_buffer>>
  %5 = amdgpu.fat_raw_buffer_cast %4 resetOffset : memref<3x3x5x11xf16, #hal.descriptor_type<storage_buffer>> to memref<3x3x5x11xf16, #amdgpu.address_space<fat_raw_buffer>>
  %collapse_shape = memref.collapse_shape %5 [[0, 1, 2], [3]] : memref<3x3x5x11xf16, #amdgpu.address_space<fat_raw_buffer>> into memref<45x11xf16, #amdgpu.address_space<fat_raw_buffer>>
  %6 = hal.interface.binding.subspan layout(<bindings = [#hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer, ReadOnly>, #hal.pipeline.binding<storage_buffer>]>) binding(2) alignment(64) offset(%c0) : memref<2x4x5x11xf32, #hal.descriptor_type<storage_buffer>>
  %7 = amdgpu.fat_raw_buffer_cast %6 resetOffset : memref<2x4x5x11xf32, #hal.descriptor_type<storage_buffer>> to memref<2x4x5x11xf32, #amdgpu.address_space<fat_raw_buffer>>
  %8 = iree_codegen.load_from_buffer %3 : memref<2x6x7x5xf16, #amdgpu.address_space<fat_raw_buffer>> -> tensor<2x6x7x5xf16>
  %9 = iree_codegen.load_from_buffer %collapse_shape : memref<45x11xf16, #amdgpu.address_space<fat_raw_buffer>> -> tensor<45x11xf16>
  %10 = tensor.empty() : tensor<2x4x5x11xf32>
  %11 = scf.forall (%arg0) in (1) shared_outs(%arg1 = %10) -> (tensor<2x4x5x11xf32>) {
    %12 = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}> : tensor<2x4x16x16xf16>
    %13 = bufferization.alloc_tensor() <{memory_space = #gpu.address_space<workgroup>}> : tensor<16x16xf16>
    %14 = scf.forall (%arg2, %arg3, %arg4, %arg5, %arg6) in (2, 4, 1, 1, 64) shared_outs(%arg7 = %10) -> (tensor<2x4x5x11xf32>) {
      %15:3 = affine.delinearize_index %arg6 into (4, 16) : index, index, index
      %16 = iree_codegen.index_hint %15#1(#iree_gpu.lane_constant<16>) : index
      %17 = iree_codegen.index_hint %15#2(#iree_gpu.lane_increment<16, aligned>) : index
      %18 = affine.linearize_index disjoint [%16, %c0] by (4, 4) : index
      %19 = affine.max affine_map<(d0) -> (-d0 + 2, 0)>(%arg2)
      %20 = affine.min affine_map<(d0) -> (1, d0)>(%19)
      %21 = affine.max affine_map<(d0) -> (-d0 + 4, 0)>(%arg3)
      %22 = affine.min affine_map<(d0) -> (1, d0)>(%21)
      %23 = affine.max affine_map<(d0) -> (-d0 + 5, 0)>(%18)
      %24 = affine.min affine_map<(d0) -> (4, d0)>(%23)
      %25 = affine.max affine_map<(d0) -> (-d0 + 11, 0)>(%17)
      %26 = affine.min affine_map<(d0) -> (1, d0)>(%25)
      %27 = tensor.empty() : tensor<1x1x1x1x4x1xf32>
      %28 = vector.transfer_write %cst, %27[%c0, %c0, %c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true, true, true]} : vector<1x1x1x1x4x1xf32>, tensor<1x1x1x1x4x1xf32>
      %29 = affine.apply affine_map<(d0, d1, d2) -> (d0 + d1 * 256 + d2 * 64)>(%arg6, %arg2, %arg3)
      %30:4 = affine.delinearize_index %29 into (2, 4, 16, 4) : index, index, index, index
      %31 = affine.apply affine_map<(d0) -> (d0 * 4)>(%30#3)
      %32 = tensor.empty() : tensor<1x1x1x4xf16>
      %33 = scf.for %arg8 = %c0 to %c3 step %c1 iter_args(%arg9 = %28) -> (tensor<1x1x1x1x4x1xf32>) {
        %39 = affine.min affine_map<(d0) -> (45, d0 * 16)>(%arg8)
        %40 = affine.min affine_map<(d0) -> (-d0 + 45, 16)>(%39)
        %41 = affine.max affine_map<(d0, d1) -> (-d0 + d1 * 4 + 4, 0)>(%40, %30#3)
        %42 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 4)>(%39, %30#3)
        %43:4 = affine.delinearize_index %42 into (1, 3, 3, 5) : index, index, index, index
        %44 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#0, %43#0)
        %45 = affine.min affine_map<(d0) -> (d0, 1)>(%44)
        %46 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#1, %43#1)
        %47 = affine.min affine_map<(d0) -> (d0, 5)>(%46)
        %48 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#2, %43#2)
        %49 = affine.min affine_map<(d0) -> (d0, 6)>(%48)
        %50 = affine.max affine_map<(d0) -> (d0, 0)>(%43#3)
        %51 = affine.min affine_map<(d0) -> (d0, 4)>(%50)
        %52 = affine.max affine_map<(d0) -> (-d0 + 5, 0)>(%43#3)
        %53 = affine.min affine_map<(d0) -> (d0, 1)>(%52)
        %54 = affine.min affine_map<(d0, d1) -> (-d0 - d1 + 7, 1)>(%30#2, %43#2)
        %55 = affine.max affine_map<(d0) -> (d0, 0)>(%54)
        %56 = affine.min affine_map<(d0, d1) -> (d0 + d1 + 1, 1)>(%30#2, %43#2)
        %57 = affine.max affine_map<(d0) -> (d0, 0)>(%56)
        %58 = arith.muli %55, %57 : index
        %59 = arith.muli %53, %58 : index
        %60 = affine.min affine_map<(d0) -> (-d0 + 4, 1)>(%41)
        %61 = affine.max affine_map<(d0) -> (d0, 0)>(%60)
        %62 = arith.muli %59, %61 : index
        %63 = vector.create_mask %62 : vector<1xi1>
        %64 = vector.transfer_read %8[%45, %47, %49, %51], %cst_0, %63 {in_bounds = [true]} : tensor<2x6x7x5xf16>, vector<1xf16>
        %65 = vector.transfer_write %64, %32[%c0, %c0, %c0, %c0] {in_bounds = [true]} : vector<1xf16>, tensor<1x1x1x4xf16>
        %66 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 4 + 1)>(%39, %30#3)
        %67:4 = affine.delinearize_index %66 into (1, 3, 3, 5) : index, index, index, index
        %68 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#0, %67#0)
        %69 = affine.min affine_map<(d0) -> (d0, 1)>(%68)
        %70 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#1, %67#1)
        %71 = affine.min affine_map<(d0) -> (d0, 5)>(%70)
        %72 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#2, %67#2)
        %73 = affine.min affine_map<(d0) -> (d0, 6)>(%72)
        %74 = affine.max affine_map<(d0) -> (d0, 0)>(%67#3)
        %75 = affine.min affine_map<(d0) -> (d0, 4)>(%74)
        %76 = affine.max affine_map<(d0) -> (-d0 + 5, 0)>(%67#3)
        %77 = affine.min affine_map<(d0) -> (d0, 1)>(%76)
        %78 = affine.min affine_map<(d0, d1) -> (-d0 - d1 + 7, 1)>(%30#2, %67#2)
        %79 = affine.max affine_map<(d0) -> (d0, 0)>(%78)
        %80 = affine.min affine_map<(d0, d1) -> (d0 + d1 + 1, 1)>(%30#2, %67#2)
        %81 = affine.max affine_map<(d0) -> (d0, 0)>(%80)
        %82 = arith.muli %79, %81 : index
        %83 = arith.muli %77, %82 : index
        %84 = affine.min affine_map<(d0) -> (-d0 + 3, 1)>(%41)
        %85 = affine.max affine_map<(d0) -> (d0, 0)>(%84)
        %86 = arith.muli %83, %85 : index
        %87 = vector.create_mask %86 : vector<1xi1>
        %88 = vector.transfer_read %8[%69, %71, %73, %75], %cst_0, %87 {in_bounds = [true]} : tensor<2x6x7x5xf16>, vector<1xf16>
        %89 = vector.transfer_write %88, %65[%c0, %c0, %c0, %c1] {in_bounds = [true]} : vector<1xf16>, tensor<1x1x1x4xf16>
        %90 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 4 + 2)>(%39, %30#3)
        %91:4 = affine.delinearize_index %90 into (1, 3, 3, 5) : index, index, index, index
        %92 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#0, %91#0)
        %93 = affine.min affine_map<(d0) -> (d0, 1)>(%92)
        %94 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#1, %91#1)
        %95 = affine.min affine_map<(d0) -> (d0, 5)>(%94)
        %96 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#2, %91#2)
        %97 = affine.min affine_map<(d0) -> (d0, 6)>(%96)
        %98 = affine.max affine_map<(d0) -> (d0, 0)>(%91#3)
        %99 = affine.min affine_map<(d0) -> (d0, 4)>(%98)
        %100 = affine.max affine_map<(d0) -> (-d0 + 5, 0)>(%91#3)
        %101 = affine.min affine_map<(d0) -> (d0, 1)>(%100)
        %102 = affine.min affine_map<(d0, d1) -> (-d0 - d1 + 7, 1)>(%30#2, %91#2)
        %103 = affine.max affine_map<(d0) -> (d0, 0)>(%102)
        %104 = affine.min affine_map<(d0, d1) -> (d0 + d1 + 1, 1)>(%30#2, %91#2)
        %105 = affine.max affine_map<(d0) -> (d0, 0)>(%104)
        %106 = arith.muli %103, %105 : index
        %107 = arith.muli %101, %106 : index
        %108 = affine.min affine_map<(d0) -> (-d0 + 2, 1)>(%41)
        %109 = affine.max affine_map<(d0) -> (d0, 0)>(%108)
        %110 = arith.muli %107, %109 : index
        %111 = vector.create_mask %110 : vector<1xi1>
        %112 = vector.transfer_read %8[%93, %95, %97, %99], %cst_0, %111 {in_bounds = [true]} : tensor<2x6x7x5xf16>, vector<1xf16>
        %113 = vector.transfer_write %112, %89[%c0, %c0, %c0, %c2] {in_bounds = [true]} : vector<1xf16>, tensor<1x1x1x4xf16>
        %114 = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 4 + 3)>(%39, %30#3)
        %115:4 = affine.delinearize_index %114 into (1, 3, 3, 5) : index, index, index, index
        %116 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#0, %115#0)
        %117 = affine.min affine_map<(d0) -> (d0, 1)>(%116)
        %118 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#1, %115#1)
        %119 = affine.min affine_map<(d0) -> (d0, 5)>(%118)
        %120 = affine.max affine_map<(d0, d1) -> (d0 + d1, 0)>(%30#2, %115#2)
        %121 = affine.min affine_map<(d0) -> (d0, 6)>(%120)
        %122 = affine.max affine_map<(d0) -> (d0, 0)>(%115#3)
        %123 = affine.min affine_map<(d0) -> (d0, 4)>(%122)
        %124 = affine.max affine_map<(d0) -> (-d0 + 5, 0)>(%115#3)
        %125 = affine.min affine_map<(d0) -> (d0, 1)>(%124)
        %126 = affine.min affine_map<(d0, d1) -> (-d0 - d1 + 7, 1)>(%30#2, %115#2)
        %127 = affine.max affine_map<(d0) -> (d0, 0)>(%126)
        %128 = affine.min affine_map<(d0, d1) -> (d0 + d1 + 1, 1)>(%30#2, %115#2)
        %129 = affine.max affine_map<(d0) -> (d0, 0)>(%128)
        %130 = arith.muli %127, %129 : index
        %131 = arith.muli %125, %130 : index
        %132 = affine.min affine_map<(d0) -> (-d0 + 1, 1)>(%41)
        %133 = affine.max affine_map<(d0) -> (d0, 0)>(%132)
        %134 = arith.muli %131, %133 : index
        %135 = vector.create_mask %134 : vector<1xi1>
        %136 = vector.transfer_read %8[%117, %119, %121, %123], %cst_0, %135 {in_bounds = [true]} : tensor<2x6x7x5xf16>, vector<1xf16>
        %137 = vector.transfer_write %136, %113[%c0, %c0, %c0, %c3] {in_bounds = [true]} : vector<1xf16>, tensor<1x1x1x4xf16>
        %138:2 = iree_gpu.barrier_region ins(%12, %13 : tensor<2x4x16x16xf16>, tensor<16x16xf16>) {
        ^bb0(%arg10: tensor<2x4x16x16xf16>, %arg11: tensor<16x16xf16>):
          %extracted_slice_5 = tensor.extract_slice %arg10[%30#0, %30#1, %30#2, %31] [1, 1, 1, 4] [1, 1, 1, 1] : tensor<2x4x16x16xf16> to tensor<1x1x1x4xf16>
          %145 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%137 : tensor<1x1x1x4xf16>) outs(%extracted_slice_5 : tensor<1x1x1x4xf16>) -> tensor<1x1x1x4xf16>
          %inserted_slice = tensor.insert_slice %145 into %arg10[%30#0, %30#1, %30#2, %31] [1, 1, 1, 4] [1, 1, 1, 1] : tensor<1x1x1x4xf16> into tensor<2x4x16x16xf16>
          %146 = scf.for %arg12 = %29 to %c32 step %c512 iter_args(%arg13 = %arg11) -> (tensor<16x16xf16>) {
            %147:2 = affine.delinearize_index %arg12 into (16, 2) : index, index
            %148 = affine.apply affine_map<(d0) -> (d0 * 8)>(%147#1)
            %extracted_slice_6 = tensor.extract_slice %arg13[%147#0, %148] [1, 8] [1, 1] : tensor<16x16xf16> to tensor<1x8xf16>
            %149 = affine.min affine_map<(d0, d1) -> (-d1 + 45, 16, d0)>(%147#0, %39)
            %150 = affine.min affine_map<(d0, d1) -> (1, d0 - d1)>(%40, %149)
            %151 = affine.min affine_map<(d0) -> (11, d0 * 8)>(%147#1)
            %152 = affine.min affine_map<(d0) -> (-d0 + 11, 8)>(%151)
            %153 = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%149, %39]
            %extracted_slice_7 = tensor.extract_slice %9[%153, %151] [%150, %152] [1, 1] : tensor<45x11xf16> to tensor<?x?xf16>
            %154 = vector.create_mask %150, %152 : vector<1x8xi1>
            %155 = vector.transfer_read %extracted_slice_7[%c0, %c0], %cst_0, %154 {in_bounds = [true, true]} : tensor<?x?xf16>, vector<1x8xf16>
            %156 = tensor.empty() : tensor<1x8xf16>
            %157 = vector.transfer_write %155, %156[%c0, %c0] {in_bounds = [true, true]} : vector<1x8xf16>, tensor<1x8xf16>
            %158 = linalg.copy {lowering_config = #iree_gpu.derived_thread_config} ins(%157 : tensor<1x8xf16>) outs(%extracted_slice_6 : tensor<1x8xf16>) -> tensor<1x8xf16>
            %inserted_slice_8 = tensor.insert_slice %158 into %arg13[%147#0, %148] [1, 8] [1, 1] : tensor<1x8xf16> into tensor<16x16xf16>
            scf.yield %inserted_slice_8 : tensor<16x16xf16>
          } {unroll_loop}
          iree_gpu.yield %inserted_slice, %146 : tensor<2x4x16x16xf16>, tensor<16x16xf16>
        } : tensor<2x4x16x16xf16>, tensor<16x16xf16>
        %expanded = tensor.expand_shape %138#1 [[0, 1], [2, 3]] output_shape [1, 16, 1, 16] : tensor<16x16xf16> into tensor<1x16x1x16xf16>
        %extracted_slice_2 = tensor.extract_slice %expanded[0, %18, 0, %17] [1, 4, 1, 1] [1, 1, 1, 1] : tensor<1x16x1x16xf16> to tensor<1x4x1x1xf16>
        %expanded_3 = tensor.expand_shape %138#0 [[0], [1], [2, 3], [4, 5]] output_shape [2, 4, 1, 16, 1, 16] : tensor<2x4x16x16xf16> into tensor<2x4x1x16x1x16xf16>
        %extracted_slice_4 = tensor.extract_slice %expanded_3[%arg2, %arg3, 0, %17, 0, %18] [1, 1, 1, 1, 1, 4] [1, 1, 1, 1, 1, 1] : tensor<2x4x1x16x1x16xf16> to tensor<1x1x1x1x1x4xf16>
        %139 = vector.transfer_read %extracted_slice_4[%c0, %c0, %c0, %c0, %c0, %c0], %0 {in_bounds = [true, true, true, true, true, true]} : tensor<1x1x1x1x1x4xf16>, vector<1x1x1x1x1x4xf16>
        %140 = vector.transfer_read %extracted_slice_2[%c0, %c0, %c0, %c0], %0 {in_bounds = [true, true, true, true]} : tensor<1x4x1x1xf16>, vector<1x4x1x1xf16>
        %141 = vector.transpose %140, [0, 2, 3, 1] : vector<1x4x1x1xf16> to vector<1x1x1x4xf16>
        %142 = vector.transfer_read %arg9[%c0, %c0, %c0, %c0, %c0, %c0], %cst_1 {in_bounds = [true, true, true, true, true, true]} : tensor<1x1x1x1x4x1xf32>, vector<1x1x1x1x4x1xf32>
        %143 = iree_codegen.inner_tiled ins(%139, %141) outs(%142) <indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = true, opaque = true>> : vector<1x1x1x1x1x4xf16>, vector<1x1x1x4xf16> into vector<1x1x1x1x4x1xf32>
        %144 = vector.transfer_write %143, %arg9[%c0, %c0, %c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true, true, true]} : vector<1x1x1x1x4x1xf32>, tensor<1x1x1x1x4x1xf32>
        scf.yield %144 : tensor<1x1x1x1x4x1xf32>
      }
      %34 = tensor.empty() : tensor<1x1x1x4x1x1xf32>
      %35 = vector.transfer_read %33[%c0, %c0, %c0, %c0, %c0, %c0], %1 {in_bounds = [true, true, true, true, true, true]} : tensor<1x1x1x1x4x1xf32>, vector<1x1x1x1x4x1xf32>
      %36 = vector.transpose %35, [0, 1, 2, 4, 3, 5] : vector<1x1x1x1x4x1xf32> to vector<1x1x1x4x1x1xf32>
      %37 = vector.transfer_write %36, %34[%c0, %c0, %c0, %c0, %c0, %c0] {in_bounds = [true, true, true, true, true, true]} : vector<1x1x1x4x1x1xf32>, tensor<1x1x1x4x1x1xf32>
      %38 = linalg.copy ins(%37 : tensor<1x1x1x4x1x1xf32>) outs(%34 : tensor<1x1x1x4x1x1xf32>) -> tensor<1x1x1x4x1x1xf32>
      %collapsed = tensor.collapse_shape %38 [[0], [1], [2, 3], [4, 5]] : tensor<1x1x1x4x1x1xf32> into tensor<1x1x4x1xf32>
      %extracted_slice = tensor.extract_slice %collapsed[0, 0, 0, 0] [%20, %22, %24, %26] [1, 1, 1, 1] : tensor<1x1x4x1xf32> to tensor<?x?x?x?xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %extracted_slice into %arg7[%arg2, %arg3, %18, %17] [%20, %22, %24, %26] [1, 1, 1, 1] : tensor<?x?x?x?xf32> into tensor<2x4x5x11xf32>
      }
    } {mapping = [#gpu.thread<linear_dim_4>, #gpu.thread<linear_dim_3>, #gpu.thread<linear_dim_2>, #gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %14 into %arg1[0, 0, 0, 0] [2, 4, 5, 11] [1, 1, 1, 1] : tensor<2x4x5x11xf32> into tensor<2x4x5x11xf32>
    }
  } {mapping = [#iree_codegen.workgroup_mapping<x>]}
  iree_codegen.store_to_buffer %11, %7 : tensor<2x4x5x11xf32> into memref<2x4x5x11xf32, #amdgpu.address_space<fat_raw_buffer>>
  return
}

