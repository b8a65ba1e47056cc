// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file > %t.before
// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fuse-consumers -split-input-file | diff %t.before -

// PCF-46: what does not match is left as it is. One condition per function.

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, #seq>

func.func @not_synchronized(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_strided_write(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [2] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @another_user(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    "test.use"(%o) : (!sref) -> ()
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_view(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    %w = pcf.subview %o[0] [8] [1] : !sref to !pcf.sref<8xf32, sync(#seq)>
    "test.use"(%w) : (!pcf.sref<8xf32, sync(#seq)>) -> ()
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_write_of_a_vector(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: vector<4xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : vector<4xf32> into !sref
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// Nothing is known to be written, whatever is assumed.
func.func @no_write(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    "test.use"(%id) : (index) -> ()
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @nothing_is_written_there(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<?xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [0] [1] : tensor<?xf32> into !sref
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @an_operand_is_not_there_yet(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %c = "test.make"() : () -> tensor<16xf32>
  %e = linalg.exp ins(%p : tensor<16xf32>) outs(%c : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_value_in_the_region_is_not_there_yet(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %f = "test.make"() : () -> f32
  %e = linalg.map ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>)
    (%x: f32, %y: f32) {
      %s = arith.addf %x, %f : f32
      linalg.yield %s : f32
    }
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_consumer_with_effects(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = linalg.map ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>)
    (%x: f32, %y: f32) {
      "test.effect"(%x) : (f32) -> ()
      linalg.yield %x : f32
    }
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @not_tilable(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = "test.consume"(%p) : (tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_consumer_elsewhere(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index, %c: i1) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = scf.if %c -> (tensor<16xf32>) {
    %x = linalg.exp ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
    scf.yield %x : tensor<16xf32>
  } else {
    scf.yield %b : tensor<16xf32>
  }
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_collective_owner(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.shared_executor scope(#seq) execute(%o = %a)[%tg: !pcf.threadgroup<#seq>] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16x16xf32, sync(#seq)>

// The result and its transpose would need two tiles of the loops.
func.func @two_tiles(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %v: tensor<4x2xf32>, %n: index) -> tensor<16x16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16x16xf32>) {
    pcf.write_slice %v into %o[%n, 3] [4, 2] [1, 1] : tensor<4x2xf32> into !sref
    pcf.return
  }
  %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%p, %p : tensor<16x16xf32>, tensor<16x16xf32>) outs(%b : tensor<16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<16x16xf32>
  return %e : tensor<16x16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @not_a_projection(%a: tensor<16xf32>, %b: tensor<13xf32>, %v: tensor<4xf32>, %n: index) -> tensor<13xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%p, %v : tensor<16xf32>, tensor<4xf32>) outs(%b : tensor<13xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    linalg.yield %x : f32
  } -> tensor<13xf32>
  return %e : tensor<13xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16x16xf32, sync(#seq)>

func.func @a_reduction_is_cut(%a: tensor<16x16xf32>, %b: tensor<16xf32>, %v: tensor<4x2xf32>, %n: index) -> tensor<16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16x16xf32>) {
    pcf.write_slice %v into %o[%n, 3] [4, 2] [1, 1] : tensor<4x2xf32> into !sref
    pcf.return
  }
  %e = linalg.reduce { arith.addf } ins(%p : tensor<16x16xf32>) outs(%b : tensor<16xf32>) dimensions = [1]
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<?x?xf32, sync(#seq)>

func.func @a_reduction_of_unknown_extent(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %v: tensor<4x?xf32>, %n: index) -> tensor<?xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<?x?xf32>) {
    pcf.write_slice %v into %o[%n, 0] [4, %n] [1, 1] : tensor<4x?xf32> into !sref
    pcf.return
  }
  %e = linalg.reduce { arith.addf } ins(%p : tensor<?x?xf32>) outs(%b : tensor<?xf32>) dimensions = [1]
  return %e : tensor<?xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_slice_from_the_middle(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<8xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = tensor.extract_slice %p[1] [8] [1] : tensor<16xf32> to tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_strided_slice(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<8xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = tensor.extract_slice %p[0] [8] [2] : tensor<16xf32> to tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_slice_of_lower_rank(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<f32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = tensor.extract_slice %p[0] [1] [1] : tensor<16xf32> to tensor<f32>
  return %e : tensor<f32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_size_is_not_there_yet(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %m = "test.make"() : () -> index
  %e = tensor.extract_slice %p[0] [%m] [1] : tensor<16xf32> to tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_slice_is_not_the_only_use(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<8xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  "test.use"(%p) : (tensor<16xf32>) -> ()
  %e = tensor.extract_slice %p[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_slice_of_what_is_read(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<8xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    %x = pcf.read_slice %o[%n] [4] [1] : !sref to tensor<4xf32>
    "test.use"(%x) : (tensor<4xf32>) -> ()
    pcf.return
  }
  %e = tensor.extract_slice %p[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_slice_of_an_init(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index) -> tensor<8xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16xf32>) {
    "test.use"(%id) : (index) -> ()
    pcf.return
  }
  %e = tensor.extract_slice %p[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16x16xf32, sync(#seq)>

func.func @a_collapse_is_not_the_only_use(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %v: tensor<4x2xf32>, %n: index) -> tensor<256xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16x16xf32>) {
    pcf.write_slice %v into %o[%n, 3] [4, 2] [1, 1] : tensor<4x2xf32> into !sref
    pcf.return
  }
  "test.use"(%p) : (tensor<16x16xf32>) -> ()
  %e = tensor.collapse_shape %p [[0, 1]] : tensor<16x16xf32> into tensor<256xf32>
  return %e : tensor<256xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16x16xf32, sync(#seq)>

func.func @a_collapse_of_what_is_read(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %v: tensor<4x2xf32>, %n: index) -> tensor<256xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16x16xf32>) {
    pcf.write_slice %v into %o[%n, 3] [4, 2] [1, 1] : tensor<4x2xf32> into !sref
    %x = pcf.read_slice %o[0, 0] [4, 2] [1, 1] : !sref to tensor<4x2xf32>
    "test.use"(%x) : (tensor<4x2xf32>) -> ()
    pcf.return
  }
  %e = tensor.collapse_shape %p [[0, 1]] : tensor<16x16xf32> into tensor<256xf32>
  return %e : tensor<256xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16x16xf32, sync(#seq)>

func.func @a_collapse_of_a_strided_write(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %v: tensor<4x2xf32>, %n: index) -> tensor<256xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%id: index, %nw: index] : (!sref) -> (tensor<16x16xf32>) {
    pcf.write_slice %v into %o[0, 0] [4, 2] [1, 2] : tensor<4x2xf32> into !sref
    pcf.return
  }
  %e = tensor.collapse_shape %p [[0, 1]] : tensor<16x16xf32> into tensor<256xf32>
  return %e : tensor<256xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @one_of_two_results_is_written_twice(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index, %c: i1) -> tensor<16xf32> {
  %p:2 = pcf.generic scope(#seq) execute(%o = %a, %q = %a)[%id: index, %nw: index] : (!sref, !sref) -> (tensor<16xf32>, tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.write_slice %v into %q[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.write_slice %v into %q[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = linalg.add ins(%p#0, %p#1 : tensor<16xf32>, tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @two_results_are_written_in_two_blocks(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index, %c: i1) -> tensor<16xf32> {
  %p:2 = pcf.generic scope(#seq) execute(%o = %a, %q = %a)[%id: index, %nw: index] : (!sref, !sref) -> (tensor<16xf32>, tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    scf.if %c {
      pcf.write_slice %v into %q[%n] [4] [1] : tensor<4xf32> into !sref
    }
    pcf.return
  }
  %e = linalg.add ins(%p#0, %p#1 : tensor<16xf32>, tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @two_results_are_written_at_two_places(%a: tensor<16xf32>, %b: tensor<16xf32>, %v: tensor<4xf32>, %n: index, %c: i1) -> tensor<16xf32> {
  %p:2 = pcf.generic scope(#seq) execute(%o = %a, %q = %a)[%id: index, %nw: index] : (!sref, !sref) -> (tensor<16xf32>, tensor<16xf32>) {
    pcf.write_slice %v into %o[%n] [4] [1] : tensor<4xf32> into !sref
    pcf.write_slice %v into %q[2] [4] [1] : tensor<4xf32> into !sref
    pcf.return
  }
  %e = linalg.add ins(%p#0, %p#1 : tensor<16xf32>, tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %e : tensor<16xf32>
}
