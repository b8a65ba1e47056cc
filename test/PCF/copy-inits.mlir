// RUN: distaff-opt %s --pcf-copy-inits --split-input-file --verify-diagnostics | FileCheck %s

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!O = !pcf.sref<64x4xi32, sync(#sg)>

// CHECK-LABEL: func.func @is_read
// CHECK-SAME: %[[A:.*]]: tensor<64x4xi32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<64x4xi32>
// CHECK: %[[COPY:.*]] = pcf.shared_executor {{.*}} execute(%[[FROM:.*]] <- %[[A]] : tensor<64x4xi32>, %[[TO:.*]] = %[[EMPTY]])
// CHECK: %[[V:.*]] = pcf.read_slice %[[FROM]][0, 0] [64, 4] [1, 1]
// CHECK: pcf.write_slice %[[V]] into %[[TO]][0, 0] [64, 4] [1, 1]
// CHECK: pcf.shared_executor {{.*}} execute(%{{.*}} = %[[COPY]])
func.func @is_read(%a: tensor<64x4xi32>) -> tensor<64x4xi32> {
  %r = pcf.shared_executor scope(#sg) execute(%o = %a)[%tg: !TG] : (!O) -> (tensor<64x4xi32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %o[0, 0] [64, 4] [1, 1] : !O to tensor<64x4xi32>
      %w = arith.addi %v, %v : tensor<64x4xi32>
      pcf.write_slice %w into %o[0, 0] [64, 4] [1, 1] : tensor<64x4xi32> into !O
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return %r : tensor<64x4xi32>
}

// CHECK-LABEL: func.func @half_is_written
// CHECK: %[[COPY:.*]] = pcf.shared_executor
// CHECK: pcf.shared_executor {{.*}} execute(%{{.*}} = %[[COPY]])
func.func @half_is_written(%a: tensor<64x4xi32>) -> tensor<64x4xi32> {
  %r = pcf.shared_executor scope(#sg) execute(%o = %a)[%tg: !TG] : (!O) -> (tensor<64x4xi32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %w = arith.constant dense<1> : tensor<32x4xi32>
      pcf.write_slice %w into %o[0, 0] [32, 4] [1, 1] : tensor<32x4xi32> into !O
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return %r : tensor<64x4xi32>
}

// CHECK-LABEL: func.func @all_is_written
// CHECK-SAME: %[[A:.*]]: tensor<64x4xi32>
// CHECK-NEXT: pcf.shared_executor {{.*}} execute(%{{.*}} = %[[A]])
func.func @all_is_written(%a: tensor<64x4xi32>) -> tensor<64x4xi32> {
  %r = pcf.shared_executor scope(#sg) execute(%o = %a)[%tg: !TG] : (!O) -> (tensor<64x4xi32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %w = arith.constant dense<1> : tensor<64x4xi32>
      pcf.write_slice %w into %o[0, 0] [64, 4] [1, 1] : tensor<64x4xi32> into !O
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return %r : tensor<64x4xi32>
}

// A cluster may be empty.
// CHECK-LABEL: func.func @a_cluster_writes_all
// CHECK: %[[COPY:.*]] = pcf.shared_executor
// CHECK: pcf.shared_executor {{.*}} execute(%{{.*}} = %[[COPY]])
func.func @a_cluster_writes_all(%a: tensor<64x4xi32>, %n: index) -> tensor<64x4xi32> {
  %r = pcf.shared_executor scope(#sg) execute(%o = %a)[%tg: !TG] : (!O) -> (tensor<64x4xi32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%n]] (%x: !pcf.cluster<#sg, (0 -> d0), ws.x>, %y: !pcf.cluster<#sg, (d0 -> s0), ws.y>) {
      pcf.shared_executor.run_cluster(%x)[%n] () {
        %w = arith.constant dense<1> : tensor<64x4xi32>
        pcf.write_slice %w into %o[0, 0] [64, 4] [1, 1] : tensor<64x4xi32> into !O
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (0 -> d0), ws.x>)
      pcf.return
    } : !TG
    pcf.return
  }
  return %r : tensor<64x4xi32>
}

// Workers copy rows in turns, for workers (PCF-179).
// CHECK-LABEL: func.func @worker_reads
// CHECK: %[[COPY:.*]] = pcf.generic {{.*}}[%[[ID:.*]]: index, %[[COUNT:.*]]: index]
// CHECK: scf.for %[[I:.*]] = %[[ID]] to %{{.*}} step %[[COUNT]]
// CHECK: pcf.read_slice %{{.*}}[%[[I]], 0] [1, 4] [1, 1]
// CHECK: pcf.generic {{.*}} execute(%{{.*}} = %[[COPY]])
func.func @worker_reads(%a: tensor<64x4xi32>) -> tensor<64x4xi32> {
  %r = pcf.generic scope(#sg) execute(%o = %a)[%id: index, %n: index] : (!O) -> (tensor<64x4xi32>) {
    %v = pcf.read_slice %o[%id, 0] [1, 4] [1, 1] : !O to tensor<1x4xi32>
    %w = arith.addi %v, %v : tensor<1x4xi32>
    pcf.write_slice %w into %o[%id, 0] [1, 4] [1, 1] : tensor<1x4xi32> into !O
    pcf.return
  }
  return %r : tensor<64x4xi32>
}

// Without a launch it is not known which rows workers write (PCF-202).
// CHECK-LABEL: func.func @worker_writes
// CHECK: %[[COPY:.*]] = pcf.generic
// CHECK: pcf.generic {{.*}} execute(%{{.*}} = %[[COPY]])
func.func @worker_writes(%a: tensor<64x4xi32>) -> tensor<64x4xi32> {
  %r = pcf.generic scope(#sg) execute(%o = %a)[%id: index, %n: index] : (!O) -> (tensor<64x4xi32>) {
    %w = arith.constant dense<1> : tensor<1x4xi32>
    pcf.write_slice %w into %o[%id, 0] [1, 4] [1, 1] : tensor<1x4xi32> into !O
    pcf.return
  }
  return %r : tensor<64x4xi32>
}

// A loop of no iteration, in one of very many, ends.
// CHECK-LABEL: func.func @nothing_is_written
// CHECK: %[[COPY:.*]] = pcf.generic
// CHECK: pcf.generic {{.*}} execute(%{{.*}} = %[[COPY]])
func.func @nothing_is_written(%a: tensor<64x4xi32>) -> tensor<64x4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 1000000000000000 : index
  %r = pcf.generic scope(#sg) execute(%o = %a)[%id: index, %n: index] : (!O) -> (tensor<64x4xi32>) {
    %w = arith.constant dense<1> : tensor<1x4xi32>
    scf.for %i = %c0 to %many step %c1 {
      scf.for %j = %c0 to %c0 step %c1 {
        pcf.write_slice %w into %o[%j, 0] [1, 4] [1, 1] : tensor<1x4xi32> into !O
      }
    }
    pcf.return
  }
  return %r : tensor<64x4xi32>
}

// -----

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!O = !pcf.sref<?x4xi32, sync(#sg)>

func.func @dynamic(%a: tensor<?x4xi32>) -> tensor<?x4xi32> {
  // expected-error @+1 {{'pcf.shared_executor' op begins its result 0 with the values of argument 0, of type 'tensor<?x4xi32>', which would have to be copied and has a dynamic extent; begin with tensor.empty, and read the argument by a readonly ref}}
  %r = pcf.shared_executor scope(#sg) execute(%o = %a)[%tg: !TG] : (!O) -> (tensor<?x4xi32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %o[0, 0] [8, 4] [1, 1] : !O to tensor<8x4xi32>
      %w = arith.addi %v, %v : tensor<8x4xi32>
      pcf.write_slice %w into %o[0, 0] [8, 4] [1, 1] : tensor<8x4xi32> into !O
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return %r : tensor<?x4xi32>
}

// -----

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!O = !pcf.sref<8x4xi32, sync(#sg)>

func.func @half_of_a_constant() -> tensor<8x4xi32> {
  // expected-note @+1 {{the value}}
  %f = arith.constant dense<5> : tensor<8x4xi32>
  // expected-error @+1 {{'pcf.shared_executor' op begins its result 0 with a value that is no argument, of which it may keep a part; begin with tensor.empty, and write that value first}}
  %r = pcf.shared_executor scope(#sg) execute(%o = %f)[%tg: !TG] : (!O) -> (tensor<8x4xi32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %w = arith.constant dense<9> : tensor<4x4xi32>
      pcf.write_slice %w into %o[0, 0] [4, 4] [1, 1] : tensor<4x4xi32> into !O
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return %r : tensor<8x4xi32>
}

// -----

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!O = !pcf.sref<8x4xi32, sync(#sg)>

// All of it is written (PCF-202).
// CHECK-LABEL: func.func @all_of_a_constant
// CHECK-NOT: arith.constant dense<5>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<8x4xi32>
// CHECK: execute(%{{.*}} = %[[EMPTY]])
func.func @all_of_a_constant() -> tensor<8x4xi32> {
  %f = arith.constant dense<5> : tensor<8x4xi32>
  %r = pcf.shared_executor scope(#sg) execute(%o = %f)[%tg: !TG] : (!O) -> (tensor<8x4xi32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %w = arith.constant dense<9> : tensor<8x4xi32>
      pcf.write_slice %w into %o[0, 0] [8, 4] [1, 1] : tensor<8x4xi32> into !O
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return %r : tensor<8x4xi32>
}

// -----

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!O = !pcf.sref<8x4xi32, sync(#sg)>

// All of it is written, in turns.
// CHECK-LABEL: func.func @all_in_a_loop
// CHECK-SAME: %[[A:.*]]: tensor<8x4xi32>
// CHECK: execute(%{{.*}} = %[[A]])
func.func @all_in_a_loop(%a: tensor<8x4xi32>) -> tensor<8x4xi32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg) execute(%o = %a)[%tg: !TG] : (!O) -> (tensor<8x4xi32>) {
    scf.for %i = %c0 to %c8 step %c2 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %w = arith.constant dense<9> : tensor<2x4xi32>
        pcf.write_slice %w into %o[%i, 0] [2, 4] [1, 1] : tensor<2x4xi32> into !O
        pcf.cluster_yield
      } : (!TG)
    }
    pcf.return
  }
  return %r : tensor<8x4xi32>
}

// -----

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!O = !pcf.sref<8x4xi32, sync(#sg)>

// Rows 6 and 7 stay.
// CHECK-LABEL: func.func @not_all_in_a_loop
// CHECK: tensor.empty
func.func @not_all_in_a_loop(%a: tensor<8x4xi32>) -> tensor<8x4xi32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %r = pcf.shared_executor scope(#sg) execute(%o = %a)[%tg: !TG] : (!O) -> (tensor<8x4xi32>) {
    scf.for %i = %c0 to %c6 step %c2 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %w = arith.constant dense<9> : tensor<2x4xi32>
        pcf.write_slice %w into %o[%i, 0] [2, 4] [1, 1] : tensor<2x4xi32> into !O
        pcf.cluster_yield
      } : (!TG)
    }
    pcf.return
  }
  return %r : tensor<8x4xi32>
}
