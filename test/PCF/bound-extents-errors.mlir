// RUN: distaff-opt %s -split-input-file -verify-diagnostics -pcf-bound-extents

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<?x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>

func.func @unbounded(%a: !A, %n: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-error @+1 {{extent 0 of a 'tensor<?x8xf32>' has no known upper bound, which says how many registers hold it; take the smaller of the extent and a number, by arith.minui or affine.min, where it is computed}}
    %t = pcf.read_slice %a[0, 0] [%n, 8] [1, 1] : !A to tensor<?x8xf32>
    pcf.write_slice %t into %a[8, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into !A
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<64x8xf32, #sg>
!B = !pcf.sref<512xf32, #sg>
!TG = !pcf.threadgroup<#sg>

func.func @product_of_extents(%a: !A, %b: !B, %n: index, %m: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %t = pcf.read_slice %a[0, 0] [%n, 8] [1, 1] : !A to tensor<?x8xf32>
    // expected-error @+1 {{'tensor.collapse_shape' op has a dynamic extent that is a product, outside of phases; reshape along dimensions of extent 1 alone}}
    %u = tensor.collapse_shape %t [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
    pcf.write_slice %u into %b[0] [%m] [1] : tensor<?xf32> into !B
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<64x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>

func.func @strided(%a: !A, %n: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %t = pcf.read_slice %a[0, 0] [%n, 8] [1, 1] : !A to tensor<?x8xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    // expected-error @+1 {{'linalg.generic' op has a dynamic extent and indexes a tensor by more than loops, outside of phases; give it extents that are known}}
    %u = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 2, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%t : tensor<?x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%x: f32, %y: f32):
      linalg.yield %x : f32
    } -> tensor<4x8xf32>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<64x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>

func.func @no_rule(%a: !A, %n: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %t = pcf.read_slice %a[0, 0] [%n, 8] [1, 1] : !A to tensor<?x8xf32>
    // expected-error @+1 {{'tensor.extract_slice' op has a tensor of a dynamic extent, outside of phases, and no rule for an upper bound of it; give it extents that are known}}
    %u = tensor.extract_slice %t[2, 0] [4, 8] [1, 1] : tensor<?x8xf32> to tensor<4x8xf32>
    pcf.write_slice %u into %a[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into !A
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<64x8xf32, #sg>
!O = !pcf.sref<8xf32, #sg>
!TG = !pcf.threadgroup<#sg>

// The sum of the rows that a branch has left.
func.func @two_extents(%a: !A, %o: !O, %c: i1, %n: index, %m: index, %z: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-note @+1 {{the tensor is made here}}
    %t = scf.if %c -> tensor<?x8xf32> {
      %x = pcf.read_slice %a[0, 0] [%n, 8] [1, 1] : !A to tensor<?x8xf32>
      scf.yield %x : tensor<?x8xf32>
    } else {
      %y = pcf.read_slice %a[0, 0] [%m, 8] [1, 1] : !A to tensor<?x8xf32>
      scf.yield %y : tensor<?x8xf32>
    }
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    // expected-error @+1 {{'linalg.reduce' op needs extent 0 of a tensor that control flow hands on, and its extents there have not one number that is known where the op runs; compute the number before}}
    %u = linalg.reduce { arith.addf } ins(%t : tensor<?x8xf32>) outs(%f : tensor<8xf32>) dimensions = [0]
    pcf.write_slice %u into %o[0] [8] [1] : tensor<8xf32> into !O
    pcf.return
  }
  return
}
