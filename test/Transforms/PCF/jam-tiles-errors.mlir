// RUN: distaff-opt %s -split-input-file --pcf-jam-tiles --verify-diagnostics

// PCF-143: programs that two clusters cannot run side by side.

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
func.func @three_tiles(%out: memref<32xf32>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-error @below {{cannot take turns: its workgroup does not walk along two tiles}}
    scf.for %t = %c0 to %c3 step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
func.func @steps_by_tile() attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %t = %c0 to %c2 step %c1 {
      %n = arith.addi %t, %c1 : index
      // expected-error @below {{cannot take turns: a loop runs as often as its tile says, so two clusters would wait differently often; let producers copy ahead, by --specialize=producer-consumer}}
      scf.for %k = %c0 to %n step %c1 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
func.func @branch(%c: i1) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %t = %c0 to %c2 step %c1 {
      // expected-error @below {{cannot take turns: 'scf.if' is neither phase, barrier, loop nor arithmetic; let producers copy ahead, by --specialize=producer-consumer}}
      scf.if %c {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>

// The second cluster would read of the first tile what the first one writes.
func.func @in_place(%out: memref<32xf32>, %left: index) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %tiles = affine.min affine_map<()[s0] -> (2, s0)>()[%left]
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %t = %c0 to %tiles step %c1 {
      // expected-error @below {{cannot take turns: it reads memory that the kernel writes}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = vector.transfer_read %out[%t], %z {in_bounds = [true]} : memref<32xf32>, vector<16xf32>
        vector.transfer_write %v, %out[%t] {in_bounds = [true]} : vector<16xf32>, memref<32xf32>
        pcf.cluster_yield
      } : (!TG)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
func.func @no_launch() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-error @below {{cannot take turns: its launch sizes are not known}}
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %t = %c0 to %c2 step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}
