// Example D of the specification's chapter 9.3: the layouts of flash attention
// on sm_80. S becomes the operand P by renaming registers, after the truncation;
// of all values K and V alone, which both subgroups want, go through shared memory.
// RUN: distaff-opt %examples/flash_attention.mlir --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 --distaff-assign-layouts=target=sm_80 | FileCheck %s
// RUN: distaff-opt %examples/flash_attention.mlir --distaff-form-launches=target=gfx942 --distaff-configure=target=gfx942 --distaff-assign-layouts=target=gfx942 | FileCheck %s --check-prefix=MFMA

// CHECK-DAG: #[[Q:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 4], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [1, 0], thread_strides = [4, 1]>
// CHECK-DAG: #[[K:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [16, 4], outer_tile = [1, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
// CHECK-DAG: #[[S:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 16], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [1, 0], thread_strides = [4, 1]>
// CHECK-DAG: #[[P:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 8], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [1, 0], thread_strides = [4, 1]>
// CHECK-DAG: #[[V:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [8, 8], outer_tile = [1, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
// CHECK-DAG: #[[O:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 8], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [1, 0], thread_strides = [4, 1]>
// CHECK: to_layout {{.*}}layout(#[[K]]) {shared_memory_conversion} : vector<128x64xf16>
// CHECK-NOT: shared_memory_conversion
// CHECK-DAG: to_layout {{.*}}layout(#[[Q]]) {mma_kind = {{.*}}} : vector<32x64xf32>
// CHECK-DAG: to_layout {{.*}}layout(#[[K]]) {mma_kind = {{.*}}} : vector<128x64xf32>
// CHECK-DAG: to_layout {{.*}}layout(#[[S]]) {mma_kind = {{.*}}} : vector<32x128xf32>
// CHECK: %[[T:.*]] = arith.truncf
// CHECK: to_layout %[[T]] to layout(#[[P]]) : vector<32x128xf16>
// CHECK: to_layout {{.*}}layout(#[[V]]) {shared_memory_conversion} : vector<64x128xf16>
// CHECK-NOT: shared_memory_conversion
// CHECK-DAG: to_layout {{.*}}layout(#[[P]]) {mma_kind = {{.*}}} : vector<32x128xf32>
// CHECK-DAG: to_layout {{.*}}layout(#[[V]]) {mma_kind = {{.*}}} : vector<64x128xf32>
// CHECK-DAG: to_layout {{.*}}layout(#[[O]]) {mma_kind = {{.*}}} : vector<32x64xf32>
// CHECK-NOT: shared_memory_conversion

// VX-272: on MFMA the transposed products chain without any move (T0): beside the operands of
// the contractions, only K and V change their layouts, each once through shared memory.
// MFMA-NOT: shared_memory_conversion
// MFMA: to_layout {{.*}} {shared_memory_conversion} : vector<128x64xf16>
// MFMA-NOT: shared_memory_conversion
// MFMA-COUNT-3: to_layout {{.*}}mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major>
// MFMA-NOT: to_layout
// MFMA: vector.transfer_read
// MFMA-NEXT: to_layout
// MFMA-NEXT: to_layout {{.*}} {shared_memory_conversion} : vector<64x128xf16>
// MFMA-COUNT-3: to_layout {{.*}}mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, col_major>
// MFMA-NOT: to_layout
