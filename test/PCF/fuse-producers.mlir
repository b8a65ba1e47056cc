// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fuse-producers -split-input-file | FileCheck %s
// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fuse-producers=assume-covering=false -split-input-file | FileCheck %s --check-prefix=PROVED

#sg = #iree_gpu.subgroup_scope

// PCF-45: the read computes its tile; the producer's init is the op's.
// CHECK-LABEL: func @sample
// CHECK-SAME: (%[[DEST:.*]]: tensor<?xf32>, %[[CST:.*]]: f32)
// CHECK-NEXT: %[[B:.*]] = pcf.generic scope(#iree_gpu.subgroup_scope) execute(%[[O:.*]] = %[[DEST]])[%[[ID:.*]]: index, %{{.*}}: index]
// CHECK-NEXT: %[[D:.*]] = tensor.extract_slice %[[DEST]][%[[ID]]] [1] [1] : tensor<?xf32> to tensor<1xf32>
// CHECK-NEXT: %[[T:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[D]] : tensor<1xf32>) -> tensor<1xf32>
// CHECK-NEXT: %[[X:.*]] = linalg.exp ins(%[[T]] : tensor<1xf32>) outs(%[[T]] : tensor<1xf32>)
// CHECK-NEXT: pcf.write_slice %[[X]] into %[[O]][%[[ID]]] [1] [1]
// CHECK-NEXT: pcf.return
// CHECK-NEXT: }
// CHECK-NEXT: return %[[B]]
// PROVED-LABEL: func @sample
// PROVED: %[[FILL:.*]] = linalg.fill
// PROVED: pcf.generic {{.*}} execute(%{{.*}} = %[[FILL]])
// PROVED: linalg.fill
// PROVED-NOT: pcf.read_slice
func.func @sample(%dest: tensor<?xf32>, %cst: f32) -> tensor<?xf32> {
  %fl = linalg.fill ins(%cst : f32) outs(%dest : tensor<?xf32>) -> tensor<?xf32>
  %b = pcf.generic scope(#sg) execute(%o = %fl)[%id: index, %nw: index] : (!pcf.sref<?xf32, sync(#sg)>) -> (tensor<?xf32>) {
    %t = pcf.read_slice %o[%id] [1] [1] : !pcf.sref<?xf32, sync(#sg)> to tensor<1xf32>
    %x = linalg.exp ins(%t : tensor<1xf32>) outs(%t : tensor<1xf32>) -> tensor<1xf32>
    pcf.write_slice %x into %o[%id] [1] [1] : tensor<1xf32> into !pcf.sref<?xf32, sync(#sg)>
    pcf.return
  }
  return %b : tensor<?xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<8x16xf32, sync(#seq)>

// PCF-45: a vector read reads the tile, with zeros beyond the size; each read
// has its own tile. Constants prove that all of the result is written.
// CHECK-LABEL: func @vectors
// CHECK-SAME: (%[[A:.*]]: tensor<16x8xf32>, %[[DEST:.*]]: tensor<8x16xf32>, %[[N:.*]]: index)
// CHECK: pcf.loop {{.*}} execute(%[[O:.*]] = %[[DEST]])[%[[I:.*]]: index]
// CHECK: %[[IN:.*]] = tensor.extract_slice %[[A]][0, %[[I]]] [%[[N]], 1] [1, 1]
// CHECK: %[[OUT:.*]] = tensor.extract_slice %[[DEST]][%[[I]], 0] [1, %[[N]]] [1, 1]
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[IN]] : tensor<?x1xf32>) outs(%[[OUT]] : tensor<1x?xf32>)
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[PAD:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK: %[[V:.*]] = vector.transfer_read %[[T]][%[[C0]], %[[C0]]], %[[PAD]] {in_bounds = [true, false]} : tensor<1x?xf32>, vector<1x16xf32>
// CHECK: %[[T2:.*]] = linalg.transpose
// CHECK: %[[U:.*]] = vector.transfer_read %[[T2]]{{.*}} {in_bounds = [true, false]} : tensor<1x15xf32>, vector<1x16xf32>
// CHECK: "test.use"(%[[V]], %[[U]])
// PROVED-LABEL: func @vectors
// PROVED-NOT: pcf.read_slice
// PROVED: pcf.loop {{.*}} execute(%{{.*}} = %{{.*}})
func.func @vectors(%a: tensor<16x8xf32>, %dest: tensor<8x16xf32>, %n: index) -> tensor<8x16xf32> {
  %c8 = arith.constant 8 : index
  %t = linalg.transpose ins(%a : tensor<16x8xf32>) outs(%dest : tensor<8x16xf32>) permutation = [1, 0]
  %b = pcf.loop scope(#seq) count(%c8) execute(%o = %t)[%i: index] : (!sref) -> (tensor<8x16xf32>) {
    %v = pcf.read_slice %o[%i, 0] [1, %n] [1, 1] : !sref to vector<1x16xf32>
    %u = pcf.read_slice %o[%i, 1] [1, 15] [1, 1] : !sref to vector<1x16xf32>
    "test.use"(%v, %u) : (vector<1x16xf32>, vector<1x16xf32>) -> ()
    pcf.write_slice %v into %o[%i, 0] [1, 16] [1, 1] : vector<1x16xf32> into !sref
    pcf.return
  }
  return %b : tensor<8x16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// PCF-45: inits are judged each for itself; a producer with other users stays; a
// write of elements that the read does not read may come first.
// CHECK-LABEL: func @each_for_itself
// CHECK-SAME: (%[[A:.*]]: tensor<16xf32>, %[[B:.*]]: tensor<16xf32>, %{{.*}}: f32)
// CHECK: %[[E:.*]] = linalg.exp
// CHECK-NEXT: pcf.generic {{.*}} execute(%[[P:.*]] = %[[B]], %[[Q:.*]] = %[[A]], %{{.*}} = %[[E]])[
// CHECK: pcf.write_slice %{{.*}} into %[[P]][0] [4] [1]
// CHECK: linalg.exp {{.*}} tensor<4xf32>
// CHECK: pcf.read_slice %[[Q]]
// CHECK: "test.use"
// CHECK: return %{{.*}}, %[[E]]
func.func @each_for_itself(%a: tensor<16xf32>, %b: tensor<16xf32>, %c: f32) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %e = linalg.exp ins(%a : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  %r:3 = pcf.generic scope(#seq) execute(%p = %e, %q = %a, %s = %e)[%id: index, %n: index] : (!sref, !sref, !sref) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
    %v = tensor.empty() : tensor<4xf32>
    pcf.write_slice %v into %p[0] [4] [1] : tensor<4xf32> into !sref
    %x = pcf.read_slice %p[4] [4] [1] : !sref to tensor<4xf32>
    %y = pcf.read_slice %q[4] [4] [1] : !sref to tensor<4xf32>
    "test.use"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> ()
    pcf.return
  }
  return %r#0, %r#1, %r#2, %e : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// PCF-45: of an unused result the init does not matter. In a branch that does
// not come after the write, a read still reads the init.
// CHECK-LABEL: func @branches
// CHECK-SAME: (%[[A:.*]]: tensor<16xf32>
// CHECK-NEXT: tensor.empty
// CHECK-NEXT: pcf.generic {{.*}} execute(%[[P:.*]] = %[[A]])[
// CHECK: linalg.fill {{.*}} tensor<4xf32>
func.func @branches(%a: tensor<16xf32>, %f: f32, %c: i1) {
  %v = tensor.empty() : tensor<4xf32>
  %e = linalg.fill ins(%f : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    pcf.write_slice %v into %p[%id] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  ^bb2:
    scf.if %c {
      pcf.write_slice %v into %p[%id] [4] [1] : tensor<4xf32> into !sref
    } else {
      %x = pcf.read_slice %p[%id] [4] [1] : !sref to tensor<4xf32>
      "test.use"(%x) : (tensor<4xf32>) -> ()
    }
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// PCF-45: a long write may come first behind a short read.
// CHECK-LABEL: func @behind_the_read
// CHECK-NOT: pcf.read_slice
func.func @behind_the_read(%a: tensor<16xf32>, %f: f32, %v: tensor<12xf32>) -> tensor<16xf32> {
  %e = linalg.fill ins(%f : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %p[4] [12] [1] : tensor<12xf32> into !sref
    %x = pcf.read_slice %p[0] [4] [1] : !sref to tensor<4xf32>
    pcf.write_slice %x into %p[0] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  return %r : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// PCF-45: of an unused result nobody sees the init, written over or not.
// CHECK-LABEL: func @an_unused_result
// CHECK-SAME: (%[[A:.*]]: tensor<16xf32>, %{{.*}}: f32)
// CHECK-NEXT: pcf.generic {{.*}} execute(%{{.*}} = %[[A]])[
// CHECK: linalg.fill {{.*}} tensor<4xf32>
func.func @an_unused_result(%a: tensor<16xf32>, %f: f32) {
  %e = linalg.fill ins(%f : f32) outs(%a : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#seq) execute(%p = %e)[%id: index, %n: index] : (!sref) -> (tensor<16xf32>) {
    %x = pcf.read_slice %p[0] [4] [1] : !sref to tensor<4xf32>
    "test.use"(%x) : (tensor<4xf32>) -> ()
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
!in = !pcf.sref<?x8xf32, #seq>
!sref = !pcf.sref<?x8xf32, sync(#seq)>

// PCF-116: so do reads of a readonly ref, of tensors and of vectors, where the
// body writes what it likes; nothing is left that uses the ref.
// CHECK-LABEL: func @readonly
// CHECK-SAME: (%[[A:.*]]: tensor<?x8xf32>, %[[D:.*]]: tensor<?x8xf32>, %{{.*}}: index)
// CHECK-NOT: linalg.exp {{.*}} tensor<?x8xf32>
// CHECK: pcf.loop {{.*}} execute(%[[X:.*]] <- %[[D]] : tensor<?x8xf32>, %[[O:.*]] = %[[D]])[%[[I:.*]]: index]
// CHECK-NOT: %[[X]]
// CHECK: %[[IN:.*]] = tensor.extract_slice %[[A]][%[[I]], 0] [1, 8] [1, 1]
// CHECK: %[[T:.*]] = linalg.exp ins(%[[IN]]
// CHECK: pcf.write_slice %[[T]]
// CHECK: %[[U:.*]] = linalg.exp
// CHECK: %[[V:.*]] = vector.transfer_read %[[U]]{{.*}} {in_bounds = [true, false]} : tensor<1x5xf32>, vector<1x8xf32>
// CHECK: pcf.write_slice %[[V]]
func.func @readonly(%a: tensor<?x8xf32>, %d: tensor<?x8xf32>, %n: index) -> tensor<?x8xf32> {
  %e = linalg.exp ins(%a : tensor<?x8xf32>) outs(%d : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = pcf.loop scope(#seq) count(%n) execute(%x <- %e : tensor<?x8xf32>, %o = %d)[%i: index] : (!in, !sref) -> (tensor<?x8xf32>) {
    %t = pcf.read_slice %x[%i, 0] [1, 8] [1, 1] : !in to tensor<1x8xf32>
    pcf.write_slice %t into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into !sref
    %v = pcf.read_slice %x[%i, 1] [1, 5] [1, 1] : !in to vector<1x8xf32>
    pcf.write_slice %v into %o[%i, 0] [1, 8] [1, 1] : vector<1x8xf32> into !sref
    pcf.return
  }
  return %r : tensor<?x8xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
!in = !pcf.sref<16xf32, #sg>
!sref = !pcf.sref<16xf32, sync(#sg)>

// PCF-116: the op that makes a readonly source stays for its other users, and each
// ref is judged for itself.
// CHECK-LABEL: func @other_users
// CHECK-SAME: (%[[A:.*]]: tensor<16xf32>, %[[D:.*]]: tensor<16xf32>)
// CHECK: %[[E:.*]] = linalg.exp
// CHECK: pcf.generic {{.*}} execute(%{{.*}} <- %[[D]] : tensor<16xf32>, %[[Y:.*]] <- %[[A]] : tensor<16xf32>, %{{.*}} = %[[E]])
// CHECK: pcf.read_slice %[[Y]]
// CHECK: linalg.exp {{.*}} tensor<4xf32>
// CHECK-NOT: pcf.read_slice
// CHECK: return %{{.*}}, %[[E]]
func.func @other_users(%a: tensor<16xf32>, %d: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %e = linalg.exp ins(%a : tensor<16xf32>) outs(%d : tensor<16xf32>) -> tensor<16xf32>
  %r = pcf.generic scope(#sg) execute(%x <- %e : tensor<16xf32>, %y <- %a : tensor<16xf32>, %o = %e)[%id: index, %n: index] : (!in, !in, !sref) -> (tensor<16xf32>) {
    %u = pcf.read_slice %y[%id] [4] [1] : !in to tensor<4xf32>
    %t = pcf.read_slice %x[%id] [4] [1] : !in to tensor<4xf32>
    %s = arith.addf %u, %t : tensor<4xf32>
    pcf.write_slice %s into %o[%id] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  return %r, %e : tensor<16xf32>, tensor<16xf32>
}
