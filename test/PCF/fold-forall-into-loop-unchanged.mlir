// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file > %t.before
// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fold-forall-into-loop -split-input-file | diff %t.before -

// PCF-44: what does not match is left as it is. One condition per function.

#seq = #pcf.sequential
!sref = !pcf.sref<1x8xf32, sync(#seq)>

func.func @the_count_depends_on_the_id(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = scf.forall (%s) in (4) shared_outs(%o = %a) -> (tensor<4x8xf32>) {
    %n = arith.addi %s, %s : index
    %e = tensor.extract_slice %o[%s, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %p = pcf.loop scope(#seq) count(%n) execute(%q = %e)[%i: index] : (!sref) -> (tensor<1x8xf32>) {
      %v = "test.part"(%s, %i) : (index, index) -> tensor<1x1xf32>
      pcf.write_slice %v into %q[0, %i] [1, 1] [1, 1] : tensor<1x1xf32> into !sref
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<1x8xf32, sync(#seq)>

func.func @an_op_with_effects(%a: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %r = scf.forall (%s) in (4) shared_outs(%o = %a) -> (tensor<4x8xf32>) {
    "test.effect"(%s) : (index) -> ()
    %e = tensor.extract_slice %o[%s, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %p = pcf.loop scope(#seq) count(%n) execute(%q = %e)[%i: index] : (!sref) -> (tensor<1x8xf32>) {
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<1x8xf32, sync(#seq)>

func.func @the_loop_is_not_last(%a: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %r = scf.forall (%s) in (4) shared_outs(%o = %a) -> (tensor<4x8xf32>) {
    %e = tensor.extract_slice %o[%s, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %p = pcf.loop scope(#seq) count(%n) execute(%q = %e)[%i: index] : (!sref) -> (tensor<1x8xf32>) {
      pcf.return
    }
    %z = tensor.cast %p : tensor<1x8xf32> to tensor<1x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<1x8xf32, sync(#seq)>

func.func @two_counts(%a: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %r = scf.forall (%s) in (4) shared_outs(%o = %a) -> (tensor<4x8xf32>) {
    %e = tensor.extract_slice %o[%s, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %p = pcf.loop scope(#seq) count(%n, %n) execute(%q = %e)[%i: index, %j: index] : (!sref) -> (tensor<1x8xf32>) {
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<1x8xf32, sync(#seq)>

func.func @a_result_inserted_twice(%a: tensor<4x8xf32>, %n: index) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %r:2 = scf.forall (%s) in (4) shared_outs(%o = %a, %u = %a) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %e = tensor.extract_slice %o[%s, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %p = pcf.loop scope(#seq) count(%n) execute(%q = %e)[%i: index] : (!sref) -> (tensor<1x8xf32>) {
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
      tensor.parallel_insert_slice %p into %u[%s, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<1x8xf32, sync(#seq)>

func.func @an_insert_of_something_else(%a: tensor<4x8xf32>, %b: tensor<1x8xf32>, %n: index) -> tensor<4x8xf32> {
  %r:2 = scf.forall (%s) in (4) shared_outs(%o = %a, %u = %a) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %e = tensor.extract_slice %o[%s, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %p = pcf.loop scope(#seq) count(%n) execute(%q = %e)[%i: index] : (!sref) -> (tensor<1x8xf32>) {
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b into %o[%s, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r#0 : tensor<4x8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<1x8xf32, sync(#seq)>

func.func @a_ref_is_read(%a: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %r = scf.forall (%s) in (4) shared_outs(%o = %a) -> (tensor<4x8xf32>) {
    %e = tensor.extract_slice %o[%s, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %p = pcf.loop scope(#seq) count(%n) execute(%q = %e)[%i: index] : (!sref) -> (tensor<1x8xf32>) {
      %v = pcf.read_slice %q[0, %i] [1, 1] [1, 1] : !sref to tensor<1x1xf32>
      pcf.write_slice %v into %q[0, %i] [1, 1] [1, 1] : tensor<1x1xf32> into !sref
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<1x8xf32, #seq>

func.func @a_ref_is_not_synchronized(%a: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %r = scf.forall (%s) in (4) shared_outs(%o = %a) -> (tensor<4x8xf32>) {
    %e = tensor.extract_slice %o[%s, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %p = pcf.loop scope(#seq) count(%n) execute(%q = %e)[%i: index] : (!sref) -> (tensor<1x8xf32>) {
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<1x8xf32, sync(#seq)>

// The init is another row, and nothing is written over it.
func.func @another_init(%a: tensor<4x8xf32>, %n: index) -> tensor<4x8xf32> {
  %r = scf.forall (%s) in (4) shared_outs(%o = %a) -> (tensor<4x8xf32>) {
    %e = tensor.extract_slice %o[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %p = pcf.loop scope(#seq) count(%n) execute(%q = %e)[%i: index] : (!sref) -> (tensor<1x8xf32>) {
      "test.use"(%i) : (index) -> ()
      pcf.return
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%s, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x8xf32>
    }
  }
  return %r : tensor<4x8xf32>
}

// -----

#seq = #pcf.sequential

func.func @mapped_to_another_level(%n: index) {
  scf.forall (%s) in (4) {
    pcf.loop scope(#seq) count(%n) execute[%i: index] {
      "test.use"(%i) : (index) -> ()
      pcf.return
    }
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

#seq = #pcf.sequential

func.func @a_readonly_ref(%x: tensor<8xf32>, %n: index) {
  scf.forall (%s) in (4) {
    pcf.loop scope(#seq) count(%n) execute(%q <- %x : tensor<8xf32>)[%i: index] : (!pcf.sref<8xf32, #seq>) {
      %v = pcf.read_slice %q[%i] [1] [1] : !pcf.sref<8xf32, #seq> to tensor<1xf32>
      "test.use"(%v) : (tensor<1xf32>) -> ()
      pcf.return
    }
  }
  return
}
