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
      // expected-error @below {{cannot take turns: a loop runs as often as its tile says, so two clusters would wait differently often}}
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
      // expected-error @below {{cannot take turns: 'scf.if' is neither phase, barrier, loop nor arithmetic}}
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

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
func.func @no_tile() attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-error @below {{cannot take turns: its workgroup does not walk along two tiles}}
    scf.for %t = %c0 to %c0 step %c1 {
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
func.func @counted_inside(%left: index) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %tiles = affine.min affine_map<()[s0] -> (2, s0)>()[%left]
    // expected-error @below {{cannot take turns: its workgroup may have no tile, which is computed where its subgroups begin; compute the number of tiles before}}
    scf.for %t = %c0 to %tiles step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
func.func @returns_tensor(%out: tensor<8xf32>, %left: index) -> tensor<8xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tiles = affine.min affine_map<()[s0] -> (2, s0)>()[%left]
  // expected-error @below {{cannot take turns: its workgroup may have no tile, and returns tensors; let it write memory}}
  %r = pcf.shared_executor scope(#sg) execute(%o = %out)[%tg: !TG] : (!O) -> (tensor<8xf32>) {
    scf.for %t = %c0 to %tiles step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return %r : tensor<8xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
func.func @write_with_result(%out: memref<2xi32>, %left: index) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %tiles = affine.min affine_map<()[s0] -> (2, s0)>()[%left]
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %t = %c0 to %tiles step %c1 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        // expected-error @below {{cannot take turns: 'memref.atomic_rmw' writes memory and returns a value, and cannot be left out for a tile that is not there}}
        %old = memref.atomic_rmw addi %one, %out[%t] : (i32, memref<2xi32>) -> i32
        pcf.cluster_yield
      } : (!TG)
    }
    pcf.return
  }
  return
}
