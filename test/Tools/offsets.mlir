// An index argument that offsets an access is drawn where the access is in bounds.
// RUN: distaff run %s --func gathered --target sm_80 --check | FileCheck %s
// RUN: distaff run %s --func read_in_bounds --target sm_80 --check | FileCheck %s
// RUN: distaff run %s --func loaded_and_stored --target sm_80 --check | FileCheck %s
// CHECK: lower {{.*}} ok
// Every one of many draws is.
// RUN: distaff run %s --func read_in_bounds --target sm_80 --input arg1=random:1 --input arg2=random:8 --check | FileCheck %s
// RUN: distaff run %s --func read_in_bounds --target sm_80 --input arg1=random:2 --input arg2=random:9 --check | FileCheck %s
// RUN: distaff run %s --func read_in_bounds --target sm_80 --input arg1=random:3 --input arg2=random:10 --check | FileCheck %s
// Positions that are only read at, however often, are drawn independently: some of 64 out of 64 are equal.
// RUN: distaff run %s --func read_twice --target sm_80 --output arg2=%t.npy
// RUN: %python -c "import struct, sys; at = struct.unpack('<64i', open(sys.argv[1], 'rb').read()[-4 * 64:]); assert 0 <= min(at) and max(at) < 64 and len(set(at)) < 64, at" %t.npy

#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @gathered(%kv: memref<32x16x4x32xf16>, %table: memref<8xi32>, %head: index, %o: memref<8x16x32xf16>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %i = arith.constant 0 : i32
  %pages = vector.transfer_read %table[%c0], %i {in_bounds = [true]} : memref<8xi32>, vector<8xi32>
  %tokens = vector.step : vector<16xindex>
  %g = iree_vector_ext.transfer_gather %kv[%c0, %c0, %head, %c0] [%pages, %tokens : vector<8xi32>, vector<16xindex>], %z {
    indexing_maps = [affine_map<(d0, d1, d2)[s0, s1] -> (s0, s1, 0, d2)>, affine_map<(d0, d1, d2)[s0, s1] -> (d0)>, affine_map<(d0, d1, d2)[s0, s1] -> (d1)>]} : memref<32x16x4x32xf16>, vector<8x16x32xf16>
  vector.transfer_write %g, %o[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<8x16x32xf16>, memref<8x16x32xf16>
  return
}

// 30 of 33 columns: 0 to 3.
func.func @read_in_bounds(%x: memref<7x33xf32>, %column: index, %row: index, %o: memref<30xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%row, %column], %z {in_bounds = [true]} : memref<7x33xf32>, vector<30xf32>
  vector.transfer_write %v, %o[%c0] {in_bounds = [true]} : vector<30xf32>, memref<30xf32>
  return
}

func.func @loaded_and_stored(%x: memref<5x40xf32>, %at: index, %to: index, %o: memref<36xf32>) attributes {translation_info = #translation} {
  %v = vector.load %x[%at, %at] : memref<5x40xf32>, vector<32xf32>
  vector.store %v, %o[%to] : memref<36xf32>, vector<32xf32>
  return
}

func.func @read_twice(%a: tensor<64xf32>, %b: tensor<64xf32>, %at: tensor<64x1xi32>) -> tensor<64xf32> {
  %x = tensor.gather %a[%at] gather_dims([0]) : (tensor<64xf32>, tensor<64x1xi32>) -> tensor<64xf32>
  %y = tensor.gather %b[%at] gather_dims([0]) : (tensor<64xf32>, tensor<64x1xi32>) -> tensor<64xf32>
  %z = arith.addf %x, %y : tensor<64xf32>
  return %z : tensor<64xf32>
}
