// One tile of C = A * B, f16 x f16 -> f32, said in six ways: docs/Specialization.md
// goes through them. All take the same arguments, and give equal bits:
//
//   arg0, arg1   1x256xK and 1xKx128, K a multiple of 32
//   arg2         1x256x128, overwritten
//   arg3         which subgroup the second cluster begins with, 1 to 7
//   arg4         the number of panels, K / 32

#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>
#sg  = #iree_gpu.subgroup_scope
!GA = !pcf.sref<1x256x?xf16, #sg>
!GB = !pcf.sref<1x?x128xf16, #sg>
!GC = !pcf.sref<1x256x128xf32, sync(#sg)>
!LA = !pcf.sref<2x256x32xf16, #sg>
!LB = !pcf.sref<2x32x128xf16, #sg>
!P  = !pcf.cluster<#sg, (0 -> d0), ws.prod>
!C  = !pcf.cluster<#sg, (d0 -> s0), ws.cons>
!CA = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<1x256x128xf32>}, ws.cons>
!T0 = !pcf.threadgroup<#sg>
!T1 = !pcf.threadgroup<#sg, {tensor<1x256x128xf32>}>
!T3 = !pcf.threadgroup<#sg, {tensor<1x256x128xf32>, tensor<1x256x32xf16>, tensor<1x32x128xf16>}>
!E0 = !pcf.cluster<#sg, (0 -> d0), pp.even>
!O0 = !pcf.cluster<#sg, (d0 -> s0), pp.odd>
!E1 = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x128x128xf32>}, pp.even>
!O1 = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<1x128x128xf32>}, pp.odd>
!E3 = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16>}, pp.even>
!O3 = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16>}, pp.odd>

// What is computed, and nothing of how.
func.func @from_linalg(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
    %p: index, %nk: index) -> tensor<1x256x128xf32> attributes {translation_info = #launch} {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%out3 : tensor<1x256x128xf32>) -> tensor<1x256x128xf32>
  %r = linalg.batch_matmul ins(%lhs, %rhs : tensor<1x256x?xf16>, tensor<1x?x128xf16>) outs(%z : tensor<1x256x128xf32>) -> tensor<1x256x128xf32>
  return %r : tensor<1x256x128xf32>
}

// Everybody moves panels, then everybody computes.
func.func @together(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
    %p: index, %nk: index) -> tensor<1x256x128xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !LA   %b = pcf.alloc() : !LB   pcf.yield %a, %b : !LA, !LB } -> (%la: !LA, %lb: !LB)
    execute(%A <- %lhs : tensor<1x256x?xf16>, %B <- %rhs : tensor<1x?x128xf16>, %O = %out3)[%tg: !pcf.threadgroup<#sg>]
    : (!GA, !GB, !GC) -> (tensor<1x256x128xf32>) {
    %acc0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %a = pcf.read_slice %A[0, 0, 0] [1, 256, 32] [1, 1, 1] : !GA to tensor<1x256x32xf16>
      %b = pcf.read_slice %B[0, 0, 0] [1, 32, 128] [1, 1, 1] : !GB to tensor<1x32x128xf16>
      pcf.write_slice %a into %la[0, 0, 0] [1, 256, 32] [1, 1, 1] : tensor<1x256x32xf16> into !LA
      pcf.write_slice %b into %lb[0, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<1x32x128xf16> into !LB
      %z = arith.constant dense<0.0> : tensor<1x256x128xf32>
      pcf.cluster_yield %z : tensor<1x256x128xf32> } : (!T0) -> !T1
    pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
    %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%it = %acc0) -> (!T1) {
      %cur = arith.remui %k, %c2 : index   %k1 = arith.addi %k, %c1 : index   %nxt = arith.remui %k1, %c2 : index
      %more = arith.cmpi ult, %k1, %nk : index   %ko = arith.muli %k1, %c32 : index
      %ops = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<1x256x128xf32>) {                       // M(k)
        scf.if %more {
          %a = pcf.read_slice %A[0, 0, %ko] [1, 256, 32] [1, 1, 1] : !GA to tensor<1x256x32xf16>
          %b = pcf.read_slice %B[0, %ko, 0] [1, 32, 128] [1, 1, 1] : !GB to tensor<1x32x128xf16>
          pcf.write_slice %a into %la[%nxt, 0, 0] [1, 256, 32] [1, 1, 1] : tensor<1x256x32xf16> into !LA
          pcf.write_slice %b into %lb[%nxt, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<1x32x128xf16> into !LB
        }
        %av = pcf.read_slice %la[%cur, 0, 0] [1, 256, 32] [1, 1, 1] : !LA to tensor<1x256x32xf16>
        %bv = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
        pcf.cluster_yield %x, %av, %bv : tensor<1x256x128xf32>, tensor<1x256x32xf16>, tensor<1x32x128xf16> } : (!T1) -> !T3
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %n = pcf.shared_executor.run_cluster(%ops)[] (%x: tensor<1x256x128xf32>, %a: tensor<1x256x32xf16>, %b: tensor<1x32x128xf16>) {   // C(k)
        %y = linalg.batch_matmul ins(%a, %b : tensor<1x256x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x256x128xf32>) -> tensor<1x256x128xf32>
        pcf.cluster_yield %y : tensor<1x256x128xf32> } : (!T3) -> !T1
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      scf.yield %n : !T1 }
    pcf.shared_executor.run_cluster(%acc)[] (%x: tensor<1x256x128xf32>) {
      pcf.write_slice %x into %O[0, 0, 0] [1, 256, 128] [1, 1, 1] : tensor<1x256x128xf32> into !GC
      pcf.cluster_yield } : (!T1)
    pcf.return
  }
  return %res : tensor<1x256x128xf32>
}

