// Two tiles at a time, where there are 0, 1 and 2: a tile that is not there is not written, also where a phase writes in a
// branch, and without a tile nothing is read (PCF-143, PCF-161). A value x is written as 2 x.
//
// RUN: distaff-opt %s --pcf-jam-tiles -o %t.mlir
// RUN: distaff run %t.mlir --target sm_80 --check --every-stage --shape arg0=0 --input arg1=zeros --input arg2=0 --output arg1=%t.0.npy
// RUN: distaff run %t.mlir --target sm_80 --check --shape arg0=0 --input arg1=zeros --input arg2=-3 --output arg1=%t.minus.npy
// RUN: distaff run %t.mlir --target sm_80 --check --every-stage --shape arg0=16 --input arg0=iota --input arg1=zeros --input arg2=1 --output arg1=%t.1.npy
// RUN: distaff run %t.mlir --target sm_80 --check --every-stage --shape arg0=32 --input arg0=iota --input arg1=zeros --input arg2=2 --output arg1=%t.2.npy
// RUN: distaff run %t.mlir --target sm_80 --device ptx --check --shape arg0=80 --input arg0=iota --input arg1=zeros --input arg2=5 --output arg1=%t.5.npy
// RUN: distaff run %t.mlir --target sm_80 --device ptx --check --shape arg0=0 --input arg1=zeros --input arg2=0 --output arg1=%t.ptx.npy
// RUN: %python -c "import sys; sys.path.insert(0, '%S/../Inputs'); import npy, pathlib; counts = {'0': 0, 'minus': 0, 'ptx': 0, '1': 1, '2': 2, '5': 2}; values = lambda n: [2.0 * x if x // 16 < n else 0.0 for x in range(32)]; bad = [name for name, n in counts.items() if npy.read(pathlib.Path('%t.' + name + '.npy'), 'f32') != values(n) * 2]; assert not bad, bad"

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
func.func @tiles(%a: memref<?xf32>, %out: memref<2x32xf32>, %left: index) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0.0 : f32
  %tiles = affine.min affine_map<()[s0] -> (2, s0)>()[%left]
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %t = %c0 to %tiles step %c1 {
      %begin = arith.muli %t, %c16 : index
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = vector.transfer_read %a[%begin], %z {in_bounds = [true]} : memref<?xf32>, vector<16xf32>
        %w = arith.addf %v, %v : vector<16xf32>
        vector.transfer_write %w, %out[%c0, %begin] {in_bounds = [true]} : vector<16xf32>, memref<2x32xf32>
        %some = arith.cmpi sge, %left, %c1 : index
        scf.if %some {
          vector.transfer_write %w, %out[%c1, %begin] {in_bounds = [true]} : vector<16xf32>, memref<2x32xf32>
        }
        pcf.cluster_yield
      } : (!TG)
    }
    pcf.return
  }
  return
}
