// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 | FileCheck %s
// RUN: distaff compile %s --target sm_80 --func=past_the_registers --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --target sm_80 --func=derived --check --every-stage | FileCheck %s --check-prefix=RAN
// RUN: distaff run %s --target sm_80 --func=past_the_registers --check --every-stage | FileCheck %s --check-prefix=RAN
// RUN: distaff run %s --target sm_80 --func=past_the_registers --check --device ptx | FileCheck %s --check-prefix=DEVICE
// Promotion attributes say who copies, with which layout, and when (VX-11).

#translation = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 4], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [32, 1], subgroup_strides = [0, 1], thread_strides = [8, 1]>

// The specification's layout of a copy of 128x32 by 4 subgroups (9.3, B).
// CHECK: #[[COPY:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [4, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 8], subgroup_strides = [1, 0], thread_strides = [4, 1]>
// CHECK-LABEL: @derived
// CHECK: %[[C:.*]] = iree_vector_ext.to_layout %{{.*}} to layout(#[[COPY]]) : vector<128x32xf16>
// CHECK: iree_vector_ext.to_layout %[[C]] to layout({{.*}}) {shared_memory_conversion} : vector<128x32xf16>
// RAN: lower {{.*}} ok
func.func @derived(%x: memref<128x32xf16>, %y: memref<128x32xf16>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<128x32xf16>, vector<128x32xf16>
  %b = iree_vector_ext.to_layout %a to layout(#columns) {shared_memory_conversion = #iree_gpu.derived_thread_config} : vector<128x32xf16>
  %c = arith.addf %b, %b : vector<128x32xf16>
  vector.transfer_write %c, %y[%c0, %c0] {in_bounds = [true, true]} : vector<128x32xf16>, memref<128x32xf16>
  return
}

// CHECK-LABEL: @past_the_registers
// PTX-LABEL: .entry past_the_registers
// PTX-NOT: ld.global
// PTX-COUNT-4: cp.async.cg.shared.global
// PTX-NOT: ld.global
// DEVICE: ok
func.func @past_the_registers(%x: memref<128x32xf16>, %y: memref<128x32xf16>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %a = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<128x32xf16>, vector<128x32xf16>
  // CHECK: iree_vector_ext.to_layout %{{.*}} to layout(#[[COPY]])
  // CHECK: {shared_memory_conversion = #iree_gpu.use_global_load_dma}
  %b = iree_vector_ext.to_layout %a to layout(#columns) {shared_memory_conversion = #iree_gpu.use_global_load_dma} : vector<128x32xf16>
  %c = arith.addf %b, %b : vector<128x32xf16>
  vector.transfer_write %c, %y[%c0, %c0] {in_bounds = [true, true]} : vector<128x32xf16>, memref<128x32xf16>
  return
}
