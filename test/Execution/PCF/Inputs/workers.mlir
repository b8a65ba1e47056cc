// Code that is written for each subgroup, on tensors: workers.py runs it. It stands for
// 32 lanes in a subgroup; workers.py writes 64 for others.

#sg = #iree_gpu.subgroup_scope
#ln = #iree_gpu.lane_scope
#L4 = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#L1 = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
!X = !pcf.sref<13x8xi32, #sg>
!P = !pcf.sref<4x8xi32, #sg>
!O8 = !pcf.sref<8xi32, sync(#sg)>
!O = !pcf.sref<13x8xi32, sync(#sg)>
!M = !pcf.sref<16x16xi32, #sg>
!MO = !pcf.sref<16x16xi32, sync(#sg)>

// Largest of each column: of a worker's rows, some of which have none, then of all workers' numbers.
func.func @colmax(%in: tensor<13x8xi32>, %out: tensor<8xi32>) -> tensor<8xi32> attributes {translation_info = #L4} {
  %c0 = arith.constant 0 : index
  %c13 = arith.constant 13 : index
  %low = arith.constant -2147483648 : i32
  %r = pcf.generic scope(#sg)
    initialize { %a = pcf.alloc() : !P  pcf.yield %a : !P } -> (%p: !P)
    execute(%x <- %in : tensor<13x8xi32>, %o = %out)[%id: index, %n: index] : (!X, !O8) -> (tensor<8xi32>) {
    %rows = arith.ceildivui %c13, %n : index
    %b = arith.muli %id, %rows : index
    %f = arith.minui %b, %c13 : index
    %l = arith.subi %c13, %f : index
    %s = arith.minui %rows, %l : index
    %a = pcf.read_slice %x[%f, 0] [%s, 8] [1, 1] : !X to tensor<?x8xi32>
    %e = tensor.empty() : tensor<8xi32>
    %z = linalg.fill ins(%low : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
    %m = linalg.reduce { arith.maxsi } ins(%a : tensor<?x8xi32>) outs(%z : tensor<8xi32>) dimensions = [0]
    %e1 = tensor.empty() : tensor<1x8xi32>
    %m2 = linalg.broadcast ins(%m : tensor<8xi32>) outs(%e1 : tensor<1x8xi32>) dimensions = [0]
    pcf.write_slice %m2 into %p[%id, 0] [1, 8] [1, 1] : tensor<1x8xi32> into !P
    pcf.barrier(#sg) fence(%p) : !P
    %first = arith.cmpi eq, %id, %c0 : index
    scf.if %first {
      %q = pcf.read_slice %p[0, 0] [4, 8] [1, 1] : !P to tensor<4x8xi32>
      %t = linalg.reduce { arith.maxsi } ins(%q : tensor<4x8xi32>) outs(%z : tensor<8xi32>) dimensions = [0]
      pcf.write_slice %t into %o[0] [8] [1] : tensor<8xi32> into !O8
    }
    pcf.return
  }
  return %r : tensor<8xi32>
}
// Products of the first elements of rows; how many rows and elements there are is known at run time.
func.func @rowmul(%in: tensor<13x8xi32>, %out: tensor<13x8xi32>, %cols: index) -> tensor<13x8xi32> attributes {translation_info = #L4} {
  %c13 = arith.constant 13 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  %cc = arith.minui %cols, %c8 : index
  %r = pcf.generic scope(#sg)
    execute(%x <- %in : tensor<13x8xi32>, %o = %out)[%id: index, %n: index] : (!X, !O) -> (tensor<13x8xi32>) {
    %rows = arith.ceildivui %c13, %n : index
    %b = arith.muli %id, %rows : index
    %f = arith.minui %b, %c13 : index
    %l = arith.subi %c13, %f : index
    %s = arith.minui %rows, %l : index
    %a = pcf.read_slice %x[%f, 0] [%s, %cc] [1, 1] : !X to tensor<?x?xi32>
    %e = tensor.empty(%s) : tensor<?xi32>
    %z = linalg.fill ins(%one : i32) outs(%e : tensor<?xi32>) -> tensor<?xi32>
    %m = linalg.reduce { arith.muli } ins(%a : tensor<?x?xi32>) outs(%z : tensor<?xi32>) dimensions = [1]
    %e2 = tensor.empty(%s) : tensor<?x8xi32>
    %m2 = linalg.broadcast ins(%m : tensor<?xi32>) outs(%e2 : tensor<?x8xi32>) dimensions = [1]
    pcf.write_slice %m2 into %o[%f, 0] [%s, 8] [1, 1] : tensor<?x8xi32> into !O
    pcf.return
  }
  return %r : tensor<13x8xi32>
}
// Halves change places in shared memory, and what one lane wrote others read.
func.func @turned(%in: tensor<8x8xi32>, %out: tensor<8x8xi32>, %n: index) -> tensor<8x8xi32> attributes {translation_info = #L1} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = pcf.generic scope(#sg)
    initialize { %a = pcf.alloc() : !pcf.sref<8x8xi32, #sg>  pcf.yield %a : !pcf.sref<8x8xi32, #sg> } -> (%p: !pcf.sref<8x8xi32, #sg>)
    execute(%x <- %in : tensor<8x8xi32>, %o = %out)[%id: index, %cnt: index] : (!pcf.sref<8x8xi32, #sg>, !pcf.sref<8x8xi32, sync(#sg)>) -> (tensor<8x8xi32>) {
    %a = pcf.read_slice %x[0, 0] [8, 8] [1, 1] : !pcf.sref<8x8xi32, #sg> to tensor<8x8xi32>
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (tensor<8x8xi32>) {
      pcf.write_slice %v into %p[0, 0] [8, 8] [1, 1] : tensor<8x8xi32> into !pcf.sref<8x8xi32, #sg>
      %l = pcf.read_slice %p[0, 4] [8, 4] [1, 1] : !pcf.sref<8x8xi32, #sg> to tensor<8x4xi32>
      %h = pcf.read_slice %p[0, 0] [8, 4] [1, 1] : !pcf.sref<8x8xi32, #sg> to tensor<8x4xi32>
      pcf.write_slice %l into %p[0, 0] [8, 4] [1, 1] : tensor<8x4xi32> into !pcf.sref<8x8xi32, #sg>
      pcf.write_slice %h into %p[0, 4] [8, 4] [1, 1] : tensor<8x4xi32> into !pcf.sref<8x8xi32, #sg>
      %u = pcf.read_slice %p[0, 0] [8, 8] [1, 1] : !pcf.sref<8x8xi32, #sg> to tensor<8x8xi32>
      %w = arith.addi %u, %v : tensor<8x8xi32>
      scf.yield %w : tensor<8x8xi32>
    }
    pcf.write_slice %t into %o[0, 0] [8, 8] [1, 1] : tensor<8x8xi32> into !pcf.sref<8x8xi32, sync(#sg)>
    pcf.return
  }
  return %r : tensor<8x8xi32>
}
// A loop over rows, of which each is some subgroup's.
func.func @looped(%in: tensor<13x8xi32>, %out: tensor<13x8xi32>) -> tensor<13x8xi32> attributes {translation_info = #L4} {
  %c13 = arith.constant 13 : index
  %r = pcf.loop scope(#sg) count(%c13)
    execute(%x <- %in : tensor<13x8xi32>, %o = %out)[%i: index] : (!X, !O) -> (tensor<13x8xi32>) {
    %a = pcf.read_slice %x[%i, 0] [1, 8] [1, 1] : !X to tensor<1x8xi32>
    %b = arith.muli %a, %a : tensor<1x8xi32>
    pcf.write_slice %b into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xi32> into !O
    pcf.return
  }
  return %r : tensor<13x8xi32>
}
// Code of lanes in code of subgroups.
func.func @nested(%in: tensor<4x32xi32>, %out: tensor<4x32xi32>) -> tensor<4x32xi32> attributes {translation_info = #L4} {
  %r = pcf.generic scope(#sg)
    initialize { %a = pcf.alloc() : !pcf.sref<4x32xi32, #sg>  pcf.yield %a : !pcf.sref<4x32xi32, #sg> } -> (%p: !pcf.sref<4x32xi32, #sg>)
    execute(%x <- %in : tensor<4x32xi32>, %o = %out)[%id: index, %cnt: index] : (!pcf.sref<4x32xi32, #sg>, !pcf.sref<4x32xi32, sync(#sg)>) -> (tensor<4x32xi32>) {
    %a = pcf.read_slice %x[%id, 0] [1, 32] [1, 1] : !pcf.sref<4x32xi32, #sg> to tensor<1x32xi32>
    %b = arith.addi %a, %a : tensor<1x32xi32>
    pcf.write_slice %b into %p[%id, 0] [1, 32] [1, 1] : tensor<1x32xi32> into !pcf.sref<4x32xi32, #sg>
    pcf.barrier(#ln) fence(%p) : !pcf.sref<4x32xi32, #sg>
    pcf.generic sync true scope(#ln) execute[%l: index, %nl: index] {
      %v = pcf.read_slice %p[%id, %l] [1, 1] [1, 1] : !pcf.sref<4x32xi32, #sg> to tensor<1x1xi32>
      %w = arith.muli %v, %v : tensor<1x1xi32>
      pcf.write_slice %w into %p[%id, %l] [1, 1] [1, 1] : tensor<1x1xi32> into !pcf.sref<4x32xi32, #sg>
      pcf.return
    }
    pcf.barrier(#ln) fence(%p) : !pcf.sref<4x32xi32, #sg>
    %c = pcf.read_slice %p[%id, 0] [1, 32] [1, 1] : !pcf.sref<4x32xi32, #sg> to tensor<1x32xi32>
    %d = arith.addi %c, %a : tensor<1x32xi32>
    pcf.write_slice %d into %o[%id, 0] [1, 32] [1, 1] : tensor<1x32xi32> into !pcf.sref<4x32xi32, sync(#sg)>
    pcf.return
  }
  return %r : tensor<4x32xi32>
}
// Tensors of lanes: a branch that only some of them take.
func.func @lanes(%in: tensor<32x4xi32>, %out: tensor<32x4xi32>) -> tensor<32x4xi32> attributes {translation_info = #L1} {
  %c3 = arith.constant 3 : index
  %r = pcf.generic scope(#ln)
    execute(%x <- %in : tensor<32x4xi32>, %o = %out)[%id: index, %cnt: index] : (!pcf.sref<32x4xi32, #ln>, !pcf.sref<32x4xi32, sync(#ln)>) -> (tensor<32x4xi32>) {
    %a = pcf.read_slice %x[%id, 0] [1, 4] [1, 1] : !pcf.sref<32x4xi32, #ln> to tensor<1x4xi32>
    %small = arith.cmpi ult, %id, %c3 : index
    %b = scf.if %small -> tensor<1x4xi32> {
      %t = arith.addi %a, %a : tensor<1x4xi32>
      scf.yield %t : tensor<1x4xi32>
    } else {
      scf.yield %a : tensor<1x4xi32>
    }
    pcf.write_slice %b into %o[%id, 0] [1, 4] [1, 1] : tensor<1x4xi32> into !pcf.sref<32x4xi32, sync(#ln)>
    pcf.return
  }
  return %r : tensor<32x4xi32>
}
// Blocks, of which one returns, and the loop of them carries a tensor.
func.func @early(%in: tensor<13x8xi32>, %out: tensor<13x8xi32>, %n: index) -> tensor<13x8xi32> attributes {translation_info = #L4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c13 = arith.constant 13 : index
  %r = pcf.generic scope(#sg)
    execute(%x <- %in : tensor<13x8xi32>, %o = %out)[%id: index, %cnt: index] : (!X, !O) -> (tensor<13x8xi32>) {
    %a = pcf.read_slice %x[%id, 0] [1, 8] [1, 1] : !X to tensor<1x8xi32>
    cf.br ^head(%id, %a : index, tensor<1x8xi32>)
  ^head(%i: index, %v: tensor<1x8xi32>):
    %done = arith.cmpi uge, %i, %c13 : index
    pcf.br.cond_return %done ^body
  ^body:
    %b = pcf.read_slice %x[%i, 0] [1, 8] [1, 1] : !X to tensor<1x8xi32>
    %w = arith.muli %v, %b : tensor<1x8xi32>
    pcf.write_slice %w into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xi32> into !O
    %j = arith.addi %i, %cnt : index
    cf.br ^head(%j, %w : index, tensor<1x8xi32>)
  }
  return %r : tensor<13x8xi32>
}

// Ops of a group outside of phases: the product of a matrix that shared memory holds with itself, and
// what is around it depends on it through memory.
func.func @collective(%in: tensor<16x16xi32>, %out: tensor<16x16xi32>, %n: index) -> tensor<16x16xi32> attributes {translation_info = #L4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %r = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !M  pcf.yield %a : !M } -> (%p: !M)
    execute(%x <- %in : tensor<16x16xi32>, %o = %out)[%tg: !pcf.threadgroup<#sg>] : (!M, !MO) -> (tensor<16x16xi32>) {
    %a = pcf.read_slice %x[0, 0] [16, 16] [1, 1] : !M to tensor<16x16xi32>
    pcf.write_slice %a into %p[0, 0] [16, 16] [1, 1] : tensor<16x16xi32> into !M
    scf.for %i = %c0 to %n step %c1 {
      %l = pcf.read_slice %p[0, 0] [16, 16] [1, 1] : !M to tensor<16x16xi32>
      %h = pcf.read_slice %p[0, 0] [16, 16] [1, 1] : !M to tensor<16x16xi32>
      %e = tensor.empty() : tensor<16x16xi32>
      %z = linalg.fill ins(%zero : i32) outs(%e : tensor<16x16xi32>) -> tensor<16x16xi32>
      %m = linalg.matmul ins(%l, %h : tensor<16x16xi32>, tensor<16x16xi32>) outs(%z : tensor<16x16xi32>) -> tensor<16x16xi32>
      pcf.write_slice %m into %p[0, 0] [16, 16] [1, 1] : tensor<16x16xi32> into !M
    }
    %q = pcf.read_slice %p[0, 0] [16, 16] [1, 1] : !M to tensor<16x16xi32>
    %s = arith.addi %q, %a : tensor<16x16xi32>
    pcf.write_slice %s into %o[0, 0] [16, 16] [1, 1] : tensor<16x16xi32> into !MO
    pcf.return
  }
  return %r : tensor<16x16xi32>
}
