// RUN: distaff-opt %s --pcf-lower-structural --allow-unregistered-dialect | FileCheck %s --implicit-check-not='pcf.'

// Functions that hold nothing of the dialects that ids and barriers are of, so
// that only the scopes' hook loads those, and many, so that several are converted
// at the same time (PCF-13).
// RUN: %python -c "print(''.join('func.func @f%%d(%%%%n: index) {\n  pcf.loop sync true scope(#%%s) count(%%%%n, %%%%n) execute[%%%%i: index, %%%%j: index] {\n    pcf.return\n  }\n  return\n}\n' %% (i, ('iree_gpu.subgroup_scope', 'iree_gpu.lane_scope', 'iree_codegen.workgroup_scope', 'pcf.sequential')[i %% 4]) for i in range(200)))" > %t.mlir
// RUN: distaff-opt %t.mlir --mlir-disable-threading --pass-pipeline='builtin.module(func.func(pcf-lower-structural))' -o %t.one
// RUN: distaff-opt %t.mlir --pass-pipeline='builtin.module(func.func(pcf-lower-structural))' -o %t.many
// RUN: diff %t.one %t.many
// RUN: FileCheck %s --check-prefix=MANY --input-file=%t.many
// MANY: gpu.subgroup_id
// MANY: iree_gpu.lane_barrier
// MANY: gpu.grid_dim
// MANY-NOT: pcf.

#sg = #iree_gpu.subgroup_scope
#ln = #iree_gpu.lane_scope
#wg = #iree_codegen.workgroup_scope
#wgl = #iree_codegen.workgroup_scope<linearize>
#seq = #pcf.sequential
#ws = #gpu.address_space<workgroup>

// The sample of 4.8.
// CHECK-LABEL: @structural
// CHECK-SAME: %[[N:.*]]: index
func.func @structural(%d0: index) {
  // CHECK-NEXT: %[[W:.*]] = gpu.subgroup_id : index
  // CHECK-NEXT: %[[NW:.*]] = gpu.num_subgroups : index
  // CHECK-NEXT: scf.forall (%[[I:.*]]) = (%[[W]]) to (%[[N]]) step (%[[NW]]) {
  // CHECK-NEXT:   "test.use"(%[[I]])
  // CHECK-NEXT: }
  // CHECK-NEXT: iree_gpu.global_subgroup_barrier
  // CHECK-NEXT: return
  pcf.loop sync true scope(#sg) count(%d0) execute[%i: index] {
    "test.use"(%i) : (index) -> ()
    pcf.return
  }
  return
}

// What the body has in common with others is in order behind the barrier.
// CHECK-LABEL: @round_robin
func.func @round_robin(%m: memref<?xf32, #gpu.address_space<workgroup>>, %n: index) {
  // CHECK: scf.forall (%[[I:.*]]) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) {
  // CHECK-NEXT: memref.load %{{.*}}[%[[I]]]
  // CHECK: }
  // CHECK-NEXT: iree_gpu.fence release workgroup
  // CHECK-NEXT: iree_gpu.global_subgroup_barrier
  // CHECK-NEXT: iree_gpu.fence acquire workgroup
  pcf.loop sync true scope(#iree_gpu.subgroup_scope) count(%n) execute[%i: index] {
    %x = memref.load %m[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    %y = arith.addf %x, %x : f32
    memref.store %y, %m[%i] : memref<?xf32, #gpu.address_space<workgroup>>
    pcf.return
  }
  return
}

// PCF-54: ids go fastest first, dimensions of a forall slowest first. Of three
// native ids two are left: y and z in one.
// CHECK-LABEL: @order
// CHECK-SAME: %[[A:.*]]: index, %[[B:.*]]: index
func.func @order(%a: index, %b: index) {
  // CHECK-DAG: %[[X:.*]] = gpu.block_id x
  // CHECK-DAG: %[[Y:.*]] = gpu.block_id y
  // CHECK-DAG: %[[Z:.*]] = gpu.block_id z
  // CHECK: %[[YZ:.*]] = arith.addi %[[Y]], %
  // CHECK: %[[NX:.*]] = gpu.grid_dim x
  // CHECK: %[[NYZ:.*]] = arith.muli
  // CHECK-NEXT: scf.forall (%[[J:.*]], %[[I:.*]]) = (%[[YZ]], %[[X]]) to (%[[B]], %[[A]]) step (%[[NYZ]], %[[NX]]) {
  // CHECK-NEXT: "test.use"(%[[I]], %[[J]])
  pcf.loop scope(#wg) count(%a, %b) execute[%i: index, %j: index] {
    "test.use"(%i, %j) : (index, index) -> ()
    pcf.return
  }
  return
}

// More counts than the scope has ids: one worker along the rest.
// CHECK-LABEL: @more_ids
func.func @more_ids(%a: index, %b: index) {
  // CHECK: %[[L:.*]] = gpu.lane_id
  // CHECK: %[[NL:.*]] = gpu.subgroup_size
  // CHECK: scf.forall (%{{.*}}, %{{.*}}) = (0, %[[L]]) to (%{{.*}}, %{{.*}}) step (1, %[[NL]])
  pcf.loop scope(#ln) count(%a, %b) execute[%i: index, %j: index] {
    pcf.return
  }
  return
}

// PCF-54: a body of one block is inlined, also inside another; ids and counts
// are asked for only where the op has them.
// CHECK-LABEL: @nested
func.func @nested(%m: memref<?xindex>) {
  // CHECK-NEXT: %[[S:.*]] = gpu.subgroup_id
  // CHECK-NEXT: gpu.num_subgroups
  // CHECK-NEXT: %[[L:.*]] = gpu.lane_id
  // CHECK-NEXT: %[[NL:.*]] = gpu.subgroup_size
  // CHECK-NEXT: "test.use"(%[[S]], %[[L]], %[[NL]])
  // CHECK-NEXT: "test.after"
  // CHECK-NEXT: "test.end"
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    pcf.generic scope(#ln) execute[%lane: index, %lanes: index] {
      "test.use"(%id, %lane, %lanes) : (index, index, index) -> ()
      pcf.return
    }
    pcf.generic scope(#ln) execute[] {
      "test.after"() : () -> ()
      pcf.return
    }
    pcf.return
  }
  "test.end"() : () -> ()
  return
}

