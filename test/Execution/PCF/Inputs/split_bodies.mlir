// Bodies of phases that are cut in different ways. `split_bodies.py` runs each
// before and after it is split; all return one tensor.

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [192, 1, 1] subgroup_size = 32>
!G = !pcf.threadgroup<#sg>
!X = tensor<12x24xf32>
!IN = !pcf.sref<12x24xf32, #sg>
!OUT = !pcf.sref<12x24xf32, sync(#sg)>

// Elementwise ops, a fill, a row that all rows take, and a number as payload.
func.func @elementwise(%in: !X, %row: tensor<24xf32>, %out: !X) -> !X attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : !X
  %res = pcf.shared_executor scope(#sg) execute(%I <- %in : !X, %R <- %row : tensor<24xf32>, %O = %out)[%tg: !G]
    : (!IN, !pcf.sref<24xf32, #sg>, !OUT) -> (!X) {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = linalg.fill ins(%zero : f32) outs(%empty : !X) -> !X
      pcf.cluster_yield %z, %c0 : !X, index
    } : (!G) -> !pcf.threadgroup<#sg, {!X, index}>
    %b = scf.for %i = %c0 to %c3 step %c1 iter_args(%it = %a) -> (!pcf.threadgroup<#sg, {!X, index}>) {
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: !X, %count: index) {
        %v = pcf.read_slice %I[0, 0] [12, 24] [1, 1] : !IN to !X
        %s = arith.addf %x, %v : !X
        %next = arith.addi %count, %i : index
        pcf.cluster_yield %s, %next : !X, index
      } : (!pcf.threadgroup<#sg, {!X, index}>) -> !pcf.threadgroup<#sg, {!X, index}>
      scf.yield %n : !pcf.threadgroup<#sg, {!X, index}>
    }
    pcf.shared_executor.run_cluster(%b)[] (%x: !X, %count: index) {
      %r = pcf.read_slice %R[0] [24] [1] : !pcf.sref<24xf32, #sg> to tensor<24xf32>
      %e = tensor.empty() : !X
      %int = arith.index_cast %count : index to i32
      %number = arith.sitofp %int : i32 to f32
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %r : !X, tensor<24xf32>) outs(%e : !X) {
      ^bb0(%p: f32, %q: f32, %o: f32):
        %m = arith.addf %p, %q : f32
        %w = arith.addf %m, %number : f32
        %k = arith.maximumf %w, %zero : f32
        linalg.yield %k : f32
      } -> !X
      pcf.write_slice %y into %O[0, 0] [12, 24] [1, 1] : !X into !OUT
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg, {!X, index}>)
    pcf.return
  }
  return %res : !X
}

// Rows of what is written are columns of the payload.
func.func @transposed(%in: tensor<24x12xf32>, %out: !X) -> !X attributes {translation_info = #launch} {
  %res = pcf.shared_executor scope(#sg) execute(%I <- %in : tensor<24x12xf32>, %O = %out)[%tg: !G]
    : (!pcf.sref<24x12xf32, #sg>, !OUT) -> (!X) {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %I[0, 0] [24, 12] [1, 1] : !pcf.sref<24x12xf32, #sg> to tensor<24x12xf32>
      pcf.cluster_yield %v : tensor<24x12xf32>
    } : (!G) -> !pcf.threadgroup<#sg, {tensor<24x12xf32>}>
    pcf.shared_executor.run_cluster(%a)[] (%x: tensor<24x12xf32>) {
      %e = tensor.empty() : !X
      %y = linalg.transpose ins(%x : tensor<24x12xf32>) outs(%e : !X) permutation = [1, 0]
      pcf.write_slice %y into %O[0, 0] [12, 24] [1, 1] : !X into !OUT
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg, {tensor<24x12xf32>}>)
    pcf.return
  }
  return %res : !X
}

