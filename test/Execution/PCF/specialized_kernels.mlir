// RUN: distaff compile %s --func full --target sm_80 --stop-after=specialize -o %t.plain
// RUN: distaff compile %s --func full --target sm_80 --specialize producer-consumer --stop-after=specialize -o %t.ahead 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: cmp %t.plain %t.ahead
// RUN: distaff compile %s --target sm_80 --specialize producer-consumer --stop-after=specialize 2> %t.warnings | FileCheck %s --check-prefix=ALL
// RUN: distaff run %s --func ahead --target gfx942 --pipeline run-cluster --specialize producer-consumer --check --schedule 3 --input arg0=whole:0:-3:3

// Of two kernels one cannot be specialized: it is as without --specialize, and the other one has producers (PCF-185).

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>
!A = !pcf.sref<16x16xi32, #sg>
!O = !pcf.sref<16x16xi32, sync(#sg)>
!T = tensor<16x16xi32>

// The panel has got a second slot before the producers turn out to be too many.
// FULL: warning: cannot separate producers: 4 more subgroups of 32 threads do not fit a workgroup of 1024: it has at most 1024; the kernel is compiled as without --specialize
// ALL-LABEL: func.func @full(
// ALL-NOT: tile_group
#whole = #iree_codegen.translation_info<workgroup_size = [1024, 1, 1]>
!H = !pcf.threadgroup<#sg, {!T}>
func.func @full(%in: !T, %out: !T) -> !T attributes {translation_info = #whole} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !A  pcf.yield %m : !A } -> (%p: !A)
    execute(%A <- %in : !T, %O = %out)[%tg: !pcf.threadgroup<#sg>] : (!A, !O) -> (!T) {
    %first = pcf.shared_executor.run_cluster(%tg)[] () {
      %a = pcf.read_slice %A[0, 0] [16, 16] [1, 1] : !A to !T
      pcf.cluster_yield %a : !T
    } : (!pcf.threadgroup<#sg>) -> !H
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%it = %first) -> (!H) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %a = pcf.read_slice %A[0, 0] [16, 16] [1, 1] : !A to !T
        pcf.write_slice %a into %p[0, 0] [16, 16] [1, 1] : !T into !A
        pcf.cluster_yield
      } : (!pcf.threadgroup<#sg>)
      pcf.barrier(#sg) fence(%p) : !A
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: !T) {
        %v = pcf.read_slice %p[0, 0] [16, 16] [1, 1] : !A to !T
        %m = arith.addi %v, %x : !T
        pcf.cluster_yield %m : !T
      } : (!H) -> !H
      pcf.barrier(#sg) fence(%p) : !A
      scf.yield %n : !H
    }
    pcf.shared_executor.run_cluster(%last)[] (%x: !T) {
      pcf.write_slice %x into %O[0, 0] [16, 16] [1, 1] : !T into !O
      pcf.cluster_yield
    } : (!H)
    pcf.return
  }
  return %r : !T
}

// The same of a smaller workgroup is specialized, whatever becomes of the other kernels.
// ALL-LABEL: func.func @ahead(
// ALL: tile_group
func.func @ahead(%in: !T, %out: !T) -> !T attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !A  pcf.yield %m : !A } -> (%p: !A)
    execute(%A <- %in : !T, %O = %out)[%tg: !pcf.threadgroup<#sg>] : (!A, !O) -> (!T) {
    %first = pcf.shared_executor.run_cluster(%tg)[] () {
      %a = pcf.read_slice %A[0, 0] [16, 16] [1, 1] : !A to !T
      pcf.cluster_yield %a : !T
    } : (!pcf.threadgroup<#sg>) -> !H
    %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%it = %first) -> (!H) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %a = pcf.read_slice %A[0, 0] [16, 16] [1, 1] : !A to !T
        pcf.write_slice %a into %p[0, 0] [16, 16] [1, 1] : !T into !A
        pcf.cluster_yield
      } : (!pcf.threadgroup<#sg>)
      pcf.barrier(#sg) fence(%p) : !A
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: !T) {
        %v = pcf.read_slice %p[0, 0] [16, 16] [1, 1] : !A to !T
        %m = arith.addi %v, %x : !T
        pcf.cluster_yield %m : !T
      } : (!H) -> !H
      pcf.barrier(#sg) fence(%p) : !A
      scf.yield %n : !H
    }
    pcf.shared_executor.run_cluster(%last)[] (%x: !T) {
      pcf.write_slice %x into %O[0, 0] [16, 16] [1, 1] : !T into !O
      pcf.cluster_yield
    } : (!H)
    pcf.return
  }
  return %r : !T
}
