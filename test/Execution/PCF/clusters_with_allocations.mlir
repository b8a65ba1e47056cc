// RUN: distaff run %s --func own --target sm_80 --pipeline run-cluster --specialize producer-consumer --check --every-stage --input arg0=whole:0:-3:3 --input arg1=whole:1:-3:3
// RUN: distaff run %s --func own --target sm_80 --pipeline run-cluster --specialize ping-pong --check --every-stage --input arg0=whole:0:-3:3 --input arg1=whole:1:-3:3
// RUN: distaff run %s --func own --target sm_80 --device ptx --pipeline run-cluster --specialize ping-pong --check --input arg0=whole:0:-3:3 --input arg1=whole:1:-3:3
// RUN: distaff run %s --func own --target gfx942 --pipeline run-cluster --specialize ping-pong --check --schedule 7 --input arg0=whole:0:-3:3 --input arg1=whole:1:-3:3
// RUN: distaff run %s --func kept --target sm_80 --pipeline run-cluster --specialize producer-consumer --check --schedule 3 --input arg0=whole:0:-3:3 --input arg1=whole:1:-3:3
// RUN: distaff run %s --func kept --target gfx942 --pipeline run-cluster --specialize producer-consumer --check --schedule 5 --input arg0=whole:0:-3:3 --input arg1=whole:1:-3:3
// RUN: distaff compile %s --func own --target sm_80 --pipeline run-cluster --specialize producer-consumer --stop-after=specialize | FileCheck %s --check-prefix=AHEAD
// RUN: distaff compile %s --func own --target sm_80 --pipeline run-cluster --specialize ping-pong --stop-after=specialize | FileCheck %s --check-prefix=TURNS

// Memory that a workgroup allocates for itself is no obstacle to clusters: consumers use it, and clusters that take turns
// have a buffer each (PCF-186).

#mk = affine_map<(m,n,k)->(m,k)>
#kn = affine_map<(m,n,k)->(k,n)>
#mn = affine_map<(m,n,k)->(m,n)>

// The author's own.
// AHEAD: memref.alloc() : memref<64x68xf32, #gpu.address_space<workgroup>>
// AHEAD-NOT: memref.alloc
// AHEAD: tile_group
// TURNS-COUNT-2: memref.alloc() : memref<64x68xf32, #gpu.address_space<workgroup>>
// TURNS: tile_group
func.func @own(%a: memref<64x128xf16>, %b: memref<128x64xf16>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %h = arith.constant 0.0 : f16
  %z = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %m = memref.alloc() : memref<64x64xf32, #gpu.address_space<workgroup>>
  %s = scf.for %k = %c0 to %c128 step %c16 iter_args(%acc = %zero) -> vector<64x64xf32> {
    %x = vector.transfer_read %a[%c0, %k], %h {in_bounds = [true, true]} : memref<64x128xf16>, vector<64x16xf16>
    %y = vector.transfer_read %b[%k, %c0], %h {in_bounds = [true, true]} : memref<128x64xf16>, vector<16x64xf16>
    %n = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel","parallel","reduction"], kind = #vector.kind<add>} %x, %y, %acc : vector<64x16xf16>, vector<16x64xf16> into vector<64x64xf32>
    scf.yield %n : vector<64x64xf32>
  }
  vector.transfer_write %s, %m[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>
  %t = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<64x64xf32>
  %u = arith.subf %s, %t : vector<64x64xf32>
  vector.transfer_write %u, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}

// That of a vector which is kept as a whole between two products.
func.func @kept(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %y = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %acc = arith.constant dense<0.0> : vector<64x64xf32>
  %s = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel","parallel","reduction"], kind = #vector.kind<add>} %x, %y, %acc : vector<64x64xf32>, vector<64x64xf32> into vector<64x64xf32>
  %t = math.absf %s : vector<64x64xf32>
  %u = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel","parallel","reduction"], kind = #vector.kind<add>} %x, %t, %acc : vector<64x64xf32>, vector<64x64xf32> into vector<64x64xf32>
  vector.transfer_write %u, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}
