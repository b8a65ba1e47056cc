// RUN: distaff-opt %s -allow-unregistered-dialect > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --mlir-print-op-generic | distaff-opt -allow-unregistered-dialect | diff %t.once -

// Cluster resolution before and after (chapter 5 of the specification): PCF-14.

#seq = #pcf.sequential
#wg  = #iree_codegen.workgroup_scope
#wgl = #iree_codegen.workgroup_scope<linearize>
#sg  = #iree_gpu.subgroup_scope
#ln  = #iree_gpu.lane_scope
!L  = !pcf.cluster<#sg, (0 -> d0), left>
!LP = !pcf.cluster<#sg, (0 -> d0), private: {f32}, left>
!R  = !pcf.cluster<#sg, (d0 -> s0), right>

func.func @nested_control_flow(%k: index, %n: index, %cond: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    // before (inside shared_executor scope(#sg) … [%tg])
    pcf.shared_executor.tile_group %tg split [[%k]]
      (%left: !pcf.cluster<#sg, (0 -> d0), left>, %right: !pcf.cluster<#sg, (d0 -> s0), right>) {
      scf.for %i = %c0 to %n step %c1 {
        scf.if %cond {
          pcf.shared_executor.run_thread(%left)[%k] () [%t: index] {
            "test.left"(%t, %i) : (index, index) -> ()
            pcf.cluster_yield
          } : (!pcf.cluster<#sg, (0 -> d0), left>)
        }
        pcf.barrier(#sg)
        pcf.shared_executor.run_thread(%right)[%k] () [%t: index] {
          "test.right"(%t, %i) : (index, index) -> ()
          pcf.cluster_yield
        } : (!pcf.cluster<#sg, (d0 -> s0), right>)
      }
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

func.func @nested_control_flow_resolved(%idx: index, %k: index, %n: index, %g: index, %cond: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.index_switch %idx
  case 0 {
    scf.for %i = %c0 to %n step %c1 {
      scf.if %cond {
        "test.left"(%g, %i) : (index, index) -> ()
      }
      pcf.barrier(#sg)
    }
    scf.yield
  }
  default {
    %t = arith.subi %g, %k : index
    scf.for %i = %c0 to %n step %c1 {
      scf.if %cond {
      }
      pcf.barrier(#sg)
      "test.right"(%t, %i) : (index, index) -> ()
    }
  }
  return
}

func.func @loop_carried(%k: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%left: !pcf.cluster<#sg, (0 -> d0), left>, %right: !pcf.cluster<#sg, (d0 -> s0), right>) {
      %l0 = pcf.shared_executor.run_thread(%left)[%k] () [%t: index] {
        %z = arith.constant 0.0 : f32
        pcf.cluster_yield %z : f32
      } : (!L) -> !LP
      %ln = scf.for %i = %c0 to %n step %c1 iter_args(%it = %l0) -> (!LP) {
        %l1 = pcf.shared_executor.run_thread(%it)[%k] (%a: f32) [%t: index] {
          %v = "test.acc"(%a, %t, %i) : (f32, index, index) -> f32
          pcf.cluster_yield %v : f32
        } : (!LP) -> !LP
        pcf.barrier(#sg)
        pcf.shared_executor.run_thread(%right)[%k] () [%t: index] {
          "test.right"(%t, %i) : (index, index) -> ()
          pcf.cluster_yield
        } : (!R)
        scf.yield %l1 : !LP
      }
      pcf.shared_executor.run_thread(%ln)[%k] (%a: f32) [%t: index] {
        "test.store"(%a, %t) : (f32, index) -> ()
        pcf.cluster_yield
      } : (!LP)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

func.func @loop_carried_resolved(%idx: index, %k: index, %n: index, %g: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.index_switch %idx
  case 0 {
    %z = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (f32) {
      %v = "test.acc"(%a, %g, %i) : (f32, index, index) -> f32
      pcf.barrier(#sg)
      scf.yield %v : f32
    }
    "test.store"(%r, %g) : (f32, index) -> ()
    scf.yield
  }
  default {
    %t = arith.subi %g, %k : index
    scf.for %i = %c0 to %n step %c1 {
      pcf.barrier(#sg)
      "test.right"(%t, %i) : (index, index) -> ()
    }
  }
  return
}
