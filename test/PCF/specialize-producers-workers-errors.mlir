// RUN: distaff-opt %s -split-input-file -verify-diagnostics -pcf-specialize-producers
// RUN: not distaff-opt %S/Inputs/producers.mlir -pcf-specialize-producers=producers=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not distaff-opt %S/Inputs/producers.mlir -pcf-specialize-producers=producers=arg1 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not distaff-opt %S/Inputs/producers.mlir '-pcf-specialize-producers=producers=2 add-workers=false' 2>&1 | FileCheck %s --check-prefix=ALL

// NONE: error: 'producers' must be a number from 1, or an argument of the function as in 'arg3', got '0'
// ARGUMENT: error: cannot separate producers: its function has no argument arg1 of type index
// ALL: error: cannot separate producers: 2 producers of 2 workers leave no consumer

// Groups that cannot be parted, and launches that cannot grow.

#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<8xf32, #sg>
!X = !pcf.sref<?xf32, #sg>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8xf32>}>
!A = !pcf.cluster<#sg, (0 -> d0), a>
!B = !pcf.cluster<#sg, (d0 -> s0), b>

func.func @partitioned() {
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-error @+1 {{cannot separate producers: its group is partitioned already}}
    pcf.shared_executor.tile_group %tg split [[%c1]] (%a: !A, %b: !B) {
      pcf.return
    } : !TG
    pcf.return
  }
  return
}
// -----

#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<8xf32, #sg>
!X = !pcf.sref<?xf32, #sg>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8xf32>}>

func.func @distributed() {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-error @+1 {{cannot separate producers: it is distributed already}}
    pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}
// -----

#wg = #iree_codegen.workgroup_scope

func.func @grid() {
  // expected-error @+1 {{cannot separate producers: its workers are in a grid of 3 dimensions}}
  pcf.shared_executor scope(#wg) execute[%tg: !pcf.threadgroup<#wg>] {
    pcf.return
  }
  return
}
// -----

#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<8xf32, #sg>
!X = !pcf.sref<?xf32, #sg>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8xf32>}>

func.func @too_many_threads(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [1024, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot separate producers: 4 more subgroups of 32 threads do not fit a workgroup of 1024: it has at most 1024}}
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<8xf32>
      pcf.cluster_yield %z : tensor<8xf32>
    } : (!TG) -> !T
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
      pcf.barrier(#sg) fence(%l) : !P
      scf.yield %u : !T
    }
    pcf.shared_executor.run_cluster(%t1)[] (%v: tensor<8xf32>) {
      pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return %r : tensor<8xf32>
}
// -----

#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<8xf32, #sg>
!X = !pcf.sref<?xf32, #sg>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8xf32>}>

func.func @no_rows(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [96, 3, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot separate producers: 416 threads are not rows of a workgroup with 3 of them}}
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<8xf32>
      pcf.cluster_yield %z : tensor<8xf32>
    } : (!TG) -> !T
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
      pcf.barrier(#sg) fence(%l) : !P
      scf.yield %u : !T
    }
    pcf.shared_executor.run_cluster(%t1)[] (%v: tensor<8xf32>) {
      pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return %r : tensor<8xf32>
}
// -----

#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<8xf32, #sg>
!X = !pcf.sref<?xf32, #sg>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8xf32>}>

func.func @others_of_the_scope(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<8xf32>
      pcf.cluster_yield %z : tensor<8xf32>
    } : (!TG) -> !T
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
      pcf.barrier(#sg) fence(%l) : !P
      scf.yield %u : !T
    }
    pcf.shared_executor.run_cluster(%t1)[] (%v: tensor<8xf32>) {
      pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  // expected-error @+1 {{cannot separate producers: the workers added would run this, too}}
  pcf.generic scope(#sg) execute[%id: index, %w: index] {
    pcf.return
  }
  return %r : tensor<8xf32>
}