// One value is needed whole and in parts: x times its transpose.
func.func @both_ways(%in: !X, %out: tensor<12x12xf32>) -> tensor<12x12xf32> attributes {translation_info = #launch} {
  %zero = arith.constant 0.0 : f32
  %res = pcf.shared_executor scope(#sg) execute(%I <- %in : !X, %O = %out)[%tg: !G]
    : (!IN, !pcf.sref<12x12xf32, sync(#sg)>) -> (tensor<12x12xf32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %I[0, 0] [12, 24] [1, 1] : !IN to !X
      %t = tensor.empty() : tensor<24x12xf32>
      %vt = linalg.transpose ins(%v : !X) outs(%t : tensor<24x12xf32>) permutation = [1, 0]
      %e = tensor.empty() : tensor<12x12xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<12x12xf32>) -> tensor<12x12xf32>
      %y = linalg.matmul ins(%v, %vt : !X, tensor<24x12xf32>) outs(%z : tensor<12x12xf32>) -> tensor<12x12xf32>
      pcf.write_slice %y into %O[0, 0] [12, 12] [1, 1] : tensor<12x12xf32> into !pcf.sref<12x12xf32, sync(#sg)>
      pcf.cluster_yield
    } : (!G)
    pcf.return
  }
  return %res : tensor<12x12xf32>
}

// Sums of rows are cut as the rows are; what is reduced is not.
func.func @row_sums(%in: !X, %out: tensor<12xf32>) -> tensor<12xf32> attributes {translation_info = #launch} {
  %res = pcf.shared_executor scope(#sg) execute(%I <- %in : !X, %O = %out)[%tg: !G]
    : (!IN, !pcf.sref<12xf32, sync(#sg)>) -> (tensor<12xf32>) {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %I[0, 0] [12, 24] [1, 1] : !IN to !X
      pcf.cluster_yield %v : !X
    } : (!G) -> !pcf.threadgroup<#sg, {!X}>
    pcf.shared_executor.run_cluster(%a)[] (%x: !X) {
      %z = arith.constant dense<1.0> : tensor<12xf32>
      %y = linalg.reduce ins(%x : !X) outs(%z : tensor<12xf32>) dimensions = [1] (%p: f32, %q: f32) {
        %s = arith.addf %p, %q : f32
        linalg.yield %s : f32
      }
      pcf.write_slice %y into %O[0] [12] [1] : tensor<12xf32> into !pcf.sref<12xf32, sync(#sg)>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg, {!X}>)
    pcf.return
  }
  return %res : tensor<12xf32>
}

// Strides, offsets that are not numbers, a loop and a branch in a phase, a branch
// around one, and a number that is read of a tensor.
func.func @slices(%in: !X, %out: tensor<48x72xf32>, %k: index) -> tensor<48x72xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c24 = arith.constant 24 : index
  %zero = arith.constant 0.0 : f32
  %res = pcf.shared_executor scope(#sg) execute(%I <- %in : !X, %O = %out)[%tg: !G]
    : (!IN, !pcf.sref<48x72xf32, sync(#sg)>) -> (tensor<48x72xf32>) {
    %some = arith.cmpi ult, %k, %c3 : index
    %odd = arith.remui %k, %c2 : index
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %I[0, 0] [12, 24] [1, 1] : !IN to !X
      pcf.cluster_yield %v : !X
    } : (!G) -> !pcf.threadgroup<#sg, {!X}>
    %b = scf.if %some -> (!pcf.threadgroup<#sg, {!X}>) {
      %c = pcf.shared_executor.run_cluster(%a)[] (%x: !X) {
        %v = pcf.read_slice %I[0, 0] [12, 24] [1, 1] : !IN to !X
        %i = tensor.extract %v[%k, %c2] : !X
        %e = tensor.empty() : !X
        %f = linalg.fill ins(%i : f32) outs(%e : !X) -> !X
        %y = linalg.add ins(%x, %f : !X, !X) outs(%e : !X) -> !X
        pcf.cluster_yield %y : !X
      } : (!pcf.threadgroup<#sg, {!X}>) -> !pcf.threadgroup<#sg, {!X}>
      scf.yield %c : !pcf.threadgroup<#sg, {!X}>
    } else {
      scf.yield %a : !pcf.threadgroup<#sg, {!X}>
    }
    pcf.shared_executor.run_cluster(%b)[] (%x: !X) {
      %half = tensor.extract_slice %x[0, 3] [12, 5] [1, 2] : !X to tensor<12x5xf32>
      scf.for %i = %c0 to %c3 step %c1 {
        %at = arith.muli %i, %c24 : index
        %on = arith.cmpi ne, %i, %k : index
        scf.if %on {
          pcf.write_slice %x into %O[%odd, %at] [12, 24] [2, 1] : !X into !pcf.sref<48x72xf32, sync(#sg)>
        } else {
          pcf.write_slice %half into %O[24, %at] [12, 5] [%c2, 1] : tensor<12x5xf32> into !pcf.sref<48x72xf32, sync(#sg)>
        }
      }
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg, {!X}>)
    pcf.return
  }
  return %res : tensor<48x72xf32>
}

// Two results of one op, through shared memory and back.
func.func @two_results(%in: !X, %out: !X) -> !X attributes {translation_info = #launch} {
  %res = pcf.shared_executor scope(#sg)
    initialize {
      %p = pcf.alloc() : !IN
      pcf.yield %p : !IN
    } -> (%panel: !IN)
    execute(%I <- %in : !X, %O = %out)[%tg: !G] : (!IN, !OUT) -> (!X) {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %I[0, 0] [12, 24] [1, 1] : !IN to !X
      %e = tensor.empty() : !X
      %f = tensor.empty() : !X
      %y:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%v : !X) outs(%e, %f : !X, !X) {
      ^bb0(%p: f32, %q: f32, %r: f32):
        %s = arith.addf %p, %p : f32
        %t = arith.negf %p : f32
        linalg.yield %s, %t : f32, f32
      } -> (!X, !X)
      pcf.write_slice %y#0 into %panel[0, 0] [12, 24] [1, 1] : !X into !IN
      pcf.cluster_yield %y#1 : !X
    } : (!G) -> !pcf.threadgroup<#sg, {!X}>
    pcf.barrier(#sg) fence(%panel) : !IN
    pcf.shared_executor.run_cluster(%a)[] (%x: !X) {
      %first = pcf.read_slice %panel[0, 0] [1, 24] [1, 1] : !IN to tensor<1x24xf32>
      %e = tensor.empty() : !X
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %first : !X, tensor<1x24xf32>) outs(%e : !X) {
      ^bb0(%p: f32, %q: f32, %r: f32):
        %s = arith.addf %p, %q : f32
        linalg.yield %s : f32
      } -> !X
      pcf.write_slice %y into %O[0, 0] [12, 24] [1, 1] : !X into !OUT
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg, {!X}>)
    pcf.return
  }
  return %res : !X
}

// A tile at an edge: %k rows and twice as many columns of it are there. What is
// read is squared before it is padded, and more is padded than is there.
func.func @ragged(%in: !X, %out: !X, %k: index) -> !X attributes {translation_info = #launch} {
  %three = arith.constant 3.0 : f32
  %m = affine.min affine_map<()[s0] -> (s0, 12)>()[%k]
  %n = affine.min affine_map<()[s0] -> (s0 * 2, 24)>()[%k]
  %res = pcf.shared_executor scope(#sg) execute(%I <- %in : !X, %O = %out)[%tg: !G] : (!IN, !OUT) -> (!X) {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %I[0, 0] [%m, %n] [1, 1] : !IN to tensor<?x?xf32>
      %e = tensor.empty(%m, %n) : tensor<?x?xf32>
      %y = linalg.square ins(%v : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      %below = affine.apply affine_map<()[s0] -> (12 - s0)>()[%m]
      %behind = affine.apply affine_map<()[s0] -> (24 - s0)>()[%n]
      %p = tensor.pad %y low[0, 0] high[%below, %behind] {
      ^bb0(%i: index, %j: index):
        tensor.yield %three : f32
      } : tensor<?x?xf32> to !X
      pcf.cluster_yield %p : !X
    } : (!G) -> !pcf.threadgroup<#sg, {!X}>
    pcf.shared_executor.run_cluster(%a)[] (%x: !X) {
      %whole = tensor.empty() : !X
      %y = linalg.add ins(%x, %x : !X, !X) outs(%whole : !X) -> !X
      pcf.write_slice %y into %O[0, 0] [12, 24] [1, 1] : !X into !OUT
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg, {!X}>)
    pcf.barrier(#sg) fence(%O) : !OUT
    pcf.shared_executor.run_cluster(%a)[] (%x: !X) {
      %part = tensor.extract_slice %x[0, 0] [%m, %n] [1, 1] : !X to tensor<?x?xf32>
      %more = pcf.read_slice %I[0, 0] [%m, %n] [1, 1] : !IN to tensor<?x?xf32>
      %e = tensor.empty(%m, %n) : tensor<?x?xf32>
      %y = linalg.sub ins(%part, %more : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      pcf.write_slice %y into %O[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into !OUT
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg, {!X}>)
    pcf.return
  }
  return %res : !X
}

// Columns of what is written are rows of what is read, and some are there.
func.func @ragged_transposed(%in: tensor<24x12xf32>, %out: !X, %k: index) -> !X attributes {translation_info = #launch} {
  %zero = arith.constant 0.0 : f32
  %n = affine.min affine_map<()[s0] -> (s0, 12)>()[%k]
  %res = pcf.shared_executor scope(#sg) execute(%I <- %in : tensor<24x12xf32>, %O = %out)[%tg: !G]
    : (!pcf.sref<24x12xf32, #sg>, !OUT) -> (!X) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %I[1, 1] [%n, 7] [2, 1] : !pcf.sref<24x12xf32, #sg> to tensor<?x7xf32>
      %behind = affine.apply affine_map<()[s0] -> (24 - s0)>()[%n]
      %p = tensor.pad %v low[0, 0] high[%behind, 5] {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero : f32
      } : tensor<?x7xf32> to tensor<24x12xf32>
      %e = tensor.empty() : !X
      %y = linalg.transpose ins(%p : tensor<24x12xf32>) outs(%e : !X) permutation = [1, 0]
      pcf.write_slice %y into %O[0, 0] [12, 24] [1, 1] : !X into !OUT
      pcf.cluster_yield
    } : (!G)
    pcf.return
  }
  return %res : !X
}

// Every element is told where it is.
func.func @positions(%in: !X, %out: !X) -> !X attributes {translation_info = #launch} {
  %res = pcf.shared_executor scope(#sg) execute(%I <- %in : !X, %O = %out)[%tg: !G] : (!IN, !OUT) -> (!X) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %I[0, 0] [12, 24] [1, 1] : !IN to !X
      %e = tensor.empty() : !X
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : !X) outs(%e : !X) {
      ^bb0(%v: f32, %o: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %rows = arith.muli %i, %i : index
        %place = arith.addi %rows, %j : index
        %int = arith.index_cast %place : index to i32
        %number = arith.sitofp %int : i32 to f32
        %s = arith.addf %v, %number : f32
        linalg.yield %s : f32
      } -> !X
      pcf.write_slice %y into %O[0, 0] [12, 24] [1, 1] : !X into !OUT
      pcf.cluster_yield
    } : (!G)
    pcf.return
  }
  return %res : !X
}

// What is padded depends on where it is, or is a constant of the body.
func.func @padded(%in: !X, %out: !X) -> !X attributes {translation_info = #launch} {
  %res = pcf.shared_executor scope(#sg) execute(%I <- %in : !X, %O = %out)[%tg: !G] : (!IN, !OUT) -> (!X) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %I[0, 0] [5, 24] [1, 1] : !IN to tensor<5x24xf32>
      %w = tensor.pad %v low[0, 0] high[7, 0] {
      ^bb0(%i: index, %j: index):
        %rows = arith.muli %i, %i : index
        %place = arith.addi %rows, %j : index
        %int = arith.index_cast %place : index to i32
        %number = arith.sitofp %int : i32 to f32
        tensor.yield %number : f32
      } : tensor<5x24xf32> to !X
      pcf.write_slice %w into %O[0, 0] [12, 24] [1, 1] : !X into !OUT
      pcf.cluster_yield
    } : (!G)
    pcf.return
  }
  return %res : !X
}

func.func @padded_with_seven(%in: !X, %out: !X) -> !X attributes {translation_info = #launch} {
  %res = pcf.shared_executor scope(#sg) execute(%I <- %in : !X, %O = %out)[%tg: !G] : (!IN, !OUT) -> (!X) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %I[0, 0] [12, 17] [1, 1] : !IN to tensor<12x17xf32>
      %w = tensor.pad %v low[0, 0] high[0, 7] {
      ^bb0(%i: index, %j: index):
        %seven = arith.constant 7.0 : f32
        tensor.yield %seven : f32
      } : tensor<12x17xf32> to !X
      pcf.write_slice %w into %O[0, 0] [12, 24] [1, 1] : !X into !OUT
      pcf.cluster_yield
    } : (!G)
    pcf.return
  }
  return %res : !X
}
