// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file

// Initializers, terminators and executors (PCF-15, PCF-17, PCF-30, PCF-31).

func.func @yielded_types() {
  // expected-error @+1 {{initializer yields ('index'), expected the leading arguments ('i32')}}
  pcf.generic scope(#pcf.sequential) initialize {
    %c = arith.constant 3 : index
    pcf.yield %c : index
  } -> (%c: i32) execute[] {
    pcf.return
  }
  return
}

// -----

func.func @fewer_leading_arguments() {
  // expected-error @+1 {{initializer yields ('index'), expected the leading arguments ()}}
  pcf.shared_executor scope(#pcf.sequential) initialize {
    %c = arith.constant 3 : index
    pcf.yield %c : index
  } -> () execute[%tg: !pcf.threadgroup<#pcf.sequential>] {
    pcf.return
  }
  return
}

// -----

func.func @leading_arguments_without_initializer() {
  // expected-error @+1 {{initializer yields (), expected the leading arguments ('index')}}
  "pcf.generic"() <{is_readonly = array<i1>, is_tied = array<i1>, num_leading_args = 1, operandSegmentSizes = array<i32: 0, 0, 0>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%i: index):
    "pcf.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

// PCF-17
func.func @impure_initializer(%m: memref<f32>) {
  // expected-error @+1 {{'initialize' may only contain pure ops and 'pcf.alloc'}}
  pcf.generic scope(#pcf.sequential) initialize {
    %x = memref.load %m[] : memref<f32>
    pcf.yield %x : f32
  } -> (%x: f32) execute[] {
    pcf.return
  }
  return
}

// -----

// PCF-17: an effect anywhere in it, of memory that is not the scope's too.
func.func @nested_effect(%c: i1) {
  // expected-error @+1 {{'initialize' may only contain pure ops and 'pcf.alloc'}}
  pcf.shared_executor scope(#pcf.sequential) initialize {
    scf.if %c {
      %x = memref.alloc() : memref<f32>
    }
    pcf.yield
  } -> () execute[%tg: !pcf.threadgroup<#pcf.sequential>] {
    pcf.return
  }
  return
}

// -----

// An op is asked about its effects when it is known to be sound.
func.func @unsound_op_in_an_initializer(%t: tensor<4xf32>) {
  pcf.generic scope(#pcf.sequential) initialize {
    // expected-error @+1 {{'is_tied' has 0 entries for 1 results}}
    %r = "pcf.generic"(%t) <{is_readonly = array<i1: false>, is_tied = array<i1>, operandSegmentSizes = array<i32: 1, 0, 0>, scope = #pcf.sequential}> ({
    }, {
    ^bb0(%a: !pcf.sref<4xf32, #pcf.sequential>):
      "pcf.return"() : () -> ()
    }) : (tensor<4xf32>) -> (tensor<4xf32>)
    pcf.yield
  } -> () execute[] {
    pcf.return
  }
  return
}

// -----

func.func @return_in_an_initializer() {
  // expected-error @+1 {{'initialize' must end in 'pcf.yield'}}
  pcf.generic scope(#pcf.sequential) initialize {
    pcf.return
  } -> () execute[] {
    pcf.return
  }
  return
}

// -----

func.func @blocks_of_an_initializer() {
  // expected-error @+1 {{'initialize' must be a single block without arguments}}
  pcf.generic scope(#pcf.sequential) initialize {
    cf.br ^a
  ^a:
    pcf.yield
  } -> () execute[] {
    pcf.return
  }
  return
}

// -----

// Nothing would give them a value.
func.func @arguments_of_an_initializer() {
  // expected-error @+1 {{'initialize' must be a single block without arguments}}
  pcf.generic scope(#pcf.sequential) initialize {
  ^a(%x: index):
    pcf.yield
  } -> () execute[] {
    pcf.return
  }
  return
}

// -----

func.func @yield_in_a_body() {
  // expected-error @+1 {{'execute' blocks must end in 'pcf.return', 'pcf.br.cond_return', 'cf.br' or 'cf.cond_br', got 'pcf.yield'}}
  pcf.generic scope(#pcf.sequential) execute[] {
    pcf.yield
  }
  return
}

// -----

func.func @end_of_a_later_block() {
  // expected-error @+1 {{'execute' blocks must end in 'pcf.return', 'pcf.br.cond_return', 'cf.br' or 'cf.cond_br', got 'test.end'}}
  pcf.generic scope(#pcf.sequential) execute[] {
    cf.br ^a
  ^a:
    "test.end"() : () -> ()
  }
  return
}

// -----

func.func @end_of_a_loop(%n: index) {
  // expected-error @+1 {{body must end in 'pcf.return', got 'test.end'}}
  pcf.loop scope(#pcf.sequential) count(%n) execute[%i: index] {
    "test.end"() : () -> ()
  }
  return
}

// -----

func.func @yield_in_an_executor() {
  // expected-error @+1 {{body must end in 'pcf.return', got 'pcf.yield'}}
  pcf.shared_executor scope(#pcf.sequential) execute[%tg: !pcf.threadgroup<#pcf.sequential>] {
    pcf.yield
  }
  return
}

// -----

func.func @end_of_a_group() {
  pcf.shared_executor scope(#pcf.sequential) execute[%tg: !pcf.threadgroup<#pcf.sequential>] {
    // expected-error @+1 {{body must end in 'pcf.return', got 'test.end'}}
    pcf.shared_executor.tile_group %tg split [[]] (%a: !pcf.cluster<#pcf.sequential, (0 -> s0), a>) {
      "test.end"() : () -> ()
    } : !pcf.threadgroup<#pcf.sequential>
    pcf.return
  }
  return
}

// -----

// The verifier reads no terminator that is not there.
func.func @no_terminator() {
  "pcf.generic"() <{is_readonly = array<i1>, is_tied = array<i1>, operandSegmentSizes = array<i32: 0, 0, 0>, scope = #pcf.sequential}> ({
  }, {
    // expected-error @+1 {{block with no terminator}}
    %c = arith.constant 1 : index
  }) : () -> ()
  return
}

