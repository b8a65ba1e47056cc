// RUN: distaff-opt %s --pcf-ping-pong-barriers | FileCheck %s

// PCF-143: a product is between two barriers of its own.

#sg = #iree_gpu.subgroup_scope
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
!TG = !pcf.threadgroup<#sg>

// What extends its operands stands with the product; what is behind the product
// is before the next step's, so a barrier stands between them.
// CHECK-LABEL: func.func @turns
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: %[[A:.*]] = vector.transfer_read
// CHECK-NEXT: %[[B:.*]] = vector.transfer_read
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT: %[[AE:.*]] = arith.extf %[[A]]
// CHECK-NEXT: %[[BE:.*]] = arith.extf %[[B]]
// CHECK-NEXT: %[[P:.*]] = vector.contract {{.*}} %[[AE]], %[[BE]]
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT: math.exp2 %[[P]]
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT: scf.yield
func.func @turns(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %out: memref<16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %h = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<16x16xf32>
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %t = %c0 to %c2 step %c1 {
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %z) -> (vector<16x16xf32>) {
        %l = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
        %le = arith.extf %l : vector<16x16xf16> to vector<16x16xf32>
        %m = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
        %me = arith.extf %m : vector<16x16xf16> to vector<16x16xf32>
        %p = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %le, %me, %x : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
        %e = math.exp2 %p : vector<16x16xf32>
        scf.yield %e : vector<16x16xf32>
      }
      vector.transfer_write %r, %out[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
    }
    pcf.return
  }
  return
}

// So does what is computed from what the step reads, which a phase an iteration
// ahead may only move; not what is computed from a product. Nothing is behind
// the last product, and no barrier.
// CHECK-LABEL: func.func @computed_operands
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: %[[A:.*]] = vector.transfer_read
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[A]]
// CHECK-NEXT: %[[T:.*]] = math.absf %[[S]]
// CHECK-NEXT: %[[P:.*]] = vector.contract {{.*}} %[[T]]
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[P]]
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT: vector.contract {{.*}} %[[Q]]
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT: scf.yield
func.func @computed_operands(%a: memref<16x16xf32>, %b: vector<16x16xf32>, %out: memref<16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %f = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16x16xf32>
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %t = %c0 to %c2 step %c1 {
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %z) -> (vector<16x16xf32>) {
        %l = vector.transfer_read %a[%c0, %c0], %f {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
        %s = arith.mulf %l, %l : vector<16x16xf32>
        %t0 = math.absf %s : vector<16x16xf32>
        %p = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %t0, %b, %z : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
        %q = arith.mulf %p, %b : vector<16x16xf32>
        %o = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %q, %b, %x : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
        scf.yield %o : vector<16x16xf32>
      }
      vector.transfer_write %r, %out[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
    }
    pcf.return
  }
  return
}

// PCF-215: a conversion of what the step has before its last product stands in front of that product, in the phase before
// it; one of the product's own result stays behind the last barrier.
#before = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 2], element_tile = [1, 8], subgroup_strides = [0, 0], thread_strides = [2, 1]>
// CHECK-LABEL: func.func @converted_sums
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}})
// CHECK-NEXT: %[[E:.*]] = math.exp2 %[[Y]]
// CHECK-NEXT: %[[C:.*]] = iree_vector_ext.to_layout %[[E]]
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT: %[[P:.*]] = vector.contract
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT: %[[Q:.*]] = iree_vector_ext.to_layout %[[P]]
// CHECK-NEXT: scf.yield %[[Q]], %[[C]]
func.func @converted_sums(%b: vector<16x16xf32>, %out: memref<16x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant dense<0.0> : vector<16x16xf32>
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %t = %c0 to %c2 step %c1 {
      %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%x = %z, %y = %z) -> (vector<16x16xf32>, vector<16x16xf32>) {
        %e = math.exp2 %y : vector<16x16xf32>
        %p = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %b, %b, %x : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
        %q = iree_vector_ext.to_layout %p to layout(#before) : vector<16x16xf32>
        %c = iree_vector_ext.to_layout %e to layout(#before) : vector<16x16xf32>
        scf.yield %q, %c : vector<16x16xf32>, vector<16x16xf32>
      }
      vector.transfer_write %r#0, %out[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
      vector.transfer_write %r#1, %out[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
    }
    pcf.return
  }
  return
}
