// RUN: distaff run %s --func chosen --target sm_80 --check --pipeline run-cluster --every-stage --input arg2=0
// RUN: distaff run %s --func chosen --target sm_80 --check --device ptx --input arg2=0
// RUN: distaff run %s --func chosen --target gfx942 --check --pipeline run-cluster --stages=convert --input arg2=0
// RUN: distaff run %s --func chosen --target sm_80 --check --pipeline run-cluster --every-stage --input arg2=1
// RUN: distaff run %s --func chosen --target sm_80 --check --device ptx --input arg2=1
// RUN: distaff run %s --func chosen --target gfx942 --check --pipeline run-cluster --stages=convert --input arg2=1
// RUN: distaff run %s --func selected --target sm_80 --check --pipeline run-cluster --every-stage --input arg2=0
// RUN: distaff run %s --func selected --target sm_80 --check --device ptx --input arg2=0
// RUN: distaff run %s --func selected --target gfx942 --check --pipeline run-cluster --stages=convert --input arg2=0
// RUN: distaff run %s --func selected --target sm_80 --check --pipeline run-cluster --every-stage --input arg2=1
// RUN: distaff run %s --func selected --target sm_80 --check --device ptx --input arg2=1
// RUN: distaff run %s --func selected --target gfx942 --check --pipeline run-cluster --stages=convert --input arg2=1

// A token that is chosen in a phase stands for the copies of every choice (PCF-154).

#sg = #iree_gpu.subgroup_scope
#L4 = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>
!X = !pcf.sref<64xf32, #sg>
!O = !pcf.sref<64xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {!pcf.copy_token}>
// One of two copies runs.
func.func @chosen(%in: tensor<64xf32>, %out: tensor<64xf32>, %n: index) -> tensor<64xf32> attributes {translation_info = #L4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !X  %b = pcf.alloc() : !X  pcf.yield %a, %b : !X, !X } -> (%p: !X, %q: !X)
    execute(%x <- %in : tensor<64xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<64xf32>) {
    %first = arith.cmpi eq, %n, %c0 : index
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      %t = scf.if %first -> (!pcf.copy_token) {
        %u = pcf.async_copy %x into %p : !X into !X
        scf.yield %u : !pcf.copy_token
      } else {
        %v = pcf.async_copy %x into %q : !X into !X
        scf.yield %v : !pcf.copy_token
      }
      pcf.cluster_yield %t : !pcf.copy_token
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%h)[] (%t: !pcf.copy_token) {
      pcf.wait %t
      scf.if %first {
        %v = pcf.read_slice %p[0] [64] [1] : !X to tensor<64xf32>
        %w = arith.addf %v, %v : tensor<64xf32>
        pcf.write_slice %w into %o[0] [64] [1] : tensor<64xf32> into !O
      } else {
        %v = pcf.read_slice %q[0] [64] [1] : !X to tensor<64xf32>
        %w = arith.mulf %v, %v : tensor<64xf32>
        pcf.write_slice %w into %o[0] [64] [1] : tensor<64xf32> into !O
      }
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return %r : tensor<64xf32>
}

// One of two copies that both run, by a selection, and by a switch.
func.func @selected(%in: tensor<64xf32>, %out: tensor<64xf32>, %n: index) -> tensor<64xf32> attributes {translation_info = #L4} {
  %c0 = arith.constant 0 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !X  %b = pcf.alloc() : !X  pcf.yield %a, %b : !X, !X } -> (%p: !X, %q: !X)
    execute(%x <- %in : tensor<64xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<64xf32>) {
    %first = arith.cmpi eq, %n, %c0 : index
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      %u = pcf.async_copy %x into %p : !X into !X
      %v = pcf.async_copy %x into %q : !X into !X
      %s = arith.select %first, %u, %v : !pcf.copy_token
      %t = scf.index_switch %n -> !pcf.copy_token
      case 1 { scf.yield %v : !pcf.copy_token }
      default { scf.yield %s : !pcf.copy_token }
      pcf.cluster_yield %t : !pcf.copy_token
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%h)[] (%t: !pcf.copy_token) {
      pcf.wait %t
      scf.if %first {
        %v = pcf.read_slice %p[0] [64] [1] : !X to tensor<64xf32>
        %w = arith.addf %v, %v : tensor<64xf32>
        pcf.write_slice %w into %o[0] [64] [1] : tensor<64xf32> into !O
      } else {
        %v = pcf.read_slice %q[0] [64] [1] : !X to tensor<64xf32>
        %w = arith.mulf %v, %v : tensor<64xf32>
        pcf.write_slice %w into %o[0] [64] [1] : tensor<64xf32> into !O
      }
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return %r : tensor<64xf32>
}
