// RUN: distaff run %s --func passed_on --target sm_80 --input arg0=iota --output res0=%t.npy --check | FileCheck %s --check-prefix=PASSED
// RUN: distaff run %s --func passed_on --target sm_80 --input arg0=iota --schedule 3 --check | FileCheck %s --check-prefix=PASSED
// RUN: not distaff run %s --func not_ordered --target sm_80 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not distaff run %s --func waits_for_ever --target sm_80 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: not distaff run %s --func unknown_between_phases --target sm_80 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not distaff run %s --func passed_on --target sm_80 --device ptx 2>&1 | FileCheck %s --check-prefix=DEVICE

// Clusters are run by agents of their own, and named where they go wrong.

#sg = #iree_gpu.subgroup_scope
#two = #iree_codegen.translation_info<pipeline = VectorDistribute workgroup_size = [64, 1, 1] subgroup_size = 32>
!B = !pcf.sref<8xi32, #sg>
!O = !pcf.sref<8xi32, sync(#sg)>
!G = !pcf.threadgroup<#sg>
!P = !pcf.cluster<#sg, (0 -> d0), ws.prod>
!C = !pcf.cluster<#sg, (d0 -> s0), ws.cons>

// PASSED: input max error 0.00e+00 bound 0.00e+00 ok
// DEVICE: error: 'func.func' op has ops of pcf, which only the machine runs (--device simt); lower them before
func.func @passed_on(%in: tensor<8xi32>) -> tensor<8xi32> attributes {translation_info = #two} {
  %c1 = arith.constant 1 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %m = pcf.alloc() : !B  pcf.yield %m : !B } -> (%b: !B)
    execute(%x <- %in : tensor<8xi32>, %o)[%all: !G] : (!B, !O) -> (tensor<8xi32>) {
    pcf.shared_executor.tile_group %all ns(ws) split [[%c1]] (%prod: !P, %cons: !C) {
      pcf.shared_executor.run_cluster(%prod)[%c1] () {
        %v = pcf.read_slice %x[0] [8] [1] : !B to tensor<8xi32>
        pcf.write_slice %v into %b[0] [8] [1] : tensor<8xi32> into !B
        pcf.cluster_yield
      } : (!P)
      pcf.barrier(#sg) fence(%b) : !B
      pcf.shared_executor.run_cluster(%cons)[%c1] () {
        %v = pcf.read_slice %b[0] [8] [1] : !B to tensor<8xi32>
        %w = arith.addi %v, %v : tensor<8xi32>
        pcf.write_slice %w into %o[0] [8] [1] : tensor<8xi32> into !O
        pcf.cluster_yield
      } : (!C)
      pcf.return
    } : !G
    pcf.return
  }
  return %r : tensor<8xi32>
}

// RACE: error: 'pcf.read_slice' op race: cluster ws.cons in workgroup (0, 0, 0) reads [0] of workgroup memory, which cluster ws.prod in workgroup (0, 0, 0) writes with no barrier in between
// RACE: note: the write is here
func.func @not_ordered(%in: tensor<8xi32>) -> tensor<8xi32> attributes {translation_info = #two} {
  %c1 = arith.constant 1 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %m = pcf.alloc() : !B  pcf.yield %m : !B } -> (%b: !B)
    execute(%x <- %in : tensor<8xi32>, %o)[%all: !G] : (!B, !O) -> (tensor<8xi32>) {
    pcf.shared_executor.tile_group %all ns(ws) split [[%c1]] (%prod: !P, %cons: !C) {
      pcf.shared_executor.run_cluster(%prod)[%c1] () {
        %v = pcf.read_slice %x[0] [8] [1] : !B to tensor<8xi32>
        pcf.write_slice %v into %b[0] [8] [1] : tensor<8xi32> into !B
        pcf.cluster_yield
      } : (!P)
      pcf.shared_executor.run_cluster(%cons)[%c1] () {
        %v = pcf.read_slice %b[0] [8] [1] : !B to tensor<8xi32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xi32> into !O
        pcf.cluster_yield
      } : (!C)
      pcf.return
    } : !G
    pcf.return
  }
  return %r : tensor<8xi32>
}

// DEADLOCK: error: 'pcf.barrier' op deadlock: subgroup 0 waits at this barrier for 32 more of 64 threads, but subgroup 1 has finished without reaching it
func.func @waits_for_ever(%in: tensor<8xi32>) attributes {translation_info = #two} {
  %c0 = arith.constant 0 : index
  pcf.generic scope(#sg) execute[%w: index, %n: index] {
    %isFirst = arith.cmpi eq, %w, %c0 : index
    scf.if %isFirst {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// What the machine does not know is refused between the phases of a split group too.
// UNKNOWN: error: 'vector.vscale' op not modelled: the machine does not know this operation
func.func @unknown_between_phases(%in: tensor<8xi32>) -> tensor<8xi32> attributes {translation_info = #two} {
  %c1 = arith.constant 1 : index
  %r = pcf.shared_executor scope(#sg) execute(%o = %in)[%all: !G] : (!O) -> (tensor<8xi32>) {
    pcf.shared_executor.tile_group %all ns(ws) split [[%c1]] (%prod: !P, %cons: !C) {
      %scale = vector.vscale
      pcf.return
    } : !G
    pcf.return
  }
  return %r : tensor<8xi32>
}
