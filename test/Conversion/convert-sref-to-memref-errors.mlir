// RUN: distaff-opt %s --pcf-convert-sref-to-memref --split-input-file --verify-diagnostics --allow-unregistered-dialect


#ln = #iree_gpu.lane_scope
func.func @lanes_have_no_memory() {
  pcf.generic scope(#ln)
    initialize {
      // expected-error@+1 {{scope #iree_gpu.lane_scope cannot allocate}}
      %b = pcf.alloc() : !pcf.sref<8xf32, #ln>
      pcf.yield %b : !pcf.sref<8xf32, #ln>
    } -> (%buf: !pcf.sref<8xf32, #ln>)
    execute[] {
    pcf.return
  }
  return
}

// -----

func.func @untied_results_need_memory(%n: index) {
  // expected-error@+1 {{scope #iree_codegen.workgroup_scope cannot allocate}}
  %r = pcf.loop scope(#iree_codegen.workgroup_scope) count(%n) execute(%x)[%i: index] : (!pcf.sref<8xf32, #iree_codegen.workgroup_scope>) -> (memref<8xf32>) {
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
// expected-error@+1 {{sref argument #1 of @unseen_caller has no known layout}}
func.func @unseen_caller(%n: index, %r: !pcf.sref<8xf32, #seq>) {
  return
}

// -----

#seq = #pcf.sequential
// expected-error@+1 {{sref result #0 of @declared has no known layout}}
func.func private @declared() -> !pcf.sref<8xf32, #seq>

// -----

#sg = #iree_gpu.subgroup_scope
#ws = #gpu.address_space<workgroup>
func.func @two_spaces(%a: memref<8xf32>, %b: memref<8xf32, #ws>, %c: i1) {
  pcf.generic scope(#sg) execute(%x <- %a : memref<8xf32>, %y <- %b : memref<8xf32, #ws>)[] : (!pcf.sref<8xf32, #sg>, !pcf.sref<8xf32, #sg>) {
    // expected-error-re@+1 {{sref may refer to memory spaces {{('default' and #gpu.address_space<workgroup>|#gpu.address_space<workgroup> and 'default')}}}}
    %z = arith.select %c, %x, %y : !pcf.sref<8xf32, #sg>
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
func.func @tensors_have_no_layout(%t: tensor<8xf32>) {
  // expected-error@+1 {{has a ref to a tensor; bufferize before srefs are converted}}
  pcf.generic scope(#seq) execute(%x <- %t : tensor<8xf32>)[] : (!pcf.sref<8xf32, #seq>) {
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
func.func @tokens_go_first(%m: memref<8xf32>) {
  // expected-error@+1 {{synchronization of '!pcf.sref<8xf32, sync(#pcf.sequential)>' must be resolved first}}
  %r = pcf.generic scope(#seq) execute(%x = %m)[] : (!pcf.sref<8xf32, sync(#seq)>) -> (memref<8xf32>) {
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @clusters_go_first() {
  // expected-error@+1 {{is collective; resolve clusters before srefs are converted}}
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
func.func @unknown_ops() {
  %a = pcf.alloc() : !pcf.sref<8xf32, #seq>
  // expected-error@+1 {{uses an sref and cannot be converted}}
  "test.use"(%a) : (!pcf.sref<8xf32, #seq>) -> ()
  return
}

// -----

#t = #pcf.test_scope
func.func @no_fence() {
  %a = pcf.alloc() : !pcf.sref<8xf32, #t>
  // expected-error@+1 {{scope #pcf.test_scope has no fence}}
  pcf.fence release %a : !pcf.sref<8xf32, #t>
  return
}

// -----

#seq = #pcf.sequential
// expected-error@+1 {{takes an sref and has no body that says of which layout}}
func.func private @declared(!pcf.sref<8xf32, #seq>)
func.func @caller() {
  %a = pcf.alloc() : !pcf.sref<8xf32, #seq>
  func.call @declared(%a) : (!pcf.sref<8xf32, #seq>) -> ()
  return
}

// -----

#seq = #pcf.sequential
func.func @not_strided(%m: memref<8xf32, affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>>) {
  // expected-error@+1 {{has a ref to memory that is not strided}}
  pcf.generic scope(#seq) execute(%x <- %m : memref<8xf32, affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>>)[] : (!pcf.sref<8xf32, #seq>) {
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
func.func @unreachable() {
  cf.br ^end
// expected-error@+1 {{sref has no known layout}}
^nobody_comes_here(%x: !pcf.sref<8xf32, #seq>):
  cf.br ^end
^end:
  return
}
