// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file

// Every message of pcf.alloc, pcf.generic and pcf.loop (PCF-15). The generic
// form is used where the custom one is refused earlier, by the parser.

func.func @alloc_sizes(%n: index) {
  // expected-error @+1 {{expected 1 dynamic sizes, got 2}}
  %a = pcf.alloc(%n, %n) : !pcf.sref<?x4xf32, #pcf.sequential>
  return
}

// -----

// PCF-16: one allocation per scope, never one per worker.
func.func @alloc_in_a_body() {
  pcf.generic scope(#pcf.sequential) execute[] {
    // expected-error @+1 {{must be in the 'initialize' region of an op with scope #pcf.sequential}}
    %a = pcf.alloc() : !pcf.sref<4xf32, #pcf.sequential>
    pcf.return
  }
  return
}

// -----

// PCF-16
func.func @alloc_in_a_loop(%n: index) {
  pcf.loop scope(#pcf.sequential) count(%n) execute[%i: index] {
    // expected-error @+1 {{must be in the 'initialize' region of an op with scope #pcf.sequential}}
    %a = pcf.alloc() : !pcf.sref<4xf32, #pcf.sequential>
    pcf.return
  }
  return
}

// -----

// PCF-16
func.func @alloc_for_another_scope() {
  pcf.generic scope(#pcf.sequential) initialize {
    // expected-error @+1 {{must be in the 'initialize' region of an op with scope #iree_gpu.subgroup_scope}}
    %a = pcf.alloc() : !pcf.sref<4xf32, #iree_gpu.subgroup_scope>
    pcf.yield
  } -> () execute[] {
    pcf.return
  }
  return
}

// -----

// PCF-16: the innermost op counts.
func.func @alloc_for_an_outer_scope() {
  pcf.generic scope(#iree_gpu.subgroup_scope) execute[] {
    pcf.generic scope(#pcf.sequential) initialize {
      // expected-error @+1 {{must be in the 'initialize' region of an op with scope #iree_gpu.subgroup_scope}}
      %a = pcf.alloc() : !pcf.sref<4xf32, #iree_gpu.subgroup_scope>
      pcf.yield
    } -> () execute[] {
      pcf.return
    }
    pcf.return
  }
  return
}

// -----

func.func @no_scope() {
  // expected-error @+1 {{scope "sg" does not implement ScopeAttrInterface}}
  pcf.generic scope("sg") execute[] {
    pcf.return
  }
  return
}

// -----

func.func @an_id_without_a_count() {
  // expected-error @+1 {{expected as many counts as ids, got 3 trailing index arguments}}
  pcf.generic scope(#pcf.sequential) execute[%i: index, %j: index, %n: index] {
    pcf.return
  }
  return
}

// -----

func.func @an_id_without_a_count() {
  // expected-error @+1 {{expected as many counts as ids, got 1 trailing index arguments}}
  "pcf.generic"() <{is_readonly = array<i1>, is_tied = array<i1>, num_index_args = 1, operandSegmentSizes = array<i32: 0, 0, 0>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%i: index):
    "pcf.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @narrow_id() {
  // expected-error @+1 {{id and count arguments must have type 'index'}}
  pcf.generic scope(#pcf.sequential) execute[%i: index, %n: i32] {
    pcf.return
  }
  return
}

// -----

func.func @narrow_iteration_id(%n: index) {
  // expected-error @+1 {{id and count arguments must have type 'index'}}
  pcf.loop scope(#pcf.sequential) count(%n) execute[%i: i32] {
    pcf.return
  }
  return
}

// -----

