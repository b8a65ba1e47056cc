// RUN: distaff-opt %s --pcf-lower-structural --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @no_barrier_for_an_owner() {
  // expected-error@+1 {{scope #pcf.test_scope has no barrier}}
  pcf.generic sync true scope(#pcf.test_scope) execute[] {
    pcf.return
  }
  return
}

// -----

func.func @no_barrier() {
  // expected-error@+1 {{scope #pcf.test_scope<2> has no barrier}}
  pcf.barrier(#pcf.test_scope<2>)
  return
}

// -----

#seq = #pcf.sequential
func.func @refs(%m: memref<8xf32>) {
  // expected-error@+1 {{refs and results must be converted to memrefs first}}
  pcf.generic scope(#seq) execute(%x <- %m : memref<8xf32>)[] : (!pcf.sref<8xf32, #seq>) {
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
func.func @results(%m: memref<8xf32>, %n: index) {
  // expected-error@+1 {{refs and results must be converted to memrefs first}}
  %r = pcf.loop scope(#seq) count(%n) execute(%x = %m)[%i: index] : (!pcf.sref<8xf32, #seq>) -> (memref<8xf32>) {
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
func.func @accesses(%r: !pcf.sref<8xf32, #seq>, %v: vector<8xf32>) {
  // expected-error@+1 {{refs and results must be converted to memrefs first}}
  pcf.write_slice %v into %r[0] [8] [1] : vector<8xf32> into !pcf.sref<8xf32, #seq>
  return
}

// -----

#seq = #pcf.sequential
func.func @fenced_refs(%r: !pcf.sref<8xf32, #seq>) {
  // expected-error@+1 {{refs and results must be converted to memrefs first}}
  pcf.barrier(#seq) fence(%r) : !pcf.sref<8xf32, #seq>
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @collective() {
  // expected-error@+1 {{is collective; resolve clusters first}}
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.return
  }
  return
}

// -----

#wg = #iree_codegen.workgroup_scope
func.func @memory_after_it(%m: memref<4xf32>, %n: index) {
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{workgroup-scope synchronization is only available at the end of a kernel}}
  pcf.loop sync true scope(#wg) count(%n) execute[%i: index] {
    pcf.return
  }
  memref.store %z, %m[%n] : memref<4xf32>
  return
}

// -----

#wgl = #iree_codegen.workgroup_scope<linearize>
func.func @memory_after_what_holds_it(%m: memref<4xf32>, %n: index, %c: i1) {
  %z = arith.constant 0.0 : f32
  scf.if %c {
    // expected-error@+1 {{workgroup-scope synchronization is only available at the end of a kernel}}
    pcf.generic sync true scope(#wgl) execute[%i: index, %count: index] {
      pcf.return
    }
  }
  memref.store %z, %m[%n] : memref<4xf32>
  return
}

// -----

#wg = #iree_codegen.workgroup_scope
func.func @memory_in_a_later_block(%m: memref<4xf32>, %n: index, %c: i1) {
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{workgroup-scope synchronization is only available at the end of a kernel}}
  pcf.loop sync true scope(#wg) count(%n) execute[%i: index] {
    pcf.return
  }
  cf.cond_br %c, ^end, ^then
^then:
  cf.br ^store
^store:
  memref.store %z, %m[%n] : memref<4xf32>
  cf.br ^end
^end:
  return
}

// -----

// The next iteration touches memory before it and in it.
#wg = #iree_codegen.workgroup_scope
func.func @in_a_loop(%m: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  scf.for %k = %c0 to %n step %c1 {
    memref.store %z, %m[%k] : memref<4xf32>
    // expected-error@+1 {{workgroup-scope synchronization is only available at the end of a kernel}}
    pcf.barrier(#wg)
  }
  return
}

// -----

#wg = #iree_codegen.workgroup_scope
func.func @in_a_loop_of_blocks(%m: memref<4xf32>, %n: index, %c: i1) {
  %z = arith.constant 0.0 : f32
  cf.br ^again
^again:
  memref.store %z, %m[%n] : memref<4xf32>
  // expected-error@+1 {{workgroup-scope synchronization is only available at the end of a kernel}}
  pcf.barrier(#wg)
  cf.cond_br %c, ^again, ^end
^end:
  return
}

// -----

#wg = #iree_codegen.workgroup_scope
func.func @read_as_a_tensor(%n: index, %m: memref<4xf32>) -> f32 {
  // expected-error@+1 {{workgroup-scope synchronization is only available at the end of a kernel}}
  pcf.loop sync true scope(#wg) count(%n) execute[%i: index] {
    pcf.return
  }
  %t = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
  %x = tensor.extract %t[%n] : tensor<4xf32>
  return %x : f32
}

// -----

#sg = #iree_gpu.subgroup_scope
!left = !pcf.cluster<#sg, (0 -> d0), left>
!right = !pcf.cluster<#sg, (d0 -> s0), right>
func.func @among_clusters(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%left: !left, %right: !right) {
      // expected-error@+1 {{waits for clusters; resolve them first}}
      pcf.barrier(#sg) among(%left)[%k] : !left
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}
