// RUN: distaff-opt %s '--distaff-stage-reads=target=sm_80 all ahead slots=2' --split-input-file --verify-diagnostics -o %t

// PCF-142: what keeps the operands of a kernel from being copied ahead is said, and the kernel stays as it is.
#sg = #iree_gpu.subgroup_scope
func.func @nothing(%in: memref<64xf16>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  // expected-warning @+1 {{nothing can be copied ahead: no step of a loop reads a vector of global memory that the kernel does not write and that fits into sm_80's shared memory 2 times; the kernel is compiled as without --specialize}}
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-note @+1 {{no loop has this as a step}}
      %x = vector.transfer_read %in[%c0], %z {in_bounds = [true]} : memref<64xf16>, vector<64xf16>
      vector.transfer_write %x, %in[%c0] {in_bounds = [true]} : vector<64xf16>, memref<64xf16>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg>)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {vector<64xindex>}>
func.func @in_a_loop(%in: memref<64xf16>, %out: memref<64xf16>, %big: memref<65536xf16>, %table: memref<64xf16>, %n: index, %c: i1) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f16
  // expected-warning @+1 {{nothing can be copied ahead}}
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %first = pcf.shared_executor.run_cluster(%tg)[] () {
      %i = vector.step : vector<64xindex>
      pcf.cluster_yield %i : vector<64xindex>
    } : (!TG) -> !T
    %last = scf.for %k = %c0 to %n step %c1 iter_args(%it = %first) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        // expected-note @+1 {{the kernel writes the memory that is read here}}
        %x = vector.transfer_read %out[%c0], %z {in_bounds = [true]} : memref<64xf16>, vector<64xf16>
        vector.transfer_write %x, %out[%c0] {in_bounds = [true]} : vector<64xf16>, memref<64xf16>
        pcf.cluster_yield
      } : (!TG)
      %next = pcf.shared_executor.run_cluster(%it)[] (%i: vector<64xindex>) {
        // expected-note @+1 {{where this reads is read itself, of payload, or in two layouts}}
        %x = iree_vector_ext.transfer_gather %table[%c0] [%i : vector<64xindex>], %z {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : memref<64xf16>, vector<64xf16>
        vector.transfer_write %x, %out[%c0] {in_bounds = [true]} : vector<64xf16>, memref<64xf16>
        pcf.cluster_yield %i : vector<64xindex>
      } : (!T) -> !T
      scf.if %c {
        pcf.shared_executor.run_cluster(%tg)[] () {
          // expected-note @+1 {{this is read in some steps only}}
          %x = vector.transfer_read %in[%c0], %z {in_bounds = [true]} : memref<64xf16>, vector<64xf16>
          vector.transfer_write %x, %out[%c0] {in_bounds = [true]} : vector<64xf16>, memref<64xf16>
          pcf.cluster_yield
        } : (!TG)
      }
      scf.yield %next : !T
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
func.func @too_large(%big: memref<65536xf16>, %out: memref<65536xf16>, %n: index) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f16
  // expected-warning @+1 {{nothing can be copied ahead}}
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %k = %c0 to %n step %c1 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        // expected-note @+1 {{too few bytes are left for this}}
        %x = vector.transfer_read %big[%k], %z : memref<65536xf16>, vector<65536xf16>
        vector.transfer_write %x, %out[%c0] {in_bounds = [true]} : vector<65536xf16>, memref<65536xf16>
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
func.func @no_numbers(%in: memref<64xf16>, %n: index) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f16
  // expected-warning @+1 {{nothing can be copied ahead}}
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %k = %c0 to %n step %c1 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        // expected-note @+1 {{what is read here is no vector of numbers}}
        %x = vector.transfer_read %in[%c0], %z : memref<64xf16>, vector<f16>
        pcf.cluster_yield
      } : (!TG)
    }
    pcf.return
  }
  return
}

// -----

// PCF-171: the phase that computes reads what every step reads, if other reads could
// be copied ahead: a copy of it would be made in each step.
#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
func.func @every_step_alike(%in: memref<128xf16>, %big: memref<65536xf16>, %out: memref<64xf16>, %other: memref<65536xf16>, %i: index, %n: index) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f16
  // expected-warning @+1 {{nothing can be copied ahead}}
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %k = %c0 to %n step %c1 {
      %place = arith.addi %i, %i : index
      pcf.shared_executor.run_cluster(%tg)[] () {
        %at = arith.addi %place, %c1 : index
        // expected-note @+1 {{every step reads the same here}}
        %x = vector.transfer_read %in[%at], %z : memref<128xf16>, vector<64xf16>
        vector.transfer_write %x, %out[%c0] {in_bounds = [true]} : vector<64xf16>, memref<64xf16>
        // expected-note @+1 {{too few bytes are left for this}}
        %y = vector.transfer_read %big[%k], %z : memref<65536xf16>, vector<65536xf16>
        vector.transfer_write %y, %other[%c0] {in_bounds = [true]} : vector<65536xf16>, memref<65536xf16>
        pcf.cluster_yield
      } : (!TG)
    }
    pcf.return
  }
  return
}

// -----

// PCF-165: one that finds no room where others are copied ahead.
#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
func.func @no_room_beside_another(%big: memref<65536xf16>, %small: memref<64xf16>, %out: memref<65536xf16>, %n: index) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f16
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %k = %c0 to %n step %c1 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        // expected-warning @+1 {{vector is not copied ahead: its 131072 bytes do not fit 2 times into what is left of the 166912 bytes of sm_80's shared memory; the phase that computes with it reads memory, and smaller steps would fit}}
        %x = vector.transfer_read %big[%c0], %z {in_bounds = [true]} : memref<65536xf16>, vector<65536xf16>
        %y = vector.transfer_read %small[%c0], %z {in_bounds = [true]} : memref<64xf16>, vector<64xf16>
        vector.transfer_write %x, %out[%c0] {in_bounds = [true]} : vector<65536xf16>, memref<65536xf16>
        vector.transfer_write %y, %out[%c0] {in_bounds = [true]} : vector<64xf16>, memref<65536xf16>
        pcf.cluster_yield
      } : (!TG)
    }
    pcf.return
  }
  return
}
