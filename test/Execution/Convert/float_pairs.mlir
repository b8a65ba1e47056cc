// VX-266: two f32 per instruction, on neighbours that a load, an op or a loop gives; in an order that no pair may change.
// RUN: distaff run %s --target gfx942 --func neighbours --check --every-stage | FileCheck %s
// RUN: distaff run %s --target gfx90a --func carried --check --every-stage | FileCheck %s
// RUN: distaff run %s --target gfx942 --func rows --check --every-stage | FileCheck %s
// RUN: distaff run %s --target gfx942 --func rows --check --every-stage --strict-fp | FileCheck %s
// RUN: distaff compile %s --target gfx942 --func neighbours --emit gcn | FileCheck %s --check-prefix=CODE
// CHECK: convert {{.*}} ok
// CODE: v_pk_fma_f32
// CODE: v_pk_add_f32

gpu.module @kernels {
  gpu.func @neighbours(%m: memref<64x4xf32>, %k: f32, %n: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %v = vector.load %m[%i, %c0] : memref<64x4xf32>, vector<4xf32>
    %x:4 = vector.to_elements %v : vector<4xf32>
    %a = math.fma %x#0, %k, %n : f32
    %p = arith.subf %k, %a : f32
    %b = math.fma %x#1, %k, %n : f32
    %q = arith.subf %k, %b : f32
    %c = arith.subf %x#2, %p : f32
    %d = arith.subf %x#3, %q : f32
    %w = vector.from_elements %d, %c, %q, %p : vector<4xf32>
    vector.store %w, %m[%i, %c0] : memref<64x4xf32>, vector<4xf32>
    gpu.return
  }

  gpu.func @carried(%m: memref<8x64x2xf32>, %o: memref<64x2xf32>, %k: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %i = gpu.thread_id x
    %r:2 = scf.for %j = %c0 to %c8 step %c1 iter_args(%a = %zero, %b = %k) -> (f32, f32) {
      %v = vector.load %m[%j, %i, %c0] : memref<8x64x2xf32>, vector<2xf32>
      %x:2 = vector.to_elements %v : vector<2xf32>
      %s = arith.mulf %a, %k : f32
      %t = arith.mulf %b, %k : f32
      %p = arith.addf %x#0, %s : f32
      %q = arith.addf %x#1, %t : f32
      %w = vector.from_elements %p, %q : vector<2xf32>
      %y:2 = vector.to_elements %w : vector<2xf32>
      scf.yield %y#0, %y#1 : f32, f32
    }
    %w = vector.from_elements %r#0, %r#1 : vector<2xf32>
    vector.store %w, %o[%i, %c0] : memref<64x2xf32>, vector<2xf32>
    gpu.return
  }
}

func.func @rows(%x: tensor<37x75xf32>) -> tensor<37xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<37xf32>) -> tensor<37xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<37x75xf32>) outs(%i : tensor<37xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %w = math.exp %v : f32
    %sq = arith.mulf %v, %w : f32
    %s = arith.addf %acc, %sq : f32
    linalg.yield %s : f32
  } -> tensor<37xf32>
  return %r : tensor<37xf32>
}
