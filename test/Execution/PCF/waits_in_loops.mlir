// Members of a cluster that exchange data in loops and branches of a phase, which all of them agree on: the loop becomes the group's, and
// other clusters meet its barriers where the target has none of some subgroups (PCF-166).
//
// RUN: sed -e 's/\[128, 1, 1\] subgroup_size = 32/[256, 1, 1] subgroup_size = 64/; s/thread_tile = .32./thread_tile = [64]/; s/<64xf32>/<128xf32>/g' %s > %t.wide.mlir
// RUN: distaff run %s --func loop --target sm_80 --check --every-stage --input arg3=3
// RUN: distaff run %s --func loop --target sm_80 --check --stages distribute-subgroups,lower --input arg3=0 --schedule 2
// RUN: distaff run %s --func loop --target sm_80 --check --input arg3=2 --device ptx
// RUN: distaff run %t.wide.mlir --func loop --target gfx942 --check --stages distribute-subgroups,lower --input arg3=4 --schedule 3
// RUN: distaff run %s --func branches --target sm_80 --check --every-stage --input arg3=3
// RUN: distaff run %s --func branches --target sm_80 --check --stages distribute-subgroups,lower --input arg3=1 --schedule 4
// RUN: distaff run %s --func branches --target sm_80 --check --input arg3=3 --device ptx
// RUN: distaff run %t.wide.mlir --func branches --target gfx942 --check --stages distribute-subgroups,lower --input arg3=5 --schedule 5
// RUN: distaff run %t.wide.mlir --func branches --target gfx942 --check --stages distribute-subgroups,lower --input arg3=1 --schedule 6
//
// Without the barrier in the loop there is a race.
// RUN: distaff compile %s --func loop --target sm_80 --stop-after=distribute-subgroups -o %t.mlir
// RUN: sed -e '/memref.store/,/global_subgroup_barrier/{/global_subgroup_barrier/d}' %t.mlir > %t.mutant.mlir
// RUN: distaff run %t.mlir --target sm_80 --input arg3=3
// RUN: not distaff run %t.mutant.mlir --target sm_80 --input arg3=3 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: race:

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#two = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), w.a>
!B = !pcf.cluster<#sg, (d0 -> s0), w.b>

// Each step divides by the sum of what the step before left; %w is of the phase, and needed in the loop and behind it.
func.func @loop(%in: memref<64xf32>, %out: memref<64xf32>, %other: memref<64xf32>, %n: index) attributes {translation_info = #launch} {
  %k = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      pcf.shared_executor.run_cluster(%a)[%k] () {
        %x = vector.transfer_read %in[%c0], %f {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
        %l = iree_vector_ext.to_layout %x to layout(#two) : vector<64xf32>
        %w = math.absf %l : vector<64xf32>
        %end = arith.addi %n, %c1 : index
        %r = scf.for %i = %c0 to %end step %c1 iter_args(%y = %w) -> vector<64xf32> {
          %z = arith.constant 2.0 : f32
          %s = vector.multi_reduction <add>, %y, %z [0] : vector<64xf32> to f32
          %v = vector.broadcast %s : f32 to vector<64xf32>
          %d = arith.divf %y, %v : vector<64xf32>
          %e = arith.addf %d, %w : vector<64xf32>
          scf.yield %e : vector<64xf32>
        }
        %q = arith.addf %r, %l : vector<64xf32>
        vector.transfer_write %q, %out[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
        pcf.cluster_yield
      } : (!A)
      pcf.shared_executor.run_cluster(%b)[%k] () {
        %x = vector.transfer_read %in[%c0], %f {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
        %l = iree_vector_ext.to_layout %x to layout(#two) : vector<64xf32>
        %z = arith.constant 0.0 : f32
        %s = vector.multi_reduction <maximumf>, %l, %z [0] : vector<64xf32> to f32
        %v = vector.broadcast %s : f32 to vector<64xf32>
        vector.transfer_write %v, %other[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
        pcf.cluster_yield
      } : (!B)
      pcf.return
    } : !TG
    pcf.return
  }
  return
}

// A branch with a loop in it, one side of which waits, and a branch without results behind it.
func.func @branches(%in: memref<64xf32>, %out: memref<64xf32>, %other: memref<64xf32>, %n: index) attributes {translation_info = #launch} {
  %k = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %f = arith.constant 0.0 : f32
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      pcf.shared_executor.run_cluster(%a)[%k] () {
        %x = vector.transfer_read %in[%c0], %f {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
        %l = iree_vector_ext.to_layout %x to layout(#two) : vector<64xf32>
        %w = math.absf %l : vector<64xf32>
        %isMany = arith.cmpi ugt, %n, %c2 : index
        %r = scf.if %isMany -> (vector<64xf32>) {
          %y = scf.for %i = %c0 to %n step %c2 iter_args(%y = %w) -> vector<64xf32> {
            %z = arith.constant 2.0 : f32
            %s = vector.multi_reduction <add>, %y, %z [0] : vector<64xf32> to f32
            %v = vector.broadcast %s : f32 to vector<64xf32>
            %d = arith.divf %y, %v : vector<64xf32>
            scf.yield %d : vector<64xf32>
          }
          scf.yield %y : vector<64xf32>
        } else {
          %y = arith.addf %w, %l : vector<64xf32>
          scf.yield %y : vector<64xf32>
        }
        %g = arith.mulf %r, %l : vector<64xf32>
        vector.transfer_write %g, %out[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
        pcf.cluster_yield
      } : (!A)
      pcf.shared_executor.run_cluster(%b)[%k] () {
        %x = vector.transfer_read %in[%c0], %f {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
        %l = iree_vector_ext.to_layout %x to layout(#two) : vector<64xf32>
        vector.transfer_write %l, %other[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
        %isMany = arith.cmpi ugt, %n, %c2 : index
        scf.if %isMany {
          %z = arith.constant 1.0 : f32
          %s = vector.multi_reduction <maximumf>, %l, %z [0] : vector<64xf32> to f32
          %v = vector.broadcast %s : f32 to vector<64xf32>
          %u = arith.addf %v, %l : vector<64xf32>
          vector.transfer_write %u, %other[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
        }
        pcf.cluster_yield
      } : (!B)
      pcf.return
    } : !TG
    pcf.return
  }
  return
}