// Some move the next panel while the others compute.
func.func @producer_consumer(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
    %p: index, %nk: index) -> tensor<1x256x128xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !LA   %b = pcf.alloc() : !LB   pcf.yield %a, %b : !LA, !LB } -> (%la: !LA, %lb: !LB)
    execute(%A <- %lhs : tensor<1x256x?xf16>, %B <- %rhs : tensor<1x?x128xf16>, %O = %out3)[%tg: !pcf.threadgroup<#sg>]
    : (!GA, !GB, !GC) -> (tensor<1x256x128xf32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%p]] (%prod: !P, %cons: !C) {
      %acc0 = pcf.shared_executor.run_cluster(%cons)[%p] () {
        %z = arith.constant dense<0.0> : tensor<1x256x128xf32>
        pcf.cluster_yield %z : tensor<1x256x128xf32> } : (!C) -> !CA
      pcf.shared_executor.run_cluster(%prod)[%p] () {                            // panel 0 -> slot 0
        %a = pcf.read_slice %A[0, 0, 0] [1, 256, 32] [1, 1, 1] : !GA to tensor<1x256x32xf16>
        %b = pcf.read_slice %B[0, 0, 0] [1, 32, 128] [1, 1, 1] : !GB to tensor<1x32x128xf16>
        pcf.write_slice %a into %la[0, 0, 0] [1, 256, 32] [1, 1, 1] : tensor<1x256x32xf16> into !LA
        pcf.write_slice %b into %lb[0, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<1x32x128xf16> into !LB
        pcf.cluster_yield } : (!P)
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%it = %acc0) -> (!CA) {
        %cur = arith.remui %k, %c2 : index   %k1 = arith.addi %k, %c1 : index   %nxt = arith.remui %k1, %c2 : index
        %more = arith.cmpi ult, %k1, %nk : index
        pcf.shared_executor.run_cluster(%prod)[%p] () {
          scf.if %more {
            %ko = arith.muli %k1, %c32 : index
            %a = pcf.read_slice %A[0, 0, %ko] [1, 256, 32] [1, 1, 1] : !GA to tensor<1x256x32xf16>
            %b = pcf.read_slice %B[0, %ko, 0] [1, 32, 128] [1, 1, 1] : !GB to tensor<1x32x128xf16>
            pcf.write_slice %a into %la[%nxt, 0, 0] [1, 256, 32] [1, 1, 1] : tensor<1x256x32xf16> into !LA
            pcf.write_slice %b into %lb[%nxt, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<1x32x128xf16> into !LB
          }
          pcf.cluster_yield } : (!P)
        %n = pcf.shared_executor.run_cluster(%it)[%p] (%x: tensor<1x256x128xf32>) {
          %a = pcf.read_slice %la[%cur, 0, 0] [1, 256, 32] [1, 1, 1] : !LA to tensor<1x256x32xf16>
          %b = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
          %m = linalg.batch_matmul ins(%a, %b : tensor<1x256x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x256x128xf32>) -> tensor<1x256x128xf32>
          pcf.cluster_yield %m : tensor<1x256x128xf32> } : (!CA) -> !CA
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        scf.yield %n : !CA }
      pcf.shared_executor.run_cluster(%acc)[%p] (%x: tensor<1x256x128xf32>) {
        pcf.write_slice %x into %O[0, 0, 0] [1, 256, 128] [1, 1, 1] : tensor<1x256x128xf32> into !GC
        pcf.cluster_yield } : (!CA)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %res : tensor<1x256x128xf32>
}

// The same, written for each subgroup: two loops, whose barriers pair up only as
// long as there are equally many of them.
func.func @by_hand(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
    %p: index, %nk: index) -> tensor<1x256x128xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %res = pcf.generic scope(#sg)
    initialize { %a = pcf.alloc() : !LA   %b = pcf.alloc() : !LB   pcf.yield %a, %b : !LA, !LB } -> (%la: !LA, %lb: !LB)
    execute(%A <- %lhs : tensor<1x256x?xf16>, %B <- %rhs : tensor<1x?x128xf16>, %O = %out3)[%id: index, %n: index]
    : (!GA, !GB, !GC) -> (tensor<1x256x128xf32>) {
    %produces = arith.cmpi ult, %id, %p : index
    scf.if %produces {
      // This producer's rows of A's panel, and of B's; none for the last ones where it does not come out even.
      %arows = arith.ceildivui %c256, %p : index   %abegin = arith.muli %id, %arows : index   %ao = arith.minui %abegin, %c256 : index
      %aleft = arith.subi %c256, %ao : index       %as = arith.minui %arows, %aleft : index
      %brows = arith.ceildivui %c32, %p : index    %bbegin = arith.muli %id, %brows : index   %bo = arith.minui %bbegin, %c32 : index
      %bleft = arith.subi %c32, %bo : index        %bs = arith.minui %brows, %bleft : index
      %a0 = pcf.read_slice %A[0, %ao, 0] [1, %as, 32] [1, 1, 1] : !GA to tensor<1x?x32xf16>
      %b0 = pcf.read_slice %B[0, %bo, 0] [1, %bs, 128] [1, 1, 1] : !GB to tensor<1x?x128xf16>
      pcf.write_slice %a0 into %la[0, %ao, 0] [1, %as, 32] [1, 1, 1] : tensor<1x?x32xf16> into !LA
      pcf.write_slice %b0 into %lb[0, %bo, 0] [1, %bs, 128] [1, 1, 1] : tensor<1x?x128xf16> into !LB
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      scf.for %k = %c0 to %nk step %c1 {
        %k1 = arith.addi %k, %c1 : index   %nxt = arith.remui %k1, %c2 : index
        %more = arith.cmpi ult, %k1, %nk : index
        scf.if %more {
          %ko = arith.muli %k1, %c32 : index   %bk = arith.addi %ko, %bo : index
          %a = pcf.read_slice %A[0, %ao, %ko] [1, %as, 32] [1, 1, 1] : !GA to tensor<1x?x32xf16>
          %b = pcf.read_slice %B[0, %bk, 0] [1, %bs, 128] [1, 1, 1] : !GB to tensor<1x?x128xf16>
          pcf.write_slice %a into %la[%nxt, %ao, 0] [1, %as, 32] [1, 1, 1] : tensor<1x?x32xf16> into !LA
          pcf.write_slice %b into %lb[%nxt, %bo, 0] [1, %bs, 128] [1, 1, 1] : tensor<1x?x128xf16> into !LB
        }
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      }
    } else {
      // This consumer's rows of the result.
      %c = arith.subi %id, %p : index            %nc = arith.subi %n, %p : index
      %rows = arith.ceildivui %c256, %nc : index   %begin = arith.muli %c, %rows : index   %o = arith.minui %begin, %c256 : index
      %left = arith.subi %c256, %o : index         %s = arith.minui %rows, %left : index
      %e = tensor.empty(%s) : tensor<1x?x128xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x?x128xf32>) -> tensor<1x?x128xf32>
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %z) -> (tensor<1x?x128xf32>) {
        %cur = arith.remui %k, %c2 : index
        %a = pcf.read_slice %la[%cur, %o, 0] [1, %s, 32] [1, 1, 1] : !LA to tensor<1x?x32xf16>
        %b = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
        %y = linalg.batch_matmul ins(%a, %b : tensor<1x?x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x?x128xf32>) -> tensor<1x?x128xf32>
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        scf.yield %y : tensor<1x?x128xf32>
      }
      pcf.write_slice %acc into %O[0, %o, 0] [1, %s, 128] [1, 1, 1] : tensor<1x?x128xf32> into !GC
    }
    pcf.return
  }
  return %res : tensor<1x256x128xf32>
}

