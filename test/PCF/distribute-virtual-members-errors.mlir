// RUN: distaff-opt %s --pcf-distribute="scope=#iree_gpu.subgroup_scope virtual-members" --split-input-file --verify-diagnostics

// What keeps code from running in rounds is named, and members hold all of
// the payload then (PCF-103).

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!P = !pcf.cluster<#sg, (0 -> d0), ws.a>
!C = !pcf.cluster<#sg, (d0 -> s0), ws.b>
!X = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<64xf32>}, ws.b>
!L = !pcf.sref<64xf32, #sg>
!O = !pcf.sref<64xf32, sync(#sg)>

// A part is written that members of another turn read.
func.func @read_of_another_part(%a: tensor<64xf32>, %c: tensor<64xf32>, %p: index) -> tensor<64xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !L  pcf.yield %m : !L } -> (%l: !L)
      execute(%A <- %a : tensor<64xf32>, %O = %c)[%tg: !pcf.threadgroup<#sg>] : (!L, !O) -> (tensor<64xf32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%p]] (%first: !P, %rest: !C) {
      // expected-warning @+1 {{members hold all of this phase's payload: they are too many boxes for one turn, and the code cannot run in rounds}}
      %h = pcf.shared_executor.run_cluster(%rest)[%p] () {
        %x = pcf.read_slice %A[0] [64] [1] : !L to tensor<64xf32>
        pcf.cluster_yield %x : tensor<64xf32>
      } : (!C) -> !X
      pcf.barrier(#sg) fence(%l) : !L
      pcf.shared_executor.run_cluster(%h)[%p] (%x: tensor<64xf32>) {
        pcf.write_slice %x into %l[0] [64] [1] : tensor<64xf32> into !L
        pcf.cluster_yield
      } : (!X)
      pcf.barrier(#sg) fence(%l) : !L
      pcf.shared_executor.run_cluster(%first)[%p] () {
        // expected-note @+1 {{'pcf.read_slice' reads memory that another part of the payload writes}}
        %x = pcf.read_slice %l[0] [64] [1] : !L to tensor<64xf32>
        pcf.write_slice %x into %l[0] [64] [1] : tensor<64xf32> into !L
        pcf.cluster_yield
      } : (!P)
      pcf.shared_executor.run_cluster(%h)[%p] (%x: tensor<64xf32>) {
        pcf.write_slice %x into %O[0] [64] [1] : tensor<64xf32> into !O
        pcf.cluster_yield
      } : (!X)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %r : tensor<64xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!P = !pcf.cluster<#sg, (0 -> d0), ws.a>
!C = !pcf.cluster<#sg, (d0 -> s0), ws.b>
!X = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<64xf32>}, ws.b>
!L = !pcf.sref<64xf32, #sg>
!O = !pcf.sref<64xf32, sync(#sg)>

// A result that all write first would lose the parts of rounds before.
func.func @overwritten_parts(%a: tensor<64xf32>, %c: tensor<64xf32>, %p: index) -> tensor<64xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !L  pcf.yield %m : !L } -> (%l: !L)
      execute(%A <- %a : tensor<64xf32>, %O = %c)[%tg: !pcf.threadgroup<#sg>] : (!L, !O) -> (tensor<64xf32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%p]] (%first: !P, %rest: !C) {
      // expected-warning @+1 {{members hold all of this phase's payload: they are too many boxes for one turn, and the code cannot run in rounds}}
      %h = pcf.shared_executor.run_cluster(%rest)[%p] () {
        %x = pcf.read_slice %A[0] [64] [1] : !L to tensor<64xf32>
        pcf.cluster_yield %x : tensor<64xf32>
      } : (!C) -> !X
      pcf.barrier(#sg) fence(%l) : !L
      pcf.shared_executor.run_cluster(%first)[%p] () {
        %z = arith.constant dense<0.0> : tensor<64xf32>
        pcf.write_slice %z into %O[0] [64] [1] : tensor<64xf32> into !O
        pcf.cluster_yield
      } : (!P)
      pcf.barrier(#sg)
      pcf.shared_executor.run_cluster(%h)[%p] (%x: tensor<64xf32>) {
        // expected-note @+1 {{'pcf.write_slice' writes memory that another part of the payload writes}}
        pcf.write_slice %x into %O[0] [64] [1] : tensor<64xf32> into !O
        pcf.cluster_yield
      } : (!X)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %r : tensor<64xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!P = !pcf.cluster<#sg, (0 -> d0), ws.a>
!C = !pcf.cluster<#sg, (d0 -> s0), ws.b>
!X = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<64xf32>}, ws.b>
!L = !pcf.sref<64xf32, #sg>
!O = !pcf.sref<64xf32, sync(#sg)>

// What a memref shows is not known.
func.func @unknown_access(%a: tensor<64xf32>, %c: tensor<64xf32>, %p: index) -> tensor<64xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !L  pcf.yield %m : !L } -> (%l: !L)
      execute(%A <- %a : tensor<64xf32>, %O = %c)[%tg: !pcf.threadgroup<#sg>] : (!L, !O) -> (tensor<64xf32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%p]] (%first: !P, %rest: !C) {
      // expected-warning @+1 {{members hold all of this phase's payload: they are too many boxes for one turn, and the code cannot run in rounds}}
      %h = pcf.shared_executor.run_cluster(%rest)[%p] () {
        %x = pcf.read_slice %A[0] [64] [1] : !L to tensor<64xf32>
        // expected-note @+1 {{'pcf.get_memref' accesses memory in ways that are not known}}
        %m = pcf.get_memref %l[0] [64] [1] : !L to memref<64xf32, strided<[?], offset: ?>>
        pcf.cluster_yield %x : tensor<64xf32>
      } : (!C) -> !X
      pcf.barrier(#sg) fence(%l) : !L
      pcf.shared_executor.run_cluster(%h)[%p] (%x: tensor<64xf32>) {
        pcf.write_slice %x into %O[0] [64] [1] : tensor<64xf32> into !O
        pcf.cluster_yield
      } : (!X)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %r : tensor<64xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!P = !pcf.cluster<#sg, (0 -> d0), ws.a>
!C = !pcf.cluster<#sg, (d0 -> s0), ws.b>
!X = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<64xf32>}, ws.b>
!L = !pcf.sref<64xf32, #sg>
!O = !pcf.sref<64xf32, sync(#sg)>

// Every subgroup would store once per round.
func.func @store_outside(%a: tensor<64xf32>, %c: tensor<64xf32>, %p: index, %m: memref<1xf32>) -> tensor<64xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) initialize { %n = pcf.alloc() : !L  pcf.yield %n : !L } -> (%l: !L)
      execute(%A <- %a : tensor<64xf32>, %O = %c)[%tg: !pcf.threadgroup<#sg>] : (!L, !O) -> (tensor<64xf32>) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    // expected-note @+1 {{'memref.store' is outside of phases}}
    memref.store %one, %m[%zero] : memref<1xf32>
    pcf.shared_executor.tile_group %tg ns(ws) split [[%p]] (%first: !P, %rest: !C) {
      // expected-warning @+1 {{members hold all of this phase's payload: they are too many boxes for one turn, and the code cannot run in rounds}}
      %h = pcf.shared_executor.run_cluster(%rest)[%p] () {
        %x = pcf.read_slice %A[0] [64] [1] : !L to tensor<64xf32>
        pcf.cluster_yield %x : tensor<64xf32>
      } : (!C) -> !X
      pcf.barrier(#sg) fence(%l) : !L
      pcf.shared_executor.run_cluster(%h)[%p] (%x: tensor<64xf32>) {
        pcf.write_slice %x into %O[0] [64] [1] : tensor<64xf32> into !O
        pcf.cluster_yield
      } : (!X)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %r : tensor<64xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!P = !pcf.cluster<#sg, (0 -> d0), ws.a>
!C = !pcf.cluster<#sg, (d0 -> s0), ws.b>
!X = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<64xf32>}, ws.b>
!L = !pcf.sref<64xf32, #sg>
!O = !pcf.sref<64xf32, sync(#sg)>

// The split is known once the code runs.
func.func @late_bounds(%a: tensor<64xf32>, %c: tensor<64xf32>, %p: index, %q: index) -> tensor<64xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !L  pcf.yield %m : !L } -> (%l: !L)
      execute(%A <- %a : tensor<64xf32>, %O = %c)[%tg: !pcf.threadgroup<#sg>] : (!L, !O) -> (tensor<64xf32>) {
    %half = arith.divui %p, %q : index
    pcf.shared_executor.tile_group %tg ns(ws) split [[%half]] (%first: !P, %rest: !C) {
      // expected-note @+2 {{'pcf.shared_executor.run_cluster' has bounds that are known late}}
      // expected-warning @+1 {{members hold all of this phase's payload: they are too many boxes for one turn, and the code cannot run in rounds}}
      %h = pcf.shared_executor.run_cluster(%rest)[%half] () {
        %x = pcf.read_slice %A[0] [64] [1] : !L to tensor<64xf32>
        pcf.cluster_yield %x : tensor<64xf32>
      } : (!C) -> !X
      pcf.barrier(#sg) fence(%l) : !L
      pcf.shared_executor.run_cluster(%h)[%half] (%x: tensor<64xf32>) {
        pcf.write_slice %x into %O[0] [64] [1] : tensor<64xf32> into !O
        pcf.cluster_yield
      } : (!X)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %r : tensor<64xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!P = !pcf.cluster<#sg, (0 -> d0), ws.a>
!C = !pcf.cluster<#sg, (d0 -> s0), ws.b>
!X = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<64xf32>}, ws.b>
!L = !pcf.sref<64xf32, #sg>
!O = !pcf.sref<64xf32, sync(#sg)>

// The phase with payload reads what it copies to.
func.func @copy_to_what_is_read(%a: tensor<64xf32>, %c: tensor<64xf32>, %p: index) -> tensor<64xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !L  pcf.yield %m : !L } -> (%l: !L)
      execute(%A <- %a : tensor<64xf32>, %O = %c)[%tg: !pcf.threadgroup<#sg>] : (!L, !O) -> (tensor<64xf32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%p]] (%first: !P, %rest: !C) {
      // expected-error @+2 {{cannot distribute this phase: it writes memory that other members may read earlier in it}}
      // expected-warning @+1 {{members hold all of this phase's payload: they are too many boxes for one turn, and the code cannot run in rounds}}
      %h = pcf.shared_executor.run_cluster(%rest)[%p] () {
        %x = pcf.read_slice %A[0] [64] [1] : !L to tensor<64xf32>
        // expected-note @+1 {{the earlier access}}
        %y = pcf.read_slice %l[0] [64] [1] : !L to tensor<64xf32>
        // expected-note @+2 {{the later access}}
        // expected-note @+1 {{'pcf.write_slice' is in one phase with an access of payload to the same memory}}
        pcf.write_slice %x into %l[0] [64] [1] : tensor<64xf32> into !L
        pcf.cluster_yield %y : tensor<64xf32>
      } : (!C) -> !X
      pcf.barrier(#sg) fence(%l) : !L
      pcf.shared_executor.run_cluster(%h)[%p] (%x: tensor<64xf32>) {
        pcf.write_slice %x into %O[0] [64] [1] : tensor<64xf32> into !O
        pcf.cluster_yield
      } : (!X)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %r : tensor<64xf32>
}
