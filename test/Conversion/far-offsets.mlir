// RUN: distaff compile %s --target sm_80 --stop-after=convert | FileCheck %s
// RUN: distaff compile %s --target gfx942 --stop-after=convert | FileCheck %s
// RUN: distaff compile %s --target sm_80 --emit ptx | FileCheck %s --check-prefix=PTX
// Elements whose numbers have more bits than a constant of a getelementptr, on either
// side of where an index points.

// PTX-DAG: 3000000000
// PTX-DAG: -4294967297
// PTX-DAG: 268435455
// PTX-DAG: 268435456
gpu.module @kernels {
  // CHECK-LABEL: @far
  // CHECK-DAG: %[[N:.*]] = llvm.mlir.constant(3000000000 : i64) : i64
  // CHECK-DAG: llvm.getelementptr inbounds %{{.*}}[%[[N]]]
  // CHECK-DAG: %[[M:.*]] = llvm.mlir.constant(-4294967297 : i64) : i64
  // CHECK-DAG: llvm.getelementptr %{{.*}}[%[[M]]]
  // CHECK-DAG: %[[L:.*]] = llvm.mlir.constant(268435456 : i64) : i64
  // CHECK-DAG: llvm.getelementptr inbounds %{{.*}}[%[[L]]]
  // CHECK-DAG: llvm.getelementptr inbounds %{{.*}}[268435455]
  gpu.func @far(%m: memref<8000000000xi8>, %o: memref<4xi8>, %i: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %near = arith.constant 268435455 : index
    %next = arith.constant 268435456 : index
    %c3 = arith.constant 3 : index
    %far = arith.constant 3000000000 : index
    %back = arith.constant -4294967297 : index
    %j = arith.addi %i, %back : index
    %a = memref.load %m[%far] : memref<8000000000xi8>
    %b = memref.load %m[%j] : memref<8000000000xi8>
    %c = memref.load %m[%near] : memref<8000000000xi8>
    %d = memref.load %m[%next] : memref<8000000000xi8>
    memref.store %d, %o[%c3] : memref<4xi8>
    memref.store %a, %o[%c0] : memref<4xi8>
    memref.store %b, %o[%c1] : memref<4xi8>
    memref.store %c, %o[%c2] : memref<4xi8>
    gpu.return
  }
}
