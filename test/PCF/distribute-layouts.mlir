// RUN: distaff-opt %s -split-input-file "-pcf-distribute=insert-relayout impl='#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [64, 1], element_tile = [1, 64], subgroup_strides = [0, 0], thread_strides = [1, 0]>'" | FileCheck %s

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>
!TT = !pcf.threadgroup<#ln, {tensor<64x64xf32>}>

// PCF-73: implementation B on the sample of 6.4, whose tensors become vectors:
// a row for each lane, which is the layout that is given.
// CHECK-DAG: !lane_tg = !pcf.threadgroup<#iree_gpu.lane_scope>
// CHECK-DAG: !lane_tg1 = !pcf.threadgroup<#iree_gpu.lane_scope, private: {vector<1x1x1x1x1x64xf32>}>
// CHECK-LABEL: func.func @chained
// CHECK-SAME: (%[[CST:.*]]: f32, %[[N:.*]]: index, %[[OUT:.*]]: !sref
// CHECK: run_thread(%{{.*}})[] () [%{{.*}}: index] {
// CHECK-NEXT:   %[[Z:.*]] = vector.broadcast %[[CST]] : f32 to vector<1x1x1x1x1x64xf32>
// CHECK-NEXT:   pcf.cluster_yield %[[Z]] : vector<1x1x1x1x1x64xf32>
// CHECK-NEXT: } : (!lane_tg) -> !lane_tg1
// CHECK: scf.for {{.*}} -> (!lane_tg1) {
// CHECK-NEXT:   run_thread(%{{.*}})[] (%[[X:.*]]: vector<1x1x1x1x1x64xf32>) [%{{.*}}: index] {
// CHECK-NEXT:     %[[Y:.*]] = math.exp %[[X]] : vector<1x1x1x1x1x64xf32>
// CHECK-NEXT:     pcf.cluster_yield %[[Y]] : vector<1x1x1x1x1x64xf32>
// CHECK: run_thread(%{{.*}})[] (%[[X:.*]]: vector<1x1x1x1x1x64xf32>) [%[[L:.*]]: index] {
// CHECK-NEXT:   %[[ROW:.*]] = vector.extract %[[X]][0, 0, 0, 0] : vector<1x64xf32>
// CHECK-NEXT:   pcf.write_slice %[[ROW]] into %[[OUT]][%[[L]], 0] [1, 64] [1, 1] : vector<1x64xf32> into !sref
func.func @chained(%cst: f32, %n: index, %out: !pcf.sref<64x64xf32, #ln>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : tensor<64x64xf32>
      %z = linalg.fill ins(%cst : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      pcf.cluster_yield %z : tensor<64x64xf32>
    } : (!TG) -> !TT
    %t1 = scf.for %i = %c0 to %n step %c1 iter_args(%it = %t0) -> (!TT) {
      %nx = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<64x64xf32>) {
        %y = linalg.exp ins(%x : tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
        pcf.cluster_yield %y : tensor<64x64xf32>
      } : (!TT) -> !TT
      scf.yield %nx : !TT
    }
    pcf.shared_executor.run_cluster(%t1)[] (%x: tensor<64x64xf32>) {
      pcf.write_slice %x into %out[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !pcf.sref<64x64xf32, #ln>
      pcf.cluster_yield
    } : (!TT)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#l = #iree_vector_ext.nested_layout<subgroup_tile = [2, 2], batch_tile = [1, 2], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [2, 1], subgroup_strides = [1, 2], thread_strides = [4, 1]>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {vector<32x16xf32>}>

// PCF-74: the loop's phase says how; of the layout only S is used up, and what
// is left of it lays out the blocks, in every phase.
// CHECK: #[[BLOCK:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 2], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [2, 1], subgroup_strides = [0, 0], thread_strides = [4, 1]>
// CHECK-LABEL: func.func @blocks
// CHECK: run_thread(%{{.*}})[] () [%[[S:.*]]: index] {
// CHECK: pcf.read_slice %{{.*}}[%{{.*}}, %{{.*}}] [16, 8] [1, 1] : !{{.*}} to vector<16x8xf32>
// CHECK: iree_vector_ext.to_layout %{{.*}} to layout(#[[BLOCK]]) : vector<16x8xf32>
// CHECK: pcf.cluster_yield %{{.*}} : vector<16x8xf32>
// CHECK: run_thread(%{{.*}})[] (%[[X:.*]]: vector<16x8xf32>) [%{{.*}}: index] {
// CHECK: %[[XL:.*]] = iree_vector_ext.to_layout %[[X]] to layout(#[[BLOCK]]) : vector<16x8xf32>
// CHECK: %[[Y:.*]] = arith.addf %[[XL]], %[[XL]] : vector<16x8xf32>
// CHECK: iree_vector_ext.to_layout %[[Y]] to layout(#[[BLOCK]])
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}] [16, 8] [1, 1] : vector<16x8xf32>
func.func @blocks(%n: index, %in: !pcf.sref<32x16xf32, #sg>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [32, 16] [1, 1] : !pcf.sref<32x16xf32, #sg> to vector<32x16xf32>
      pcf.cluster_yield %x : vector<32x16xf32>
    } : (!TG) -> !T
    %t1 = scf.for %i = %c0 to %n step %c1 iter_args(%it = %t0) -> (!T) {
      %nx = pcf.shared_executor.run_cluster(%it)[] (%x: vector<32x16xf32>) {
        %y = arith.addf %x, %x : vector<32x16xf32>
        %l = iree_vector_ext.to_layout %y to layout(#l) : vector<32x16xf32>
        pcf.cluster_yield %l : vector<32x16xf32>
      } : (!T) -> !T
      scf.yield %nx : !T
    }
    pcf.shared_executor.run_cluster(%t1)[] (%x: vector<32x16xf32>) {
      pcf.write_slice %x into %in[0, 0] [32, 16] [1, 1] : vector<32x16xf32> into !pcf.sref<32x16xf32, #sg>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [4], outer_tile = [2], thread_tile = [16], element_tile = [1], subgroup_strides = [0], thread_strides = [2]>
#o = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [8], thread_tile = [16], element_tile = [1], subgroup_strides = [0], thread_strides = [2]>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {vector<128xf32>, index}>

// Batches and outers that trade places are no conflict: registers are renamed
// where the second phase begins. PCF-72: lanes 2i and 2i + 1 hold the same, of
// which lane 2i below 32 writes; the index stays as it is.
// CHECK-LABEL: func.func @renamed_registers
// CHECK: pcf.cluster_yield %{{.*}}, %{{.*}} : vector<4x2x1xf32>, index
// CHECK: run_thread(%{{.*}})[] (%[[X:.*]]: vector<4x2x1xf32>, %{{.*}}: index) [%[[ID:.*]]: index] {
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ID]]
// CHECK: %[[R:.*]] = vector.shape_cast %[[X]] : vector<4x2x1xf32> to vector<1x8x1xf32>
// CHECK: arith.addf %[[R]], %{{.*}} : vector<1x8x1xf32>
// CHECK: scf.if %[[FIRST]]
// CHECK: pcf.write_slice
func.func @renamed_registers(%in: !pcf.sref<128xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [128] [1] : !pcf.sref<128xf32, #ln> to vector<128xf32>
      %l = iree_vector_ext.to_layout %x to layout(#b) : vector<128xf32>
      %i = arith.constant 3 : index
      pcf.cluster_yield %l, %i : vector<128xf32>, index
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%t0)[] (%p: vector<128xf32>, %i: index) {
      %c = arith.constant dense<1.0> : vector<128xf32>
      %l = iree_vector_ext.to_layout %c to layout(#o) : vector<128xf32>
      %s = arith.addf %p, %l : vector<128xf32>
      pcf.write_slice %s into %in[0] [128] [1] : vector<128xf32> into !pcf.sref<128xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [4, 1], subgroup_strides = [1, 0], thread_strides = [0, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 16], element_tile = [8, 1], subgroup_strides = [0, 1], thread_strides = [0, 1]>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), w.a>
!B = !pcf.cluster<#sg, (d0 -> s0), w.b>
!AT = !pcf.cluster<#sg, (0 -> d0), shared: {index, vector<8x32xf32>}, w.a>

// A relayout of a cluster is a phase that ends where its members wait (PCF-140):
// one part writes the buffer of the exchange, the other reads it. The index is
// passed on.
// CHECK-LABEL: func.func @relayout_of_a_cluster
// CHECK: %[[BUFFER:.*]] = memref.alloc() {{.*}} : memref<1024xi8, #gpu.address_space<workgroup>>
// CHECK: tile_group %{{.*}} (%[[A:.*]]: !{{.*}}, %{{.*}})
// CHECK: %[[H:.*]] = pcf.shared_executor.run_thread(%[[A]])[%[[K:.*]]] ()
// CHECK:   pcf.cluster_yield %{{.*}}, %{{.*}} : index, vector<4x32xf32>
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) among(%[[A]])[%[[K]]] fence(%[[BUFFER]])
// CHECK: %[[W:.*]] = pcf.shared_executor.run_thread(%[[H]])[%[[K]]] (%{{.*}}: index, %{{.*}}: vector<4x32xf32>)
// CHECK:   vector.transfer_write %{{.*}} : vector<4x32xf32>, memref<8x32xf32
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) among(%[[A]])[%[[K]]] fence(%[[BUFFER]])
// CHECK: run_thread(%[[W]])[%[[K]]] (%[[I:.*]]: index)
// CHECK:   vector.transfer_read %{{.*}} : memref<8x32xf32, #gpu.address_space<workgroup>>, vector<8x16xf32>
// CHECK:   pcf.cluster_yield %[[I]], %{{.*}} : index, vector<8x16xf32>
// CHECK: run_thread(%{{.*}})[%[[K]]] (%{{.*}}: index, %{{.*}}: vector<8x16xf32>)
func.func @relayout_of_a_cluster(%in: tensor<8x32xf32>, %init: tensor<8x32xf32>) -> tensor<8x32xf32> attributes {translation_info = #launch} {
  %k = arith.constant 2 : index
  %r = pcf.shared_executor scope(#sg) execute(%x <- %in : tensor<8x32xf32>, %out = %init)[%tg: !TG] : (!pcf.sref<8x32xf32, #sg>, !pcf.sref<8x32xf32, sync(#sg)>) -> (tensor<8x32xf32>) {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      %t = pcf.shared_executor.run_cluster(%a)[%k] () {
        %v = pcf.read_slice %x[0, 0] [8, 32] [1, 1] : !pcf.sref<8x32xf32, #sg> to vector<8x32xf32>
        %l = iree_vector_ext.to_layout %v to layout(#rows) : vector<8x32xf32>
        %i = arith.constant 3 : index
        pcf.cluster_yield %i, %l : index, vector<8x32xf32>
      } : (!A) -> !AT
      pcf.shared_executor.run_cluster(%t)[%k] (%i: index, %v: vector<8x32xf32>) {
        %c = arith.constant dense<1.0> : vector<8x32xf32>
        %l = iree_vector_ext.to_layout %c to layout(#columns) : vector<8x32xf32>
        %s = arith.addf %v, %l : vector<8x32xf32>
        pcf.write_slice %s into %out[0, 0] [8, 32] [1, 1] : vector<8x32xf32> into !pcf.sref<8x32xf32, sync(#sg)>
        pcf.cluster_yield
      } : (!AT)
      pcf.return
    } : !TG
    pcf.return
  }
  return %r : tensor<8x32xf32>
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
#wish = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [64], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#demand = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {vector<128xf32>}>

// The second phase could convert what it gets, the third cannot: its layout is
// that of the class. Where memory is demanded lanes exchange data there, between
// barriers that name it; else by shuffles.
// CHECK-LABEL: func.func @demands_go_first
// CHECK: %[[BUFFER:.*]] = memref.alloc() {alignment = 16 : i64} : memref<512xi8, #gpu.address_space<workgroup>>
// CHECK: pcf.cluster_yield %{{.*}} : vector<1x1x2xf32>
// CHECK: run_thread(%{{.*}})[] (%{{.*}}: vector<1x1x2xf32>)
// CHECK-NEXT: pcf.barrier(#iree_gpu.lane_scope) fence(%{{.*}})
// CHECK: memref.view %[[BUFFER]]
// CHECK: pcf.barrier(#iree_gpu.lane_scope) fence(%{{.*}})
// CHECK: run_thread(%{{.*}})[] (%{{.*}}: vector<1x1x2xf32>)
// CHECK-NOT: pcf.barrier
// CHECK: gpu.shuffle
// CHECK-NOT: pcf.barrier
// CHECK: pcf.cluster_yield
// CHECK: run_thread(%{{.*}})[] (%{{.*}}: vector<1x1x2xf32>)
// CHECK-NOT: pcf.barrier
// CHECK-NOT: gpu.shuffle
// CHECK: pcf.cluster_yield
func.func @demands_go_first(%in: !pcf.sref<128xf32, #ln>, %out: !pcf.sref<128xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [128] [1] : !pcf.sref<128xf32, #ln> to vector<128xf32>
      pcf.cluster_yield %x : vector<128xf32>
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%t0)[] (%p: vector<128xf32>) {
      %l = iree_vector_ext.to_layout %p to layout(#wish) {shared_memory_conversion} : vector<128xf32>
      pcf.write_slice %l into %in[0] [128] [1] : vector<128xf32> into !pcf.sref<128xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.shared_executor.run_cluster(%t0)[] (%p: vector<128xf32>) {
      %l = iree_vector_ext.to_layout %p to layout(#wish) : vector<128xf32>
      pcf.write_slice %l into %in[0] [128] [1] : vector<128xf32> into !pcf.sref<128xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.shared_executor.run_cluster(%t0)[] (%p: vector<128xf32>) {
      %c = arith.constant dense<1.0> : vector<128xf32>
      %l = iree_vector_ext.to_layout %c to layout(#demand) : vector<128xf32>
      %s = arith.addf %p, %l : vector<128xf32>
      pcf.write_slice %s into %out[0] [128] [1] : vector<128xf32> into !pcf.sref<128xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#cfg = #iree_gpu.lowering_config<{subgroup = [32, 16, 0], mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<64x32xf32>}>

// A product asks for fragments of its instruction, in subgroup tiles of 32x16;
// what is copied is spread out: 4 subgroups with 16 rows, lanes with 8 elements.
// CHECK-DAG: #[[COPY:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 2], element_tile = [1, 8], subgroup_strides = [0, 0], thread_strides = [2, 1]>
// CHECK-DAG: #[[A:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
// CHECK-LABEL: func.func @seeds
// CHECK: run_thread
// CHECK: pcf.cluster_yield %{{.*}} : vector<32x16xf32>
// CHECK: run_thread
// CHECK: to_layout %{{.*}} to layout(#[[COPY]]) : vector<16x16xf16>
// CHECK: pcf.write_slice %{{.*}} [16, 16] [1, 1] : vector<16x16xf16>
// CHECK: run_thread
// CHECK: to_layout %{{.*}} to layout(#[[A]]) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<32x16xf16>
// CHECK: vector.contract {{.*}} : vector<32x16xf16>, vector<16x16xf16> into vector<32x16xf32>
func.func @seeds(%a: !pcf.sref<64x16xf16, #sg>, %b: !pcf.sref<16x32xf16, #sg>, %p: !pcf.sref<64x16xf16, #sg>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<64x32xf32>
      pcf.cluster_yield %z : tensor<64x32xf32>
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %a[0, 0] [64, 16] [1, 1] : !pcf.sref<64x16xf16, #sg> to tensor<64x16xf16>
      pcf.write_slice %x into %p[0, 0] [64, 16] [1, 1] : tensor<64x16xf16> into !pcf.sref<64x16xf16, #sg>
      pcf.cluster_yield
    } : (!TG)
    pcf.barrier(#sg) fence(%p) : !pcf.sref<64x16xf16, #sg>
    %t1 = pcf.shared_executor.run_cluster(%t0)[] (%acc: tensor<64x32xf32>) {
      %x = pcf.read_slice %p[0, 0] [64, 16] [1, 1] : !pcf.sref<64x16xf16, #sg> to tensor<64x16xf16>
      %y = pcf.read_slice %b[0, 0] [16, 32] [1, 1] : !pcf.sref<16x32xf16, #sg> to tensor<16x32xf16>
      %m = linalg.matmul {lowering_config = #cfg} ins(%x, %y : tensor<64x16xf16>, tensor<16x32xf16>) outs(%acc : tensor<64x32xf32>) -> tensor<64x32xf32>
      pcf.cluster_yield %m : tensor<64x32xf32>
    } : (!T) -> !T
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#l = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
!TG = !pcf.threadgroup<#ln>

// PCF-216: the mask has no uses, as where a phase was split and its parts use other values of it. It needs no layout.
// CHECK-LABEL: func.func @values_without_uses
// CHECK: run_thread
// CHECK-NOT: vector<32x32xi1>
// CHECK: pcf.cluster_yield
func.func @values_without_uses(%in: !pcf.sref<64xf32, #ln>, %n: index) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %step = vector.step : vector<32xindex>
      %start = vector.broadcast %n : index to vector<32xindex>
      %at = arith.addi %start, %step : vector<32xindex>
      %same = vector.broadcast %at : vector<32xindex> to vector<32xindex>
      %row = arith.cmpi slt, %same, %start : vector<32xindex>
      %rows = vector.broadcast %row : vector<32xi1> to vector<32x32xi1>
      %mask = vector.shape_cast %rows : vector<32x32xi1> to vector<1x1x32x32xi1>
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #ln> to vector<64xf32>
      %y = iree_vector_ext.to_layout %x to layout(#l) : vector<64xf32>
      pcf.write_slice %y into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#batches = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#outers = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [2], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#blocked = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
!TG = !pcf.threadgroup<#ln>

// PCF-217: two operands of a sum name the same registers in two ways, and what stands behind the sum is in a third
// layout. One operand is renamed, and the sum is converted.
// CHECK-LABEL: func.func @operands_with_two_names
// CHECK: run_thread
// CHECK: %[[S:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<1x2x1xf32>
// CHECK: math.exp2 %[[S]] : vector<1x2x1xf32>
// CHECK: vector<1x1x2xf32>
func.func @operands_with_two_names(%in: !pcf.sref<64xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %u = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #ln> to vector<64xf32>
      %p = iree_vector_ext.to_layout %u to layout(#batches) : vector<64xf32>
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #ln> to vector<64xf32>
      %q = iree_vector_ext.to_layout %x to layout(#outers) : vector<64xf32>
      %s = arith.addf %p, %q : vector<64xf32>
      %e = math.exp2 %s : vector<64xf32>
      %r = iree_vector_ext.to_layout %e to layout(#blocked) : vector<64xf32>
      pcf.write_slice %r into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#batches = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [4], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#outers = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [4], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#both = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [2], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
!TG = !pcf.threadgroup<#ln>

// Where the result has a third name, the operands take it.
// CHECK-LABEL: func.func @three_names
// CHECK: run_thread
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<2x2x1xf32>
func.func @three_names(%in: !pcf.sref<128xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [128] [1] : !pcf.sref<128xf32, #ln> to vector<128xf32>
      %p = iree_vector_ext.to_layout %x to layout(#batches) : vector<128xf32>
      %y = pcf.read_slice %in[0] [128] [1] : !pcf.sref<128xf32, #ln> to vector<128xf32>
      %q = iree_vector_ext.to_layout %y to layout(#outers) : vector<128xf32>
      %s = arith.addf %p, %q : vector<128xf32>
      %r = iree_vector_ext.to_layout %s to layout(#both) : vector<128xf32>
      pcf.write_slice %r into %in[0] [128] [1] : vector<128xf32> into !pcf.sref<128xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}
