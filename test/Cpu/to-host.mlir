// RUN: distaff-opt %s --distaff-convert-to-host=target=host:avx2 | FileCheck %s
// RUN: distaff-opt %s --distaff-convert-to-host=target=host:avx2 | FileCheck %s --check-prefix=NONE
// NONE: no memory is left for a memref<400000xf32> of kernel 'large'

// The workgroups of a range, of which x changes fastest.
// CHECK-LABEL: llvm.func internal @k__workgroups(
// CHECK-SAME: %[[A:.*]]: !llvm.ptr {{.*}}, %[[R:.*]]: !llvm.ptr {{.*}}, %[[S:.*]]: f32, %[[N:.*]]: i64, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64
// CHECK: llvm.urem
// CHECK: llvm.udiv
// CHECK-LABEL: llvm.func @k__task(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr, %[[FROM:.*]]: i64, %[[TO:.*]]: i64
// CHECK: llvm.getelementptr %[[FRAME]][0]
// CHECK: llvm.getelementptr %[[FRAME]][2]
// CHECK-NEXT: llvm.load {{.*}} -> f32
// CHECK: llvm.call @k__workgroups({{.*}}, %[[FROM]], %[[TO]])
func.func @k(%s: f32, %a: memref<?x8xf32>, %r: memref<3x8xf32> {iree.abi.output = 0 : index}) {
  scf.forall (%y, %x) in (3, 2) {
    %c4 = arith.constant 4 : index
    %c = arith.muli %x, %c4 : index
    %v = vector.load %a[%y, %c] : memref<?x8xf32>, vector<4xf32>
    %b = vector.broadcast %s : f32 to vector<4xf32>
    %p = arith.mulf %v, %b : vector<4xf32>
    vector.store %p, %r[%y, %c] : memref<3x8xf32>, vector<4xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}

// One workgroup is run where the range has it.
// CHECK-LABEL: llvm.func internal @one__workgroups(
// CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i64
// CHECK: llvm.cond_br
func.func @one(%r: memref<1xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  memref.store %x, %r[%c0] : memref<1xf32>
  return
}

// What no stack has room for is of the heap (VX-197), once for a range: each call takes
// it and gives it back, and says so where there is none.
// CHECK-LABEL: llvm.func internal @large__workgroups(
// CHECK: llvm.call @aligned_alloc
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint
// CHECK: llvm.icmp "ne" %[[ADDRESS]], %{{.*}}
// CHECK: llvm.call @distaff_assertion_failed
// CHECK: llvm.urem
// CHECK: llvm.call @free
// CHECK-NEXT: llvm.return
func.func @large(%a: memref<6x8xf32>, %r: memref<6x8xf32> {iree.abi.output = 0 : index}) {
  %m = memref.alloc() : memref<400000xf32>
  scf.forall (%y, %x) in (3, 2) {
    %v = vector.load %a[%y, %x] : memref<6x8xf32>, vector<4xf32>
    vector.store %v, %m[%x] : memref<400000xf32>, vector<4xf32>
    %w = vector.load %m[%x] : memref<400000xf32>, vector<4xf32>
    vector.store %w, %r[%y, %x] : memref<6x8xf32>, vector<4xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}

// Of a size that only a launch knows, where it stands.
// CHECK-LABEL: llvm.func internal @unknown__workgroups(
// CHECK: llvm.urem
// CHECK: llvm.call @aligned_alloc
// CHECK: llvm.icmp "ne"
// CHECK: llvm.icmp "eq"
// CHECK: llvm.or
// CHECK: llvm.call @free
// CHECK: llvm.br
func.func @unknown(%a: memref<?x8xf32>, %r: memref<6x8xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  scf.forall (%y, %x) in (3, 2) {
    %n = memref.dim %a, %c0 : memref<?x8xf32>
    %m = memref.alloc(%n) : memref<?xf32>
    %v = vector.load %a[%y, %x] : memref<?x8xf32>, vector<4xf32>
    vector.store %v, %m[%x] : memref<?xf32>, vector<4xf32>
    %w = vector.load %m[%x] : memref<?xf32>, vector<4xf32>
    vector.store %w, %r[%y, %x] : memref<6x8xf32>, vector<4xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}

// Sums of bf16 are of f32, rounded by integer ops: no library rounds.
// CHECK-LABEL: llvm.func internal @halves__workgroups(
// CHECK: llvm.fadd %{{.*}} : vector<8xf32>
// CHECK-NOT: llvm.fptrunc
func.func @halves(%a: memref<8xbf16>, %r: memref<8xbf16> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<8xbf16>, vector<8xbf16>
  %p = arith.addf %v, %v : vector<8xbf16>
  vector.store %p, %r[%c0] : memref<8xbf16>, vector<8xbf16>
  return
}

// Memory that a branch passes on is allocated beside it.
// CHECK-LABEL: llvm.func internal @chosen__workgroups(
// CHECK: llvm.call @aligned_alloc
// CHECK: llvm.cond_br %{{.*}}, ^bb[[THEN:[0-9]+]]
// CHECK: llvm.call @free
func.func @chosen(%a: memref<8xf32>, %t: i1, %r: memref<8xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<8xf32>, vector<8xf32>
  %m = scf.if %t -> (memref<8xf32>) {
    %new = memref.alloc() : memref<8xf32>
    %s = arith.addf %v, %v : vector<8xf32>
    vector.store %s, %new[%c0] : memref<8xf32>, vector<8xf32>
    scf.yield %new : memref<8xf32>
  } else {
    scf.yield %a : memref<8xf32>
  }
  %w = vector.load %m[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %w, %r[%c0] : memref<8xf32>, vector<8xf32>
  return
}
