// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// Every message of tile_group (PCF-30).

func.func @source(%x: index) {
  // expected-error @+1 {{source must be a threadgroup or cluster, got 'index'}}
  pcf.shared_executor.tile_group %x split [[]] () {
    pcf.return
  } : index
  return
}

// -----

func.func @payload_of_the_source(%x: !pcf.threadgroup<#pcf.test_scope, {f32}>) {
  // expected-error @+1 {{source must not carry a payload}}
  pcf.shared_executor.tile_group %x split [[]] (%a: !pcf.cluster<#pcf.test_scope, (0 -> s0), a>) {
    pcf.return
  } : !pcf.threadgroup<#pcf.test_scope, {f32}>
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @lists(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{expected 1 split lists, got 2}}
    pcf.shared_executor.tile_group %tg split [[%k], [%j]] (%a: !pcf.cluster<#s, (0 -> s0), a>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

#s = #pcf.test_scope<2>
!all = !pcf.threadgroup<#s>
func.func @fewer_lists(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{expected 2 split lists, got 1}}
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#s, (0 -> s0) x (0 -> s1), a>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @source_ranges(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{expected 0 range values for the source, got 1}}
    pcf.shared_executor.tile_group %tg[%k] split [[]] (%a: !pcf.cluster<#s, (0 -> s0), a>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @cluster_ranges(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (d0 -> s0), b>) {
      // expected-error @+1 {{expected 1 range values for the source, got 0}}
      pcf.shared_executor.tile_group %b split [[]] (%c: !pcf.cluster<#s, (d0 -> s0), c>) {
        pcf.return
      } : !pcf.cluster<#s, (d0 -> s0), b>
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @arguments(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{expected 3 cluster arguments, got 2}}
    pcf.shared_executor.tile_group %tg split [[%k, %j]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (d0 -> s0), b>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

#s = #pcf.test_scope<2>
!all = !pcf.threadgroup<#s>
func.func @arguments_of_a_grid(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{expected 4 cluster arguments, got 2}}
    pcf.shared_executor.tile_group %tg split [[%k], [%j]] (%a: !pcf.cluster<#s, (0 -> d0) x (0 -> d1), a>, %b: !pcf.cluster<#s, (0 -> d0) x (d1 -> s1), b>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @argument_type(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{argument #1 must be '!pcf.cluster', got '!pcf.threadgroup<#iree_gpu.subgroup_scope>'}}
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !all) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @argument_scope(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{cluster #0 has scope #iree_gpu.lane_scope, expected #iree_gpu.subgroup_scope}}
    pcf.shared_executor.tile_group %tg split [[]] (%a: !pcf.cluster<#iree_gpu.lane_scope, (0 -> s0), a>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @argument_payload(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{cluster #0 must not carry a payload}}
    pcf.shared_executor.tile_group %tg split [[]] (%a: !pcf.cluster<#s, (0 -> s0), shared: {f32}, a>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-32
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @bounds(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{cluster #1 has bounds (d0 -> 8), expected (d0 -> s0)}}
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (d0 -> 8), b>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-32: bounds name the points, also where these are constants.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @bounds_are_of_the_points(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{cluster #0 has bounds (0 -> 4), expected (0 -> d0)}}
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#s, (0 -> 4), a>, %b: !pcf.cluster<#s, (d0 -> s0), b>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-33
#s = #pcf.test_scope<2>
!all = !pcf.threadgroup<#s>
func.func @dimension_0_is_slowest(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{cluster #1 has bounds (d0 -> s0) x (0 -> d1), expected (0 -> d0) x (d1 -> s1)}}
    pcf.shared_executor.tile_group %tg split [[%k], [%j]] (%a: !pcf.cluster<#s, (0 -> d0) x (0 -> d1), a>, %b: !pcf.cluster<#s, (d0 -> s0) x (0 -> d1), b>,
      %c: !pcf.cluster<#s, (0 -> d0) x (d1 -> s1), c>, %d: !pcf.cluster<#s, (d0 -> s0) x (d1 -> s1), d>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-32
#s = #pcf.test_scope<2>
!all = !pcf.threadgroup<#s>
func.func @points_of_dimension_0_come_first(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{cluster #0 has bounds (0 -> d1) x (0 -> d0), expected (0 -> d0) x (0 -> d1)}}
    pcf.shared_executor.tile_group %tg split [[%k], [%j]] (%a: !pcf.cluster<#s, (0 -> d1) x (0 -> d0), a>, %b: !pcf.cluster<#s, (0 -> d1) x (d0 -> s1), b>,
      %c: !pcf.cluster<#s, (d1 -> s0) x (0 -> d0), c>, %d: !pcf.cluster<#s, (d1 -> s0) x (d0 -> s1), d>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-32: bounds are global, and points number on.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @bounds_of_a_cluster(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (d0 -> s0), b>) {
      // expected-error @+1 {{cluster #0 has bounds (0 -> d1), expected (d0 -> d1)}}
      pcf.shared_executor.tile_group %b[%k] split [[%j]] (%x: !pcf.cluster<#s, (0 -> d1), x>, %y: !pcf.cluster<#s, (d1 -> s0), y>) {
        pcf.return
      } : !pcf.cluster<#s, (d0 -> s0), b>
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-32
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @points_of_a_cluster(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (d0 -> s0), b>) {
      // expected-error @+1 {{cluster #0 has bounds (d0 -> d0), expected (d0 -> d1)}}
      pcf.shared_executor.tile_group %b[%k] split [[%j]] (%x: !pcf.cluster<#s, (d0 -> d0), x>, %y: !pcf.cluster<#s, (d0 -> s0), y>) {
        pcf.return
      } : !pcf.cluster<#s, (d0 -> s0), b>
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-32
#s = #pcf.test_scope<2>
!all = !pcf.threadgroup<#s>
func.func @bounds_of_a_cluster_of_a_grid(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%k], []] (%a: !pcf.cluster<#s, (0 -> d0) x (0 -> s1), a>, %b: !pcf.cluster<#s, (d0 -> s0) x (0 -> s1), b>) {
      // expected-error @+1 {{cluster #0 has bounds (d0 -> s0) x (0 -> d0), expected (d0 -> s0) x (0 -> d1)}}
      pcf.shared_executor.tile_group %b[%k] split [[], [%j]] (%c: !pcf.cluster<#s, (d0 -> s0) x (0 -> d0), c>, %d: !pcf.cluster<#s, (d0 -> s0) x (d1 -> s1), d>) {
        pcf.return
      } : !pcf.cluster<#s, (d0 -> s0) x (0 -> s1), b>
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-34
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @path(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{cluster id a must be tg.<leaf>}}
    pcf.shared_executor.tile_group %tg ns(tg) split [[]] (%a: !pcf.cluster<#s, (0 -> s0), a>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-34
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @no_path(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{cluster id tg.a must be <leaf>}}
    pcf.shared_executor.tile_group %tg split [[]] (%a: !pcf.cluster<#s, (0 -> s0), tg.a>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-34: outermost first, all of them.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @outer_path(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg ns(tg) split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), tg.a>, %b: !pcf.cluster<#s, (d0 -> s0), tg.b>) {
      // expected-error @+1 {{cluster id in.x must be tg.in.<leaf>}}
      pcf.shared_executor.tile_group %b[%k] ns(in) split [[%j]] (%x: !pcf.cluster<#s, (d0 -> d1), in.x>, %y: !pcf.cluster<#s, (d1 -> s0), in.y>) {
        pcf.return
      } : !pcf.cluster<#s, (d0 -> s0), tg.b>
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-34
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @inner_path(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg ns(tg) split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), tg.a>, %b: !pcf.cluster<#s, (d0 -> s0), tg.b>) {
      // expected-error @+1 {{cluster id in.tg.x must be tg.in.<leaf>}}
      pcf.shared_executor.tile_group %b[%k] ns(in) split [[%j]] (%x: !pcf.cluster<#s, (d0 -> d1), in.tg.x>, %y: !pcf.cluster<#s, (d1 -> s0), in.tg.y>) {
        pcf.return
      } : !pcf.cluster<#s, (d0 -> s0), tg.b>
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-34
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @id_twice(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{cluster id tg.a is already defined}}
    pcf.shared_executor.tile_group %tg ns(tg) split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), tg.a>, %b: !pcf.cluster<#s, (d0 -> s0), tg.a>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-34: resolution goes by ids.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @id_of_an_outer_group(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (d0 -> s0), b>) {
      // expected-error @+1 {{cluster id a is already defined}}
      pcf.shared_executor.tile_group %b[%k] split [[%j]] (%x: !pcf.cluster<#s, (d0 -> d1), x>, %y: !pcf.cluster<#s, (d1 -> s0), a>) {
        pcf.return
      } : !pcf.cluster<#s, (d0 -> s0), b>
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-34
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @id_of_a_sibling(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (d0 -> s0), b>) {
      // expected-error @+1 {{cluster id x is already defined}}
      pcf.shared_executor.tile_group %b[%k] split [[%j]] (%x: !pcf.cluster<#s, (d0 -> d1), x>, %y: !pcf.cluster<#s, (d1 -> s0), x>) {
        pcf.return
      } : !pcf.cluster<#s, (d0 -> s0), b>
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @name_with_a_dot(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{invalid identifier 't.g' in namespaced symbol}}
    pcf.shared_executor.tile_group %tg ns(t.g) split [[]] (%a: !pcf.cluster<#s, (0 -> s0), t.g.a>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-35
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @range_values(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), w.a>, %b: !pcf.cluster<#s, (d0 -> s0), w.b>) {
      // expected-error @+1 {{range values of w.b must be the leading split values of its tile_group}}
      pcf.shared_executor.run_cluster(%b)[%j] () {
        pcf.cluster_yield
      } : (!pcf.cluster<#s, (d0 -> s0), w.b>)
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-35: constants are compared by value.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @other_constant(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    pcf.shared_executor.tile_group %tg split [[%c3]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (d0 -> s0), b>) {
      // expected-error @+1 {{range values of a must be the leading split values of its tile_group}}
      pcf.shared_executor.run_thread(%a)[%c4] () [%id: index] {
        pcf.cluster_yield
      } : (!pcf.cluster<#s, (0 -> d0), a>)
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-35: wherever in the region.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @values_in_another_order(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%k, %j]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (d0 -> d1), b>, %c: !pcf.cluster<#s, (d1 -> s0), c>) {
      scf.execute_region {
        // expected-error @+1 {{range values of c must be the leading split values of its tile_group}}
        pcf.shared_executor.run_cluster(%c)[%j, %k] () {
          pcf.cluster_yield
        } : (!pcf.cluster<#s, (d1 -> s0), c>)
        scf.yield
      }
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-35: a group on a cluster takes them too.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @values_of_a_nested_group(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (d0 -> s0), b>) {
      // expected-error @+1 {{range values of b must be the leading split values of its tile_group}}
      pcf.shared_executor.tile_group %b[%j] split [[%j]] (%x: !pcf.cluster<#s, (d0 -> d1), x>, %y: !pcf.cluster<#s, (d1 -> s0), y>) {
        pcf.return
      } : !pcf.cluster<#s, (d0 -> s0), b>
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-35
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @values_of_the_parent_come_first(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (d0 -> s0), b>) {
      pcf.shared_executor.tile_group %b[%k] split [[%j]] (%x: !pcf.cluster<#s, (d0 -> d1), x>, %y: !pcf.cluster<#s, (d1 -> s0), y>) {
        // expected-error @+1 {{range values of y must be the leading split values of its tile_group}}
        pcf.shared_executor.run_cluster(%y)[%j, %k] () {
          pcf.cluster_yield
        } : (!pcf.cluster<#s, (d1 -> s0), y>)
        pcf.return
      } : !pcf.cluster<#s, (d0 -> s0), b>
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @blocks(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{body must be a single block}}
    pcf.shared_executor.tile_group %tg split [[]] (%a: !pcf.cluster<#s, (0 -> s0), a>) {
      cf.br ^a
    ^a:
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @counted_points(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{'split_sizes' must count the 1 points}}
    "pcf.shared_executor.tile_group"(%tg, %k) <{operandSegmentSizes = array<i32: 1, 0, 1>, split_sizes = array<i64: 2>}> ({
    ^bb0(%a: !pcf.cluster<#s, (0 -> s0), a>):
      "pcf.return"() : () -> ()
    }) : (!all, index) -> ()
    pcf.return
  }
  return
}

// -----

#s = #pcf.test_scope<2>
!all = !pcf.threadgroup<#s>
func.func @negative_points(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{'split_sizes' must count the 1 points}}
    "pcf.shared_executor.tile_group"(%tg, %k) <{operandSegmentSizes = array<i32: 1, 0, 1>, split_sizes = array<i64: -1, 2>}> ({
    ^bb0(%a: !all):
      "pcf.return"() : () -> ()
    }) : (!all, index) -> ()
    pcf.return
  }
  return
}

// -----

// Numbers whose sum wraps to the number of points.
#s = #pcf.test_scope<3>
!all = !pcf.threadgroup<#s>
func.func @wrapping_points(%k: index, %j: index) {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    // expected-error @+1 {{'split_sizes' must count the 1 points}}
    "pcf.shared_executor.tile_group"(%tg, %k) <{operandSegmentSizes = array<i32: 1, 0, 1>, split_sizes = array<i64: 9223372036854775807, 9223372036854775807, 3>}> ({
    ^bb0(%a: !all):
      "pcf.return"() : () -> ()
    }) : (!all, index) -> ()
    pcf.return
  }
  return
}
