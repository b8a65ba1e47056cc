// RUN: distaff-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-form-async-copies{target=sm_80 report})))' | FileCheck %s
// What stays a copy through registers, and why.
// CHECK-NOT: device_async

gpu.module @kernels {
  gpu.func @padding(%a: memref<?x?xf16>, %i: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %one = arith.constant 1.0 : f16
    %v = vector.transfer_read %a[%t, %c0], %one : memref<?x?xf16>, vector<8xf16>
    // expected-remark @+1 {{stays a copy through registers: what lies outside is not read as zero}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @negative_zero(%a: memref<?x?xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %one = arith.constant -0.0 : f16
    %v = vector.transfer_read %a[%t, %c0], %one : memref<?x?xf16>, vector<8xf16>
    // expected-remark @+1 {{stays a copy through registers: what lies outside is not read as zero}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @begins_before(%a: memref<?x?xf16>, %i: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %zero = arith.constant 0.0 : f16
    %c8 = arith.constant 8 : index
    %at = arith.muli %i, %c8 : index
    %v = vector.transfer_read %a[%t, %at], %zero : memref<?x?xf16>, vector<8xf16>
    // expected-remark @+1 {{stays a copy through registers: it may begin before the memory}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @two_uses(%a: memref<64x8xf16>, %o: memref<64x8xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    vector.store %v, %o[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    // expected-remark @+1 {{stays a copy through registers: others use what was read}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @odd_rows(%a: memref<64x9xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x9xf16>, vector<8xf16>
    // expected-remark @+1 {{stays a copy through registers: its addresses are multiples of too few bytes}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @odd_second_row(%a: memref<64x9xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x2x8xf16, #gpu.address_space<workgroup>>
    %zero = arith.constant 0.0 : f16
    %v = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<64x9xf16>, vector<2x8xf16>
    // expected-remark @+1 {{stays a copy through registers: its addresses are multiples of too few bytes}}
    vector.transfer_write %v, %panel[%t, %c0, %c0] {in_bounds = [true, true]} : vector<2x8xf16>, memref<64x2x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @odd_columns(%a: memref<?x?xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%c0, %t] : memref<?x?xf16>, vector<8xf16>
    // expected-remark @+1 {{stays a copy through registers: its addresses are multiples of too few bytes}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @odd_panel(%a: memref<64x8xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x9xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    // expected-remark @+1 {{stays a copy through registers: its addresses are multiples of too few bytes}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x9xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @bits(%a: memref<64x32xi1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x32xi1, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x32xi1>, vector<32xi1>
    // expected-remark @+1 {{stays a copy through registers: its elements do not fill whole bytes}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<32xi1>, memref<64x32xi1, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @three_bytes(%a: memref<64x16xi24>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x16xi24, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x16xi24>, vector<16xi24>
    // expected-remark @+1 {{stays a copy through registers: its elements do not fill whole bytes}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<16xi24>, memref<64x16xi24, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @too_short(%a: memref<64x8xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<1xf16>
    // expected-remark @+1 {{stays a copy through registers: its addresses are multiples of too few bytes}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<1xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @strided(%a: memref<64x64xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %zero = arith.constant 0.0 : f16
    %v = vector.transfer_read %a[%c0, %t], %zero {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<64x64xf16>, vector<8x8xf16>
    // expected-remark @+1 {{stays a copy through registers: its elements are not neighbours in memory}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true, true]} : vector<8x8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @repeated(%a: memref<64x8xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %zero = arith.constant 0.0 : f16
    %v = vector.transfer_read %a[%t, %c0], %zero {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (0, d1)>} : memref<64x8xf16>, vector<2x8xf16>
    // expected-remark @+1 {{stays a copy through registers: the vector repeats elements of the memref}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true, true]} : vector<2x8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @every_other(%a: memref<64x16xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x16xf16, #gpu.address_space<workgroup>>
    %even = memref.subview %panel[0, 0] [64, 8] [1, 2] : memref<64x16xf16, #gpu.address_space<workgroup>> to memref<64x8xf16, strided<[16, 2]>, #gpu.address_space<workgroup>>
    %zero = arith.constant 0.0 : f16
    %v = vector.transfer_read %a[%t, %c0], %zero {in_bounds = [true]} : memref<64x16xf16>, vector<8xf16>
    // expected-remark @+1 {{stays a copy through registers: its elements are not neighbours in memory}}
    vector.transfer_write %v, %even[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, strided<[16, 2]>, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @masked(%a: memref<64x8xf16>, %m: vector<8xi1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %zero = arith.constant 0.0 : f16
    %v = vector.transfer_read %a[%t, %c0], %zero, %m {in_bounds = [true]} : memref<64x8xf16>, vector<8xf16>
    // expected-remark @+1 {{stays a copy through registers: lanes of the vector are masked}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @leaves_its_memory(%a: memref<64x8xf16>, %i: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    // expected-remark @+1 {{stays a copy through registers: the write may leave its memory}}
    vector.transfer_write %v, %panel[%i, %c0] : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @another_block(%a: memref<64x8xf16>, %if: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    gpu.barrier
    scf.if %if {
      // expected-remark @+1 {{stays a copy through registers: read and write are not in one block}}
      vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @source_is_written(%a: memref<64x8xf16>, %x: f16) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    memref.store %x, %a[%t, %c1] : memref<64x8xf16>
    // expected-remark @+1 {{stays a copy through registers: between read and write others may write the source}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

// A block's argument may be an array that the kernel got.
gpu.module @kernels {
  gpu.func @source_is_written_through_a_block_argument(%a: memref<64x8xf16>, %b: memref<64x8xf16>, %x: f16, %if: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    cf.cond_br %if, ^next(%a : memref<64x8xf16>), ^next(%b : memref<64x8xf16>)
  ^next(%chosen: memref<64x8xf16>):
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    memref.store %x, %chosen[%t, %c0] : memref<64x8xf16>
    // expected-remark @+1 {{stays a copy through registers: between read and write others may write the source}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @barrier_between(%a: memref<64x8xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    gpu.barrier
    // expected-remark @+1 {{stays a copy through registers: between read and write others may write the source}}
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

// What is computed on the way, or comes from workgroup memory, is no copy of global
// memory, and nothing is waited for where no barrier comes; of these nothing is said.
gpu.module @kernels {
  gpu.func @no_copies(%a: memref<64x8xf16>, %b: memref<64x8xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf32, #gpu.address_space<workgroup>>
    %other = memref.alloc() : memref<64x8xf32, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    %w = arith.extf %v : vector<8xf16> to vector<8xf32>
    vector.store %w, %panel[%t, %c0] : memref<64x8xf32, #gpu.address_space<workgroup>>, vector<8xf32>
    gpu.barrier
    %x = vector.load %panel[%t, %c0] : memref<64x8xf32, #gpu.address_space<workgroup>>, vector<8xf32>
    vector.store %x, %other[%t, %c0] : memref<64x8xf32, #gpu.address_space<workgroup>>, vector<8xf32>
    gpu.barrier
    %z = vector.load %b[%t, %c0] : memref<64x8xf32>, vector<8xf32>
    vector.store %z, %panel[%t, %c0] : memref<64x8xf32, #gpu.address_space<workgroup>>, vector<8xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @one_element(%a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %z = arith.constant 0.0 : f32
    %panel = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    %v = vector.transfer_read %a[%t], %z : memref<64xf32>, vector<f32>
    // expected-remark @+1 {{stays a copy through registers: it is no vector of known length}}
    vector.transfer_write %v, %panel[%t] : vector<f32>, memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @memory_of_vectors(%a: memref<64xvector<4xf32>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %z = arith.constant dense<0.0> : vector<4xf32>
    %panel = memref.alloc() : memref<64xvector<4xf32>, #gpu.address_space<workgroup>>
    %v = vector.transfer_read %a[%t], %z {in_bounds = [true]} : memref<64xvector<4xf32>>, vector<1x4xf32>
    // expected-remark @+1 {{stays a copy through registers: memory holds no scalars}}
    vector.transfer_write %v, %panel[%t] {in_bounds = [true]} : vector<1x4xf32>, memref<64xvector<4xf32>, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}
