// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-drop-unused-results -split-input-file | FileCheck %s

#seq = #pcf.sequential
!sref = !pcf.sref<8xf32, sync(#seq)>

// PCF-47: the other results keep their refs, readonly ones included.
// CHECK-LABEL: func @a_result_goes_with_its_writes
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>, %[[C:.*]]: tensor<8xf32>, %[[N:.*]]: index)
// CHECK: %[[R:.*]]:2 = pcf.generic scope(#pcf.sequential) execute(%[[X:.*]] <- %[[C]] : tensor<8xf32>, %[[Q:.*]] = %[[B]], %[[U:.*]])[
// CHECK-SAME: -> (tensor<8xf32>, tensor<?xf32>{%[[N]]})
// CHECK-NEXT: %[[V:.*]] = pcf.read_slice %[[X]]
// CHECK-NEXT: pcf.write_slice %[[V]] into %[[Q]]
// CHECK-NEXT: pcf.write_slice %[[V]] into %[[U]]
// CHECK-NEXT: pcf.return
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @a_result_goes_with_its_writes(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<?xf32>) {
  %r:4 = pcf.generic scope(#seq) execute(%p = %a, %x <- %c : tensor<8xf32>, %q = %b, %z, %u)[%id: index, %w: index]
    : (!sref, !pcf.sref<8xf32, #seq>, !sref, !pcf.sref<?xf32, sync(#seq)>, !pcf.sref<?xf32, sync(#seq)>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<?xf32>{%n}, tensor<?xf32>{%n}) {
    %v = pcf.read_slice %x[0] [8] [1] : !pcf.sref<8xf32, #seq> to tensor<8xf32>
    pcf.write_slice %v into %p[0] [8] [1] : tensor<8xf32> into !sref
    pcf.write_slice %v into %q[0] [8] [1] : tensor<8xf32> into !sref
    pcf.write_slice %v into %z[0] [8] [1] : tensor<8xf32> into !pcf.sref<?xf32, sync(#seq)>
    pcf.write_slice %v into %u[0] [8] [1] : tensor<8xf32> into !pcf.sref<?xf32, sync(#seq)>
    pcf.return
  }
  return %r#1, %r#3 : tensor<8xf32>, tensor<?xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<8xf32, sync(#seq)>

// PCF-47: one op's dead write was another's last use: its result, what made its
// init, and the readonly ref that only it read go too.
// CHECK-LABEL: func @cascades
// CHECK-NEXT: return
func.func @cascades(%a: tensor<8xf32>, %b: tensor<8xf32>, %c8: index) {
  %e = tensor.empty() : tensor<8xf32>
  %inner = pcf.loop scope(#seq) count(%c8) execute(%p = %e)[%i: index] : (!sref) -> (tensor<8xf32>) {
    pcf.write_slice %a into %p[0] [8] [1] : tensor<8xf32> into !sref
    pcf.return
  }
  %outer = pcf.generic scope(#seq) execute(%x <- %inner : tensor<8xf32>, %q = %b)[%id: index, %w: index]
    : (!pcf.sref<8xf32, #seq>, !sref) -> (tensor<8xf32>) {
    %v = pcf.read_slice %x[0] [8] [1] : !pcf.sref<8xf32, #seq> to tensor<8xf32>
    pcf.write_slice %v into %q[0] [8] [1] : tensor<8xf32> into !sref
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<8xf32, sync(#seq)>

// PCF-47: writes through views are writes, in any region of the body.
// CHECK-LABEL: func @writes_through_views
// CHECK: pcf.generic scope(#pcf.sequential) execute[
// CHECK-NOT: pcf.subview
// CHECK-NOT: pcf.write_slice
// CHECK: "test.use"
func.func @writes_through_views(%a: tensor<8xf32>, %t: tensor<2x2xf32>, %c: i1) {
  %r = pcf.generic scope(#seq) execute(%p = %a)[%id: index, %w: index] : (!sref) -> (tensor<8xf32>) {
    scf.if %c {
      %s = pcf.subview %p[4] [4] [1] : !sref to !pcf.sref<4xf32, sync(#seq)>
      %e = pcf.expand_shape %s [[0, 1]] : !pcf.sref<4xf32, sync(#seq)> into !pcf.sref<2x2xf32, sync(#seq)>
      pcf.write_slice %t into %e[0, 0] [2, 2] [1, 1] : tensor<2x2xf32> into !pcf.sref<2x2xf32, sync(#seq)>
      "test.use"(%id) : (index) -> ()
    }
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
!ro = !pcf.sref<8xf32, #seq>
!sref = !pcf.sref<8xf32, sync(#seq)>

// PCF-47: of an op that stays, the readonly refs that nothing reads go too; one
// that is still read does not.
// CHECK-LABEL: func @readonly_refs_without_reads
// CHECK-SAME: (%{{.*}}: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>,
// CHECK: pcf.generic scope(#pcf.sequential) execute(%[[KEPT:[^ ]*]] <- %[[Y]] : tensor<8xf32>)[
// CHECK-NEXT: %[[V:.*]] = pcf.read_slice %[[KEPT]]
// CHECK-NEXT: "test.use"(%[[V]])
// CHECK-NEXT: pcf.return
func.func @readonly_refs_without_reads(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) {
  %r = pcf.generic scope(#seq) execute(%x <- %a : tensor<8xf32>, %y <- %b : tensor<8xf32>, %q = %c)[%id: index, %w: index]
    : (!ro, !ro, !sref) -> (tensor<8xf32>) {
    %v = pcf.read_slice %x[0] [8] [1] : !ro to tensor<8xf32>
    pcf.write_slice %v into %q[0] [8] [1] : tensor<8xf32> into !sref
    %u = pcf.read_slice %y[0] [8] [1] : !ro to tensor<8xf32>
    "test.use"(%u) : (tensor<8xf32>) -> ()
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<8xf32, sync(#seq)>

// PCF-47: a ref that is read, fenced, or passed on keeps its result; so does one
// whose memory others see.
// CHECK-LABEL: func @what_is_seen_stays
// CHECK: pcf.generic {{.*}} execute(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})[
// CHECK-COUNT-4: pcf.write_slice
func.func @what_is_seen_stays(%a: tensor<8xf32>, %m: memref<8xf32>, %v: tensor<8xf32>) {
  %r:4 = pcf.generic scope(#seq) execute(%p = %a, %q = %a, %s = %m, %t = %a)[%id: index, %w: index]
    : (!sref, !sref, !sref, !sref) -> (tensor<8xf32>, tensor<8xf32>, memref<8xf32>, tensor<8xf32>) {
    pcf.write_slice %v into %p[0] [8] [1] : tensor<8xf32> into !sref
    pcf.write_slice %v into %q[0] [8] [1] : tensor<8xf32> into !sref
    pcf.write_slice %v into %s[0] [8] [1] : tensor<8xf32> into !sref
    pcf.write_slice %v into %t[0] [8] [1] : tensor<8xf32> into !sref
    %x = pcf.read_slice %p[0] [8] [1] : !sref to tensor<8xf32>
    "test.use"(%x) : (tensor<8xf32>) -> ()
    pcf.fence release %q : !sref
    "test.use"(%t) : (!sref) -> ()
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!sref = !pcf.sref<8xf32, sync(#sg)>

// PCF-47: initializers, leading arguments, the kind of the op and attributes
// stay as they are.
// CHECK-LABEL: func @the_rest_stays
// CHECK: pcf.generic sync true scope(#iree_gpu.subgroup_scope)
// CHECK-SAME: initialize {
// CHECK: } -> (%[[B:.*]]: !sref_8xf32_subgroup) execute[%[[ID:.*]]: index, %{{.*}}: index] {
// CHECK-NEXT: "test.use"(%[[B]], %[[ID]])
// CHECK: } {tag}
// CHECK: pcf.shared_executor scope(#iree_gpu.subgroup_scope) execute[%[[TG:.*]]: !{{.*}}] {
// CHECK-NEXT: "test.use"(%[[TG]])
func.func @the_rest_stays(%a: tensor<8xf32>, %v: tensor<8xf32>) {
  %r = pcf.generic sync true scope(#sg)
    initialize {
      %b = pcf.alloc() : !pcf.sref<8xf32, #sg>
      pcf.yield %b : !pcf.sref<8xf32, #sg>
    } -> (%buf: !pcf.sref<8xf32, #sg>)
    execute(%p = %a)[%id: index, %w: index] : (!sref) -> (tensor<8xf32>) {
    pcf.write_slice %v into %p[0] [8] [1] : tensor<8xf32> into !sref
    "test.use"(%buf, %id) : (!pcf.sref<8xf32, #sg>, index) -> ()
    pcf.return
  } {tag}
  %s = pcf.shared_executor scope(#sg) execute(%p = %a)[%tg: !pcf.threadgroup<#sg>] : (!sref) -> (tensor<8xf32>) {
    pcf.write_slice %v into %p[0] [8] [1] : tensor<8xf32> into !sref
    "test.use"(%tg) : (!pcf.threadgroup<#sg>) -> ()
    pcf.return
  }
  return
}
