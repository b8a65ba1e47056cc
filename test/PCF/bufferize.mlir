// RUN: distaff-opt %s --one-shot-bufferize --cse | FileCheck %s
// RUN: distaff-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --cse | FileCheck %s --check-prefix=BOUNDARY

#sg = #iree_gpu.subgroup_scope
#seq = #pcf.sequential
#ws = #gpu.address_space<workgroup>

// PCF-50: a tied result is its init buffer, a readonly operand is used as it is;
// bodies of vectors and srefs stay. Stage 8 of chapter 8, with its body left out.
// BOUNDARY-LABEL: @stage8
// BOUNDARY-SAME: %[[A:.*]]: memref<?x?xf16>, %[[C:.*]]: memref<?x?xf32>, %[[N:.*]]: index
// BOUNDARY-NOT: alloc
// BOUNDARY: pcf.loop sync true scope(#iree_codegen.workgroup_scope) count(%[[N]], %[[N]]) execute(%[[RA:.*]] <- %[[A]] : memref<?x?xf16>, %[[RC:.*]] = %[[C]])[%[[I:.*]]: index, %[[J:.*]]: index] : ({{.*}}) -> (memref<?x?xf32>) {
// BOUNDARY-NEXT: %[[V:.*]] = pcf.read_slice %[[RA]][%[[I]], %[[J]]] [1, 8] [1, 1]
// BOUNDARY-NEXT: %[[W:.*]] = arith.extf %[[V]]
// BOUNDARY-NEXT: pcf.write_slice %[[W]] into %[[RC]][%[[I]], %[[J]]] [1, 8] [1, 1]
// BOUNDARY-NEXT: pcf.return
// BOUNDARY-NEXT: } {kept}
// BOUNDARY-NEXT: return %[[C]]
func.func @stage8(%A: tensor<?x?xf16>, %C: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %r = pcf.loop sync true scope(#iree_codegen.workgroup_scope) count(%n, %n)
    execute(%a <- %A : tensor<?x?xf16>, %c = %C)[%in: index, %im: index]
    : (!pcf.sref<?x?xf16, #iree_codegen.workgroup_scope>, !pcf.sref<?x?xf32, #iree_codegen.workgroup_scope>) -> (tensor<?x?xf32>) {
    %v = pcf.read_slice %a[%in, %im] [1, 8] [1, 1] : !pcf.sref<?x?xf16, #iree_codegen.workgroup_scope> to vector<1x8xf16>
    %w = arith.extf %v : vector<1x8xf16> to vector<1x8xf32>
    pcf.write_slice %w into %c[%in, %im] [1, 8] [1, 1] : vector<1x8xf32> into !pcf.sref<?x?xf32, #iree_codegen.workgroup_scope>
    pcf.return
  } {kept}
  return %r : tensor<?x?xf32>
}

// Memory that may not be written is copied, once; what nobody reads of it is not.
// CHECK-LABEL: @copies_of_inits
// CHECK: %[[O:.*]] = bufferization.to_buffer %{{.*}} : tensor<8xf32>
func.func @copies_of_inits(%o: tensor<8xf32>, %v: vector<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[COPY:.*]] = memref.alloc() {{.*}} : memref<8xf32>
  // CHECK-NEXT: memref.copy %[[O]], %[[COPY]]
  // CHECK-NEXT: pcf.generic {{.*}} execute(%{{.*}} = %[[COPY]])
  %some = pcf.generic scope(#seq) execute(%y = %o)[] : (!pcf.sref<8xf32, #seq>) -> (tensor<8xf32>) {
    pcf.write_slice %v into %y[2] [4] [1] : vector<8xf32> into !pcf.sref<8xf32, #seq>
    pcf.return
  }
  // CHECK: %[[NEW:.*]] = memref.alloc()
  // CHECK-NEXT: pcf.generic {{.*}} execute(%{{.*}} = %[[NEW]])
  %all = pcf.generic scope(#seq) execute(%y = %o)[] : (!pcf.sref<8xf32, #seq>) -> (tensor<8xf32>) {
    pcf.write_slice %v into %y[0] [8] [1] : vector<8xf32> into !pcf.sref<8xf32, #seq>
    pcf.return
  }
  // No iteration may run.
  // CHECK: %[[MAYBE:.*]] = memref.alloc()
  // CHECK-NEXT: memref.copy %[[O]], %[[MAYBE]]
  // CHECK-NEXT: pcf.loop
  %maybe = pcf.loop scope(#seq) count(%n) execute(%y = %o)[%i: index] : (!pcf.sref<8xf32, #seq>) -> (tensor<8xf32>) {
    pcf.write_slice %v into %y[0] [8] [1] : vector<8xf32> into !pcf.sref<8xf32, #seq>
    pcf.return
  }
  return %some, %all, %maybe : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// One value as init of two refs, and as what is read while the ref is written,
// by a ref or directly: two memories.
// CHECK-LABEL: @one_value_twice
// CHECK-SAME: %[[M:[^:]*]]: memref<8xf32>
func.func @one_value_twice(%m: memref<8xf32>, %k: memref<8xf32>, %l: memref<8xf32>, %v: vector<8xf32>, %i: index) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  // CHECK: memref.copy %[[M]], %[[ONE:[^ ]*]] :
  // CHECK: memref.copy %[[M]], %[[TWO:[^ ]*]] :
  // CHECK: pcf.generic {{.*}} execute(%{{.*}} = %[[ONE]], %{{.*}} = %[[TWO]])[]
  %r:2 = pcf.generic scope(#seq) execute(%x = %t, %y = %t)[] : (!pcf.sref<8xf32, #seq>, !pcf.sref<8xf32, #seq>) -> (tensor<8xf32>, tensor<8xf32>) {
    pcf.write_slice %v into %x[0] [3] [1] : vector<8xf32> into !pcf.sref<8xf32, #seq>
    pcf.write_slice %v into %y[4] [3] [1] : vector<8xf32> into !pcf.sref<8xf32, #seq>
    pcf.return
  }
  %u = bufferization.to_tensor %k restrict writable : memref<8xf32> to tensor<8xf32>
  // CHECK: memref.copy %[[K:[^ ]*]], %[[U:[^ ]*]] :
  // CHECK: pcf.generic {{.*}} execute(%{{.*}} <- %[[K]] : memref<8xf32>, %{{.*}} = %[[U]])
  %s = pcf.generic scope(#seq) execute(%x <- %u : tensor<8xf32>, %y = %u)[] : (!pcf.sref<8xf32, #seq>, !pcf.sref<8xf32, #seq>) -> (tensor<8xf32>) {
    pcf.write_slice %v into %y[1] [5] [1] : vector<8xf32> into !pcf.sref<8xf32, #seq>
    pcf.return
  }
  %w = bufferization.to_tensor %l restrict writable : memref<8xf32> to tensor<8xf32>
  // CHECK: memref.copy %[[L:[^ ]*]], %[[W:[^ ]*]] :
  // CHECK: pcf.loop {{.*}} execute(%{{.*}} = %[[W]])
  // CHECK-NEXT: memref.subview %[[L]]
  %q = pcf.loop scope(#sg) count(%i) execute(%y = %w)[%id: index] : (!pcf.sref<8xf32, #sg>) -> (tensor<8xf32>) {
    %part = tensor.extract_slice %w[%id] [4] [1] : tensor<8xf32> to tensor<4xf32>
    pcf.write_slice %part into %y[0] [4] [1] : tensor<4xf32> into !pcf.sref<8xf32, #sg>
    pcf.return
  }
  return %r#0, %r#1, %s, %q : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// What a worker computes in place it computes in memory of its own.
// CHECK-LABEL: @private
func.func @private(%m: memref<8xf32>, %n: index) {
  %cst = arith.constant 1.0 : f32
  %o = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %e = tensor.empty() : tensor<4xf32>
  // CHECK: pcf.loop
  // CHECK-NEXT: %[[E:.*]] = memref.alloc()
  // CHECK-NEXT: linalg.fill {{.*}} outs(%[[E]]
  // CHECK-NEXT: pcf.write_slice %[[E]] into
  %r = pcf.loop scope(#sg) count(%n) execute(%y = %o)[%i: index] : (!pcf.sref<8xf32, #sg>) -> (tensor<8xf32>) {
    %f = linalg.fill ins(%cst : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    pcf.write_slice %f into %y[%i] [4] [1] : tensor<4xf32> into !pcf.sref<8xf32, #sg>
    pcf.return
  }
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// An untied result has the scope's memory; memref results, the initializer and
// its tensors, and blocks with tensors are kept.
// CHECK-LABEL: @all_else_is_kept
// CHECK-SAME: %[[N:.*]]: index
func.func @all_else_is_kept(%n: index, %c: i1, %t: tensor<4xf32>) -> tensor<?x4xf32> {
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // CHECK: %[[T:.*]] = bufferization.to_buffer
  // CHECK: %[[K:.*]] = memref.get_global
  // CHECK: %[[R:.*]]:2 = pcf.generic sync true
  %r:2 = pcf.generic sync true scope(#sg)
    initialize {
      %b = pcf.alloc() : !pcf.sref<4xf32, #sg>
      // CHECK: pcf.yield %[[K]], %{{.*}} : memref<4xf32>, !
      pcf.yield %k, %b : tensor<4xf32>, !pcf.sref<4xf32, #sg>
    // CHECK: -> (%[[LEAD:.*]]: memref<4xf32>, %[[BUF:.*]]: !{{.*}}) execute(
    } -> (%lead: tensor<4xf32>, %buf: !pcf.sref<4xf32, #sg>)
    // CHECK-SAME: -> (memref<?x4xf32, #gpu.address_space<workgroup>>{%[[N]]}, memref<4xf32, #gpu.address_space<workgroup>>)
    execute(%y, %z)[] : (!pcf.sref<?x4xf32, #sg>, !pcf.sref<4xf32, #sg>) -> (tensor<?x4xf32>{%n}, memref<4xf32, #ws>) {
    // CHECK: pcf.write_slice %[[LEAD]] into %[[BUF]]
    pcf.write_slice %lead into %buf[0] [4] [1] : tensor<4xf32> into !pcf.sref<4xf32, #sg>
    // CHECK: pcf.br.cond_return %{{.*}} ^{{.*}}(%[[T]] :
    pcf.br.cond_return %c ^next(%t : tensor<4xf32>)
  // CHECK: ^{{.*}}(%[[Q:.*]]: memref<4xf32, strided<[?], offset: ?>>):
  ^next(%q : tensor<4xf32>):
    // CHECK-NEXT: pcf.write_slice %[[Q]] into
    pcf.write_slice %q into %z[0] [4] [1] : tensor<4xf32> into !pcf.sref<4xf32, #sg>
    pcf.return
  }
  // CHECK: bufferization.to_tensor %[[R]]#0 : memref<?x4xf32, #gpu.address_space<workgroup>>
  return %r#0 : tensor<?x4xf32>
}

// CHECK-LABEL: @executor
func.func @executor(%m: memref<4xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  // CHECK: pcf.shared_executor scope(#iree_gpu.subgroup_scope) execute(%{{.*}} = %{{.*}})[%{{.*}}: {{.*}}-> (memref<4xf32>)
  %r = pcf.shared_executor scope(#sg) execute(%x = %t)[%tg: !pcf.threadgroup<#sg>] : (!pcf.sref<4xf32, #sg>) -> (tensor<4xf32>) {
    pcf.return
  }
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// A slice that is read is the memory of the ref as long as that cannot change.
// CHECK-LABEL: @reads
func.func @reads(%a: memref<8xf32>, %m: memref<8xf32>, %k: memref<8xf32>, %n: index) {
  %t = bufferization.to_tensor %a restrict : memref<8xf32> to tensor<8xf32>
  %o = bufferization.to_tensor %m restrict writable : memref<8xf32> to tensor<8xf32>
  %p = bufferization.to_tensor %k restrict writable : memref<8xf32> to tensor<8xf32>
  // CHECK: pcf.generic {{.*}} execute(%[[X:.*]] <- %{{.*}} : memref<8xf32>, %[[Y:.*]] = %{{.*}}, %[[Z:.*]] = %{{.*}})
  %r:2 = pcf.generic scope(#sg) execute(%x <- %t : tensor<8xf32>, %y = %o, %z = %p)[%i: index, %c: index]
    : (!pcf.sref<8xf32, #sg>, !pcf.sref<8xf32, #sg>, !pcf.sref<8xf32, #sg>) -> (tensor<8xf32>, tensor<8xf32>) {
    // Read for the last time before a write; the result needs memory of its own.
    // CHECK-NEXT: %[[S:.*]] = pcf.get_memref %[[Y]][%{{.*}}] [1] [1]
    // CHECK-NEXT: %[[E:.*]] = memref.alloc()
    // CHECK-NEXT: linalg.exp ins(%[[S]] : {{.*}}) outs(%[[E]] :
    // CHECK-NEXT: pcf.write_slice %[[E]] into %[[Y]]
    %s = pcf.read_slice %y[%i] [1] [1] : !pcf.sref<8xf32, #sg> to tensor<1xf32>
    %e = linalg.exp ins(%s : tensor<1xf32>) outs(%s : tensor<1xf32>) -> tensor<1xf32>
    pcf.write_slice %e into %y[%i] [1] [1] : tensor<1xf32> into !pcf.sref<8xf32, #sg>

    // A barrier may let others write.
    // CHECK-NEXT: %[[L:.*]] = pcf.get_memref %[[Y]][%{{.*}}] [%[[N:.*]]] [1]
    // CHECK-NEXT: %[[COPY:.*]] = memref.alloc(%[[N]])
    // CHECK-NEXT: memref.copy %[[L]], %[[COPY]]
    // CHECK-NEXT: %[[CAST:.*]] = memref.cast %[[COPY]]
    // CHECK-NEXT: pcf.barrier
    // CHECK-NEXT: pcf.write_slice %[[CAST]] into
    %l = pcf.read_slice %y[%i] [%n] [1] : !pcf.sref<8xf32, #sg> to tensor<?xf32>
    pcf.barrier(#sg)
    pcf.write_slice %l into %y[0] [%n] [1] : tensor<?xf32> into !pcf.sref<8xf32, #sg>

    // Nobody writes what is readonly, nor through another ref of the op.
    // CHECK-NEXT: %[[Q:.*]] = pcf.get_memref %[[X]]
    // CHECK-NEXT: pcf.barrier
    // CHECK-NEXT: pcf.write_slice %[[Q]] into %[[Y]]
    %q = pcf.read_slice %x[%i] [%n] [1] : !pcf.sref<8xf32, #sg> to tensor<?xf32>
    pcf.barrier(#sg)
    pcf.write_slice %q into %y[%i] [%n] [1] : tensor<?xf32> into !pcf.sref<8xf32, #sg>
    // CHECK-NEXT: %[[H:.*]] = pcf.get_memref %[[Z]]
    // CHECK-NEXT: pcf.write_slice %[[H]] into %[[Y]]
    %h = pcf.read_slice %z[%i] [%n] [1] : !pcf.sref<8xf32, #sg> to tensor<?xf32>
    pcf.write_slice %h into %y[%i] [%n] [1] : tensor<?xf32> into !pcf.sref<8xf32, #sg>

    // Under another name the same memory, and used in a loop that writes it.
    // CHECK: %[[F:.*]] = pcf.get_memref %[[Y]]
    // CHECK-NEXT: memref.alloc
    // CHECK-NEXT: memref.copy %[[F]]
    %f = pcf.read_slice %y[0] [2] [1] : !pcf.sref<8xf32, #sg> to tensor<2xf32>
    %w = pcf.subview %y[4] [4] [1] : !pcf.sref<8xf32, #sg> to !pcf.sref<4xf32, #sg>
    scf.forall (%g) in (%n) {
      pcf.write_slice %f into %w[%g] [2] [1] : tensor<2xf32> into !pcf.sref<4xf32, #sg>
    }
    // Through what is a view of the tensor.
    // CHECK: %[[V:.*]] = pcf.get_memref %[[Y]][%{{.*}}] [4] [1]
    // CHECK-NEXT: memref.alloc
    // CHECK-NEXT: memref.copy %[[V]]
    %v = pcf.read_slice %y[%i] [4] [1] : !pcf.sref<8xf32, #sg> to tensor<4xf32>
    %u = tensor.extract_slice %v[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
    pcf.write_slice %f into %y[0] [2] [1] : tensor<2xf32> into !pcf.sref<8xf32, #sg>
    pcf.write_slice %u into %z[0] [2] [1] : tensor<2xf32> into !pcf.sref<8xf32, #sg>
    pcf.return
  }
  bufferization.materialize_in_destination %r#0 in restrict writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %k : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// Refs of two ops may be one memory.
// CHECK-LABEL: @refs_of_two_ops
func.func @refs_of_two_ops(%m: memref<8xf32>, %k: memref<8xf32>, %v: vector<4xf32>) {
  %o:2 = pcf.generic scope(#sg) execute(%y = %m, %w = %k)[] : (!pcf.sref<8xf32, #sg>, !pcf.sref<8xf32, #sg>) -> (memref<8xf32>, memref<8xf32>) {
    %g = pcf.get_memref %y[0] [8] [1] : !pcf.sref<8xf32, #sg> to memref<8xf32, strided<[?], offset: ?>>
    %i = pcf.generic scope(#seq) execute(%z = %g)[] : (!pcf.sref<8xf32, #seq>) -> (memref<8xf32, strided<[?], offset: ?>>) {
      // CHECK: %[[R:.*]] = pcf.get_memref %{{.*}}[0] [4] [1]
      // CHECK: memref.copy %[[R]]
      %r = pcf.read_slice %z[0] [4] [1] : !pcf.sref<8xf32, #seq> to tensor<4xf32>
      pcf.write_slice %v into %y[0] [4] [1] : vector<4xf32> into !pcf.sref<8xf32, #sg>
      pcf.write_slice %r into %w[4] [4] [1] : tensor<4xf32> into !pcf.sref<8xf32, #sg>
      pcf.return
    }
    pcf.return
  }
  return
}
