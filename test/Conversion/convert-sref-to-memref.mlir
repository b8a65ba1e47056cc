// RUN: distaff-opt %s --pcf-convert-sref-to-memref | FileCheck %s --implicit-check-not='!pcf.sref' --implicit-check-not='pcf.write' --implicit-check-not='pcf.read'
// RUN: distaff-opt %s --pcf-convert-sref-to-memref=clamp-zero-size | FileCheck %s --check-prefix=CLAMP

#sg = #iree_gpu.subgroup_scope
#seq = #pcf.sequential
#ws = #gpu.address_space<workgroup>

// The sample of 4.7: the ref is gone, %m is used directly. PCF-52: an extent that
// is dynamic bounds the access.
// CHECK-LABEL: @write_vector
// CHECK-SAME: %[[M:.*]]: memref<?xf32>, %[[V:.*]]: vector<4xf32>, %[[Z:.*]]: index
// CLAMP-LABEL: @write_vector
func.func @write_vector(%m: memref<?xf32>, %v4: vector<4xf32>, %z: index) {
  // CHECK: pcf.generic scope(#iree_gpu.subgroup_scope) execute[%[[ID:.*]]: index, %{{.*}}: index] {
  // CHECK-NEXT: %[[S:.*]] = memref.subview %[[M]][%[[ID]]] [%[[Z]]] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  // CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-NEXT: vector.transfer_write %[[V]], %[[S]][%[[C0]]] : vector<4xf32>, memref<?xf32, strided<[1], offset: ?>>
  // CHECK-NEXT: pcf.return

  // Offset 0 where nothing is accessed (pitfall 25).
  // CLAMP: pcf.generic {{.*}} execute[%[[ID:.*]]: index,
  // CLAMP: %[[C0:.*]] = arith.constant 0 : index
  // CLAMP-NEXT: %[[EMPTY:.*]] = arith.cmpi eq, %[[Z:.*]], %[[C0]] : index
  // CLAMP-NEXT: %[[O:.*]] = arith.select %[[EMPTY]], %[[C0]], %[[ID]] : index
  // CLAMP-NEXT: memref.subview %{{.*}}[%[[O]]] [%[[Z]]] [1]
  pcf.generic scope(#sg) execute(%o = %m)[%id: index, %n: index] : (!pcf.sref<?xf32, #sg>) -> (memref<?xf32>) {
    pcf.write_slice %v4 into %o[%id] [%z] [1] : vector<4xf32> into !pcf.sref<?xf32, #sg>
    pcf.return
  }
  return
}

// PCF-52: `in_bounds` where the size is static and the vector has no more; what
// is beyond it reads as zero of the element type.
// CHECK-LABEL: @in_bounds
func.func @in_bounds(%m: memref<8x8x8xi8>, %z: index) -> vector<4x4x4xi8> {
  %v = pcf.generic scope(#seq) execute(%x = %m)[] : (!pcf.sref<8x8x8xi8, #seq>) -> (memref<8x8x8xi8>) {
    // CHECK: %[[ZERO:.*]] = arith.constant 0 : i8
    // CHECK-NEXT: %[[R:.*]] = vector.transfer_read %{{.*}}, %[[ZERO]] {in_bounds = [true, false, false]} : memref<4x3x?xi8, strided<[64, 16, 1]>>, vector<4x4x4xi8>
    %r = pcf.read_slice %x[0, 0, 0] [4, 3, %z] [1, 2, 1] : !pcf.sref<8x8x8xi8, #seq> to vector<4x4x4xi8>
    // CHECK: vector.transfer_write %[[R]], %{{.*}} {in_bounds = [false, true, false]} : vector<4x4x4xi8>, memref<2x4x1xi8, strided<[64, 8, 1], offset: 73>>
    pcf.write_slice %r into %x[1, 1, 1] [2, 4, 1] [1, 1, 1] : vector<4x4x4xi8> into !pcf.sref<8x8x8xi8, #seq>
    pcf.return
  }
  %c = arith.constant dense<1> : vector<4x4x4xi8>
  return %c : vector<4x4x4xi8>
}

