// RUN: distaff-opt %s -allow-unregistered-dialect > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --mlir-print-op-generic | distaff-opt -allow-unregistered-dialect | diff %t.once -

// Chained phases, shared and private (6.4 of the specification): PCF-14.

#seq = #pcf.sequential
#wg  = #iree_codegen.workgroup_scope
#wgl = #iree_codegen.workgroup_scope<linearize>
#sg  = #iree_gpu.subgroup_scope
#ln  = #iree_gpu.lane_scope
!TG = !pcf.threadgroup<#ln>
!TT = !pcf.threadgroup<#ln, {tensor<64x64xf32>}>
!PT = !pcf.threadgroup<#ln, private: {tensor<1x64xf32>}>

func.func @shared(%cst: f32, %n: index, %init: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %res = pcf.generic scope(#ln) execute(%out = %init)[] : (!pcf.sref<64x64xf32, #ln>) -> (tensor<64x64xf32>) {
    pcf.shared_executor scope(#ln) execute[%tg: !TG] {
      // before
      %t0 = pcf.shared_executor.run_cluster(%tg)[] () {                                     // A
        %e = tensor.empty() : tensor<64x64xf32>
        %z = linalg.fill ins(%cst : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
        pcf.cluster_yield %z : tensor<64x64xf32>
      } : (!TG) -> !TT
      %t1 = scf.for %i = %c0 to %n step %c1 iter_args(%it = %t0) -> (!TT) {
        %nx = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<64x64xf32>) {              // B
          %y = linalg.exp ins(%x : tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
          pcf.cluster_yield %y : tensor<64x64xf32>
        } : (!TT) -> !TT
        scf.yield %nx : !TT
      }
      pcf.shared_executor.run_cluster(%t1)[] (%x: tensor<64x64xf32>) {                      // C
        pcf.write_slice %x into %out[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !pcf.sref<64x64xf32, #ln>
        pcf.cluster_yield
      } : (!TT)
      pcf.return
    }
    pcf.return
  }
  return
}

func.func @private(%cst: f32, %n: index, %init: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %res = pcf.generic scope(#ln) execute(%out = %init)[] : (!pcf.sref<64x64xf32, #ln>) -> (tensor<64x64xf32>) {
    pcf.shared_executor scope(#ln) execute[%tg: !TG] {
      %p0 = pcf.shared_executor.run_thread(%tg)[] () [%l: index] {
        %e = tensor.empty() : tensor<1x64xf32>
        %z = linalg.fill ins(%cst : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
        pcf.cluster_yield %z : tensor<1x64xf32>
      } : (!TG) -> !PT
      %p1 = scf.for %i = %c0 to %n step %c1 iter_args(%it = %p0) -> (!PT) {
        %nx = pcf.shared_executor.run_thread(%it)[] (%x: tensor<1x64xf32>) [%l: index] {
          %y = linalg.exp ins(%x : tensor<1x64xf32>) outs(%x : tensor<1x64xf32>) -> tensor<1x64xf32>
          pcf.cluster_yield %y : tensor<1x64xf32>
        } : (!PT) -> !PT
        scf.yield %nx : !PT
      }
      pcf.shared_executor.run_thread(%p1)[] (%x: tensor<1x64xf32>) [%l: index] {
        pcf.write_slice %x into %out[%l, 0] [1, 64] [1, 1] : tensor<1x64xf32> into !pcf.sref<64x64xf32, #ln>
        pcf.cluster_yield
      } : (!PT)
      pcf.return
    }
    pcf.return
  }
  return
}
