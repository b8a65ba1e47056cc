// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// PCF-113: what a bound, or a point of a split, may not be.

// expected-error @+1 {{cluster bound must be an integer, 'dN' or 'sN', or an affine expression of them that is not negative}}
func.func private @negative(!pcf.cluster<#pcf.test_scope, (0 -> 3 - 4), a>)

// -----

// expected-error @+1 {{cluster bound must be an integer, 'dN' or 'sN'}}
func.func private @no_operand(!pcf.cluster<#pcf.test_scope, (0 -> d0 + ), a>)

// -----

// expected-error @+1 {{cluster bound must be an integer, 'dN' or 'sN'}}
func.func private @other_names(!pcf.cluster<#pcf.test_scope, (0 -> d0 + k), a>)

// -----

// expected-error @+1 {{a cluster bound is a product with an integer only}}
func.func private @product(!pcf.cluster<#pcf.test_scope, (0 -> d0 * s0), a>)

// -----

// expected-error @+1 {{a divisor in a cluster bound must be a positive integer}}
func.func private @divisor(!pcf.cluster<#pcf.test_scope, (0 -> s0 floordiv d0), a>)

// -----

// expected-error @+1 {{a divisor in a cluster bound must be a positive integer}}
func.func private @by_zero(!pcf.cluster<#pcf.test_scope, (0 -> s0 mod 0), a>)

// -----

// expected-error @+1 {{a divisor in a cluster bound must be a positive integer}}
func.func private @by_less(!pcf.cluster<#pcf.test_scope, (0 -> s0 ceildiv -2), a>)

// -----

// expected-error @+1 {{'s1' cannot bound dimension 0}}
func.func private @foreign(!pcf.cluster<#pcf.test_scope<2>, (0 -> d0 + s1 floordiv 2) x (0 -> s1), a>)

// -----

// expected-error @+1 {{expected ')'}}
func.func private @unclosed(!pcf.cluster<#pcf.test_scope, ((d0 + 1 4) -> s0), a>)

// -----

#sg = #iree_gpu.subgroup_scope
func.func @later_value(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    // expected-error @+1 {{split point 'd0 + 1' names a range value that is not before it; there are 0}}
    pcf.shared_executor.tile_group %tg split [[d0 + 1, %k]]
      (%a: !pcf.cluster<#sg, (0 -> d0 + 1), a>, %b: !pcf.cluster<#sg, (d0 + 1 -> d0), b>, %c: !pcf.cluster<#sg, (d0 -> s0), c>) {
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @foreign_count(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    // expected-error @+1 {{'s1' cannot bound dimension 0}}
    pcf.shared_executor.tile_group %tg split [[s1]]
      (%a: !pcf.cluster<#sg, (0 -> s0), a>, %b: !pcf.cluster<#sg, (0 -> s0), b>) {
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @negative_point() {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    // expected-error @+1 {{cluster bound must be an integer, 'dN' or 'sN'}}
    pcf.shared_executor.tile_group %tg split [[-1]]
      (%a: !pcf.cluster<#sg, (0 -> s0), a>, %b: !pcf.cluster<#sg, (0 -> s0), b>) {
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

// Bounds are compared as expressions.
#sg = #iree_gpu.subgroup_scope
func.func @other_bounds(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    // expected-error @+1 {{cluster #2 has bounds (d0 -> s0), expected (d0 + 1 -> s0)}}
    pcf.shared_executor.tile_group %tg split [[%k, d0 + 1]]
      (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> d0 + 1), b>, %c: !pcf.cluster<#sg, (d0 -> s0), c>) {
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

// What generic text may say besides.
#sg = #iree_gpu.subgroup_scope
func.func @unused_operand(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    // expected-error @+1 {{'point_map' must have a dimension for each of the 1 range values and 1 symbols, and each operand as a point, in order}}
    "pcf.shared_executor.tile_group"(%tg, %k) <{point_map = affine_map<(d0)[s0] -> (s0 floordiv 2)>, split_sizes = array<i64: 1>,
      operandSegmentSizes = array<i32: 1, 0, 1>}> ({
    ^bb0(%a: !pcf.cluster<#sg, (0 -> s0 floordiv 2), a>, %b: !pcf.cluster<#sg, (s0 floordiv 2 -> s0), b>):
      pcf.return
    }) : (!pcf.threadgroup<#sg>, index) -> ()
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @miscounted() {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    // expected-error @+1 {{'split_sizes' must count the 2 points}}
    "pcf.shared_executor.tile_group"(%tg) <{point_map = affine_map<()[s0] -> (s0 floordiv 2, s0)>, split_sizes = array<i64: 1>,
      operandSegmentSizes = array<i32: 1, 0, 0>}> ({
    ^bb0(%a: !pcf.cluster<#sg, (0 -> s0 floordiv 2), a>, %b: !pcf.cluster<#sg, (s0 floordiv 2 -> s0), b>):
      pcf.return
    }) : (!pcf.threadgroup<#sg>) -> ()
    pcf.return
  }
  return
}
