// Two clusters that take turns have memory each, also where the group takes a view of it in front of the tiles: a memref that
// it allocates, and a panel (PCF-201). A value x is written as x + 1, and then twice that.
//
// RUN: distaff-opt %s --pcf-jam-tiles -o %t.mlir
// RUN: distaff run %t.mlir --target sm_80 --check --every-stage --input arg0=iota --output arg1=%t.simt.npy
// RUN: distaff run %t.mlir --target sm_80 --check --device ptx --input arg0=iota --output arg1=%t.ptx.npy
// RUN: %python -c "import sys; sys.path.insert(0, '%S/../Inputs'); import npy, pathlib; bad = [device for device in ('simt', 'ptx') if npy.read(pathlib.Path('%t.' + device + '.npy'), 'f32') != [2.0 * (x + 1) for x in range(64)]]; assert not bad, bad"

// Of one view of both the clusters would write one buffer.
// RUN: sed -e 's/memref.subview %alloc_[0-9]*\[/memref.subview %alloc[/' %t.mlir > %t.mutant.mlir
// RUN: not distaff run %t.mutant.mlir --target sm_80 --input arg0=iota 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: race:

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
!Panel = !pcf.sref<2x32xf32, #sg>
!Row = !pcf.sref<32xf32, #sg>
!Memory = memref<40xf32, #gpu.address_space<workgroup>>
!View = memref<32xf32, strided<[1], offset: 8>, #gpu.address_space<workgroup>>
func.func @tiles(%a: memref<64xf32>, %out: memref<64xf32>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %z = arith.constant 0.0 : f32
  pcf.shared_executor scope(#sg) initialize {
    %p = pcf.alloc() : !Panel
    pcf.yield %p : !Panel
  } -> (%panel: !Panel) execute[%tg: !TG] {
    %memory = memref.alloc() : !Memory
    %view = memref.subview %memory[8] [32] [1] : !Memory to !View
    %row = pcf.subview %panel[1, 0] [1, 32] [1, 1] : !Panel to !Row
    scf.for %t = %c0 to %c2 step %c1 {
      %begin = arith.muli %t, %c32 : index
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = vector.transfer_read %a[%begin], %z {in_bounds = [true]} : memref<64xf32>, vector<32xf32>
        %ones = arith.constant dense<1.0> : vector<32xf32>
        %w = arith.addf %v, %ones : vector<32xf32>
        vector.transfer_write %w, %view[%c0] {in_bounds = [true]} : vector<32xf32>, !View
        pcf.write_slice %w into %row[0] [32] [1] : vector<32xf32> into !Row
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%panel, %memory) : !Panel, !Memory
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = vector.transfer_read %view[%c0], %z {in_bounds = [true]} : !View, vector<32xf32>
        %u = pcf.read_slice %row[0] [32] [1] : !Row to vector<32xf32>
        %w = arith.addf %v, %u : vector<32xf32>
        vector.transfer_write %w, %out[%begin] {in_bounds = [true]} : vector<32xf32>, memref<64xf32>
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%panel, %memory) : !Panel, !Memory
    }
    pcf.return
  }
  return
}