// CLAMP-LABEL: @clamp_both
func.func @clamp_both(%m: memref<?x?xf32>, %v: vector<4x4xf32>, %y: index, %z: index) {
  // CLAMP: %[[C0:.*]] = arith.constant 0 : index
  // CLAMP-NEXT: %[[Y:.*]] = arith.cmpi eq, %{{.*}}, %[[C0]]
  // CLAMP-NEXT: %[[Z:.*]] = arith.cmpi eq, %{{.*}}, %[[C0]]
  // CLAMP-NEXT: %[[EMPTY:.*]] = arith.ori %[[Y]], %[[Z]]
  // CLAMP-NEXT: %[[O:.*]] = arith.select %[[EMPTY]], %[[C0]], %
  // CLAMP-NEXT: memref.subview %{{.*}}[%[[O]], 3]
  pcf.generic scope(#seq) execute(%x = %m)[] : (!pcf.sref<?x?xf32, #seq>) -> (memref<?x?xf32>) {
    pcf.write_slice %v into %x[%y, 3] [%y, %z] [1, 1] : vector<4x4xf32> into !pcf.sref<?x?xf32, #seq>
    pcf.return
  }
  return
}

// PCF-27: a slice of size 0 is no access; one that may be empty may begin beyond
// the end, where a constant would be refused.
// CHECK-LABEL: @empty_slices
func.func @empty_slices(%m: memref<8xf32>, %v: vector<4xf32>, %z: index) {
  pcf.generic scope(#seq) execute(%x = %m)[] : (!pcf.sref<8xf32, #seq>) -> (memref<8xf32>) {
    // CHECK: %[[R:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
    %r = pcf.read_slice %x[100] [0] [1] : !pcf.sref<8xf32, #seq> to vector<4xf32>
    // CHECK-NEXT: %[[C100:.*]] = arith.constant 100 : index
    // CHECK-NEXT: %[[S:.*]] = memref.subview %{{.*}}[%[[C100]]] [%{{.*}}] [1] : memref<8xf32> to memref<?xf32, strided<[1], offset: ?>>
    // CHECK: vector.transfer_write %[[R]], %[[S]]
    pcf.write_slice %r into %x[100] [%z] [1] : vector<4xf32> into !pcf.sref<8xf32, #seq>
    // CHECK-NEXT: pcf.return
    pcf.write_slice %v into %x[100] [0] [1] : vector<4xf32> into !pcf.sref<8xf32, #seq>
    pcf.return
  }
  return
}

// What is no vector is copied, or stays a tensor while there are tensors.
// CHECK-LABEL: @buffers_and_tensors
// CHECK-SAME: %[[M:.*]]: memref<8xf32>, %[[B:.*]]: memref<?xf32>, %[[Z:.*]]: index
func.func @buffers_and_tensors(%m: memref<8xf32>, %b: memref<?xf32>, %z: index) {
  pcf.loop scope(#seq) count(%z) execute(%x <- %m : memref<8xf32>, %y = %m)[%i: index] : (!pcf.sref<8xf32, #seq>, !pcf.sref<8xf32, #seq>) -> (memref<8xf32>) {
    // CHECK: pcf.loop scope(#pcf.sequential) count(%[[Z]]) execute[%[[I:.*]]: index] {
    // CHECK-NEXT: %[[S:.*]] = memref.subview %[[M]][%[[I]]] [%[[Z]]] [2]
    // CHECK-NEXT: memref.copy %[[B]], %[[S]]
    pcf.write_slice %b into %y[%i] [%z] [2] : memref<?xf32> into !pcf.sref<8xf32, #seq>
    // CHECK-NEXT: %[[R:.*]] = memref.subview %[[M]][%[[I]]] [%[[Z]]] [1]
    // CHECK-NEXT: %[[T:.*]] = bufferization.to_tensor %[[R]] : memref<?xf32, strided<[1], offset: ?>> to tensor<?xf32>
    %t = pcf.read_slice %x[%i] [%z] [1] : !pcf.sref<8xf32, #seq> to tensor<?xf32>
    // CHECK-NEXT: %[[W:.*]] = memref.subview %[[M]][0] [%[[Z]]] [1]
    // CHECK-NEXT: bufferization.materialize_in_destination %[[T]] in writable %[[W]]
    pcf.write_slice %t into %y[0] [%z] [1] : tensor<?xf32> into !pcf.sref<8xf32, #seq>
    pcf.return
  }
  return
}