// Two halves, each with half of the work; both wait at the same barriers.
func.func @halves(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
    %h: index, %nk: index) -> tensor<1x256x128xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !LA   %b = pcf.alloc() : !LB   pcf.yield %a, %b : !LA, !LB } -> (%la: !LA, %lb: !LB)
    execute(%A <- %lhs : tensor<1x256x?xf16>, %B <- %rhs : tensor<1x?x128xf16>, %O = %out3)[%tg: !pcf.threadgroup<#sg>]
    : (!GA, !GB, !GC) -> (tensor<1x256x128xf32>) {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%h]] (%even: !E0, %odd: !O0) {
      %ea0 = pcf.shared_executor.run_cluster(%even)[%h] () {
        %a = pcf.read_slice %A[0, 0, 0] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
        %b = pcf.read_slice %B[0, 0, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
        pcf.write_slice %a into %la[0, 0, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
        pcf.write_slice %b into %lb[0, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
        %z = arith.constant dense<0.0> : tensor<1x128x128xf32>
        pcf.cluster_yield %z : tensor<1x128x128xf32> } : (!E0) -> !E1
      %oa0 = pcf.shared_executor.run_cluster(%odd)[%h] () {
        %a = pcf.read_slice %A[0, 128, 0] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
        %b = pcf.read_slice %B[0, 16, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
        pcf.write_slice %a into %la[0, 128, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
        pcf.write_slice %b into %lb[0, 16, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
        %z = arith.constant dense<0.0> : tensor<1x128x128xf32>
        pcf.cluster_yield %z : tensor<1x128x128xf32> } : (!O0) -> !O1
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %r:2 = scf.for %k = %c0 to %nk step %c1 iter_args(%e = %ea0, %o = %oa0) -> (!E1, !O1) {
        %cur = arith.remui %k, %c2 : index   %k1 = arith.addi %k, %c1 : index   %nxt = arith.remui %k1, %c2 : index
        %more = arith.cmpi ult, %k1, %nk : index   %ko = arith.muli %k1, %c32 : index   %ko16 = arith.addi %ko, %c16 : index
        %e1 = pcf.shared_executor.run_cluster(%e)[%h] (%x: tensor<1x128x128xf32>) {                     // M_even(k)
          scf.if %more {
            %a = pcf.read_slice %A[0, 0, %ko] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
            %b = pcf.read_slice %B[0, %ko, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
            pcf.write_slice %a into %la[%nxt, 0, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
            pcf.write_slice %b into %lb[%nxt, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
          }
          %av = pcf.read_slice %la[%cur, 0, 0] [1, 128, 32] [1, 1, 1] : !LA to tensor<1x128x32xf16>
          %bv = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
          pcf.cluster_yield %x, %av, %bv : tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16> } : (!E1) -> !E3
        %o1 = pcf.shared_executor.run_cluster(%o)[%h] (%x: tensor<1x128x128xf32>) {                     // M_odd(k)
          scf.if %more {
            %a = pcf.read_slice %A[0, 128, %ko] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
            %b = pcf.read_slice %B[0, %ko16, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
            pcf.write_slice %a into %la[%nxt, 128, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
            pcf.write_slice %b into %lb[%nxt, 16, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
          }
          %av = pcf.read_slice %la[%cur, 128, 0] [1, 128, 32] [1, 1, 1] : !LA to tensor<1x128x32xf16>
          %bv = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
          pcf.cluster_yield %x, %av, %bv : tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16> } : (!O1) -> !O3
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        %e2 = pcf.shared_executor.run_cluster(%e1)[%h] (%x: tensor<1x128x128xf32>, %a: tensor<1x128x32xf16>, %b: tensor<1x32x128xf16>) {   // C_even(k)
          %y = linalg.batch_matmul ins(%a, %b : tensor<1x128x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x128x128xf32>) -> tensor<1x128x128xf32>
          pcf.cluster_yield %y : tensor<1x128x128xf32> } : (!E3) -> !E1
        %o2 = pcf.shared_executor.run_cluster(%o1)[%h] (%x: tensor<1x128x128xf32>, %a: tensor<1x128x32xf16>, %b: tensor<1x32x128xf16>) {   // C_odd(k)
          %y = linalg.batch_matmul ins(%a, %b : tensor<1x128x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x128x128xf32>) -> tensor<1x128x128xf32>
          pcf.cluster_yield %y : tensor<1x128x128xf32> } : (!O3) -> !O1
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        scf.yield %e2, %o2 : !E1, !O1 }
      pcf.shared_executor.run_cluster(%r#0)[%h] (%x: tensor<1x128x128xf32>) {
        pcf.write_slice %x into %O[0, 0, 0] [1, 128, 128] [1, 1, 1] : tensor<1x128x128xf32> into !GC
        pcf.cluster_yield } : (!E1)
      pcf.shared_executor.run_cluster(%r#1)[%h] (%x: tensor<1x128x128xf32>) {
        pcf.write_slice %x into %O[0, 128, 0] [1, 128, 128] [1, 1, 1] : tensor<1x128x128xf32> into !GC
        pcf.cluster_yield } : (!O1)
      pcf.return
    } : !T0
    pcf.return
  }
  return %res : tensor<1x256x128xf32>
}

// One half is a slot ahead: it computes while the other moves data, and the other
// way round.
func.func @ping_pong(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
    %h: index, %nk: index) -> tensor<1x256x128xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !LA   %b = pcf.alloc() : !LB   pcf.yield %a, %b : !LA, !LB } -> (%la: !LA, %lb: !LB)
    execute(%A <- %lhs : tensor<1x256x?xf16>, %B <- %rhs : tensor<1x?x128xf16>, %O = %out3)[%tg: !pcf.threadgroup<#sg>]
    : (!GA, !GB, !GC) -> (tensor<1x256x128xf32>) {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%h]] (%even: !E0, %odd: !O0) {
      %ea0 = pcf.shared_executor.run_cluster(%even)[%h] () {
        %a = pcf.read_slice %A[0, 0, 0] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
        %b = pcf.read_slice %B[0, 0, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
        pcf.write_slice %a into %la[0, 0, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
        pcf.write_slice %b into %lb[0, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
        %z = arith.constant dense<0.0> : tensor<1x128x128xf32>
        pcf.cluster_yield %z : tensor<1x128x128xf32> } : (!E0) -> !E1
      %oa0 = pcf.shared_executor.run_cluster(%odd)[%h] () {
        %a = pcf.read_slice %A[0, 128, 0] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
        %b = pcf.read_slice %B[0, 16, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
        pcf.write_slice %a into %la[0, 128, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
        pcf.write_slice %b into %lb[0, 16, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
        %z = arith.constant dense<0.0> : tensor<1x128x128xf32>
        pcf.cluster_yield %z : tensor<1x128x128xf32> } : (!O0) -> !O1
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %one = arith.cmpi ugt, %nk, %c1 : index
      %ep = pcf.shared_executor.run_cluster(%ea0)[%h] (%x: tensor<1x128x128xf32>) {                       // M_even(0), peeled
        scf.if %one {
          %a = pcf.read_slice %A[0, 0, 32] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
          %b = pcf.read_slice %B[0, 32, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
          pcf.write_slice %a into %la[1, 0, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
          pcf.write_slice %b into %lb[1, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
        }
        %av = pcf.read_slice %la[0, 0, 0] [1, 128, 32] [1, 1, 1] : !LA to tensor<1x128x32xf16>
        %bv = pcf.read_slice %lb[0, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
        pcf.cluster_yield %x, %av, %bv : tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16> } : (!E1) -> !E3
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %r:2 = scf.for %k = %c0 to %nk step %c1 iter_args(%e = %ep, %o = %oa0) -> (!E3, !O1) {
        %cur = arith.remui %k, %c2 : index   %k1 = arith.addi %k, %c1 : index   %k2 = arith.addi %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index   %more = arith.cmpi ult, %k1, %nk : index   %more2 = arith.cmpi ult, %k2, %nk : index
        %ko = arith.muli %k1, %c32 : index   %ko16 = arith.addi %ko, %c16 : index   %ko2 = arith.muli %k2, %c32 : index
        %e1 = pcf.shared_executor.run_cluster(%e)[%h] (%x: tensor<1x128x128xf32>, %a: tensor<1x128x32xf16>, %b: tensor<1x32x128xf16>) {     // slot 2k: C_even(k)
          %y = linalg.batch_matmul ins(%a, %b : tensor<1x128x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x128x128xf32>) -> tensor<1x128x128xf32>
          pcf.cluster_yield %y : tensor<1x128x128xf32> } : (!E3) -> !E1
        %o1 = pcf.shared_executor.run_cluster(%o)[%h] (%x: tensor<1x128x128xf32>) {                       // slot 2k: M_odd(k)
          scf.if %more {
            %a = pcf.read_slice %A[0, 128, %ko] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
            %b = pcf.read_slice %B[0, %ko16, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
            pcf.write_slice %a into %la[%nxt, 128, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
            pcf.write_slice %b into %lb[%nxt, 16, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
          }
          %av = pcf.read_slice %la[%cur, 128, 0] [1, 128, 32] [1, 1, 1] : !LA to tensor<1x128x32xf16>
          %bv = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
          pcf.cluster_yield %x, %av, %bv : tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16> } : (!O1) -> !O3
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        %e2 = pcf.shared_executor.run_cluster(%e1)[%h] (%x: tensor<1x128x128xf32>) {                      // slot 2k+1: M_even(k+1)
          scf.if %more2 {
            %a = pcf.read_slice %A[0, 0, %ko2] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
            %b = pcf.read_slice %B[0, %ko2, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
            pcf.write_slice %a into %la[%cur, 0, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
            pcf.write_slice %b into %lb[%cur, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
          }
          %av = pcf.read_slice %la[%nxt, 0, 0] [1, 128, 32] [1, 1, 1] : !LA to tensor<1x128x32xf16>
          %bv = pcf.read_slice %lb[%nxt, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
          pcf.cluster_yield %x, %av, %bv : tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16> } : (!E1) -> !E3
        %o2 = pcf.shared_executor.run_cluster(%o1)[%h] (%x: tensor<1x128x128xf32>, %a: tensor<1x128x32xf16>, %b: tensor<1x32x128xf16>) {    // slot 2k+1: C_odd(k)
          %y = linalg.batch_matmul ins(%a, %b : tensor<1x128x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x128x128xf32>) -> tensor<1x128x128xf32>
          pcf.cluster_yield %y : tensor<1x128x128xf32> } : (!O3) -> !O1
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        scf.yield %e2, %o2 : !E3, !O1 }
      pcf.shared_executor.run_cluster(%r#0)[%h] (%x: tensor<1x128x128xf32>, %a: tensor<1x128x32xf16>, %b: tensor<1x32x128xf16>) {
        pcf.write_slice %x into %O[0, 0, 0] [1, 128, 128] [1, 1, 1] : tensor<1x128x128xf32> into !GC
        pcf.cluster_yield } : (!E3)
      pcf.shared_executor.run_cluster(%r#1)[%h] (%x: tensor<1x128x128xf32>) {
        pcf.write_slice %x into %O[0, 128, 0] [1, 128, 128] [1, 1, 1] : tensor<1x128x128xf32> into !GC
        pcf.cluster_yield } : (!O1)
      pcf.return
    } : !T0
    pcf.return
  }
  return %res : tensor<1x256x128xf32>
}
