// RUN: distaff-opt %s -allow-unregistered-dialect > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --mlir-print-op-generic | distaff-opt -allow-unregistered-dialect | diff %t.once -

// Before and after of the transforms of the core dialect (chapter 4 of the
// specification): PCF-14.

#seq = #pcf.sequential
#wg  = #iree_codegen.workgroup_scope
#wgl = #iree_codegen.workgroup_scope<linearize>
#sg  = #iree_gpu.subgroup_scope
#ln  = #iree_gpu.lane_scope

func.func @forall_to_loop(%d0: index, %init: tensor<?x32xf32>) {
  %c32 = arith.constant 32 : index
  // before
  %r = scf.forall (%i, %j) in (%d0, 32) shared_outs(%o = %init) -> (tensor<?x32xf32>) {
    %x = tensor.extract_slice %o[%i, %j] [1, 1] [1, 1] : tensor<?x32xf32> to tensor<1x1xf32>
    %y = linalg.exp ins(%x : tensor<1x1xf32>) outs(%x : tensor<1x1xf32>) -> tensor<1x1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<?x32xf32>
    }
  }
  // after, scope = #seq, numIds = 2
  %q = pcf.loop scope(#seq) count(%c32, %d0) execute(%o = %init)[%j: index, %i: index]
    : (!pcf.sref<?x32xf32, sync(#seq)>) -> (tensor<?x32xf32>) {
    %x = tensor.extract_slice %init[%i, %j] [1, 1] [1, 1] : tensor<?x32xf32> to tensor<1x1xf32>
    %y = linalg.exp ins(%x : tensor<1x1xf32>) outs(%x : tensor<1x1xf32>) -> tensor<1x1xf32>
    pcf.write_slice %y into %o[%i, %j] [1, 1] [1, 1] : tensor<1x1xf32> into !pcf.sref<?x32xf32, sync(#seq)>
    pcf.return
  }
  return
}

func.func @forall_to_generic_nest(%n: index, %init: tensor<?xf32>) {
  // before
  %r = scf.forall (%i) in (%n) shared_outs(%o = %init) -> (tensor<?xf32>) {
    %v = "test.make"(%i) : (index) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  // after, scopes = [#sg, #ln]
  %q = pcf.generic scope(#sg) execute(%o = %init)[%w: index, %nw: index] : (!pcf.sref<?xf32, sync(#sg)>) -> (tensor<?xf32>) {
    pcf.generic scope(#ln) execute[%l: index, %nl: index] {
      %id = affine.apply affine_map<()[s0, s1, s2] -> (s0 * s1 + s2)>()[%w, %nl, %l]
      %chunk = affine.apply affine_map<()[s0, s1, s2] -> (s0 ceildiv (s1 * s2))>()[%n, %nw, %nl]
      %lo = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%id, %chunk]
      %hi = affine.min affine_map<()[s0, s1, s2] -> (s0 + s1, s2)>()[%lo, %chunk, %n]
      scf.forall (%i) = (%lo) to (%hi) step (1) {
        %v = "test.make"(%i) : (index) -> tensor<1xf32>
        pcf.write_slice %v into %o[%i] [1] [1] : tensor<1xf32> into !pcf.sref<?xf32, sync(#sg)>
      }
      pcf.return
    }
    pcf.return
  }
  return
}

func.func @fold_forall(%n: index, %init: tensor<4x?xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // before
  %r = scf.forall (%s) in (4) shared_outs(%o = %init) -> (tensor<4x?xf32>) {
    %e = tensor.extract_slice %o[%s, 0] [1, %n] [1, 1] : tensor<4x?xf32> to tensor<1x?xf32>
    %p = pcf.loop scope(#wgl) count(%n) execute(%q = %e)[%i: index] : (!pcf.sref<1x?xf32, sync(#wgl)>) -> (tensor<1x?xf32>) {
      %v = "test.part"(%s, %i) : (index, index) -> tensor<1x1xf32>
      pcf.write_slice %v into %q[0, %i] [1, 1] [1, 1] : tensor<1x1xf32> into !pcf.sref<1x?xf32, sync(#wgl)>
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<4x?xf32>
    }
  }
  // after
  %g = pcf.generic scope(#wgl) execute(%o = %init)[%id: index, %cnt: index] : (!pcf.sref<4x?xf32, sync(#wgl)>) -> (tensor<4x?xf32>) {
    %m = arith.minui %cnt, %n : index
    %ci = arith.maxui %m, %c1 : index
    %so = arith.divui %id, %ci : index
    %si = arith.remui %id, %ci : index
    %d = arith.divui %cnt, %ci : index
    %co = arith.maxui %d, %c1 : index
    %on = arith.cmpi ult, %so, %co : index
    %lo = arith.select %on, %so, %c4 : index
    scf.forall (%s) = (%lo) to (4) step (%co) {
      scf.forall (%i) = (%si) to (%n) step (%ci) {
        %v = "test.part"(%s, %i) : (index, index) -> tensor<1x1xf32>
        pcf.write_slice %v into %o[%s, %i] [1, 1] [1, 1] : tensor<1x1xf32> into !pcf.sref<4x?xf32, sync(#wgl)>
      }
    }
    pcf.return
  }
  return
}

func.func @fusion(%init: tensor<?xf32>, %dest: tensor<?xf32>, %cst: f32, %init16: tensor<16xf32>, %wo: index, %ref: !pcf.sref<?xf32, sync(#sg)>) {
  // (a) before
  %p = pcf.generic scope(#sg) execute(%o = %init)[%id: index, %nw: index] : (!pcf.sref<?xf32, sync(#sg)>) -> (tensor<?xf32>) {
    %off = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%id]
    %v = "test.make"(%id) : (index) -> tensor<16xf32>
    pcf.write_slice %v into %o[%off] [16] [1] : tensor<16xf32> into !pcf.sref<?xf32, sync(#sg)>
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<?xf32>) outs(%dest : tensor<?xf32>) -> tensor<?xf32>
  // (a) after
  %f = pcf.generic scope(#sg) execute(%o = %dest)[%id: index, %nw: index] : (!pcf.sref<?xf32, sync(#sg)>) -> (tensor<?xf32>) {
    %off = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%id]
    %v = "test.make"(%id) : (index) -> tensor<16xf32>
    %d = tensor.extract_slice %dest[%off] [16] [1] : tensor<?xf32> to tensor<16xf32>
    %x = linalg.exp ins(%v : tensor<16xf32>) outs(%d : tensor<16xf32>) -> tensor<16xf32>
    pcf.write_slice %x into %o[%off] [16] [1] : tensor<16xf32> into !pcf.sref<?xf32, sync(#sg)>
    pcf.return
  }
  // (b) before
  %fl = linalg.fill ins(%cst : f32) outs(%dest : tensor<?xf32>) -> tensor<?xf32>
  %b = pcf.generic scope(#sg) execute(%o = %fl)[%id: index, %nw: index] : (!pcf.sref<?xf32, sync(#sg)>) -> (tensor<?xf32>) {
    %t = pcf.read_slice %o[%id] [1] [1] : !pcf.sref<?xf32, sync(#sg)> to tensor<1xf32>
    %x = linalg.exp ins(%t : tensor<1xf32>) outs(%t : tensor<1xf32>) -> tensor<1xf32>
    pcf.write_slice %x into %o[%id] [1] [1] : tensor<1xf32> into !pcf.sref<?xf32, sync(#sg)>
    pcf.return
  }
  // (b) after
  %b2 = pcf.generic scope(#sg) execute(%o = %dest)[%id: index, %nw: index] : (!pcf.sref<?xf32, sync(#sg)>) -> (tensor<?xf32>) {
    %d = tensor.extract_slice %dest[%id] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %t = linalg.fill ins(%cst : f32) outs(%d : tensor<1xf32>) -> tensor<1xf32>
    %x = linalg.exp ins(%t : tensor<1xf32>) outs(%t : tensor<1xf32>) -> tensor<1xf32>
    pcf.write_slice %x into %o[%id] [1] [1] : tensor<1xf32> into !pcf.sref<?xf32, sync(#sg)>
    pcf.return
  }
  // (c) before
  %w = scf.forall (%i) in (4) shared_outs(%s = %init16) -> (tensor<16xf32>) {
    %v = "test.make"(%i) : (index) -> tensor<4xf32>
    %io = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%io] [4] [1] : tensor<4xf32> into tensor<16xf32>
    }
  }
  pcf.write_slice %w into %ref[%wo] [16] [2] : tensor<16xf32> into !pcf.sref<?xf32, sync(#sg)>
  // (c) after
  scf.forall (%i) in (4) {
    %v = "test.make"(%i) : (index) -> tensor<4xf32>
    %o2 = affine.apply affine_map<(d0)[s0] -> (s0 + d0 * 8)>(%i)[%wo]
    pcf.write_slice %v into %ref[%o2] [4] [2] : tensor<4xf32> into !pcf.sref<?xf32, sync(#sg)>
  }
  return
}

func.func @tokens(%init: tensor<8xf32>) {
  // before                                                   after: `pcf.generic sync true scope(#sg) …`, plain sref types
  %r = pcf.generic scope(#sg) execute(%o = %init)[%id: index, %n: index] : (!pcf.sref<8xf32, sync(#sg)>) -> (tensor<8xf32>) {
    %v = pcf.read_slice %o[0] [8] [1] : !pcf.sref<8xf32, sync(#sg)> to tensor<8xf32>
    pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !pcf.sref<8xf32, sync(#sg)>
    pcf.return
  }
  %s = pcf.generic sync true scope(#sg) execute(%o = %init)[%id: index, %n: index] : (!pcf.sref<8xf32, #sg>) -> (tensor<8xf32>) {
    %v = pcf.read_slice %o[0] [8] [1] : !pcf.sref<8xf32, #sg> to tensor<8xf32>
    pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !pcf.sref<8xf32, #sg>
    pcf.return
  }
  return
}

func.func @sref_to_memref(%m: memref<?xf32>, %v4: vector<4xf32>, %z: index) {
  %c0 = arith.constant 0 : index
  // before                                                       after: the ref is gone, %m is used directly
  pcf.generic scope(#sg) execute(%o = %m)[%id: index, %n: index] : (!pcf.sref<?xf32, #sg>) -> (memref<?xf32>) {
    pcf.write_slice %v4 into %o[%id] [%z] [1] : vector<4xf32> into !pcf.sref<?xf32, #sg>
    pcf.return
  }
  pcf.generic scope(#sg) execute[%id: index, %n: index] {
    %s = memref.subview %m[%id] [%z] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    vector.transfer_write %v4, %s[%c0] : vector<4xf32>, memref<?xf32, strided<[1], offset: ?>>
    pcf.return
  }
  return
}

func.func @structural(%d0: index) {
  pcf.loop sync true scope(#sg) count(%d0) execute[%i: index] {        // before
    "test.use"(%i) : (index) -> ()
    pcf.return
  }
  %w = gpu.subgroup_id : index                                         // after
  %nw = gpu.num_subgroups : index
  scf.forall (%i) = (%w) to (%d0) step (%nw) {
    "test.use"(%i) : (index) -> ()
  }
  iree_gpu.global_subgroup_barrier
  return
}
