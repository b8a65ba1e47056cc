// RUN: distaff-opt %s -allow-unregistered-dialect --cse --canonicalize | FileCheck %s
// RUN: distaff-opt %s -allow-unregistered-dialect --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM

// What passes may do with reads, memory, owners (PCF-25); the effects themselves
// are listed in unittests/Dialect/RefOwnerTest.cpp.

!ref = !pcf.sref<8xf32, #iree_gpu.subgroup_scope>

// CHECK-LABEL: @equal_reads_are_one
// CHECK: %[[V:.*]] = pcf.read_slice
// CHECK-NOT: pcf.read_slice
// CHECK: "test.use"(%[[V]], %[[V]])
func.func @equal_reads_are_one(%r: !ref, %i: index) {
  %v = pcf.read_slice %r[%i] [4] [1] : !ref to vector<4xf32>
  %w = pcf.read_slice %r[%i] [4] [1] : !ref to vector<4xf32>
  "test.use"(%v, %w) : (vector<4xf32>, vector<4xf32>) -> ()
  return
}

// CHECK-LABEL: @unused_reads_go
// CHECK-NEXT: return
func.func @unused_reads_go(%r: !ref, %i: index) {
  %v = pcf.read_slice %r[%i] [4] [1] : !ref to tensor<4xf32>
  %m = pcf.get_memref %r[%i] [4] [1] : !ref to memref<4xf32, strided<[?], offset: ?>>
  %s = pcf.subview %r[%i] [4] [1] : !ref to !pcf.sref<4xf32, #iree_gpu.subgroup_scope>
  %e = pcf.expand_shape %r [[0, 1]] : !ref into !pcf.sref<2x4xf32, #iree_gpu.subgroup_scope>
  return
}

// CHECK-LABEL: @a_write_separates_reads
// CHECK: pcf.read_slice
// CHECK: pcf.write_slice
// CHECK: pcf.read_slice
func.func @a_write_separates_reads(%r: !ref, %i: index, %x: vector<4xf32>) {
  %v = pcf.read_slice %r[%i] [4] [1] : !ref to vector<4xf32>
  pcf.write_slice %x into %r[0] [4] [1] : vector<4xf32> into !ref
  %w = pcf.read_slice %r[%i] [4] [1] : !ref to vector<4xf32>
  "test.use"(%v, %w) : (vector<4xf32>, vector<4xf32>) -> ()
  return
}

// CHECK-LABEL: @waiting_separates_reads
// CHECK: pcf.read_slice
// CHECK: pcf.barrier
// CHECK: pcf.read_slice
// CHECK: pcf.fence
// CHECK: pcf.read_slice
func.func @waiting_separates_reads(%r: !ref, %i: index) {
  %v = pcf.read_slice %r[%i] [4] [1] : !ref to vector<4xf32>
  pcf.barrier(#iree_gpu.subgroup_scope) fence(%r) : !ref
  %w = pcf.read_slice %r[%i] [4] [1] : !ref to vector<4xf32>
  pcf.fence acquire %r : !ref
  %x = pcf.read_slice %r[%i] [4] [1] : !ref to vector<4xf32>
  "test.use"(%v, %w, %x) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> ()
  return
}

// An op that waits at its end separates what is around it.
// CHECK-LABEL: @synchronized_owners_separate_reads
// CHECK: pcf.read_slice
// CHECK: pcf.generic sync true
// CHECK: pcf.read_slice
func.func @synchronized_owners_separate_reads(%r: !ref, %i: index) {
  %v = pcf.read_slice %r[%i] [4] [1] : !ref to vector<4xf32>
  pcf.generic sync true scope(#iree_gpu.subgroup_scope) execute[] {
    pcf.return
  }
  %w = pcf.read_slice %r[%i] [4] [1] : !ref to vector<4xf32>
  "test.use"(%v, %w) : (vector<4xf32>, vector<4xf32>) -> ()
  return
}

// Effects of an op on the memrefs behind its refs: tied ones are read and
// written, readonly ones are read.
// CHECK-LABEL: @memrefs_behind_refs
// CHECK: memref.load %[[TIED:.*]][%{{.*}}]
// CHECK: memref.load %[[READ:.*]][%{{.*}}]
// CHECK: pcf.generic
// CHECK: %[[A:.*]] = memref.load %[[TIED]][%{{.*}}]
// CHECK-NOT: memref.load %[[READ]]
// CHECK: "test.use"
func.func @memrefs_behind_refs(%tied: memref<8xf32>, %read: memref<8xf32, 3>, %i: index) -> memref<8xf32> {
  %a = memref.load %tied[%i] : memref<8xf32>
  %b = memref.load %read[%i] : memref<8xf32, 3>
  %r = pcf.generic scope(#iree_gpu.subgroup_scope) execute(%t = %tied, %x <- %read : memref<8xf32, 3>)[]
    : (!ref, !ref) -> (memref<8xf32>) {
    pcf.return
  }
  %c = memref.load %tied[%i] : memref<8xf32>
  "test.use"(%a, %b, %c) : (f32, f32, f32) -> ()
  return %r : memref<8xf32>
}

// Ops that allocate their results give each its own memory.
// CHECK-LABEL: @allocated_memrefs_are_not_one
// CHECK: %[[A:.*]] = pcf.generic
// CHECK: %[[B:.*]] = pcf.generic
// CHECK: return %[[A]], %[[B]]
func.func @allocated_memrefs_are_not_one() -> (memref<8xf32>, memref<8xf32>) {
  %a = pcf.generic scope(#iree_gpu.subgroup_scope) execute(%x)[] : (!ref) -> (memref<8xf32>) {
    pcf.return
  }
  %b = pcf.generic scope(#iree_gpu.subgroup_scope) execute(%x)[] : (!ref) -> (memref<8xf32>) {
    pcf.return
  }
  return %a, %b : memref<8xf32>, memref<8xf32>
}

// CHECK-LABEL: @allocs_are_not_one
// CHECK: %[[A:.*]] = pcf.alloc
// CHECK: %[[B:.*]] = pcf.alloc
// CHECK-NOT: pcf.alloc
// CHECK: return %[[A]], %[[B]]
func.func @allocs_are_not_one() -> (!ref, !ref) {
  %a = pcf.alloc() : !ref
  %b = pcf.alloc() : !ref
  %unused = pcf.alloc() : !ref
  return %a, %b : !ref, !ref
}

// A read stays in a loop that writes, and views leave it.
// LICM-LABEL: @reads_in_loops
// LICM: pcf.subview
// LICM: scf.for
// LICM: pcf.read_slice
// LICM: pcf.write_slice
func.func @reads_in_loops(%r: !ref, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %s = pcf.subview %r[4] [4] [1] : !ref to !pcf.sref<4xf32, #iree_gpu.subgroup_scope>
    %v = pcf.read_slice %s[0] [4] [1] : !pcf.sref<4xf32, #iree_gpu.subgroup_scope> to vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    pcf.write_slice %w into %r[4] [4] [1] : vector<4xf32> into !ref
  }
  return
}