func.func @block_arguments() {
  // expected-error @+1 {{execute block expects 3 arguments (1 leading, 0 refs, 2 ids and counts), got 2}}
  "pcf.generic"() <{is_readonly = array<i1>, is_tied = array<i1>, num_leading_args = 1, num_index_args = 2, operandSegmentSizes = array<i32: 0, 0, 0>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%i: index, %n: index):
    "pcf.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

// What wraps to the number that there are is refused too.
func.func @negative_numbers_of_arguments() {
  // expected-error @+1 {{has a negative number of block arguments: 2 leading, -2 ids and counts}}
  "pcf.generic"() <{is_readonly = array<i1>, is_tied = array<i1>, num_leading_args = 2, num_index_args = -2, operandSegmentSizes = array<i32: 0, 0, 0>, scope = #pcf.sequential}> ({
  }, {
    "pcf.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @huge_numbers_of_arguments() {
  // expected-error @+1 {{execute block expects 18446744073709551614 arguments (9223372036854775807 leading, 1 refs, 9223372036854775806 ids and counts), got 0}}
  %0 = "pcf.generic"() <{is_readonly = array<i1: false>, is_tied = array<i1: false>, num_leading_args = 9223372036854775807, num_index_args = 9223372036854775806, operandSegmentSizes = array<i32: 0, 0, 0>, scope = #pcf.sequential}> ({
  }, {
    "pcf.return"() : () -> ()
  }) : () -> (tensor<4xf32>)
  return
}

// -----

func.func @empty_body() {
  // expected-error @+1 {{'execute' must not be empty}}
  pcf.generic scope(#pcf.sequential) execute[] {
  }
  return
}

// -----

func.func @ref_type(%t: tensor<4xf32>) {
  // expected-error @+1 {{ref #1 must have type '!pcf.sref', got 'memref<4xf32>'}}
  %r:2 = pcf.generic scope(#pcf.sequential) execute(%a = %t, %b = %t)[]
    : (!pcf.sref<4xf32, #pcf.sequential>, memref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    pcf.return
  }
  return
}

// -----

func.func @ref_scope(%t: tensor<4xf32>) {
  // expected-error @+1 {{ref #0 has scope #iree_gpu.lane_scope, expected #pcf.sequential}}
  %r = pcf.generic scope(#pcf.sequential) execute(%a = %t)[]
    : (!pcf.sref<4xf32, #iree_gpu.lane_scope>) -> (tensor<4xf32>) {
    pcf.return
  }
  return
}

// -----

func.func @ref_sync(%t: tensor<4xf32>, %n: index) {
  // expected-error @+1 {{ref #1 may only use '#pcf.sync_on_return'}}
  %r = pcf.loop scope(#pcf.sequential) count(%n) execute(%x <- %t : tensor<4xf32>, %a = %t)[%i: index]
    : (!pcf.sref<4xf32, #pcf.sequential>, !pcf.sref<4xf32, #pcf.sequential, i32>) -> (tensor<4xf32>) {
    pcf.return
  }
  return
}

// -----

func.func @ref_shape(%t: tensor<4xf32>) {
  // expected-error @+1 {{ref #1 does not match the shape and element type of result #0}}
  %r = pcf.generic scope(#pcf.sequential) execute(%x <- %t : tensor<4xf32>, %a = %t)[]
    : (!pcf.sref<4xf32, #pcf.sequential>, !pcf.sref<8xf32, #pcf.sequential>) -> (tensor<4xf32>) {
    pcf.return
  }
  return
}

// -----

func.func @ref_element(%n: index) {
  // expected-error @+1 {{ref #0 does not match the shape and element type of result #0}}
  %r = pcf.generic scope(#pcf.sequential) execute(%a)[]
    : (!pcf.sref<?xf16, #pcf.sequential>) -> (tensor<?xf32>{%n}) {
    pcf.return
  }
  return
}

// -----

// The init is counted among the inits, the result among the results.
func.func @init_type(%t: tensor<4xf32>, %n: index) {
  // expected-error @+1 {{init #0 has type 'tensor<4xf32>', expected the result type 'tensor<5xf32>'}}
  %r:2 = "pcf.generic"(%t) <{is_readonly = array<i1: false, false>, is_tied = array<i1: false, true>, operandSegmentSizes = array<i32: 1, 0, 0>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%a: !pcf.sref<4xf32, #pcf.sequential>, %b: !pcf.sref<5xf32, #pcf.sequential>):
    "pcf.return"() : () -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return
}

// -----

func.func @is_tied() {
  // expected-error @+1 {{'is_tied' has 2 entries for 1 results}}
  %r = "pcf.generic"() <{is_readonly = array<i1: false>, is_tied = array<i1: false, false>, operandSegmentSizes = array<i32: 0, 0, 0>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%a: !pcf.sref<4xf32, #pcf.sequential>):
    "pcf.return"() : () -> ()
  }) : () -> (tensor<4xf32>)
  return
}

// -----

func.func @is_readonly() {
  // expected-error @+1 {{'is_readonly' has 2 entries that are false for 1 results}}
  %r = "pcf.generic"() <{is_readonly = array<i1: false, false>, is_tied = array<i1: false>, operandSegmentSizes = array<i32: 0, 0, 0>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%a: !pcf.sref<4xf32, #pcf.sequential>, %b: !pcf.sref<4xf32, #pcf.sequential>):
    "pcf.return"() : () -> ()
  }) : () -> (tensor<4xf32>)
  return
}

// -----

func.func @too_few_inits() {
  // expected-error @+1 {{has 0 inits for 1 tied results}}
  %r = "pcf.generic"() <{is_readonly = array<i1: false>, is_tied = array<i1: true>, operandSegmentSizes = array<i32: 0, 0, 0>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%a: !pcf.sref<4xf32, #pcf.sequential>):
    "pcf.return"() : () -> ()
  }) : () -> (tensor<4xf32>)
  return
}

// -----

func.func @too_many_sources(%t: tensor<4xf32>) {
  // expected-error @+1 {{has 2 sources for 1 readonly refs}}
  "pcf.generic"(%t, %t) <{is_readonly = array<i1: true>, is_tied = array<i1>, operandSegmentSizes = array<i32: 0, 2, 0>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%a: !pcf.sref<4xf32, #pcf.sequential>):
    "pcf.return"() : () -> ()
  }) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

// -----

// PCF-20
func.func @readonly_shape(%t: tensor<4xf32>, %m: memref<?xf32>) {
  // expected-error @+1 {{readonly ref #1 does not match the shape and element type of its source}}
  pcf.generic scope(#pcf.sequential) execute(%a <- %t : tensor<4xf32>, %b <- %m : memref<?xf32>)[]
    : (!pcf.sref<4xf32, #pcf.sequential>, !pcf.sref<4xf32, #pcf.sequential>) {
    pcf.return
  }
  return
}

// -----

// PCF-20
func.func @readonly_vector(%v: vector<4xf32>) {
  // expected-error @+1 {{readonly ref #0 does not match the shape and element type of its source}}
  pcf.generic scope(#pcf.sequential) execute(%a <- %v : vector<4xf32>)[]
    : (!pcf.sref<4xf32, #pcf.sequential>) {
    pcf.return
  }
  return
}

// -----

// PCF-20
func.func @readonly_sync(%t: tensor<4xf32>) {
  // expected-error @+1 {{readonly ref #0 must not be synchronized}}
  pcf.generic scope(#pcf.sequential) execute(%a <- %t : tensor<4xf32>)[]
    : (!pcf.sref<4xf32, sync(#pcf.sequential)>) {
    pcf.return
  }
  return
}

// -----

func.func @too_few_sizes(%n: index) {
  // expected-error @+2 {{result #1 needs 2 dynamic sizes, got 1}}
  %r:2 = pcf.generic scope(#pcf.sequential) execute(%a, %b)[]
    : (!pcf.sref<?xf32, #pcf.sequential>, !pcf.sref<?x?xf32, #pcf.sequential>) -> (tensor<?xf32>{%n}, tensor<?x?xf32>{%n}) {
    pcf.return
  }
  return
}

// -----

func.func @sizes_of_a_static_result(%n: index) {
  // expected-error @+2 {{result #0 needs 0 dynamic sizes, got 1}}
  %r = pcf.generic scope(#pcf.sequential) execute(%a)[]
    : (!pcf.sref<4xf32, #pcf.sequential>) -> (tensor<4xf32>{%n}) {
    pcf.return
  }
  return
}

// -----

func.func @too_few_sizes_in_all(%n: index) {
  // expected-error @+1 {{result #1 needs 2 dynamic sizes, got 1}}
  %r:2 = "pcf.generic"(%n, %n) <{is_readonly = array<i1: false, false>, is_tied = array<i1: false, false>, operandSegmentSizes = array<i32: 0, 0, 2>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%a: !pcf.sref<?xf32, #pcf.sequential>, %b: !pcf.sref<?x?xf32, #pcf.sequential>):
    "pcf.return"() : () -> ()
  }) : (index, index) -> (tensor<?xf32>, tensor<?x?xf32>)
  return
}

// -----

func.func @too_many_sizes_in_all(%n: index, %t: tensor<4xf32>) {
  // expected-error @+1 {{result #0 needs 1 dynamic sizes, got 2}}
  %r:2 = "pcf.generic"(%t, %n, %n) <{is_readonly = array<i1: false, false>, is_tied = array<i1: false, true>, operandSegmentSizes = array<i32: 1, 0, 2>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%a: !pcf.sref<?xf32, #pcf.sequential>, %b: !pcf.sref<4xf32, #pcf.sequential>):
    "pcf.return"() : () -> ()
  }) : (tensor<4xf32>, index, index) -> (tensor<?xf32>, tensor<4xf32>)
  return
}

// -----

func.func @sizes_of_a_tied_result(%n: index, %t: tensor<?xf32>) {
  // expected-error @+2 {{tied result #0 takes no dynamic sizes}}
  %r = pcf.generic scope(#pcf.sequential) execute(%a = %t)[]
    : (!pcf.sref<?xf32, #pcf.sequential>) -> (tensor<?xf32>{%n}) {
    pcf.return
  }
  return
}

// -----

func.func @sizes_of_tied_results(%n: index, %t: tensor<?xf32>) {
  // expected-error @+1 {{tied result #0 takes no dynamic sizes}}
  %r = "pcf.generic"(%t, %n) <{is_readonly = array<i1: false>, is_tied = array<i1: true>, operandSegmentSizes = array<i32: 1, 0, 1>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%a: !pcf.sref<?xf32, #pcf.sequential>):
    "pcf.return"() : () -> ()
  }) : (tensor<?xf32>, index) -> (tensor<?xf32>)
  return
}

// -----

func.func @result_type(%v: vector<4xf32>) {
  // expected-error @+1 {{result #0 must be a ranked tensor or memref, got 'vector<4xf32>'}}
  %r = pcf.generic scope(#pcf.sequential) execute(%a = %v)[]
    : (!pcf.sref<4xf32, #pcf.sequential>) -> (vector<4xf32>) {
    pcf.return
  }
  return
}

// -----

func.func @unranked_result(%t: tensor<*xf32>, %u: tensor<4xf32>) {
  // expected-error @+1 {{result #1 must be a ranked tensor or memref, got 'tensor<*xf32>'}}
  %r:2 = pcf.generic scope(#pcf.sequential) execute(%a = %u, %b = %t)[]
    : (!pcf.sref<4xf32, #pcf.sequential>, !pcf.sref<f32, #pcf.sequential>) -> (tensor<4xf32>, tensor<*xf32>) {
    pcf.return
  }
  return
}

// -----

func.func @fewer_ref_types(%t: tensor<4xf32>) {
  // expected-error @+2 {{expected 2 ref types, got 1}}
  %r:2 = pcf.generic scope(#pcf.sequential) execute(%a = %t, %b = %t)[]
    : (!pcf.sref<4xf32, #pcf.sequential>) -> (tensor<4xf32>, tensor<4xf32>) {
    pcf.return
  }
  return
}

// -----

func.func @more_results(%t: tensor<4xf32>) {
  // expected-error @+2 {{expected 1 results, got 2}}
  %r:2 = pcf.generic scope(#pcf.sequential) execute(%a = %t)[]
    : (!pcf.sref<4xf32, #pcf.sequential>) -> (tensor<4xf32>, tensor<4xf32>) {
    pcf.return
  }
  return
}

// -----

func.func @counts() {
  // expected-error @+1 {{expected at least one count}}
  pcf.loop scope(#pcf.sequential) count() execute[] {
    pcf.return
  }
  return
}

// -----

func.func @counts_in_generic_form() {
  // expected-error @+1 {{expected at least one count}}
  "pcf.loop"() <{is_readonly = array<i1>, is_tied = array<i1>, operandSegmentSizes = array<i32: 0, 0, 0, 0>, scope = #pcf.sequential}> ({
    "pcf.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @iteration_ids(%n: index) {
  // expected-error @+1 {{expected 2 iteration ids, got 1}}
  pcf.loop scope(#pcf.sequential) count(%n, %n) execute[%i: index] {
    pcf.return
  }
  return
}

// -----

func.func @iteration_ids_in_generic_form(%n: index) {
  // expected-error @+1 {{expected 1 iteration ids, got 2}}
  "pcf.loop"(%n) <{is_readonly = array<i1>, is_tied = array<i1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>, scope = #pcf.sequential}> ({
  ^bb0(%i: index, %j: index):
    "pcf.return"() : () -> ()
  }) : (index) -> ()
  return
}

// -----

func.func @loop_blocks(%n: index) {
  // expected-error @+1 {{body must be a single block}}
  pcf.loop scope(#pcf.sequential) count(%n) execute[%i: index] {
    cf.br ^a
  ^a:
    pcf.return
  }
  return
}

// -----

func.func @empty_loop(%n: index) {
  // expected-error @+1 {{body must be a single block}}
  "pcf.loop"(%n) <{is_readonly = array<i1>, is_tied = array<i1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>, scope = #pcf.sequential}> ({
  }) : (index) -> ()
  return
}
