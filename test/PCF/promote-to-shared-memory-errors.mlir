// RUN: distaff-opt %s -split-input-file -verify-diagnostics -distaff-promote-to-shared-memory

#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{promote_operands = [2]}>
!SG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8x8xf32>}>
!A = !pcf.sref<8x8xf32, #sg>

func.func @no_such_input(%a: !A, %z: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
      // expected-error @+1 {{has no input 2, which its lowering_config promotes}}
      %m = linalg.matmul {lowering_config = #cfg} ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
      pcf.write_slice %m into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
      pcf.cluster_yield
    } : (!SG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{promote_operands = [0]}>
!SG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8x8xf32>}>

func.func @of_the_payload(%z: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    %t = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : tensor<8x8xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
      pcf.cluster_yield %f : tensor<8x8xf32>
    } : (!SG) -> !T
    %u = pcf.shared_executor.run_cluster(%t)[] (%x: tensor<8x8xf32>) {
      %y = linalg.exp ins(%x : tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
      // expected-error @+1 {{promotes an operand that is computed from its phase's payload}}
      %m = linalg.matmul {lowering_config = #cfg} ins(%y, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
      pcf.cluster_yield %m : tensor<8x8xf32>
    } : (!T) -> !T
    pcf.shared_executor.run_cluster(%u)[] (%x: tensor<8x8xf32>) {
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{promote_operands = [0]}>
!SG = !pcf.threadgroup<#sg>
!A = !pcf.sref<?x8xf32, #sg>

func.func @of_unknown_size(%a: !A, %n: index, %z: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %a[0, 0] [%n, 8] [1, 1] : !A to tensor<?x8xf32>
      %b = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
      // expected-error @+1 {{promotes operand 0, whose size is not static; form-matmul-phases pads it}}
      %m = linalg.matmul {lowering_config = #cfg} ins(%x, %b : tensor<?x8xf32>, tensor<8x8xf32>) outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
      pcf.write_slice %m into %a[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into !A
      pcf.cluster_yield
    } : (!SG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [16, 1, 1] subgroup_size = 16>
!TG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

#cfg = #iree_gpu.lowering_config<{promote_operands = [0]}>
!T = !pcf.threadgroup<#sg, {tensor<8x8xf32>}>
!A = !pcf.sref<8x8xf32, #sg>
func.func @the_payload_itself(%a: !A, %z: f32, %b: i1) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    %t = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : tensor<8x8xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
      pcf.cluster_yield %f : tensor<8x8xf32>
    } : (!SG) -> !T
    pcf.shared_executor.run_cluster(%t)[] (%x: tensor<8x8xf32>) {
      // expected-error @+1 {{promotes an operand that is computed from its phase's payload}}
      %m = linalg.matmul {lowering_config = #cfg} ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
      pcf.write_slice %m into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [16, 1, 1] subgroup_size = 16>
!TG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

#cfg = #iree_gpu.lowering_config<{promote_operands = [0]}>
!T = !pcf.threadgroup<#sg, {tensor<8x8xf32>}>
!A = !pcf.sref<8x8xf32, #sg>
func.func @captured(%a: !A, %z: f32, %b: i1) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    %x = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-error @+1 {{promotes operand 0, which is not made in its phase's block}}
      %m = linalg.matmul {lowering_config = #cfg} ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
      pcf.write_slice %m into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
      pcf.cluster_yield
    } : (!SG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [16, 1, 1] subgroup_size = 16>
!TG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

#cfg = #iree_gpu.lowering_config<{promote_operands = [0]}>
!T = !pcf.threadgroup<#sg, {tensor<8x8xf32>}>
!A = !pcf.sref<8x8xf32, #sg>
func.func @in_a_branch(%a: !A, %z: f32, %b: i1) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      scf.if %b {
      %x = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
      // expected-error @+1 {{promotes operand 0, which is not made in its phase's block}}
      %m = linalg.matmul {lowering_config = #cfg} ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
      pcf.write_slice %m into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
      }
      pcf.cluster_yield
    } : (!SG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{promote_operands = [0]}>
!SG = !pcf.threadgroup<#sg>
!A = !pcf.sref<8x8xf32, #sg>

// A copy in a phase before would have what was there before the write.
func.func @of_what_the_phase_wrote(%a: !A, %v: tensor<8x8xf32>, %b: i1) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-note @+1 {{this may write what is read}}
      scf.if %b {
        pcf.write_slice %v into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
      }
      %x = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
      // expected-error @+1 {{promotes an operand that is read after its phase may have written it; end the phase before the read and put a pcf.barrier that fences the memory there}}
      %m = linalg.matmul {lowering_config = #cfg} ins(%x, %v : tensor<8x8xf32>, tensor<8x8xf32>) outs(%v : tensor<8x8xf32>) -> tensor<8x8xf32>
      pcf.write_slice %m into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
      pcf.cluster_yield
    } : (!SG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#cfg = #iree_gpu.lowering_config<{promote_operands = [0]}>
!SG = !pcf.threadgroup<#sg>
!A = !pcf.sref<8x8xf32, #sg>

func.func @made_by_what_writes(%a: !A, %v: tensor<8x8xf32>, %b: i1) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = scf.if %b -> (tensor<8x8xf32>) {
        // expected-note @+1 {{this may access memory}}
        pcf.write_slice %v into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
        scf.yield %v : tensor<8x8xf32>
      } else {
        scf.yield %v : tensor<8x8xf32>
      }
      // expected-error @+1 {{promotes an operand that is made by more than slices that are read, and would be made twice; make it in a phase before}}
      %m = linalg.matmul {lowering_config = #cfg} ins(%x, %v : tensor<8x8xf32>, tensor<8x8xf32>) outs(%v : tensor<8x8xf32>) -> tensor<8x8xf32>
      pcf.write_slice %m into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
      pcf.cluster_yield
    } : (!SG)
    pcf.return
  }
  return
}
