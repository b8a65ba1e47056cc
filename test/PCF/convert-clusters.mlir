// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file -pcf-convert-clusters | FileCheck %s --implicit-check-not=unrealized
// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file '-pcf-convert-clusters=telescope-to=#iree_gpu.lane_scope' | FileCheck %s --check-prefix=FINER --implicit-check-not=unrealized

// The two halves of resolution give what the whole does.
// RUN: distaff-opt %S/resolve-clusters.mlir -allow-unregistered-dialect -split-input-file -pcf-resolve-clusters > %t.whole
// RUN: distaff-opt %S/resolve-clusters.mlir -allow-unregistered-dialect -split-input-file -pcf-replicate-clusters | distaff-opt -allow-unregistered-dialect -split-input-file -pcf-convert-clusters | diff %t.whole -
// RUN: distaff-opt %S/resolve-clusters-payload.mlir -allow-unregistered-dialect -split-input-file -pcf-resolve-clusters > %t.whole
// RUN: distaff-opt %S/resolve-clusters-payload.mlir -allow-unregistered-dialect -split-input-file -pcf-replicate-clusters | distaff-opt -allow-unregistered-dialect -split-input-file -pcf-convert-clusters | diff %t.whole -
// RUN: distaff-opt %S/telescope-clusters.mlir -allow-unregistered-dialect -split-input-file '-pcf-resolve-clusters=telescope-to=#iree_gpu.lane_scope' > %t.whole
// RUN: distaff-opt %S/telescope-clusters.mlir -allow-unregistered-dialect -split-input-file -pcf-replicate-clusters | distaff-opt -allow-unregistered-dialect -split-input-file '-pcf-convert-clusters=telescope-to=#iree_gpu.lane_scope' | diff %t.whole -

#sg = #iree_gpu.subgroup_scope
!left = !pcf.cluster<#sg, (0 -> d0), left>
!right = !pcf.cluster<#sg, (d0 -> s0), right>

// PCF-117: what replication makes of the sample of 5.2, or a part of it.
// CHECK-LABEL: func.func @nested_control_flow
// CHECK: execute[%[[G:.*]]: index, %{{.*}}: index]
// CHECK: case 0 {
// CHECK-NEXT:   "test.left"(%[[G]])
// CHECK-NEXT:   pcf.barrier
// CHECK-NEXT:   scf.yield
// CHECK: default {
// CHECK-NEXT:   %[[T:.*]] = arith.subi %[[G]], %{{.*}}
// CHECK-NEXT:   pcf.barrier
// CHECK-NEXT:   "test.right"(%[[T]])
// FINER-LABEL: func.func @nested_control_flow
// FINER: default {
// FINER: pcf.shared_executor scope(#iree_gpu.lane_scope)
// FINER: run_cluster
// FINER-NEXT: "test.right"
func.func @nested_control_flow(%k: index, %case: index) {
  pcf.generic scope(#sg) execute[%g: index, %n: index] {
    scf.index_switch %case
    case 0 {
      %left = builtin.unrealized_conversion_cast %g : index to !left
      %right = builtin.unrealized_conversion_cast to !right
      pcf.shared_executor.run_thread(%left)[%k] () [%t: index] {
        "test.left"(%t) : (index) -> ()
        pcf.cluster_yield
      } : (!left)
      pcf.barrier(#sg)
      pcf.shared_executor.run_thread(%right)[%k] () [%t: index] {
        "test.right"(%t) : (index) -> ()
        pcf.cluster_yield
      } : (!right)
      scf.yield
    }
    default {
      %t = arith.subi %g, %k : index
      %left = builtin.unrealized_conversion_cast to !left
      %right = builtin.unrealized_conversion_cast %t : index to !right
      pcf.shared_executor.run_thread(%left)[%k] () [%t0: index] {
        "test.left"(%t0) : (index) -> ()
        pcf.cluster_yield
      } : (!left)
      pcf.barrier(#sg)
      pcf.shared_executor.run_thread(%right)[%k] () [%t0: index] {
        "test.right"(%t0) : (index) -> ()
        pcf.cluster_yield
      } : (!right)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!left = !pcf.cluster<#sg, (0 -> d0), left>
!right = !pcf.cluster<#sg, (d0 -> s0), right>

// PCF-117: a case whose switch was folded, since the cluster was known.
// CHECK-LABEL: func.func @folded_switch
// CHECK: execute[%[[G:.*]]: index, %{{.*}}: index] {
// CHECK-NEXT: "test.left"(%[[G]])
// CHECK-NEXT: pcf.return
// FINER-LABEL: func.func @folded_switch
func.func @folded_switch(%k: index) {
  pcf.generic scope(#sg) execute[%g: index, %n: index] {
    %left = builtin.unrealized_conversion_cast %g : index to !left
    %right = builtin.unrealized_conversion_cast to !right
    pcf.shared_executor.run_thread(%left)[%k] () [%t: index] {
      "test.left"(%t) : (index) -> ()
      pcf.cluster_yield
    } : (!left)
    pcf.shared_executor.run_thread(%right)[%k] () [%t: index] {
      "test.right"(%t) : (index) -> ()
      pcf.cluster_yield
    } : (!right)
    pcf.return
  }
  return
}

// -----

// A worker's code that groups have nothing to do with stays.
// CHECK-LABEL: func.func @no_handles
// CHECK: "test.use"
// FINER-LABEL: func.func @no_handles
func.func @no_handles() {
  pcf.generic scope(#iree_gpu.subgroup_scope) execute[%g: index, %n: index] {
    "test.use"(%g) : (index) -> ()
    pcf.return
  }
  return
}
