// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file -pcf-verify-barriers

// PCF-194: each cluster has a copy of the loop that counts, for instance, how often a while
// loop runs. Copies of an op with regions are one number if their regions compute the same.

#sg = #iree_gpu.subgroup_scope

func.func @counted_alike(%p: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    scf.if %first {
      %times:2 = scf.while (%i = %n, %k = %c0) : (index, index) -> (index, index) {
        %goes = arith.cmpi ugt, %i, %c1 : index
        scf.condition(%goes) %i, %k : index, index
      } do {
      ^bb0(%i: index, %k: index):
        %half = arith.shrui %i, %c1 : index
        %next = arith.addi %k, %c1 : index
        scf.yield %half, %next : index, index
      }
      scf.for %i = %c0 to %times#1 step %c1 {
        pcf.barrier(#sg)
      }
    } else {
      %one = arith.constant 1 : index
      %times:2 = scf.while (%i = %n, %k = %c0) : (index, index) -> (index, index) {
        %goes = arith.cmpi ugt, %i, %one : index
        scf.condition(%goes) %i, %k : index, index
      } do {
      ^bb0(%i: index, %k: index):
        %half = arith.shrui %i, %one : index
        %next = arith.addi %k, %one : index
        scf.yield %half, %next : index, index
      }
      scf.for %i = %c0 to %times#1 step %c1 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// The other result of the same loop.
func.func @the_other_result(%p: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    %times:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0, %y = %c1) -> (index, index) {
      %z = arith.addi %x, %y : index
      scf.yield %y, %z : index, index
    }
    // expected-error @+1 {{clusters disagree on the barrier sequence}}
    scf.if %first {
      scf.for %i = %c0 to %times#0 step %c1 {
        pcf.barrier(#sg)
      }
    } else {
      scf.for %i = %c0 to %times#1 step %c1 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// One op of the body is another one.
func.func @counted_differently(%p: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    // expected-error @+1 {{clusters disagree on the barrier sequence}}
    scf.if %first {
      %times = scf.for %i = %c0 to %n step %c1 iter_args(%x = %n) -> (index) {
        %y = arith.shrui %x, %c1 : index
        scf.yield %y : index
      }
      scf.for %i = %c0 to %times step %c1 {
        pcf.barrier(#sg)
      }
    } else {
      %times = scf.for %i = %c0 to %n step %c1 iter_args(%x = %n) -> (index) {
        %y = arith.subi %x, %c1 : index
        scf.yield %y : index
      }
      scf.for %i = %c0 to %times step %c1 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// The same ops with operands in another order.
func.func @operands_differ(%p: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    // expected-error @+1 {{clusters disagree on the barrier sequence}}
    scf.if %first {
      %times = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c1) -> (index) {
        %y = arith.subi %x, %i : index
        scf.yield %y : index
      }
      scf.for %i = %c0 to %times step %c1 {
        pcf.barrier(#sg)
      }
    } else {
      %times = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c1) -> (index) {
        %y = arith.subi %i, %x : index
        scf.yield %y : index
      }
      scf.for %i = %c0 to %times step %c1 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// A loop that reads memory may count differently each time it runs.
func.func @memory_counts(%p: index, %a: memref<8xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    // expected-error @+1 {{clusters disagree on the barrier sequence: for(0, v0, 1){barrier} vs for(0, v1, 1){barrier}}}
    scf.if %first {
      %times = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %c0) -> (index) {
        %y = memref.load %a[%i] : memref<8xindex>
        scf.yield %y : index
      }
      scf.for %i = %c0 to %times step %c1 {
        pcf.barrier(#sg)
      }
    } else {
      %times = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %c0) -> (index) {
        %y = memref.load %a[%i] : memref<8xindex>
        scf.yield %y : index
      }
      scf.for %i = %c0 to %times step %c1 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// What is left of a number depends on the bits that are kept.
func.func @casts_differ(%p: index, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    %n8 = arith.trunci %n : i32 to i8
    %n16 = arith.trunci %n : i32 to i16
    %a = arith.extui %n8 : i8 to i32
    %b = arith.extui %n16 : i16 to i32
    // expected-error @+1 {{clusters disagree on the barrier sequence: for(0 : i32, arith.extui to i32(arith.trunci{overflowFlags = #arith.overflow<none>} to i8(v0)), 1 : i32){barrier} vs}}
    scf.if %first {
      scf.for %i = %c0 to %a step %c1 : i32 {
        pcf.barrier(#sg)
      }
    } else {
      scf.for %i = %c0 to %b step %c1 : i32 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// PCF-200: two constants of the same digits are two numbers where their types differ.
func.func @constants_differ(%p: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    // expected-error @+1 {{for(0, arith.index_cast(arith.extui to i64(-1 : i1)), 1){barrier} vs for(0, arith.index_cast(arith.extui to i64(-1 : i8)), 1){barrier}}}
    scf.if %first {
      %number = arith.constant true
      %wide = arith.extui %number : i1 to i64
      %times = arith.index_cast %wide : i64 to index
      scf.for %i = %c0 to %times step %c1 {
        pcf.barrier(#sg)
      }
    } else {
      %number = arith.constant -1 : i8
      %wide = arith.extui %number : i8 to i64
      %times = arith.index_cast %wide : i64 to index
      scf.for %i = %c0 to %times step %c1 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// PCF-200: so are elements of the same bits, taken as other types.
func.func @elements_differ(%p: index, %v: vector<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    // expected-error @+1 {{to i16(vector.bitcast to vector<8xi16>(v0))), 1){barrier} vs}}
    scf.if %first {
      %bits = vector.bitcast %v : vector<4xi32> to vector<8xi16>
      %number = vector.extract %bits[1] : i16 from vector<8xi16>
      %times = arith.index_cast %number : i16 to index
      scf.for %i = %c0 to %times step %c1 {
        pcf.barrier(#sg)
      }
    } else {
      %bits = vector.bitcast %v : vector<4xi32> to vector<2xi64>
      %number = vector.extract %bits[1] : i64 from vector<2xi64>
      %times = arith.index_cast %number : i64 to index
      scf.for %i = %c0 to %times step %c1 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// PCF-200: a loop that compares without a sign runs 200 times where another one does not run.
func.func @signs_differ(%p: index, %zero: i8, %one: i8, %n: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    // expected-error @+1 {{for unsigned(v0, v1, v2){barrier} vs for(v0, v1, v2){barrier}}}
    scf.if %first {
      scf.for unsigned %i = %zero to %n step %one : i8 {
        pcf.barrier(#sg)
      }
    } else {
      scf.for %i = %zero to %n step %one : i8 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// PCF-200: the id of a lane in the grid is another one for each lane.
func.func @ids_of_the_grid() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %x = gpu.global_id x
    // expected-error @+1 {{clusters disagree on the barrier sequence: for(0, v0, 1){barrier} runs differently often on different workers}}
    scf.for %i = %c0 to %x step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}
