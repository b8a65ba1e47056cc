// RUN: distaff-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-fill-workgroup-arguments)))' | FileCheck %s
// Arguments in workgroup memory come through global memory where a launch is to
// fill them: row by row, neighbours by neighbouring lanes.

#t = #iree_codegen.translation_info<subgroup_size = 32>
#wg = #gpu.address_space<workgroup>
gpu.module @kernels {
  // It is only read: nothing goes back.
  // CHECK-LABEL: gpu.func @rows_lie_apart
  // CHECK-SAME: (%[[A:.*]]: memref<6x5xf16>, %[[Y:.*]]: memref<4xf16>)
  // CHECK: %[[BYTES:.*]] = memref.alloc() {alignment = 32 : i64} : memref<40xf16, #gpu.address_space<workgroup>>
  // CHECK: %[[BUFFER:.*]] = memref.reinterpret_cast %[[BYTES]] to offset: [0], sizes: [6, 5], strides: [7, 1]
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: %[[X:.*]] = memref.load %[[A]]
  // CHECK: memref.store %[[X]], %[[BUFFER]]
  // CHECK: gpu.barrier
  // CHECK-NOT: scf.for
  // CHECK: memref.load %[[BUFFER]]
  // CHECK-NOT: scf.for
  gpu.func @rows_lie_apart(%a: memref<6x5xf16, strided<[7, 1]>, #wg> {llvm.align = 32 : i64}, %y: memref<4xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    %c1 = arith.constant 1 : index
    %x = memref.load %a[%c1, %c1] : memref<6x5xf16, strided<[7, 1]>, #wg>
    memref.store %x, %y[%c1] : memref<4xf16>
    gpu.return
  }

  // What is written through a view goes back too.
  // CHECK-LABEL: gpu.func @written
  // CHECK: gpu.barrier
  // CHECK: memref.subview
  // CHECK: memref.store
  // CHECK: gpu.barrier
  // CHECK: scf.for
  // CHECK: memref.store %{{.*}}, %arg0[%{{.*}}] : memref<8xf32>
  gpu.func @written(%a: memref<8xf32, #wg>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    %v = memref.subview %a[4] [4] [1] : memref<8xf32, #wg> to memref<4xf32, strided<[1], offset: 4>, #wg>
    memref.store %one, %v[%c1] : memref<4xf32, strided<[1], offset: 4>, #wg>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 lies in workgroup memory, of which each workgroup writes its own; launch one workgroup}}
  gpu.func @several(%a: memref<8xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 2, 1, 1>, translation_info = #t} {
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    memref.store %one, %a[%c1] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 lies in workgroup memory, and nobody knows how much of it; give it static extents}}
  gpu.func @dynamic(%a: memref<?xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 lies in workgroup memory, and two of its elements may lie on the same bytes; take the whole buffer and a memref.subview of it}}
  gpu.func @shared_bytes(%a: memref<4x8xf32, strided<[7, 1]>, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{argument 0 lies in workgroup memory, and nobody says how many lanes are there to fill it; give the kernel its workgroup_size and subgroup_size}}
  gpu.func @by_whom(%a: memref<8xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  // expected-error@+1 {{argument 0 lies in workgroup memory, which is read back where the kernel ends, in one place; return from one block only}}
  gpu.func @two_ends(%a: memref<8xf32, #gpu.address_space<workgroup>>, %c: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>, translation_info = #t} {
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    memref.store %one, %a[%c1] : memref<8xf32, #gpu.address_space<workgroup>>
    cf.cond_br %c, ^one, ^two
  ^one:
    gpu.return
  ^two:
    gpu.return
  }
}
