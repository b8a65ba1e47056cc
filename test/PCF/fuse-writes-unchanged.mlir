// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file > %t.before
// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fuse-writes=assume-covering=false -split-input-file | diff %t.before -

// PCF-46: what does not match is left as it is. One condition per function.

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// Two inserts into one result.
func.func @two_inserts(%init: tensor<16xf32>, %ref: !sref, %v: tensor<8xf32>) {
  %w = scf.forall (%i) in (1) shared_outs(%s = %init) -> (tensor<16xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[0] [8] [1] : tensor<8xf32> into tensor<16xf32>
      tensor.parallel_insert_slice %v into %s[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
    }
  }
  pcf.write_slice %w into %ref[0] [16] [1] : tensor<16xf32> into !sref
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// The last two elements are those of the init.
func.func @not_all_is_inserted(%init: tensor<16xf32>, %ref: !sref, %v: tensor<2xf32>) {
  %w = scf.forall (%i) = (0) to (14) step (2) shared_outs(%s = %init) -> (tensor<16xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%i] [2] [1] : tensor<2xf32> into tensor<16xf32>
    }
  }
  pcf.write_slice %w into %ref[0] [16] [1] : tensor<16xf32> into !sref
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @unknown_bounds(%init: tensor<16xf32>, %ref: !sref, %v: tensor<1xf32>, %n: index) {
  %w = scf.forall (%i) in (%n) shared_outs(%s = %init) -> (tensor<16xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%i] [1] [1] : tensor<1xf32> into tensor<16xf32>
    }
  }
  pcf.write_slice %w into %ref[0] [16] [1] : tensor<16xf32> into !sref
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @the_ref_is_read_in_between(%init: tensor<16xf32>, %ref: !sref, %v: tensor<1xf32>) -> tensor<16xf32> {
  %w = scf.forall (%i) in (16) shared_outs(%s = %init) -> (tensor<16xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%i] [1] [1] : tensor<1xf32> into tensor<16xf32>
    }
  }
  %old = pcf.read_slice %ref[0] [16] [1] : !sref to tensor<16xf32>
  pcf.write_slice %w into %ref[0] [16] [1] : tensor<16xf32> into !sref
  return %old : tensor<16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// Through a view, and in the loop itself.
func.func @the_ref_is_read_in_the_loop(%init: tensor<16xf32>, %ref: !sref) {
  %view = pcf.subview %ref[4] [4] [1] : !sref to !pcf.sref<4xf32, sync(#seq)>
  %w = scf.forall (%i) in (16) shared_outs(%s = %init) -> (tensor<16xf32>) {
    %v = pcf.read_slice %view[0] [1] [1] : !pcf.sref<4xf32, sync(#seq)> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%i] [1] [1] : tensor<1xf32> into tensor<16xf32>
    }
  }
  pcf.write_slice %w into %ref[0] [16] [1] : tensor<16xf32> into !sref
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @a_barrier_in_between(%init: tensor<16xf32>, %ref: !sref, %v: tensor<1xf32>) {
  %w = scf.forall (%i) in (16) shared_outs(%s = %init) -> (tensor<16xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%i] [1] [1] : tensor<1xf32> into tensor<16xf32>
    }
  }
  pcf.barrier(#seq)
  pcf.write_slice %w into %ref[0] [16] [1] : tensor<16xf32> into !sref
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// The memory of the ref is that of the memref.
func.func @a_memref_is_read_in_between(%init: tensor<16xf32>, %m: memref<16xf32>, %v: tensor<1xf32>, %c: index) {
  pcf.generic scope(#seq) execute(%ref = %m)[%id: index, %n: index] : (!sref) -> (memref<16xf32>) {
    %w = scf.forall (%i) in (16) shared_outs(%s = %init) -> (tensor<16xf32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %v into %s[%i] [1] [1] : tensor<1xf32> into tensor<16xf32>
      }
    }
    %x = memref.load %m[%c] : memref<16xf32>
    "test.use"(%x) : (f32) -> ()
    pcf.write_slice %w into %ref[0] [16] [1] : tensor<16xf32> into !sref
    pcf.return
  }
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

func.func @the_write_runs_sometimes(%init: tensor<16xf32>, %ref: !sref, %v: tensor<1xf32>, %c: i1) {
  %w = scf.forall (%i) in (16) shared_outs(%s = %init) -> (tensor<16xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%i] [1] [1] : tensor<1xf32> into tensor<16xf32>
    }
  }
  scf.if %c {
    pcf.write_slice %w into %ref[0] [16] [1] : tensor<16xf32> into !sref
  }
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<32xf32, sync(#seq)>

// The offset is an element of the result, and another comes from an op that may
// not be moved.
func.func @an_operand_comes_later(%init: tensor<16xindex>, %ref: !pcf.sref<32xindex, sync(#seq)>, %v: tensor<1xindex>) {
  %c0 = arith.constant 0 : index
  %w = scf.forall (%i) in (16) shared_outs(%s = %init) -> (tensor<16xindex>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%i] [1] [1] : tensor<1xindex> into tensor<16xindex>
    }
  }
  %at = tensor.extract %w[%c0] : tensor<16xindex>
  pcf.write_slice %w into %ref[%at] [16] [1] : tensor<16xindex> into !pcf.sref<32xindex, sync(#seq)>
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<32xf32, sync(#seq)>

func.func @an_operand_may_not_move(%init: tensor<16xf32>, %ref: !sref, %v: tensor<1xf32>) {
  %w = scf.forall (%i) in (16) shared_outs(%s = %init) -> (tensor<16xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%i] [1] [1] : tensor<1xf32> into tensor<16xf32>
    }
  }
  %at = "test.offset"() : () -> index
  pcf.write_slice %w into %ref[%at] [16] [1] : tensor<16xf32> into !sref
  return
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<16xf32, sync(#seq)>

// Two refs of one memref.
func.func @another_ref_of_the_memory_is_read(%init: tensor<16xf32>, %m: memref<16xf32>, %v: tensor<1xf32>) {
  pcf.generic scope(#seq) execute(%p = %m, %q = %m)[%id: index, %n: index] : (!sref, !sref) -> (memref<16xf32>, memref<16xf32>) {
    %w = scf.forall (%i) in (16) shared_outs(%s = %init) -> (tensor<16xf32>) {
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %v into %s[%i] [1] [1] : tensor<1xf32> into tensor<16xf32>
      }
    }
    %x = pcf.read_slice %q[0] [16] [1] : !sref to tensor<16xf32>
    "test.use"(%x) : (tensor<16xf32>) -> ()
    pcf.write_slice %w into %p[0] [16] [1] : tensor<16xf32> into !sref
    pcf.return
  }
  return
}
