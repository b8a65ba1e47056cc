// RUN: distaff-opt %s --distaff-distribute --split-input-file --verify-diagnostics

// What single ops are refused for, each with what would help (VX-65).

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
func.func @numbers_in_a_file(%m: memref<64xi32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'arith.constant' op is not a dense constant; write its elements out, as dense<[...]>}}
  %0 = arith.constant dense_resource<numbers> : vector<64xi32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xi32>
  vector.transfer_write %x, %m[%c0] {in_bounds = [true]} : vector<64xi32>, memref<64xi32>
  return
}

{-#
  dialect_resources: { builtin: { numbers: "0x0400000001000000" } }
#-}

// -----

// Where only some threads go nothing can be exchanged, masked or not (VX-93, W23; DG8).
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
func.func @collectives_of_some(%m: memref<64xf32>, %o: memref<f32>, %n: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %t = gpu.thread_id x
  %k = vector.create_mask %c3 : vector<64xi1>
  %some = arith.cmpi ult, %t, %c3 : index
  scf.if %some {
    // expected-error @+1 {{'vector.multi_reduction' op needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id (DG8); move it out of the 'scf.if', or let that depend on what is the same in all threads}}
    %s = vector.mask %k { vector.multi_reduction <add>, %x, %z [0] : vector<64xf32> to f32 } : vector<64xi1> -> f32
    memref.store %s, %o[] : memref<f32>
  }
  scf.index_switch %t
  case 1 {
    // expected-error @+1 {{'vector.extract' op needs data of other threads, but only some threads run it: 'scf.index_switch' around it depends on a thread id (DG8); move it out of the 'scf.index_switch', or let that depend on what is the same in all threads}}
    %e = vector.extract %x[%c3] : f32 from vector<64xf32>
    memref.store %e, %o[] : memref<f32>
    scf.yield
  }
  default {
  }
  %r = scf.while (%i = %t) : (index) -> index {
    %more = arith.cmpi ult, %i, %c3 : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    // expected-error @+1 {{'vector.compressstore' op needs data of other threads, but only some threads run it: 'scf.while' around it depends on a thread id (DG8); move it out of the 'scf.while', or let that depend on what is the same in all threads}}
    vector.compressstore %n[%c0], %k, %x : memref<64xf32>, vector<64xi1>, vector<64xf32>
    %j = arith.addi %i, %c3 : index
    scf.yield %j : index
  }
  return
}

// -----

// Lanes may ask for different elements of one subgroup, not of all (VX-70).
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>
func.func @each_thread_its_own(%m: memref<64xf32>, %o: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-note @+1 {{the layout comes from here}}
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %t = gpu.thread_id x
  // expected-error @+1 {{'vector.extract' op has a position that depends on a thread id, in a dim that is split over subgroups; lay it out over one subgroup: }}
  %e = vector.extract %x[%t] : f32 from vector<64xf32>
  memref.store %e, %o[%t] : memref<64xf32>
  return
}

// -----

// Layouts place elements of memory, not vectors in it (VX-63).
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 1], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [1, 0]>
#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [4], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @memory_of_vectors(%m: memref<4xvector<4xf32>>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %p = arith.constant dense<0.0> : vector<4xf32>
  // expected-error @+1 {{'vector.transfer_read' op operand #0, 'memref<4xvector<4xf32>>', has vectors as elements, for whose layouts there is no rule (DG5); take memory of scalars}}
  %0 = vector.transfer_read %m[%c0], %p : memref<4xvector<4xf32>>, vector<4x4xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#rows) : vector<4x4xf32>
  // expected-error @+1 {{'vector.load' op operand #0, 'memref<4xvector<4xf32>>', has vectors as elements}}
  %1 = vector.load %m[%c0] : memref<4xvector<4xf32>>, vector<4xf32>
  %y = iree_vector_ext.to_layout %1 to layout(#row) : vector<4xf32>
  // expected-error @+1 {{'vector.store' op operand #1, 'memref<4xvector<4xf32>>', has vectors as elements}}
  vector.store %y, %m[%c0] : memref<4xvector<4xf32>>, vector<4xf32>
  // expected-error @+2 {{'memref.load' op operand #0, 'memref<4xvector<4xf32>>', has vectors as elements}}
  // expected-error @+1 {{'memref.load' op result has no layout}}
  %2 = memref.load %m[%c0] : memref<4xvector<4xf32>>
  return
}

// -----

