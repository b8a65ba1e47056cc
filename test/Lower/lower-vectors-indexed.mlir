// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-vectors{target=sm_80},canonicalize)))' | FileCheck %s

gpu.module @kernels {
  // Two rows chosen by %rows; along a row elements are adjacent, so each is one
  // wide load.
  // CHECK-LABEL: func @gathered_rows_are_wide
  // CHECK: %[[ROWS:.*]]:2 = vector.to_elements
  // CHECK: vector.load %{{.*}}[%[[ROWS]]#0, %c0] {alignment = 8 : i64} : memref<64x8xf16>, vector<4xf16>
  // CHECK: vector.load %{{.*}}[%[[ROWS]]#1, %c0] {alignment = 8 : i64} : memref<64x8xf16>, vector<4xf16>
  gpu.func @gathered_rows_are_wide(%m: memref<64x8xf16>, %i: memref<2xindex>, %o: memref<8xf16>) kernel {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f16
    %rows = vector.load %i[%c0] : memref<2xindex>, vector<2xindex>
    %g = iree_vector_ext.transfer_gather %m[%c0, %c0] [%rows : vector<2xindex>], %z {
      indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]
    } : memref<64x8xf16>, vector<2x4xf16>
    %s = vector.shape_cast %g : vector<2x4xf16> to vector<8xf16>
    vector.store %s, %o[%c0] : memref<8xf16>, vector<8xf16>
    gpu.return
  }

  // A gathered row outside is padding: its index is checked, the column is not.
  // CHECK-LABEL: func @rows_outside_are_padding
  // CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %{{.*}} : index
  // CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[ROW]], %c64
  // CHECK-NOT: arith.cmpi
  // CHECK: scf.if %[[INSIDE]] -> (f16)
  gpu.func @rows_outside_are_padding(%m: memref<64x8xf16>, %row: index, %base: index, %o: memref<1xf16>) kernel {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f16
    %rows = vector.broadcast %row : index to vector<1xindex>
    %g = iree_vector_ext.transfer_gather %m[%base, %c0] [%rows : vector<1xindex>], %z {
      indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>],
      in_bounds = [false, true]
    } : memref<64x8xf16>, vector<1x1xf16>
    %s = vector.shape_cast %g : vector<1x1xf16> to vector<1xf16>
    vector.transfer_write %s, %o[%c0] {in_bounds = [true]} : vector<1xf16>, memref<1xf16>
    gpu.return
  }

  // Masked-off elements touch no memory.
  // CHECK-LABEL: func @scattered_elements_are_masked
  // CHECK: scf.if
  // CHECK-NEXT: memref.store
  // CHECK: scf.if
  // CHECK-NEXT: memref.store
  gpu.func @scattered_elements_are_masked(%m: memref<64xf32>, %i: memref<2xi32>, %x: f32, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %at = vector.load %i[%c0] : memref<2xi32>, vector<2xi32>
    %mask = vector.create_mask %n : vector<2xi1>
    %v = vector.broadcast %x : f32 to vector<2xf32>
    iree_vector_ext.transfer_scatter %v into %m[%c0] [%at : vector<2xi32>], %mask {
      indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>, affine_map<(d0)[s0] -> (d0)>]
    } : vector<2xf32>, memref<64xf32>, vector<2xi1>
    gpu.return
  }
}
