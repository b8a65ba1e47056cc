// What is the same in all turns is computed in front of the loop with the matrix
// products, also where a loop of copies is inside it (PCF-205), and not in front of
// loops around it.
// RUN: distaff compile %s --target sm_80 --emit llvm | FileCheck %s
// RUN: distaff run %s --func products --target sm_80 --device ptx --input arg0=whole:1:0:3 --input arg1=4 --check | FileCheck %s --check-prefix=RIGHT

#k = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
// RIGHT: ok
gpu.module @kernels {
  // The product is the same for all %i and %j; it stands in front of the K loop, and
  // behind the beginning of the loop around it.
  // CHECK-LABEL: define {{.*}}void @products
  // CHECK-NOT: mul {{.*}}i64
  // CHECK: phi i64
  // CHECK: mul {{.*}}i64 %2
  // CHECK: phi float
  // CHECK-NOT: mul {{.*}}i64
  // CHECK: ret void
  gpu.func @products(%a: memref<256xf16>, %n: index, %o: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zeros = arith.constant dense<0.0> : vector<1x1x2x2xf32>
    %m = memref.alloc() : memref<256xf16, #gpu.address_space<workgroup>>
    %lane = gpu.lane_id
    scf.for %i = %c0 to %c2 step %c1 {
      %d = scf.for %j = %c0 to %n step %c1 iter_args(%s = %zeros) -> vector<1x1x2x2xf32> {
        scf.for %t = %c0 to %n step %c1 {
          %row = arith.muli %t, %c32 : index
          %at = arith.addi %lane, %row : index
          %x = memref.load %a[%at] : memref<256xf16>
          memref.store %x, %m[%at] : memref<256xf16, #gpu.address_space<workgroup>>
        }
        gpu.barrier
        %place = arith.muli %lane, %n : index
        %x = memref.load %m[%place] : memref<256xf16, #gpu.address_space<workgroup>>
        %p = vector.broadcast %x : f16 to vector<1x1x4x2xf16>
        %q = vector.broadcast %x : f16 to vector<1x1x2x2xf16>
        %r = iree_codegen.inner_tiled ins(%p, %q) outs(%s) {indexing_maps = [#mk, #kn, #mn], kind = #k} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
        gpu.barrier
        scf.yield %r : vector<1x1x2x2xf32>
      }
      %sum = vector.extract %d[0, 0, 0, 0] : f32 from vector<1x1x2x2xf32>
      memref.store %sum, %o[%lane] : memref<32xf32>
    }
    gpu.return
  }
}
