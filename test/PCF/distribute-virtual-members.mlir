// RUN: distaff-opt %s --pcf-distribute="scope=#iree_gpu.subgroup_scope virtual-members" --canonicalize | FileCheck %s

// Members of a group of any size take turns (PCF-102), and code runs in rounds
// where that is the same program (PCF-103).

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!P = !pcf.cluster<#sg, (0 -> d0), ws.a>
!C = !pcf.cluster<#sg, (d0 -> s0), ws.b>
!X = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<64x64xf32>}, ws.b>
!L = !pcf.sref<64x64xf32, #sg>
!O = !pcf.sref<64x64xf32, sync(#sg)>

// The turns of a phase that gives nothing are a loop around it: of 4 virtual
// members, as many as the workgroup has, %n real ones take ceil(4 / %n) turns.
// CHECK-DAG: #[[REST:.*]] = affine_map<()[s0] -> (-s0 + 4)>
// CHECK-LABEL: @copies
// CHECK: %[[REAL:.*]] = arith.maxsi %{{.*}}, %c1
// CHECK: %[[TURNS:.*]] = arith.ceildivui %c4, %[[REAL]]
// CHECK: scf.for %[[TURN:.*]] = %c0 to %[[TURNS]] step %c1
// CHECK: run_thread(%{{.*}})[%{{.*}}] () [%[[ID:.*]]: index]
// CHECK: %[[FIRST:.*]] = arith.muli %[[TURN]], %[[REAL]]
// CHECK: %[[NUMBER:.*]] = arith.addi %[[FIRST]], %[[ID]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[NUMBER]], %c4
// CHECK: scf.if %[[EXISTS]]
// CHECK: pcf.read_slice %{{.*}} [16, 64] [1, 1]
// CHECK: pcf.write_slice %{{.*}} [16, 64] [1, 1]
func.func @copies(%a: tensor<64x64xf32>, %c: tensor<64x64xf32>, %p: index) -> tensor<64x64xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) execute(%A <- %a : tensor<64x64xf32>, %O = %c)[%tg: !pcf.threadgroup<#sg>] : (!L, !O) -> (tensor<64x64xf32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%p]] (%first: !P, %rest: !C) {
      pcf.shared_executor.run_cluster(%rest)[%p] () {
        %x = pcf.read_slice %A[0, 0] [64, 64] [1, 1] : !L to tensor<64x64xf32>
        pcf.write_slice %x into %O[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !O
        pcf.cluster_yield
      } : (!C)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %r : tensor<64x64xf32>
}

// Payload is that of one virtual member at a time, so all code runs in rounds.
// What the phase with payload copies beside is a phase of its own, whole in
// each round; who has no part in a round writes none.
// CHECK-LABEL: @payload
// CHECK: scf.for %[[ROUND:.*]] = %c0 to
// CHECK: tile_group
// CHECK: scf.for
// CHECK: run_thread
// CHECK: pcf.write_slice %{{.*}} into %arg
// CHECK: run_thread(%{{.*}})[%{{.*}}] (%{{.*}}: tensor<16x64xf32>) [%[[ID:.*]]: index]
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult
// CHECK: arith.minui %[[ID]]
// CHECK: arith.select %[[EXISTS]]
// CHECK: scf.if %[[EXISTS]]
// CHECK-NEXT: pcf.write_slice %{{.*}} [16, 64] [1, 1]
// CHECK: pcf.barrier({{.*}}) fence(%{{.*}})
func.func @payload(%a: tensor<64x64xf32>, %c: tensor<64x64xf32>, %p: index) -> tensor<64x64xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !L  pcf.yield %m : !L } -> (%l: !L)
      execute(%A <- %a : tensor<64x64xf32>, %O = %c)[%tg: !pcf.threadgroup<#sg>] : (!L, !O) -> (tensor<64x64xf32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%p]] (%first: !P, %rest: !C) {
      %h = pcf.shared_executor.run_cluster(%rest)[%p] () {
        %x = pcf.read_slice %A[0, 0] [64, 64] [1, 1] : !L to tensor<64x64xf32>
        pcf.write_slice %x into %l[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !L
        %z = arith.constant dense<0.0> : tensor<64x64xf32>
        pcf.cluster_yield %z : tensor<64x64xf32>
      } : (!C) -> !X
      pcf.barrier(#sg) fence(%l) : !L
      pcf.shared_executor.run_cluster(%h)[%p] (%x: tensor<64x64xf32>) {
        %y = pcf.read_slice %l[0, 0] [64, 64] [1, 1] : !L to tensor<64x64xf32>
        %s = arith.addf %x, %y : tensor<64x64xf32>
        pcf.write_slice %s into %O[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !O
        pcf.cluster_yield
      } : (!X)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %r : tensor<64x64xf32>
}
