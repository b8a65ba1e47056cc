// RUN: distaff-opt %s -allow-unregistered-dialect > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --mlir-print-op-generic | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --emit-bytecode | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: FileCheck %s < %t.once

// Ops that own refs, with all their optional parts and with none (PCF-14).

!ref = !pcf.sref<8xf32, #pcf.sequential>
!sync = !pcf.sref<8xf32, sync(#pcf.sequential)>

// CHECK-LABEL: @nothing_but_a_body
// CHECK-NEXT: pcf.generic scope(#pcf.sequential) execute[] {
// CHECK-NEXT:   pcf.return
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: pcf.loop scope(#pcf.sequential) count(%{{.*}}) execute[%{{.*}}: index] {
// CHECK-NEXT:   pcf.return
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: pcf.shared_executor scope(#pcf.sequential) execute[%{{.*}}: !sequential_tg] {
// CHECK-NEXT:   pcf.return
// CHECK-NEXT: }{{$}}
func.func @nothing_but_a_body(%n: index) {
  pcf.generic scope(#pcf.sequential) execute[] {
    pcf.return
  }
  pcf.loop sync false scope(#pcf.sequential) count(%n) execute()[%i: index] : () -> () {
    pcf.return
  }
  pcf.shared_executor scope(#pcf.sequential) execute[%tg: !pcf.threadgroup<#pcf.sequential>] {
    pcf.return
  }
  return
}

// PCF-20: a readonly ref prints its source's type, in its place among tied and
// untied refs.
// CHECK-LABEL: @all_parts_of_generic
// CHECK-SAME: %[[IN:.*]]: tensor<8xf32>, %[[BUFFER:.*]]: memref<8xf32, strided<[2], offset: 3>, 1>, %[[INIT:.*]]: tensor<8xf32>, %[[M:.*]]: memref<8xf32, 2>, %[[A:.*]]: index, %[[B:.*]]: index
// CHECK: %{{.*}}:4 = pcf.generic sync true scope(#pcf.sequential) initialize {
// CHECK:   %[[ALLOC:.*]] = pcf.alloc() : !sref_8xf32_sequential
// CHECK:   pcf.yield %[[ALLOC]], %{{.*}} : !sref_8xf32_sequential, i32
// CHECK: } -> (%{{.*}}: !sref_8xf32_sequential, %{{.*}}: i32) execute(%ref = %[[INIT]], %ref_{{.*}} <- %[[BUFFER]] : memref<8xf32, strided<[2], offset: 3>, 1>, %ref_{{[0-9]+}}, %ref_{{[0-9]+}} <- %[[IN]] : tensor<8xf32>, %ref_{{[0-9]+}} = %[[M]], %ref_{{[0-9]+}})
// CHECK-SAME: [%id: index, %id_{{[0-9]+}}: index, %count: index, %count_{{[0-9]+}}: index]
// CHECK-SAME: : (!sref_8xf32_sync_sequential, !sref_8xf32_sequential, !sref_Dx4xDxf32_sequential, !sref_8xf32_sequential, !sref_8xf32_sequential, !sref_4xf32_sequential)
// CHECK-SAME: -> (tensor<8xf32>, tensor<?x4x?xf32>{%[[A]], %[[B]]}, memref<8xf32, 2>, memref<4xf32>) {
// CHECK: } {after.body = 1 : i64}
func.func @all_parts_of_generic(%in: tensor<8xf32>, %buffer: memref<8xf32, strided<[2], offset: 3>, 1>, %init: tensor<8xf32>, %m: memref<8xf32, 2>, %a: index, %b: index) {
  %r:4 = pcf.generic sync true scope(#pcf.sequential)
    initialize {
      %buf = pcf.alloc() : !ref
      %one = arith.constant 1 : i32
      pcf.yield %buf, %one : !ref, i32
    } -> (%buf: !ref, %one: i32)
    execute(%t = %init, %ro <- %buffer : memref<8xf32, strided<[2], offset: 3>, 1>, %u, %ro2 <- %in : tensor<8xf32>, %tm = %m, %um)[%i: index, %j: index, %ni: index, %nj: index]
    : (!sync, !ref, !pcf.sref<?x4x?xf32, #pcf.sequential>, !ref, !ref, !pcf.sref<4xf32, #pcf.sequential>)
    -> (tensor<8xf32>, tensor<?x4x?xf32>{%a, %b}, memref<8xf32, 2>, memref<4xf32>) {
    "test.use"(%buf, %one, %i, %j, %ni, %nj) : (!ref, i32, index, index, index, index) -> ()
    pcf.return
  } {after.body = 1}
  return
}

// One value may be the init of several refs, of tensors and memrefs alike; the
// ids of a loop are as many as its counts.
// CHECK-LABEL: @all_parts_of_loop
// CHECK: %{{.*}}:3 = pcf.loop sync true scope(#pcf.sequential) count(%[[N:.*]], %[[K:.*]]) execute(%ref = %[[INIT:.*]], %ref_{{[0-9]+}} <- %[[INIT]] : tensor<8xf32>, %ref_{{[0-9]+}} = %[[INIT]], %ref_{{[0-9]+}})[%id: index, %id_{{[0-9]+}}: index]
// CHECK-SAME: -> (tensor<8xf32>, tensor<8xf32>, tensor<?xf32>{%[[K]]}) {
// CHECK: } {x}
func.func @all_parts_of_loop(%init: tensor<8xf32>, %n: index, %k: index) {
  %r:3 = pcf.loop sync true scope(#pcf.sequential) count(%n, %k)
    execute(%a = %init, %ro <- %init : tensor<8xf32>, %b = %init, %u)[%i: index, %j: index]
    : (!sync, !ref, !ref, !pcf.sref<?xf32, #pcf.sequential>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<?xf32>{%k}) {
    pcf.return
  } {x}
  return
}

// PCF-31: an executor takes an initializer, all kinds of refs and captures.
// CHECK-LABEL: @all_parts_of_shared_executor
// CHECK: %{{.*}}:2 = pcf.shared_executor sync true scope(#iree_gpu.subgroup_scope) initialize {
// CHECK:   pcf.yield %{{.*}} : index
// CHECK: } -> (%[[LEAD:.*]]: index) execute(%ref, %ref_{{[0-9]+}} <- %{{.*}} : tensor<8xf32>, %ref_{{[0-9]+}} = %{{.*}})[%tg: !subgroup_tg]
// CHECK-SAME: -> (tensor<?xf32>{%{{.*}}}, tensor<8xf32>) {
// CHECK:   pcf.read_slice %[[CAPTURED:arg.*]][0] [8] [1] : !sref_8xf32_sequential to vector<8xf32>
func.func @all_parts_of_shared_executor(%arg: !ref, %init: tensor<8xf32>, %k: index) {
  %r:2 = pcf.shared_executor sync true scope(#iree_gpu.subgroup_scope)
    initialize {
      %c = arith.constant 3 : index
      pcf.yield %c : index
    } -> (%c: index)
    execute(%u, %ro <- %init : tensor<8xf32>, %t = %init)[%group: !pcf.threadgroup<#iree_gpu.subgroup_scope>]
    : (!pcf.sref<?xf32, #iree_gpu.subgroup_scope>, !pcf.sref<8xf32, #iree_gpu.subgroup_scope>, !pcf.sref<8xf32, sync(#iree_gpu.subgroup_scope)>)
    -> (tensor<?xf32>{%k}, tensor<8xf32>) {
    %v = pcf.read_slice %arg[0] [8] [1] : !ref to vector<8xf32>
    "test.use"(%v, %c) : (vector<8xf32>, index) -> ()
    pcf.return
  }
  return
}

// CHECK-LABEL: @an_initializer_may_yield_nothing
// CHECK: pcf.generic scope(#pcf.sequential) initialize {
// CHECK-NEXT:   pcf.yield
// CHECK-NEXT: } -> () execute[] {
func.func @an_initializer_may_yield_nothing() {
  pcf.generic scope(#pcf.sequential) initialize { pcf.yield } -> () execute[] { pcf.return }
  return
}

// CHECK-LABEL: @a_body_of_several_blocks
// CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2
// CHECK: cf.br ^bb2
// CHECK: pcf.br.cond_return %{{.*}} ^bb3(%{{.*}}, %{{.*}} : index, i1) {x}
// CHECK: ^bb3(%{{.*}}: index, %{{.*}}: i1):
// CHECK: pcf.return {y}
func.func @a_body_of_several_blocks(%c: i1) {
  pcf.generic scope(#iree_gpu.lane_scope) execute[%i: index, %n: index] {
    cf.cond_br %c, ^a, ^b
  ^a:
    cf.br ^b
  ^b:
    pcf.br.cond_return %c ^c(%i, %c : index, i1) {x}
  ^c(%j: index, %d: i1):
    pcf.return {y}
  }
  return
}

// PCF-21: a ref of another scope, and of an outer op of the same scope, is
// captured as it is.
// CHECK-LABEL: @refs_are_captured
func.func @refs_are_captured(%init: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %r = pcf.generic scope(#iree_gpu.subgroup_scope) execute(%o = %init)[%w: index, %nw: index]
    : (!pcf.sref<8xf32, sync(#iree_gpu.subgroup_scope)>) -> (tensor<8xf32>) {
    pcf.loop scope(#iree_gpu.lane_scope) count(%n) execute[%i: index] {
      %v = pcf.read_slice %o[%i] [1] [1] : !pcf.sref<8xf32, sync(#iree_gpu.subgroup_scope)> to vector<1xf32>
      pcf.write_slice %v into %o[%i] [1] [1] : vector<1xf32> into !pcf.sref<8xf32, sync(#iree_gpu.subgroup_scope)>
      pcf.return
    }
    pcf.return
  }
  return %r : tensor<8xf32>
}

// PCF-16: memory of a function that no op with a scope encloses.
// CHECK-LABEL: @alloc_in_a_function
// CHECK-NEXT: pcf.alloc(%{{.*}}, %{{.*}}) {x} : !sref_Dx4xDxf16_subgroup
func.func @alloc_in_a_function(%a: index, %b: index) -> !pcf.sref<?x4x?xf16, #iree_gpu.subgroup_scope> {
  %r = pcf.alloc(%a, %b) {x} : !pcf.sref<?x4x?xf16, #iree_gpu.subgroup_scope>
  return %r : !pcf.sref<?x4x?xf16, #iree_gpu.subgroup_scope>
}

// PCF-16: the initializer of an op inside another one that has a scope too.
// CHECK-LABEL: @alloc_in_a_nested_initializer
func.func @alloc_in_a_nested_initializer() {
  pcf.generic scope(#iree_gpu.subgroup_scope) execute[%w: index, %nw: index] {
    pcf.generic scope(#pcf.sequential) initialize {
      %b = pcf.alloc() : !ref
      pcf.yield %b : !ref
    } -> (%b: !ref) execute[] {
      "test.use"(%b) : (!ref) -> ()
      pcf.return
    }
    pcf.return
  }
  return
}

// What users add is kept, also under the names of properties.
// CHECK-LABEL: @attributes_of_any_name
// CHECK: } {num_index_args = "x", num_leading_args = 7 : i64, sync_on_return}
// CHECK: } {sync_on_return = 1 : i64}
// CHECK: } {num_leading_args = -1 : i64}
func.func @attributes_of_any_name(%n: index) {
  pcf.generic scope(#pcf.sequential) execute[] {
    pcf.return
  } {num_leading_args = 7, num_index_args = "x", sync_on_return}
  pcf.loop scope(#pcf.sequential) count(%n) execute[%i: index] {
    pcf.return
  } {sync_on_return = 1}
  pcf.shared_executor scope(#pcf.sequential) execute[%tg: !pcf.threadgroup<#pcf.sequential>] {
    pcf.return
  } {num_leading_args = -1}
  return
}
