// RUN: distaff-opt %s --distaff-distribute --split-input-file --verify-diagnostics

// Where threads part they can neither exchange data nor wait for each other: every
// bound of a loop, every branch and every condition, for a collective op and for
// memory that other threads wrote.

#t = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
#turned = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @collective_upper(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.thread_id x
  %next = arith.addi %id, %c1 : index
  %some = arith.cmpi ult, %id, %c64 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
  scf.for %i = %c0 to %id step %c1 {
    // expected-error @+1 {{needs data of other threads, but only some threads run it: 'scf.for' around it depends on a thread id (DG8); move it out of the 'scf.for', or let that depend on what is the same in all threads}}
    %s = vector.multi_reduction <add>, %1, %z [0] : vector<64xf32> to f32
    memref.store %s, %o[] : memref<f32>
  }
  return
}

// -----

#t = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
#turned = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @collective_lower(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.thread_id x
  %next = arith.addi %id, %c1 : index
  %some = arith.cmpi ult, %id, %c64 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
  scf.for %i = %id to %c64 step %c1 {
    // expected-error @+1 {{needs data of other threads, but only some threads run it: 'scf.for' around it depends on a thread id (DG8); move it out of the 'scf.for', or let that depend on what is the same in all threads}}
    %s = vector.multi_reduction <add>, %1, %z [0] : vector<64xf32> to f32
    memref.store %s, %o[] : memref<f32>
  }
  return
}

// -----

#t = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
#turned = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @collective_step(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.thread_id x
  %next = arith.addi %id, %c1 : index
  %some = arith.cmpi ult, %id, %c64 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
  scf.for %i = %c0 to %c64 step %next {
    // expected-error @+1 {{needs data of other threads, but only some threads run it: 'scf.for' around it depends on a thread id (DG8); move it out of the 'scf.for', or let that depend on what is the same in all threads}}
    %s = vector.multi_reduction <add>, %1, %z [0] : vector<64xf32> to f32
    memref.store %s, %o[] : memref<f32>
  }
  return
}

// -----

#t = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
#turned = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @collective_branch(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.thread_id x
  %next = arith.addi %id, %c1 : index
  %some = arith.cmpi ult, %id, %c64 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
  scf.if %some {
    // expected-error @+1 {{needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id (DG8); move it out of the 'scf.if', or let that depend on what is the same in all threads}}
    %s = vector.multi_reduction <add>, %1, %z [0] : vector<64xf32> to f32
    memref.store %s, %o[] : memref<f32>
  }
  return
}

// -----

#t = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
#turned = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @collective_otherwise(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.thread_id x
  %next = arith.addi %id, %c1 : index
  %some = arith.cmpi ult, %id, %c64 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
  scf.if %some {
  } else {
    // expected-error @+1 {{needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id (DG8); move it out of the 'scf.if', or let that depend on what is the same in all threads}}
    %s = vector.multi_reduction <add>, %1, %z [0] : vector<64xf32> to f32
    memref.store %s, %o[] : memref<f32>
  }
  return
}

// -----

#t = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
#turned = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @collective_while(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.thread_id x
  %next = arith.addi %id, %c1 : index
  %some = arith.cmpi ult, %id, %c64 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
  scf.while (%i = %c0) : (index) -> index {
    %go = arith.cmpi ult, %i, %id : index
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    // expected-error @+1 {{needs data of other threads, but only some threads run it: 'scf.while' around it depends on a thread id (DG8); move it out of the 'scf.while', or let that depend on what is the same in all threads}}
    %s = vector.multi_reduction <add>, %1, %z [0] : vector<64xf32> to f32
    memref.store %s, %o[] : memref<f32>
    scf.yield %j : index
  }
  return
}

// -----

#t = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
#turned = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @hazard_upper(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.thread_id x
  %next = arith.addi %id, %c1 : index
  %some = arith.cmpi ult, %id, %c64 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
  // expected-note @+1 {{threads part here}}
  scf.for %i = %c0 to %id step %c1 {
    vector.transfer_write %1, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    // expected-error @+1 {{accesses memory that other threads accessed before it, in control flow that not all threads share, where they cannot wait for each other; move one of the accesses out of it, or let all threads take the same way}}
    %2 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %3 = iree_vector_ext.to_layout %2 to layout(#turned) : vector<64xf32>
    %4 = arith.addf %3, %3 : vector<64xf32>
    vector.transfer_write %4, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  }
  return
}

// -----

#t = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
#turned = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @hazard_lower(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.thread_id x
  %next = arith.addi %id, %c1 : index
  %some = arith.cmpi ult, %id, %c64 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
  // expected-note @+1 {{threads part here}}
  scf.for %i = %id to %c64 step %c1 {
    vector.transfer_write %1, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    // expected-error @+1 {{accesses memory that other threads accessed before it, in control flow that not all threads share, where they cannot wait for each other; move one of the accesses out of it, or let all threads take the same way}}
    %2 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %3 = iree_vector_ext.to_layout %2 to layout(#turned) : vector<64xf32>
    %4 = arith.addf %3, %3 : vector<64xf32>
    vector.transfer_write %4, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  }
  return
}

// -----

#t = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
#turned = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @hazard_step(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.thread_id x
  %next = arith.addi %id, %c1 : index
  %some = arith.cmpi ult, %id, %c64 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
  // expected-note @+1 {{threads part here}}
  scf.for %i = %c0 to %c64 step %next {
    vector.transfer_write %1, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    // expected-error @+1 {{accesses memory that other threads accessed before it, in control flow that not all threads share, where they cannot wait for each other; move one of the accesses out of it, or let all threads take the same way}}
    %2 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %3 = iree_vector_ext.to_layout %2 to layout(#turned) : vector<64xf32>
    %4 = arith.addf %3, %3 : vector<64xf32>
    vector.transfer_write %4, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  }
  return
}

// -----

#t = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
#turned = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @hazard_branch(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.thread_id x
  %next = arith.addi %id, %c1 : index
  %some = arith.cmpi ult, %id, %c64 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
  // expected-note @+1 {{threads part here}}
  scf.if %some {
    vector.transfer_write %1, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    // expected-error @+1 {{accesses memory that other threads accessed before it, in control flow that not all threads share, where they cannot wait for each other; move one of the accesses out of it, or let all threads take the same way}}
    %2 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %3 = iree_vector_ext.to_layout %2 to layout(#turned) : vector<64xf32>
    %4 = arith.addf %3, %3 : vector<64xf32>
    vector.transfer_write %4, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  }
  return
}

// -----

#t = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
#turned = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @hazard_while(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %id = gpu.thread_id x
  %next = arith.addi %id, %c1 : index
  %some = arith.cmpi ult, %id, %c64 : index
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
  // expected-note @+1 {{threads part here}}
  scf.while (%i = %c0) : (index) -> index {
    %go = arith.cmpi ult, %i, %id : index
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    vector.transfer_write %1, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    // expected-error @+1 {{accesses memory that other threads accessed before it, in control flow that not all threads share, where they cannot wait for each other; move one of the accesses out of it, or let all threads take the same way}}
    %2 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %3 = iree_vector_ext.to_layout %2 to layout(#turned) : vector<64xf32>
    %4 = arith.addf %3, %3 : vector<64xf32>
    vector.transfer_write %4, %m[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    scf.yield %j : index
  }
  return
}
