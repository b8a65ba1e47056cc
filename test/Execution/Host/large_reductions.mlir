// RUN: distaff run %s --func sum --target host --check --input arg0=whole:1:-8:8 | FileCheck %s
// RUN: distaff run %s --func sum --target host --check --strict-fp | FileCheck %s
// RUN: distaff run %s --func from --target host --check --input arg0=whole:2:-8:8 | FileCheck %s
// RUN: distaff run %s --func masked --target host --check --input arg0=whole:3:-8:8 | FileCheck %s
// RUN: distaff run %s --func least --target host:avx2 --check | FileCheck %s
// RUN: distaff run %s --func least --target host --check --config native_vector=4x8 | FileCheck %s
// CHECK: ok

// A vector.reduction of more than registers hold is a loop over tiles (VX-127).

func.func @sum(%a: memref<4096xf32>, %o: memref<f32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<4096xf32>, vector<4096xf32>
  %s = vector.reduction <add>, %v : vector<4096xf32> into f32
  memref.store %s, %o[] : memref<f32>
  return
}

func.func @from(%a: memref<4099xf32>, %b: f32, %o: memref<f32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<4099xf32>, vector<4099xf32>
  %w = arith.addf %v, %v : vector<4099xf32>
  %s = vector.reduction <add>, %w, %b : vector<4099xf32> into f32
  memref.store %s, %o[] : memref<f32>
  return
}

func.func @masked(%a: memref<4096xf32>, %o: memref<f32>) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 3001 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<4096xf32>, vector<4096xf32>
  %m = vector.create_mask %n : vector<4096xi1>
  %s = vector.mask %m { vector.reduction <add>, %v : vector<4096xf32> into f32 } : vector<4096xi1> -> f32
  memref.store %s, %o[] : memref<f32>
  return
}

func.func @least(%a: memref<64x128xi8>, %o: memref<i8>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i8
  %v = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x128xi8>, vector<64x128xi8>
  %f = vector.shape_cast %v : vector<64x128xi8> to vector<8192xi8>
  %s = vector.reduction <minsi>, %f : vector<8192xi8> into i8
  memref.store %s, %o[] : memref<i8>
  return
}
