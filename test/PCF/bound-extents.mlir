// RUN: distaff-opt %s -pcf-bound-extents | FileCheck %s
// RUN: distaff-opt %s -pcf-bound-extents=scope=#iree_gpu.lane_scope | FileCheck %s --check-prefix=LANES

// Extents that only the run knows have an upper bound, and tensors of collective code that (PCF-75, 123).

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<100x40xf32, #sg>
!O = !pcf.sref<100xf32, #sg>
!TG = !pcf.threadgroup<#sg>

// Rows are read with zeros behind them, and written as far as they go; a sum of all of them takes the
// rows that there are. The bound is a multiple of 16, which members can share.
// CHECK-LABEL: @rows
// CHECK: %[[SIZE:.*]] = arith.minui
// CHECK: pcf.shared_executor
// CHECK: %[[S:.*]] = affine.min #{{.*}}()[%[[SIZE]]]
// CHECK: %[[R:.*]] = pcf.read_slice %{{.*}}[0, 0] [%[[S]], 40] [1, 1] : {{.*}} to tensor<?x40xf32>
// CHECK: %[[HIGH:.*]] = affine.apply #{{.*}}()[%[[S]]]
// CHECK: %[[P:.*]] = tensor.pad %[[R]] low[0, 0] high[%[[HIGH]], 0]
// CHECK: tensor<?x40xf32> to tensor<32x40xf32>
// CHECK: %[[E:.*]] = linalg.exp ins(%[[P]] : tensor<32x40xf32>)
// CHECK: linalg.generic
// CHECK: ^bb0
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[I]], %[[SIZE]]
// CHECK: %[[X:.*]] = arith.select %[[IN]], %{{.*}}, %{{.*}} : f32
// CHECK: arith.addf %{{.*}}, %[[X]]
// CHECK: %[[C:.*]] = tensor.extract_slice %[[E]][0, 0] [%{{.*}}, 40] [1, 1] : tensor<32x40xf32> to tensor<?x40xf32>
// CHECK: pcf.write_slice %[[C]]
// LANES-LABEL: @rows
// LANES: linalg.exp ins(%{{.*}} : tensor<?x40xf32>)
func.func @rows(%a: !A, %o: !O, %n: index, %z: f32) {
  %c20 = arith.constant 20 : index
  %s = arith.minui %n, %c20 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %r = pcf.read_slice %a[0, 0] [%s, 40] [1, 1] : !A to tensor<?x40xf32>
    %e = tensor.empty(%s) : tensor<?x40xf32>
    %x = linalg.exp ins(%r : tensor<?x40xf32>) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
    %f = tensor.empty() : tensor<40xf32>
    %g = linalg.fill ins(%z : f32) outs(%f : tensor<40xf32>) -> tensor<40xf32>
    %h = linalg.reduce { arith.addf } ins(%x : tensor<?x40xf32>) outs(%g : tensor<40xf32>) dimensions = [0]
    pcf.write_slice %x into %a[40, 0] [%s, 40] [1, 1] : tensor<?x40xf32> into !A
    pcf.write_slice %h into %o[0] [40] [1] : tensor<40xf32> into !O
    pcf.return
  }
  return
}

// What control flow hands on has one bound: the largest of what comes, of slices the memory's.
// CHECK-LABEL: @handed_on
// CHECK: scf.if %{{.*}} -> (tensor<112x40xf32>) {
// CHECK: tensor.pad {{.*}} high[
// CHECK: to tensor<112x40xf32>
// CHECK: } else {
// CHECK: tensor.pad
// CHECK: to tensor<112x40xf32>
// CHECK: scf.for {{.*}} -> (tensor<112x40xf32>) {
// CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<112x40xf32>
func.func @handed_on(%a: !A, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %s = arith.minui %n, %c8 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %r = scf.if %c -> tensor<?x40xf32> {
      %x = pcf.read_slice %a[0, 0] [%s, 40] [1, 1] : !A to tensor<?x40xf32>
      scf.yield %x : tensor<?x40xf32>
    } else {
      %y = pcf.read_slice %a[0, 0] [%n, 40] [1, 1] : !A to tensor<?x40xf32>
      scf.yield %y : tensor<?x40xf32>
    }
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %r) -> (tensor<?x40xf32>) {
      %y = arith.addf %x, %x : tensor<?x40xf32>
      scf.yield %y : tensor<?x40xf32>
    }
    pcf.write_slice %l into %a[0, 0] [%s, 40] [1, 1] : tensor<?x40xf32> into !A
    pcf.return
  }
  return
}