// Counting has an order along one dim only (VX-78); a diagnostic for each (VX-65).
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 1], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @two_dims(%m: memref<8x8xf32>, %k: memref<4x4xi1>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %p = arith.constant dense<0.0> : vector<4x4xf32>
  %x = iree_vector_ext.to_layout %p to layout(#rows) : vector<4x4xf32>
  %set = vector.create_mask %c2, %c2 : vector<4x4xi1>
  // expected-error @+1 {{'vector.expandload' op counts along one dim, and its vector has 2; unroll the others, or cast the shape}}
  %e = vector.expandload %m[%c0, %c0], %set, %x : memref<8x8xf32>, vector<4x4xi1>, vector<4x4xf32> into vector<4x4xf32>
  // expected-error @+1 {{'vector.compressstore' op counts along one dim, and its vector has 2; unroll the others, or cast the shape}}
  vector.compressstore %m[%c0, %c0], %set, %x : memref<8x8xf32>, vector<4x4xi1>, vector<4x4xf32>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @tensors_are_not_written(%t: tensor<32xf32>, %i: index) -> tensor<32xf32> attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %t[%c0], %z {in_bounds = [true]} : tensor<32xf32>, vector<32xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<32xf32>
  %set = vector.create_mask %i : vector<32xi1>
  %at = vector.step : vector<32xindex>
  // expected-error @+1 {{'vector.transfer_write' op writes a tensor; bufferize first}}
  %w = vector.transfer_write %x, %t[%c0] {in_bounds = [true]} : vector<32xf32>, tensor<32xf32>
  // expected-error @+1 {{'vector.scatter' op writes a tensor; bufferize first}}
  %s = vector.scatter %w[%c0] [%at], %set, %x : tensor<32xf32>, vector<32xindex>, vector<32xi1>, vector<32xf32> -> tensor<32xf32>
  %rows = iree_vector_ext.to_layout %at to layout(#line) : vector<32xindex>
  // expected-error @+1 {{'iree_vector_ext.transfer_scatter' op writes a tensor; bufferize first}}
  %r = iree_vector_ext.transfer_scatter %x into %s[%c0] [%rows : vector<32xindex>] {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : vector<32xf32>, tensor<32xf32> -> tensor<32xf32>
  return %r : tensor<32xf32>
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @a_graph_of_blocks(%m: memref<32xf32>, %c: i1) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<32xf32>
  // expected-error @+1 {{'scf.execute_region' op has several blocks; loops and branches are those of scf}}
  %r = scf.execute_region -> vector<32xf32> {
    cf.cond_br %c, ^one, ^two
  ^one:
    scf.yield %x : vector<32xf32>
  ^two:
    %y = arith.addf %x, %x : vector<32xf32>
    scf.yield %y : vector<32xf32>
  }
  vector.transfer_write %r, %m[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  return
}

// -----

// Nor are vectors handed from block to block.
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @a_vector_for_a_block(%m: memref<32xf32>, %c: i1) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<32xf32>
  // expected-error @+1 {{'scf.execute_region' op has several blocks that hand vectors to each other, for whose layouts there is no rule (DG5); loops and branches are those of scf, one block each}}
  scf.execute_region {
    %y = arith.addf %x, %x : vector<32xf32>
    cf.cond_br %c, ^end(%x : vector<32xf32>), ^end(%y : vector<32xf32>)
  ^end(%e: vector<32xf32>):
    %l = iree_vector_ext.to_layout %e to layout(#line) : vector<32xf32>
    vector.transfer_write %l, %m[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
    scf.yield
  }
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @a_constant_of_another_dialect(%m: memref<32xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'llvm.mlir.constant' op has no distribution rule; write it as arith.constant}}
  %0 = llvm.mlir.constant(dense<1.0> : vector<32xf32>) : vector<32xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<32xf32>
  vector.transfer_write %x, %m[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  return
}

// -----

// assign-layouts folds these.
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @nothing_is_masked(%m: memref<32xf32>, %i: index) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#line) : vector<32xf32>
  %b = arith.index_cast %i : index to i1
  %set = vector.broadcast %b : i1 to vector<32xi1>
  %k = iree_vector_ext.to_layout %set to layout(#line) : vector<32xi1>
  // expected-error @+1 {{'vector.mask' op masks nothing; canonicalize it}}
  %r = vector.mask %k { vector.yield %x : vector<32xf32> } : vector<32xi1> -> vector<32xf32>
  vector.transfer_write %r, %m[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
  return
}
