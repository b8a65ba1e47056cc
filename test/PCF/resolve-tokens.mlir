// RUN: distaff-opt %s --pcf-resolve-tokens --load-dialect-plugin=%test_sync --split-input-file | FileCheck %s --implicit-check-not='test_sync.counters' --implicit-check-not=unrealized

#sg = #iree_gpu.subgroup_scope

// PCF-49: the owner of a ref that is synchronized on return synchronizes; only
// its type changes.
// CHECK-LABEL: @sync_on_return
func.func @sync_on_return(%init: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: pcf.generic sync true scope(#iree_gpu.subgroup_scope) execute(%[[O:.*]] = %{{.*}})[%{{.*}}: index, %{{.*}}: index] : ([[REF:.*]]) -> (tensor<8xf32>)
  // CHECK-NEXT: pcf.read_slice %[[O]][0] [8] [1] : [[REF]] to tensor<8xf32>
  // CHECK-NEXT: pcf.write_slice %{{.*}} into %[[O]][0] [8] [1] : tensor<8xf32> into [[REF]]
  %r = pcf.generic scope(#sg) execute(%o = %init)[%id: index, %n: index] : (!pcf.sref<8xf32, sync(#sg)>) -> (tensor<8xf32>) {
    %v = pcf.read_slice %o[0] [8] [1] : !pcf.sref<8xf32, sync(#sg)> to tensor<8xf32>
    pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !pcf.sref<8xf32, sync(#sg)>
    pcf.return
  }
  return %r : tensor<8xf32>
}

// An owner that has no ref, one whose ref is only read, and one whose ref nobody
// synchronizes stay as they are; what wants it has it already.
// CHECK-LABEL: @nothing_to_synchronize
func.func @nothing_to_synchronize(%m: memref<8xf32>, %n: index) {
  // CHECK: pcf.loop scope(
  pcf.loop scope(#sg) count(%n) execute[%i: index] {
    pcf.return
  }
  // CHECK: pcf.generic scope(
  pcf.generic scope(#sg) execute(%x <- %m : memref<8xf32>)[] : (!pcf.sref<8xf32, #sg>) {
    pcf.return
  }
  // CHECK: pcf.generic scope(
  %r = pcf.generic scope(#sg) execute(%x = %m)[] : (!pcf.sref<8xf32, #sg>) -> (memref<8xf32>) {
    pcf.return
  }
  // CHECK: pcf.loop sync true scope(
  pcf.loop sync true scope(#sg) count(%n) execute[%i: index] {
    pcf.return
  }
  return
}

// CHECK-LABEL: @every_owner
func.func @every_owner(%m: memref<8xf32>, %n: index) {
  // CHECK: pcf.loop sync true
  %l = pcf.loop scope(#sg) count(%n) execute(%x <- %m : memref<8xf32>, %y = %m)[%i: index] : (!pcf.sref<8xf32, #sg>, !pcf.sref<8xf32, sync(#sg)>) -> (memref<8xf32>) {
    pcf.return
  }
  // CHECK: pcf.shared_executor sync true
  // CHECK-SAME: execute(%[[Y:.*]] = %{{.*}})[
  %e = pcf.shared_executor scope(#sg) execute(%y = %m)[%tg: !pcf.threadgroup<#sg>] : (!pcf.sref<8xf32, sync(#sg)>) -> (memref<8xf32>) {
    pcf.shared_executor.run_thread(%tg)[] () [%t: index] {
      // CHECK: pcf.get_memref %[[Y]][%{{.*}}] [1] [1] : !sref_8xf32_subgroup to
      %s = pcf.get_memref %y[%t] [1] [1] : !pcf.sref<8xf32, sync(#sg)> to memref<1xf32, strided<[?], offset: ?>>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg>)
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
!R = !pcf.sref<8xf32, #seq, #test_sync.counters<2>>

// PCF-49: values are made where the ref is, go where it goes, and are told of
// every write.
// CHECK-LABEL: @loops
func.func @loops(%v: vector<8xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[A:.*]] = pcf.alloc() : [[REF:.*]]
  // CHECK-NEXT: %[[A1:.*]] = shape.const_size 7
  // CHECK-NEXT: %[[A2:.*]] = shape.const_size 7
  %a = pcf.alloc() : !R
  // CHECK: %[[F:.*]]:3 = scf.for {{.*}} iter_args(%[[X:.*]] = %[[A]], %[[X1:.*]] = %[[A1]], %[[X2:.*]] = %[[A2]]) -> ([[REF]], !shape.size, !shape.size)
  %f = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (!R) {
    // CHECK-NEXT: pcf.write_slice %{{.*}} into %[[X]][0] [8] [1] : vector<8xf32> into [[REF]]
    // CHECK-NEXT: "test_sync.wrote"(%[[X1]], %[[X2]])
    pcf.write_slice %v into %x[0] [8] [1] : vector<8xf32> into !R
    // CHECK-NEXT: scf.yield %[[X]], %[[X1]], %[[X2]]
    scf.yield %x : !R
  }
  // CHECK: %[[W:.*]]:3 = scf.while (%[[B:.*]] = %[[F]]#0, %[[B1:.*]] = %[[F]]#1, %[[B2:.*]] = %[[F]]#2)
  %w = scf.while (%x = %f) : (!R) -> !R {
    // CHECK: scf.condition(%{{.*}}) %[[B]], %[[B1]], %[[B2]]
    scf.condition(%c) %x : !R
  } do {
  // CHECK: ^bb0(%[[D:.*]]: [[REF]], %[[D1:.*]]: !shape.size, %[[D2:.*]]: !shape.size)
  ^bb0(%x: !R):
    // CHECK: scf.yield %[[D]], %[[D1]], %[[D2]]
    scf.yield %x : !R
  }
  // CHECK: pcf.read_slice %[[W]]#0
  %r = pcf.read_slice %w[0] [8] [1] : !R to vector<8xf32>
  "test_sync.use"(%r) : (vector<8xf32>) -> ()
  return
}

// CHECK-LABEL: @branches
func.func @branches(%v: vector<8xf32>, %n: index, %c: i1) {
  // CHECK: %[[A:.*]] = pcf.alloc
  // CHECK: %[[B:.*]] = pcf.alloc
  // CHECK-NEXT: %[[B1:.*]] = shape.const_size 7
  %a = pcf.alloc() : !R
  %b = pcf.alloc() : !R
  // CHECK: %[[I:.*]]:3 = scf.if
  %i = scf.if %c -> (!R) {
    // CHECK-NEXT: scf.yield %[[A]], %
    scf.yield %a : !R
  } else {
    // CHECK: scf.yield %[[B]], %[[B1]]
    scf.yield %b : !R
  }
  // CHECK: %[[S:.*]]:3 = scf.index_switch
  %s = scf.index_switch %n -> !R
  case 1 {
    // CHECK: scf.yield %[[I]]#0, %[[I]]#1, %[[I]]#2
    scf.yield %i : !R
  }
  default {
    scf.yield %b : !R
  }
  // CHECK: %[[X:.*]]:3 = scf.execute_region -> (!sref_8xf32_sequential, !shape.size, !shape.size)
  %x = scf.execute_region -> !R {
    // CHECK: cf.cond_br %{{.*}}, ^[[L:.*]](%[[S]]#0, %[[S]]#1, %[[S]]#2 :
    cf.cond_br %c, ^left(%s : !R), ^right
  // CHECK: ^[[L]](%[[P:.*]]: !sref_8xf32_sequential, %[[P1:.*]]: !shape.size, %[[P2:.*]]: !shape.size):
  // CHECK-NEXT: scf.yield %[[P]], %[[P1]], %[[P2]]
  ^left(%p: !R):
    scf.yield %p : !R
  ^right:
    scf.yield %b : !R
  }
  // CHECK: arith.select %[[C:.*]], %[[X]]#0, %[[A]]
  // CHECK-NEXT: %[[Q1:.*]] = arith.select %[[C]], %[[X]]#1, %
  // CHECK-NEXT: %[[Q2:.*]] = arith.select %[[C]], %[[X]]#2, %
  %q = arith.select %c, %x, %a : !R
  // A forall passes only tensors on; refs are captured.
  // CHECK: scf.forall
  scf.forall (%k) in (4) {
    // CHECK: "test_sync.wrote"(%[[Q1]], %[[Q2]])
    pcf.write_slice %v into %q[%k] [%k] [1] : vector<8xf32> into !R
  }
  return
}

// Public functions too; a result that is a call's argument again.
// CHECK-LABEL: func.func @callee(
// CHECK-SAME: %{{.*}}: !sref_8xf32_sequential, %{{.*}}: !shape.size, %{{.*}}: !shape.size, %{{.*}}: i1) -> (!sref_8xf32_sequential, !shape.size, !shape.size)
func.func @callee(%r: !R, %c: i1) -> !R {
  // CHECK: cf.br ^{{.*}}(%{{.*}}, %{{.*}}, %{{.*}} : !sref_8xf32_sequential, !shape.size, !shape.size)
  cf.br ^end(%r : !R)
^end(%x: !R):
  // CHECK: return %{{.*}}, %{{.*}}, %{{.*}} : !sref_8xf32_sequential, !shape.size, !shape.size
  return %x : !R
}
// CHECK: func.func private @declared(!sref_8xf32_sequential, !shape.size, !shape.size)
func.func private @declared(!R)
// CHECK-LABEL: @caller
func.func @caller(%c: i1) {
  %a = pcf.alloc() : !R
  // CHECK: call @callee(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!sref_8xf32_sequential, !shape.size, !shape.size, i1) -> (!sref_8xf32_sequential, !shape.size, !shape.size)
  %r = func.call @callee(%a, %c) : (!R, i1) -> !R
  // CHECK: call @declared(
  func.call @declared(%r) : (!R) -> ()
  return
}

// PCF-48: leading arguments and blocks of a body, views, barrier and fence.
// CHECK-LABEL: @body
func.func @body(%v: vector<1x4xf32>, %c: i1) {
  // CHECK: pcf.generic scope(
  pcf.generic scope(#seq)
    initialize {
      // CHECK: pcf.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : index, !sref_8xf32_sequential, !shape.size, !shape.size
      %n = arith.constant 3 : index
      %b = pcf.alloc() : !R
      pcf.yield %n, %b : index, !R
    // CHECK: } -> (%{{.*}}: index, %[[B:.*]]: !sref_8xf32_sequential, %[[B1:.*]]: !shape.size, %[[B2:.*]]: !shape.size)
    // CHECK-SAME: execute[%{{.*}}: index, %{{.*}}: index] {
    } -> (%m: index, %buf: !R)
    execute[%id: index, %count: index] {
    // CHECK: pcf.br.cond_return %{{.*}} ^{{.*}}(%[[B]], %[[B1]], %[[B2]] : !sref_8xf32_sequential, !shape.size, !shape.size)
    pcf.br.cond_return %c ^next(%buf : !R)
  // CHECK: ^{{.*}}(%[[X:.*]]: !sref_8xf32_sequential, %[[X1:.*]]: !shape.size, %[[X2:.*]]: !shape.size):
  ^next(%x: !R):
    // CHECK: %[[T:.*]] = pcf.expand_shape %[[X]] {{.*}} : !sref_8xf32_sequential into !sref_2x4xf32_sequential
    %t = pcf.expand_shape %x [[0, 1]] : !R into !pcf.sref<2x4xf32, #seq, #test_sync.counters<2>>
    // CHECK: %[[S:.*]] = pcf.subview %[[T]]{{.*}} : !sref_2x4xf32_sequential to !sref_1x4xf32_sequential
    %s = pcf.subview %t[1, 0] [1, 4] [1, 1] : !pcf.sref<2x4xf32, #seq, #test_sync.counters<2>> to !pcf.sref<1x4xf32, #seq, #test_sync.counters<2>>
    // CHECK-NEXT: pcf.write_slice %{{.*}} into %[[S]]
    // CHECK-NEXT: "test_sync.wrote"(%[[X1]], %[[X2]])
    pcf.write_slice %v into %s[0, 0] [1, 4] [1, 1] : vector<1x4xf32> into !pcf.sref<1x4xf32, #seq, #test_sync.counters<2>>
    // CHECK-NEXT: pcf.barrier(#pcf.sequential) fence(%[[X]], %[[S]])
    pcf.barrier(#seq) fence(%x, %s) : !R, !pcf.sref<1x4xf32, #seq, #test_sync.counters<2>>
    // CHECK-NEXT: pcf.fence release %[[X]]
    pcf.fence release %x : !R
    pcf.return
  }
  return
}

// An attribute that stands for no value is asked for none, and told of writes.
// CHECK-LABEL: @no_values
func.func @no_values(%v: vector<8xf32>) {
  // CHECK: %[[A:.*]] = pcf.alloc
  // CHECK-NEXT: pcf.write_slice
  // CHECK-NEXT: "test_sync.wrote"()
  %a = pcf.alloc() : !pcf.sref<8xf32, #seq, #test_sync.counters<0>>
  pcf.write_slice %v into %a[0] [8] [1] : vector<8xf32> into !pcf.sref<8xf32, #seq, #test_sync.counters<0>>
  return
}