// A bound is a multiple of what an instruction takes; a product of what is padded with zeros needs no mask,
// one of what is computed of it does.
// CHECK-LABEL: @product
// CHECK: %[[L:.*]] = tensor.pad
// CHECK: to tensor<16x16xf16>
// CHECK: %[[E:.*]] = linalg.exp
// CHECK: %[[M:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<16x40xf16>)
// CHECK: arith.select
// CHECK: linalg.matmul {{.*}} ins(%[[L]], %[[M]] : tensor<16x16xf16>, tensor<16x40xf16>) outs(%{{.*}} : tensor<16x40xf32>)
#mma = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
!H = !pcf.sref<100x40xf16, #sg>
func.func @product(%a: !H, %b: !A, %n: index, %z: f32) {
  %c5 = arith.constant 5 : index
  %s = arith.minui %n, %c5 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %l = pcf.read_slice %a[0, 0] [%s, %s] [1, 1] : !H to tensor<?x?xf16>
    %r = pcf.read_slice %a[0, 0] [%s, 40] [1, 1] : !H to tensor<?x40xf16>
    %e = tensor.empty(%s) : tensor<?x40xf16>
    %x = linalg.exp ins(%r : tensor<?x40xf16>) outs(%e : tensor<?x40xf16>) -> tensor<?x40xf16>
    %f = tensor.empty(%s) : tensor<?x40xf32>
    %g = linalg.fill ins(%z : f32) outs(%f : tensor<?x40xf32>) -> tensor<?x40xf32>
    %m = linalg.matmul {lowering_config = #mma} ins(%l, %x : tensor<?x?xf16>, tensor<?x40xf16>) outs(%g : tensor<?x40xf32>) -> tensor<?x40xf32>
    pcf.write_slice %m into %b[0, 0] [%s, 40] [1, 1] : tensor<?x40xf32> into !A
    pcf.return
  }
  return
}

// Reshapes along extents of 1, casts, corners and padding keep or cut what there is; an extent is the
// number that it was made with.
// CHECK-LABEL: @reshaped
// CHECK: pcf.shared_executor
// CHECK-NOT: tensor.dim
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : tensor<1x8x40xf32> into tensor<8x40xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]] output_shape [8, 40, 1] : tensor<8x40xf32> into tensor<8x40x1xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [4, 40] [1, 1] : tensor<8x40xf32> to tensor<4x40xf32>
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[%[[N:.*]], 0] [4, 40]
// CHECK: linalg.generic
// CHECK: arith.cmpi slt
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[0, 0] [8, 40]
func.func @reshaped(%a: !A, %n: index, %z: f32) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %s = arith.minui %n, %c7 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %r = pcf.read_slice %a[0, 0] [%s, 40] [1, 1] : !A to tensor<?x40xf32>
    %w = tensor.expand_shape %r [[0, 1], [2]] output_shape [1, %s, 40] : tensor<?x40xf32> into tensor<1x?x40xf32>
    %x = arith.addf %w, %w : tensor<1x?x40xf32>
    %y = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x?x40xf32> into tensor<?x40xf32>
    %v = tensor.expand_shape %y [[0], [1, 2]] output_shape [%s, 40, 1] : tensor<?x40xf32> into tensor<?x40x1xf32>
    %u = tensor.collapse_shape %v [[0], [1, 2]] : tensor<?x40x1xf32> into tensor<?x40xf32>
    %d = tensor.dim %u, %c0 : tensor<?x40xf32>
    %c = tensor.extract_slice %u[0, 0] [4, 40] [1, 1] : tensor<?x40xf32> to tensor<4x40xf32>
    pcf.write_slice %c into %a[%d, 0] [4, 40] [1, 1] : tensor<4x40xf32> into !A
    %h = arith.subi %c8, %s : index
    %p = tensor.pad %u low[0, 0] high[%h, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %z : f32
    } : tensor<?x40xf32> to tensor<8x40xf32>
    pcf.write_slice %p into %a[0, 0] [8, 40] [1, 1] : tensor<8x40xf32> into !A
    pcf.return
  }
  return
}