// PCF-54: an early return, in a loop of blocks; the barrier is behind them, and
// orders the memory that the body has in common with others, space by space.
// CHECK-LABEL: @early_return
// CHECK-SAME: %[[C:.*]]: i1
func.func @early_return(%c: i1, %m: memref<4xf32, #ws>, %g: memref<4xf32>) {
  // CHECK: %[[S:.*]] = gpu.subgroup_id
  // CHECK: scf.execute_region {
  // CHECK-NEXT: cf.br ^[[HEAD:.*]](%[[S]] : index)
  // CHECK-NEXT: ^[[HEAD]](%[[I:.*]]: index):
  // CHECK: cf.cond_br %[[C]], ^[[END:.*]], ^[[NEXT:.*]](%[[I]] : index)
  // CHECK-NEXT: ^[[NEXT]](%[[J:.*]]: index):
  // CHECK: cf.cond_br %[[C]], ^[[HEAD]](%[[J]] : index), ^[[LAST:.*]]
  // CHECK-NEXT: ^[[LAST]]:
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: ^[[END]]:
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: iree_gpu.fence release workgroup
  // CHECK-NEXT: iree_gpu.global_subgroup_barrier
  // CHECK-NEXT: iree_gpu.fence acquire workgroup
  // CHECK-NEXT: "test.end"
  pcf.generic sync true scope(#sg) execute[%id: index, %count: index] {
    cf.br ^head(%id : index)
  ^head(%i: index):
    "test.use"(%m) : (memref<4xf32, #ws>) -> ()
    pcf.br.cond_return %c ^next(%i : index)
  ^next(%j: index):
    "test.use"(%g) : (memref<4xf32>) -> ()
    cf.cond_br %c, ^head(%j : index), ^last
  ^last:
    pcf.return
  }
  "test.end"() : () -> ()
  return
}

// CHECK-LABEL: @barriers
func.func @barriers(%m: memref<4xf32, #ws>, %g: memref<4xf32>) {
  // CHECK-NEXT: iree_gpu.global_subgroup_barrier
  // CHECK-NEXT: iree_gpu.global_subgroup_barrier
  pcf.barrier(#sg)
  pcf.barrier(#sg)
  // CHECK-NEXT: iree_gpu.fence release workgroup
  // CHECK-NEXT: iree_gpu.global_subgroup_barrier
  // CHECK-NEXT: iree_gpu.fence acquire workgroup
  pcf.barrier(#sg) fence(%m, %g) : memref<4xf32, #ws>, memref<4xf32>
  // CHECK-NEXT: iree_gpu.lane_barrier
  pcf.barrier(#ln)
  // CHECK-NEXT: return
  pcf.barrier(#seq)
  return
}

// PCF-55: one worker waits for nobody.
// CHECK-LABEL: @sequential
func.func @sequential(%n: index) {
  // CHECK: scf.forall (%{{.*}}) in (%{{.*}}) {
  // CHECK: }
  // CHECK-NEXT: "test.end"
  pcf.loop sync true scope(#seq) count(%n) execute[%i: index] {
    "test.use"(%i) : (index) -> ()
    pcf.return
  }
  "test.end"() : () -> ()
  return
}

// PCF-55: the end of the kernel is the workgroups' barrier. What only computes
// may follow, and a branch of which no path leads to memory.
// CHECK-LABEL: @kernel_end
func.func @kernel_end(%n: index, %m: memref<4xf32>, %c: i1) -> index {
  // CHECK: memref.store
  // CHECK: memref.store
  // CHECK-NOT: barrier
  // CHECK: return
  %z = arith.constant 0.0 : f32
  memref.store %z, %m[%n] : memref<4xf32>
  scf.if %c {
    pcf.generic sync true scope(#wgl) execute[%i: index, %count: index] {
      memref.store %z, %m[%i] : memref<4xf32>
      pcf.return
    }
  }
  %k = arith.addi %n, %n : index
  cf.cond_br %c, ^a, ^b
^a:
  return %k : index
^b:
  return %n : index
}

// CHECK-LABEL: @returned_as_a_tensor
func.func @returned_as_a_tensor(%n: index, %m: memref<4xf32>) -> tensor<4xf32> {
  // CHECK: scf.forall
  // CHECK: %[[T:.*]] = bufferization.to_tensor
  // CHECK-NEXT: return %[[T]]
  pcf.loop sync true scope(#wg) count(%n) execute[%i: index] {
    %z = arith.constant 0.0 : f32
    memref.store %z, %m[%i] : memref<4xf32>
    pcf.return
  }
  %t = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
  return %t : tensor<4xf32>
}

// CHECK-LABEL: @barrier_at_the_end
func.func @barrier_at_the_end(%n: index, %m: memref<4xf32>) {
  // CHECK: memref.store
  // CHECK-NEXT: return
  %z = arith.constant 0.0 : f32
  memref.store %z, %m[%n] : memref<4xf32>
  pcf.barrier(#wg)
  return
}
