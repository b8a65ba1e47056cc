// RUN: distaff-opt %s --distaff-tile-to-pcf=target=gfx942 --split-input-file | FileCheck %s

#ti = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [256, 1, 1] subgroup_size = 64>
#cfg = #iree_gpu.lowering_config<{workgroup = [256, 128, 0], reduction = [0, 0, 64], subgroup = [128, 64, 0], promote_operands = [0, 1], mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>

// Stage 2 of chapter 8 from its stage 1 (PCF-85).
// CHECK-DAG: #[[NTN:.*]] = affine_map<()[s0] -> (s0 ceildiv 128)>
// CHECK-DAG: #[[NTM:.*]] = affine_map<()[s0] -> (s0 ceildiv 256)>
// CHECK-DAG: #[[LEFT:.*]] = affine_map<()[s0, s1] -> (s0 - s1, 0)>
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:[^:]*]]: tensor<?x?xf16>, %[[B:[^:]*]]: tensor<?x?xf16>, %[[C:[^:]*]]: tensor<?x?xf32>)
// CHECK-DAG:  %[[CST:.*]] = arith.constant 0.0
// CHECK-DAG:  %[[M:.*]] = tensor.dim %[[A]], %c0
// CHECK-DAG:  %[[K:.*]] = tensor.dim %[[A]], %c1
// CHECK-DAG:  %[[N:.*]] = tensor.dim %[[B]], %c1
// CHECK-DAG:  %[[GN:.*]] = affine.apply #[[NTN]]()[%[[N]]]
// CHECK-DAG:  %[[GM:.*]] = affine.apply #[[NTM]]()[%[[M]]]
// CHECK:      %[[R:.*]] = pcf.loop scope(#iree_codegen.workgroup_scope) count(%[[GN]], %[[GM]])
// CHECK-SAME: execute(%[[RA:.*]] <- %[[A]] : tensor<?x?xf16>, %[[RB:.*]] <- %[[B]] : tensor<?x?xf16>, %[[RC:.*]] = %[[C]])[%[[IN:.*]]: index, %[[IM:.*]]: index]
// CHECK-SAME: -> (tensor<?x?xf32>)
// CHECK:        %[[ON:.*]] = arith.muli %[[IN]], %c128
// CHECK:        %[[LN:.*]] = affine.max #[[LEFT]]()[%[[N]], %[[ON]]]
// CHECK:        %[[SN:.*]] = arith.minsi %[[LN]], %c128
// CHECK:        %[[OM:.*]] = arith.muli %[[IM]], %c256
// CHECK:        %[[LM:.*]] = affine.max #[[LEFT]]()[%[[M]], %[[OM]]]
// CHECK:        %[[SM:.*]] = arith.minsi %[[LM]], %c256
// CHECK-NEXT:   %[[AT:.*]] = pcf.read_slice %[[RA]][%[[OM]], 0] [%[[SM]], %[[K]]] [1, 1] {{.*}} to tensor<?x?xf16>
// CHECK-NEXT:   %[[BT:.*]] = pcf.read_slice %[[RB]][0, %[[ON]]] [%[[K]], %[[SN]]] [1, 1] {{.*}} to tensor<?x?xf16>
// CHECK-NEXT:   %[[E:.*]] = tensor.empty(%[[SM]], %[[SN]]) : tensor<?x?xf32>
// CHECK-NEXT:   %[[FT:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[E]]
// CHECK-NEXT:   %[[MT:.*]] = linalg.matmul {lowering_config = #{{.*}}} ins(%[[AT]], %[[BT]] {{.*}} outs(%[[FT]]
// CHECK-NEXT:   pcf.write_slice %[[MT]] into %[[RC]][%[[OM]], %[[ON]]] [%[[SM]], %[[SN]]] [1, 1]
// CHECK-NEXT:   pcf.return
// CHECK:      return %[[R]]
// The launch, and what it has to see to.
// CHECK-LABEL: func.func @matmul__grid(
// CHECK-SAME: %[[S0:[^:]*]]: index, %[[S1:[^:]*]]: index, %[[S2:[^:]*]]: index, %[[S3:[^:]*]]: index, %[[S4:[^:]*]]: index, %[[S5:[^:]*]]: index)
// CHECK-SAME: attributes {host}
// CHECK:      cf.assert %{{.*}}, "dimension 0 of arg0 and dimension 0 of arg2 are one loop of linalg.matmul, their extents differ"
// CHECK:      cf.assert %{{.*}}, "dimension 1 of arg1 and dimension 1 of arg2
// CHECK:      %[[SAME:.*]] = arith.cmpi eq, %[[S1]], %[[S2]]
// CHECK:      cf.assert %[[SAME]], "dimension 1 of arg0 and dimension 0 of arg1
// CHECK:      %[[X:.*]] = affine.apply #[[NTN]]()[%[[S3]]]
// CHECK:      %[[Y:.*]] = affine.apply #[[NTM]]()[%[[S0]]]
// CHECK:      return %[[X]], %[[Y]], %c1
func.func @matmul(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #ti} {
  %cst = arith.constant 0.0 : f32
  %f = linalg.fill ins(%cst : f32) outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul {lowering_config = #cfg} ins(%A, %B : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [1, 16, 32, 0], reduction = [0, 0, 0, 8]}>

// A batch is a third id. What divides has static slices, and a loop of one tile
// no id: of 48 rows there are three tiles, of 20 columns one.
// CHECK-LABEL: func.func @batch(
// CHECK-DAG:  %[[THREE:.*]] = arith.constant 3 : index
// CHECK-DAG:  %[[FIVE:.*]] = arith.constant 5 : index
// CHECK:      pcf.loop scope({{.*}}) count(%[[THREE]], %[[FIVE]]) execute({{.*}})[%[[IM:.*]]: index, %[[IB:.*]]: index]
// CHECK:        %[[OM:.*]] = arith.muli %[[IM]], %c16
// CHECK:        pcf.read_slice %{{.*}}[%[[IB]], %[[OM]], 0] [1, 16, 24] [1, 1, 1] : {{.*}} to tensor<1x16x24xf32>
// CHECK:        pcf.read_slice %{{.*}}[%[[IB]], 0, 0] [1, 24, 20] [1, 1, 1] : {{.*}} to tensor<1x24x20xf32>
// CHECK:        pcf.write_slice %{{.*}} into %{{.*}}[%[[IB]], %[[OM]], 0] [1, 16, 20] [1, 1, 1]
// CHECK-LABEL: func.func @batch__grid()
// CHECK-DAG:  %[[X:.*]] = arith.constant 3 : index
// CHECK-DAG:  %[[Y:.*]] = arith.constant 5 : index
// CHECK-DAG:  %[[Z:.*]] = arith.constant 1 : index
// CHECK:      return %[[X]], %[[Y]], %[[Z]]
func.func @batch(%A: tensor<5x48x24xf32>, %B: tensor<5x24x20xf32>) -> tensor<5x48x20xf32> {
  %e = tensor.empty() : tensor<5x48x20xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5x48x20xf32>) -> tensor<5x48x20xf32>
  %r = linalg.batch_matmul {lowering_config = #cfg} ins(%A, %B : tensor<5x48x24xf32>, tensor<5x24x20xf32>) outs(%f : tensor<5x48x20xf32>) -> tensor<5x48x20xf32>
  return %r : tensor<5x48x20xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [1, 1, 16, 16, 0], reduction = [0, 0, 0, 0, 8]}>
#a = affine_map<(p, q, m, n, k) -> (p, q, m, k)>
#b = affine_map<(p, q, m, n, k) -> (p, q, k, n)>
#c = affine_map<(p, q, m, n, k) -> (p, q, m, n)>

// Of four ids the slowest two share one: the hardware has three.
// CHECK-LABEL: func.func @two_batches(
// CHECK:      %[[P:.*]] = tensor.dim %{{.*}}, %c0
// CHECK:      %[[Q:.*]] = tensor.dim %{{.*}}, %c1
// CHECK:      %[[PQ:.*]] = arith.muli %[[Q]], %[[P]]
// CHECK:      pcf.loop {{.*}} count(%{{.*}}, %{{.*}}, %[[PQ]]) execute({{.*}})[%{{.*}}: index, %{{.*}}: index, %[[SLOW:.*]]: index]
// CHECK:        %[[D:.*]]:2 = affine.delinearize_index %[[SLOW]] into (%[[P]], %[[Q]])
// CHECK:        pcf.read_slice %{{.*}}[%[[D]]#0, %[[D]]#1,
// CHECK-LABEL: func.func @two_batches__grid(
func.func @two_batches(%A: tensor<?x?x?x?xf32>, %B: tensor<?x?x?x?xf32>, %C: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%C : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"], lowering_config = #cfg}
      ins(%A, %B : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) outs(%f : tensor<?x?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %v = arith.mulf %x, %y : f32
    %w = arith.addf %s, %v : f32
    linalg.yield %w : f32
  } -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [16, 16, 0], reduction = [0, 0, 8]}>

// What comes before and after the product is computed on the workgroup's tile.
// A tensor that is added to is read; the result is written beside it.
// CHECK-LABEL: func.func @fused(
// CHECK-SAME: %[[A:[^:]*]]: tensor<?x?xf32>, %[[B:[^:]*]]: tensor<?x?xf32>, %[[C:[^:]*]]: tensor<?x?xf32>, %[[BIAS:[^:]*]]: tensor<?xf32>)
// CHECK:      %[[OUT:.*]] = tensor.empty(
// CHECK:      pcf.loop {{.*}} execute(%[[RA:.*]] <- %[[A]] : {{.*}}, %[[RB:.*]] <- %[[B]] : {{.*}}, %[[RC:.*]] <- %[[C]] : {{.*}}, %[[RBIAS:.*]] <- %[[BIAS]] : {{.*}}, %[[RR:.*]] = %[[OUT]])
// CHECK:        %[[AT:.*]] = pcf.read_slice %[[RA]]
// CHECK:        %[[X:.*]] = linalg.exp ins(%[[AT]]
// CHECK:        %[[CT:.*]] = pcf.read_slice %[[RC]]
// CHECK:        %[[P:.*]] = linalg.matmul {{.*}} ins(%[[X]], %{{.*}} outs(%[[CT]]
// CHECK:        %[[BT:.*]] = pcf.read_slice %[[RBIAS]]
// CHECK:        %[[R:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[BT]]
// CHECK:        pcf.write_slice %[[R]] into %[[RR]]
func.func @fused(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>, %C: tensor<?x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %x = linalg.exp ins(%A : tensor<?x?xf32>) outs(%A : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul {lowering_config = #cfg} ins(%x, %B : tensor<?x?xf32>, tensor<?x?xf32>) outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%C : tensor<?x?xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %w = arith.addf %u, %v : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// What starts workers itself stays; its launch is read off its counts.
// CHECK-DAG: #[[BOTH:.*]] = affine_map<()[s0] -> ((s0 ceildiv 4) * 4)>
// CHECK-LABEL: func.func @by_hand(
// CHECK:      pcf.loop scope(#iree_codegen.workgroup_scope<linearize>)
// CHECK-LABEL: func.func @by_hand__grid(%{{.*}}: index)
// CHECK:      %[[X:.*]] = affine.apply #[[BOTH]]()
// CHECK:      return %[[X]], %c1, %c1
func.func @by_hand(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %t = arith.ceildivui %n, %c4 : index
  %r = pcf.loop scope(#iree_codegen.workgroup_scope<linearize>) count(%t, %c4) execute(%x = %a)[%i: index, %j: index] : (!pcf.sref<?xf32, #iree_codegen.workgroup_scope<linearize>>) -> (tensor<?xf32>) {
    pcf.return
  }
  return %r : tensor<?xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [1, 16, 32, 0], reduction = [0, 0, 0, 8], resident = 7}>

// Of more tiles than workgroups that run at a time all are counted by one id, columns
// first, then rows, then batches; the grid is the smaller number.
// CHECK-DAG: #[[TILES:.*]] = affine_map<()[s0, s1, s2] -> ({{.*}}ceildiv 32{{.*}}ceildiv 16{{.*}})>
// CHECK-LABEL: func.func @shared_out(
// CHECK-DAG:  %[[GN:.*]] = affine.apply #{{.*}}()[%[[N:.*]]]
// CHECK:      pcf.loop scope({{.*}}) count(%{{[a-z0-9_]*}}) execute({{.*}})[%[[I:[a-z0-9_]*]]: index]
// CHECK:        %[[AT:.*]]:3 = affine.delinearize_index %[[I]] into (%[[B:.*]], %{{.*}}, %{{.*}})
// CHECK-DAG:    %[[ON:.*]] = arith.muli %[[AT]]#2, %c32
// CHECK-DAG:    %[[OM:.*]] = arith.muli %[[AT]]#1, %c16
// CHECK:        pcf.write_slice %{{.*}} into %{{.*}}[%[[AT]]#0, %[[OM]], %[[ON]]]
// CHECK-LABEL: func.func @shared_out__grid(
// CHECK:      %[[ALL:.*]] = affine.apply #[[TILES]]()
// CHECK:      %[[SEVEN:.*]] = arith.constant 7
// CHECK:      %[[X:.*]] = arith.minsi %[[ALL]], %[[SEVEN]]
// CHECK:      return %[[X]], %c1{{.*}}, %c1
func.func @shared_out(%A: tensor<?x?x?xf32>, %B: tensor<?x?x?xf32>, %C: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = linalg.batch_matmul {lowering_config = #cfg} ins(%A, %B : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%C : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [16, 32, 0], reduction = [0, 0, 8], resident = 6}>

// Six tiles are one for each of six workgroups, and have ids of their own.
// CHECK-LABEL: func.func @one_each(
// CHECK-NOT:  delinearize
// CHECK:      pcf.loop scope({{.*}}) count(%{{[a-z0-9_]*}}, %{{[a-z0-9_]*}})
// CHECK-LABEL: func.func @one_each__grid(
// CHECK-NOT:  arith.minsi
// CHECK:      return %c2{{.*}}, %c3{{.*}}, %c1
func.func @one_each(%A: tensor<48x8xf32>, %B: tensor<8x64xf32>, %C: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %r = linalg.matmul {lowering_config = #cfg} ins(%A, %B : tensor<48x8xf32>, tensor<8x64xf32>) outs(%C : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %r : tensor<48x64xf32>
}

// -----

#cfg = #iree_gpu.lowering_config<{workgroup = [16, 32, 0], reduction = [0, 0, 8], resident = 5}>

// CHECK-LABEL: func.func @one_too_many(
// CHECK:      %[[SIX:.*]] = arith.muli %c2{{.*}}, %c3
// CHECK:      pcf.loop scope({{.*}}) count(%[[SIX]])
// CHECK-LABEL: func.func @one_too_many__grid(
// CHECK:      return %c5{{.*}}, %c1{{.*}}, %c1
func.func @one_too_many(%A: tensor<48x8xf32>, %B: tensor<8x64xf32>, %C: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %r = linalg.matmul {lowering_config = #cfg} ins(%A, %B : tensor<48x8xf32>, tensor<8x64xf32>) outs(%C : tensor<48x64xf32>) -> tensor<48x64xf32>
  return %r : tensor<48x64xf32>
}
