// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize ping-pong --check --every-stage --schedule 1 --input arg0=whole:0:-2:2
// RUN: distaff run %s --target sm_80 --device ptx --pipeline run-cluster --specialize ping-pong --check --input arg0=whole:1:-2:2
// RUN: distaff run %s --target gfx942 --pipeline run-cluster --specialize ping-pong --check --schedule 2 --input arg0=whole:2:-2:2
// RUN: distaff compile %s --target sm_80 --pipeline run-cluster --specialize ping-pong --stop-after=form-matmul-phases | FileCheck %s

// What a step computes behind its product is a turn of its own, which ends with the step: the next product of one cluster
// waits for the other one's (PCF-188).
// CHECK: vector.contract
// CHECK: pcf.barrier
// CHECK: math.absf
// CHECK: pcf.barrier
// CHECK: scf.yield

func.func @absolute(%a: memref<64x64xf32>, %b: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<64x64xf32>
  %y = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> vector<64x64xf32> {
    %p = vector.transfer_read %a[%c0, %k], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x16xf32>
    %q = vector.transfer_read %a[%k, %c0], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<16x64xf32>
    %n = vector.contract {indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(k,n)>, affine_map<(m,n,k)->(m,n)>], iterator_types = ["parallel","parallel","reduction"], kind = #vector.kind<add>} %p, %q, %acc : vector<64x16xf32>, vector<16x64xf32> into vector<64x64xf32>
    %n2 = math.absf %n : vector<64x64xf32>
    scf.yield %n2 : vector<64x64xf32>
  }
  vector.transfer_write %y, %b[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}