// PCF-53: static memory of the workgroup is the function's, in the order of the
// program; other memory is allocated where the op is.
// CHECK-LABEL: @allocations
func.func @allocations(%n: index) {
  // CHECK-NEXT: %[[A:.*]] = memref.alloc() {alignment = 16 : i64} : memref<8xf32, #gpu.address_space<workgroup>>
  // CHECK-NEXT: %[[X:.*]] = memref.alloc() {alignment = 16 : i64} : memref<4x8xf32, #gpu.address_space<workgroup>>
  // CHECK-NEXT: arith.constant
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK-NEXT: %[[Y:.*]] = memref.alloc(%{{.*}}) {alignment = 16 : i64} : memref<?xf32, #gpu.address_space<workgroup>>
    // CHECK-NEXT: %[[THREE:.*]] = arith.constant 3 : index
    // CHECK-NEXT: pcf.generic sync true scope(#iree_gpu.subgroup_scope) execute[%{{.*}}: index, %{{.*}}: index] {
    %r:2 = pcf.generic sync true scope(#sg)
      initialize {
        %k = arith.constant 3 : index
        %b = pcf.alloc() : !pcf.sref<8xf32, #sg>
        pcf.yield %k, %b : index, !pcf.sref<8xf32, #sg>
      } -> (%three: index, %buf: !pcf.sref<8xf32, #sg>)
      execute(%x, %y)[%id: index, %count: index] : (!pcf.sref<4x8xf32, #sg>, !pcf.sref<?xf32, #sg>) -> (memref<4x8xf32, #ws>, memref<?xf32, #ws>{%n}) {
      // CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[A]], %[[X]], %[[Y]])
      pcf.barrier(#sg) fence(%buf, %x, %y) : !pcf.sref<8xf32, #sg>, !pcf.sref<4x8xf32, #sg>, !pcf.sref<?xf32, #sg>
      // CHECK-NEXT: iree_gpu.fence acquire workgroup
      // CHECK-NEXT: pcf.return
      pcf.fence acquire %buf, %y : !pcf.sref<8xf32, #sg>, !pcf.sref<?xf32, #sg>
      pcf.return
    } {kept}
    // CHECK-NEXT: } {kept}
    // CHECK-NEXT: memref.dealloc %[[Y]]
    memref.dealloc %r#1 : memref<?xf32, #ws>
  }
  return
}

// An allocation outside every op that opens a scope, in the default space.
// CHECK-LABEL: @function_memory
func.func @function_memory(%n: index, %v: vector<2x4xf32>) {
  // CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) {alignment = 16 : i64} : memref<?x4xf32>
  %a = pcf.alloc(%n) : !pcf.sref<?x4xf32, #seq>
  // CHECK: memref.subview %[[A]]
  pcf.write_slice %v into %a[0, 0] [2, 4] [1, 1] : vector<2x4xf32> into !pcf.sref<?x4xf32, #seq>
  return
}

// PCF-28: views, and the escape from the dialect.
// CHECK-LABEL: @views
// CHECK-SAME: %[[M:.*]]: memref<16x8xf32, #gpu.address_space<workgroup>>, %[[I:.*]]: index
func.func @views(%m: memref<16x8xf32, #ws>, %i: index) {
  pcf.generic scope(#sg) execute(%x = %m)[] : (!pcf.sref<16x8xf32, #sg>) -> (memref<16x8xf32, #ws>) {
    // CHECK: %[[R:.*]] = memref.subview %[[M]][%[[I]], 4] [1, 4] [1, 1] : memref<16x8xf32, #gpu.address_space<workgroup>> to memref<4xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
    %row = pcf.subview %x[%i, 4] [1, 4] [1, 1] : !pcf.sref<16x8xf32, #sg> to !pcf.sref<4xf32, #sg>
    // CHECK-NEXT: %[[C:.*]] = memref.subview %[[M]][0, 2] [8, 1] [2, 1] : memref<16x8xf32, #gpu.address_space<workgroup>> to memref<8xf32, strided<[16], offset: 2>, #gpu.address_space<workgroup>>
    %column = pcf.subview %x[0, 2] [8, 1] [2, 1] : !pcf.sref<16x8xf32, #sg> to !pcf.sref<8xf32, #sg>
    // CHECK-NEXT: %[[E:.*]] = memref.expand_shape %[[C]] {{\[\[}}0, 1]] output_shape [2, 4] : memref<8xf32, strided<[16], offset: 2>, #gpu.address_space<workgroup>> into memref<2x4xf32, strided<[64, 16], offset: 2>, #gpu.address_space<workgroup>>
    %split = pcf.expand_shape %column [[0, 1]] : !pcf.sref<8xf32, #sg> into !pcf.sref<2x4xf32, #sg>
    // CHECK-NEXT: %[[S:.*]] = memref.memory_space_cast %[[E]] : {{.*}} to memref<2x4xf32, strided<[64, 16], offset: 2>>
    // CHECK-NEXT: %[[D:.*]] = memref.cast %[[S]] : {{.*}} to memref<2x4xf32, strided<[?, ?], offset: ?>>
    // CHECK-NEXT: memref.subview %[[D]][1, 1] [1, 2] [1, 2] : memref<2x4xf32, strided<[?, ?], offset: ?>> to memref<1x2xf32, strided<[?, ?], offset: ?>>
    %g = pcf.get_memref %split[1, 1] [1, 2] [1, 2] : !pcf.sref<2x4xf32, #sg> to memref<1x2xf32, strided<[?, ?], offset: ?>>
    // CHECK: memref.copy
    pcf.write_slice %g into %split[0, 0] [1, 2] [1, 1] : memref<1x2xf32, strided<[?, ?], offset: ?>> into !pcf.sref<2x4xf32, #sg>
    // CHECK: vector.transfer_read %{{.*}} : memref<4xf32, strided<[1], offset: ?>, #gpu
    %v = pcf.read_slice %row[0] [4] [1] : !pcf.sref<4xf32, #sg> to vector<4xf32>
    pcf.write_slice %v into %row[0] [4] [1] : vector<4xf32> into !pcf.sref<4xf32, #sg>
    pcf.return
  }
  return
}

// PCF-51: identity and strided meet in what they share; each result of a function
// has a layout of its own, and so has each argument.
// CHECK-LABEL: @two_results
func.func @two_results(%m: memref<8x8xf32>, %s: memref<8x8xf32, strided<[16, 1]>>, %c: i1) {
  pcf.generic scope(#seq) execute(%x <- %m : memref<8x8xf32>, %y <- %s : memref<8x8xf32, strided<[16, 1]>>)[] : (!pcf.sref<8x8xf32, #seq>, !pcf.sref<8x8xf32, #seq>) {
    // CHECK: call @pair(%{{.*}}) : (memref<8x8xf32>, memref<8x8xf32, strided<[16, 1]>>, i1) -> (memref<8x8xf32, strided<[?, 1]>>, memref<8x8xf32, strided<[16, 1]>>)
    %a, %b = func.call @pair(%x, %y, %c) : (!pcf.sref<8x8xf32, #seq>, !pcf.sref<8x8xf32, #seq>, i1) -> (!pcf.sref<8x8xf32, #seq>, !pcf.sref<8x8xf32, #seq>)
    pcf.return
  }
  return
}
// CHECK: func.func @pair(%[[X:.*]]: memref<8x8xf32>, %[[Y:.*]]: memref<8x8xf32, strided<[16, 1]>>,
// CHECK-SAME: -> (memref<8x8xf32, strided<[?, 1]>>, memref<8x8xf32, strided<[16, 1]>>)
func.func @pair(%x: !pcf.sref<8x8xf32, #seq>, %y: !pcf.sref<8x8xf32, #seq>, %c: i1) -> (!pcf.sref<8x8xf32, #seq>, !pcf.sref<8x8xf32, #seq>) {
  cf.cond_br %c, ^left, ^right
^left:
  // CHECK: %[[X1:.*]] = memref.cast %[[X]]
  // CHECK-NEXT: return %[[X1]], %[[Y]]
  return %x, %y : !pcf.sref<8x8xf32, #seq>, !pcf.sref<8x8xf32, #seq>
^right:
  // CHECK: %[[Y1:.*]] = memref.cast %[[Y]]
  // CHECK-NEXT: return %[[Y1]], %[[Y]]
  return %y, %y : !pcf.sref<8x8xf32, #seq>, !pcf.sref<8x8xf32, #seq>
}

// An argument has what all calls share.
// CHECK-LABEL: @two_calls
func.func @two_calls(%m: memref<8x8xf32>, %s: memref<8x8xf32, strided<[16, 1], offset: 3>>) {
  pcf.generic scope(#seq) execute(%x <- %m : memref<8x8xf32>, %y <- %s : memref<8x8xf32, strided<[16, 1], offset: 3>>)[] : (!pcf.sref<8x8xf32, #seq>, !pcf.sref<8x8xf32, #seq>) {
    // CHECK: memref.cast %{{.*}} : memref<8x8xf32> to memref<8x8xf32, strided<[?, 1], offset: ?>>
    // CHECK-NEXT: call @called(
    func.call @called(%x) : (!pcf.sref<8x8xf32, #seq>) -> ()
    // CHECK: memref.cast %{{.*}} : memref<8x8xf32, strided<[16, 1], offset: 3>> to memref<8x8xf32, strided<[?, 1], offset: ?>>
    func.call @called(%y) : (!pcf.sref<8x8xf32, #seq>) -> ()
    pcf.return
  }
  return
}
// CHECK: func.func private @called(%{{.*}}: memref<8x8xf32, strided<[?, 1], offset: ?>>)
func.func private @called(%x: !pcf.sref<8x8xf32, #seq>) {
  return
}

// PCF-51: joins of control flow. What goes around a loop meets what enters it,
// and the meet goes on to all that follows.
// CHECK-LABEL: @joins
func.func @joins(%m: memref<8x8xf32>, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[B:.*]] = memref.alloc(%{{.*}}) {alignment = 16 : i64} : memref<?x4xf32>
  // CHECK: pcf.generic
  pcf.generic scope(#seq)
    initialize {
      %b = pcf.alloc(%n) : !pcf.sref<?x4xf32, #seq>
      pcf.yield %b : !pcf.sref<?x4xf32, #seq>
    } -> (%buf: !pcf.sref<?x4xf32, #seq>)
    execute(%x <- %m : memref<8x8xf32>)[] : (!pcf.sref<8x8xf32, #seq>) {
    // CHECK: %[[W:.*]] = memref.subview {{.*}} to memref<?x4xf32, strided<[8, 1], offset: 2>>
    %w = pcf.subview %x[0, 2] [%n, 4] [1, 1] : !pcf.sref<8x8xf32, #seq> to !pcf.sref<?x4xf32, #seq>
    // CHECK: scf.for {{.*}} iter_args(%[[IT:.*]] = %{{.*}}) -> ([[MET:memref<\?x4xf32, strided<\[\?, 1\], offset: \?>>]])
    %f = scf.for %i = %c0 to %n step %c1 iter_args(%it = %buf) -> (!pcf.sref<?x4xf32, #seq>) {
      // CHECK: memref.subview %[[IT]]{{.*}} : [[MET]] to memref<?x2xf32, strided<[?, 1], offset: ?>>
      %part = pcf.subview %it[0, 1] [%n, 2] [1, 1] : !pcf.sref<?x4xf32, #seq> to !pcf.sref<?x2xf32, #seq>
      %v = pcf.read_slice %part[0, 0] [1, 1] [1, 1] : !pcf.sref<?x2xf32, #seq> to vector<1x1xf32>
      // CHECK: memref.cast %[[W]]
      scf.yield %w : !pcf.sref<?x4xf32, #seq>
    }
    // CHECK: memref.cast %[[B]]
    // CHECK-NEXT: arith.select {{.*}} : [[MET]]
    %g = arith.select %c, %f, %buf : !pcf.sref<?x4xf32, #seq>
    // CHECK: scf.if {{.*}} -> ([[MET]])
    %k = scf.if %c -> !pcf.sref<?x4xf32, #seq> {
      scf.yield %buf : !pcf.sref<?x4xf32, #seq>
    } else {
      scf.yield %w : !pcf.sref<?x4xf32, #seq>
    }
    // CHECK: scf.while {{.*}} : ([[MET]]) -> [[MET]]
    %h = scf.while (%q = %buf) : (!pcf.sref<?x4xf32, #seq>) -> !pcf.sref<?x4xf32, #seq> {
      scf.condition(%c) %q : !pcf.sref<?x4xf32, #seq>
    } do {
    ^bb0(%q: !pcf.sref<?x4xf32, #seq>):
      scf.yield %g : !pcf.sref<?x4xf32, #seq>
    }
    // CHECK: scf.index_switch {{.*}} -> [[MET]]
    %s = scf.index_switch %n -> !pcf.sref<?x4xf32, #seq>
    case 1 {
      scf.yield %h : !pcf.sref<?x4xf32, #seq>
    }
    default {
      scf.yield %buf : !pcf.sref<?x4xf32, #seq>
    }
    // CHECK: scf.execute_region -> memref<?x4xf32> {
    %e = scf.execute_region -> !pcf.sref<?x4xf32, #seq> {
      scf.yield %buf : !pcf.sref<?x4xf32, #seq>
    }
    // CHECK: cf.cond_br %{{.*}}, ^[[A:.*]](%{{.*}} : [[MET]]), ^[[A]](%{{.*}} : [[MET]])
    cf.cond_br %c, ^a(%s : !pcf.sref<?x4xf32, #seq>), ^a(%e : !pcf.sref<?x4xf32, #seq>)
  // CHECK: ^[[A]](%{{.*}}: [[MET]]):
  ^a(%z: !pcf.sref<?x4xf32, #seq>):
    %v = pcf.read_slice %z[0, 0] [1, 4] [1, 1] : !pcf.sref<?x4xf32, #seq> to vector<1x4xf32>
    pcf.return
  }
  return
}
