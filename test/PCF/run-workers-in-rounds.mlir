// RUN: distaff-opt %s -pcf-telescope-workers -pcf-run-workers-in-rounds | FileCheck %s

// Rows of a worker are computed in rounds, as many as fit into registers (PCF-155).

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>
!A = !pcf.sref<256x32xf32, #sg>
!P = !pcf.sref<32x128xf32, #sg>
!O = !pcf.sref<256x128xf32, sync(#sg)>

// Sums of 256x128 would be 1024 registers; those of 32 rows are 128. The number of rounds is that of the subgroup with the
// most rows, which all compute; what is copied to the panel is copied in each of them, and a barrier ends it.
// CHECK-LABEL: @product
// CHECK: pcf.shared_executor scope(#iree_gpu.lane_scope)
// CHECK: %[[DIVISOR:.*]] = arith.maxui %arg{{[0-9]+}}, %{{.*}}
// CHECK: %[[ROWS:.*]] = arith.ceildivui %{{.*}}, %[[DIVISOR]]
// CHECK: arith.minui %[[ROWS]], %c256
// CHECK: %[[BOX:.*]] = arith.constant 32
// CHECK: %[[ROUNDS:.*]] = arith.ceildivui %{{.*}}, %[[BOX]]
// CHECK: scf.for %[[ROUND:.*]] = %{{.*}} to %[[ROUNDS]]
// CHECK: affine.min #{{.*}}()[%[[ROUND]], %[[S:.*]]]
// CHECK: linalg.fill
// CHECK: scf.for
// CHECK: pcf.write_slice %{{.*}} into %[[PANEL:.*]][0, 0] [32, 128]
// CHECK: linalg.matmul
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[%{{.*}}, 0] [%{{.*}}, 128]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[PANEL]])
// CHECK-NEXT: }
func.func @product(%a: tensor<256x32xf32>, %b: tensor<32x128xf32>, %c: tensor<256x128xf32>, %m: index, %nk: index)
    -> tensor<256x128xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %r = pcf.generic scope(#sg) initialize { %x = pcf.alloc() : !P  pcf.yield %x : !P } -> (%p: !P)
      execute(%A <- %a : tensor<256x32xf32>, %B <- %b : tensor<32x128xf32>, %O = %c)[%id: index, %n: index]
      : (!A, !P, !O) -> (tensor<256x128xf32>) {
    %rows = arith.ceildivui %c256, %m : index
    %begin = arith.muli %id, %rows : index
    %o = arith.minui %begin, %c256 : index
    %left = arith.subi %c256, %o : index
    %s = arith.minui %rows, %left : index
    %e = tensor.empty(%s) : tensor<?x128xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x128xf32>) -> tensor<?x128xf32>
    %y = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %z) -> (tensor<?x128xf32>) {
      %first = arith.cmpi eq, %id, %c0 : index
      scf.if %first {
        %t = pcf.read_slice %B[0, 0] [32, 128] [1, 1] : !P to tensor<32x128xf32>
        pcf.write_slice %t into %p[0, 0] [32, 128] [1, 1] : tensor<32x128xf32> into !P
      }
      pcf.barrier(#sg) fence(%p) : !P
      %l = pcf.read_slice %A[%o, 0] [%s, 32] [1, 1] : !A to tensor<?x32xf32>
      %w = pcf.read_slice %p[0, 0] [32, 128] [1, 1] : !P to tensor<32x128xf32>
      %v = linalg.matmul ins(%l, %w : tensor<?x32xf32>, tensor<32x128xf32>) outs(%x : tensor<?x128xf32>) -> tensor<?x128xf32>
      pcf.barrier(#sg) fence(%p) : !P
      scf.yield %v : tensor<?x128xf32>
    }
    pcf.write_slice %y into %O[%o, 0] [%s, 128] [1, 1] : tensor<?x128xf32> into !O
    pcf.return
  }
  return %r : tensor<256x128xf32>
}