// -----

func.func @empty_initializer() {
  // expected-error @+1 {{'initialize' must end in 'pcf.yield'}}
  "pcf.generic"() <{is_readonly = array<i1>, is_tied = array<i1>, operandSegmentSizes = array<i32: 0, 0, 0>, scope = #pcf.sequential}> ({
  ^bb0:
  }, {
    "pcf.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @parent_of_yield() {
  // expected-error @+1 {{expects parent op to be one of 'pcf.generic, pcf.shared_executor'}}
  pcf.yield
}

// -----

func.func @parent_of_return() {
  // expected-error @+1 {{expects parent op to be one of 'pcf.generic, pcf.loop, pcf.shared_executor, pcf.shared_executor.tile_group'}}
  pcf.return
}

// -----

func.func @parent_of_cond_return(%c: i1, %n: index) {
  pcf.loop scope(#pcf.sequential) count(%n) execute[%i: index] {
    scf.execute_region {
      // expected-error @+1 {{expects parent op 'pcf.generic'}}
      pcf.br.cond_return %c ^a
    ^a:
      scf.yield
    }
    pcf.return
  }
  return
}

// -----

func.func @arguments_of_the_branch(%c: i1) {
  pcf.generic scope(#pcf.sequential) execute[] {
    // expected-error @+1 {{branch has 0 operands for successor #0, but target block has 1}}
    pcf.br.cond_return %c ^a
  ^a(%x: index):
    pcf.return
  }
  return
}

// -----

// PCF-31
func.func @no_threadgroup() {
  // expected-error @+1 {{last execute argument must be '!pcf.threadgroup', got 'index'}}
  pcf.shared_executor scope(#pcf.sequential) execute[%i: index] {
    pcf.return
  }
  return
}

// -----

// PCF-31
func.func @arguments_of_an_executor() {
  // expected-error @+1 {{expected one threadgroup, got 0 arguments}}
  pcf.shared_executor scope(#pcf.sequential) execute[] {
    pcf.return
  }
  return
}

// -----

// PCF-31
func.func @scope_of_the_threadgroup() {
  // expected-error @+1 {{threadgroup has scope #iree_gpu.lane_scope, expected #pcf.sequential}}
  pcf.shared_executor scope(#pcf.sequential) execute[%tg: !pcf.threadgroup<#iree_gpu.lane_scope>] {
    pcf.return
  }
  return
}

// -----

// PCF-31
func.func @payload_of_the_threadgroup() {
  // expected-error @+1 {{executor threadgroup must have no payload}}
  pcf.shared_executor scope(#pcf.sequential) execute[%tg: !pcf.threadgroup<#pcf.sequential, {f32}>] {
    pcf.return
  }
  return
}

// -----

func.func @blocks_of_an_executor() {
  // expected-error @+1 {{body must be a single block}}
  pcf.shared_executor scope(#pcf.sequential) execute[%tg: !pcf.threadgroup<#pcf.sequential>] {
    cf.br ^a
  ^a:
    pcf.return
  }
  return
}

// -----

// PCF-31: refs of an executor are those of pcf.generic.
func.func @ref_of_an_executor(%t: tensor<4xf32>) {
  // expected-error @+1 {{readonly ref #1 must not be synchronized}}
  %r = pcf.shared_executor scope(#pcf.sequential) execute(%a = %t, %b <- %t : tensor<4xf32>)[%tg: !pcf.threadgroup<#pcf.sequential>]
    : (!pcf.sref<4xf32, #pcf.sequential>, !pcf.sref<4xf32, sync(#pcf.sequential)>) -> (tensor<4xf32>) {
    pcf.return
  }
  return
}

// -----

func.func @counted_arguments_of_an_executor() {
  // expected-error @+1 {{execute block expects 2 arguments (1 leading, 0 refs, 1 threadgroup), got 1}}
  "pcf.shared_executor"() <{is_readonly = array<i1>, is_tied = array<i1>, num_leading_args = 1, operandSegmentSizes = array<i32: 0, 0, 0>, scope = #pcf.sequential}> ({
  }, {
  ^bb0(%tg: !pcf.threadgroup<#pcf.sequential>):
    "pcf.return"() : () -> ()
  }) : () -> ()
  return
}
