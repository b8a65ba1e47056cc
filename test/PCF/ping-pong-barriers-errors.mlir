// RUN: distaff-opt %s --pcf-ping-pong-barriers --verify-diagnostics

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>

// PCF-143: what computes without products has nothing to take turns at.
func.func @no_product(%a: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  // expected-error @below {{cannot take turns: a tile has no loop with a product of matrices in its steps, so that one cluster could multiply while another one does not}}
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %t = %c0 to %n step %c1 {
      %x = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<16xf32>, vector<16xf32>
      vector.transfer_write %x, %a[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
    }
    pcf.return
  }
  return
}
