// RUN: distaff-opt %s --distaff-form-launches=target=gfx942 --distaff-configure=target=gfx942 --distaff-assign-layouts=target=gfx942 | FileCheck %s
// RUN: distaff-opt %s --distaff-form-launches=target=gfx942 --distaff-configure=target=gfx942 --distaff-assign-layouts=target=gfx942 --distaff-distribute=target=gfx942 | FileCheck %s --check-prefix=LANE
// RUN: distaff run %s --target gfx942 --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 --check --every-stage --counters | FileCheck %s --check-prefix=RIGHT

// B lies with its columns side by side, and the instruction takes four rows of each column. Promoted, each lane reads a piece
// of four neighbouring rows and stores eight columns (VX-271), though loads of single elements would touch fewer lines, for
// those are parts of words (VX-273).
// CHECK: #[[B:.*]] = {{.*}}subgroup_tile = [4, 1], {{.*}}thread_tile = [4, 16], element_tile = [4, 8]
// CHECK: %[[READ:.*]] = vector.transfer_read %arg1
// CHECK-NEXT: %[[ROWS:.*]] = iree_vector_ext.to_layout %[[READ]] to layout(#[[B]])
// CHECK: to_layout %[[ROWS]] {{.*}} {shared_memory_conversion}
// LANE: %[[ROWS:.*]] = vector.transfer_read {{.*}} memref<512x128xf16>, vector<4x8xf16>
// LANE-NEXT: vector.transpose %[[ROWS]], [1, 0]
// LANE-COUNT-8: vector.store {{.*}}, vector<4xf16>
// LANE-NOT: vector.store
// LANE: gpu.barrier
// RIGHT-COUNT-8: bound 0.00e+00  ok
// RIGHT: bank conflicts {{ *}}0{{$}}
#info = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 64>
func.func @product(%a: memref<128x512xf16>, %b: memref<512x128xf16>, %out: memref<128x128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f16
  %sums = arith.constant dense<0.0> : vector<128x128xf32>
  %c = scf.for %k = %c0 to %c512 step %c64 iter_args(%acc = %sums) -> (vector<128x128xf32>) {
    %l = vector.transfer_read %a[%c0, %k], %zero {in_bounds = [true, true]} : memref<128x512xf16>, vector<128x64xf16>
    %r = vector.transfer_read %b[%k, %c0], %zero {in_bounds = [true, true]} : memref<512x128xf16>, vector<64x128xf16>
    %lx = arith.extf %l : vector<128x64xf16> to vector<128x64xf32>
    %rx = arith.extf %r : vector<64x128xf16> to vector<64x128xf32>
    %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                          iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
         %lx, %rx, %acc {lowering_config = #iree_gpu.lowering_config<{promote_operands = [1]}>} : vector<128x64xf32>, vector<64x128xf32> into vector<128x128xf32>
    scf.yield %d : vector<128x128xf32>
  }
  vector.transfer_write %c, %out[%c0, %c0] {in_bounds = [true, true]} : vector<128x128xf32>, memref<128x128xf32>
  return
}
