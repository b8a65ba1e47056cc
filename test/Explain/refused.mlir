// What distribution refuses explain refuses too, and prints what it knows: the
// layouts, which are all there, and no word of code.
//
// RUN: not distaff explain %s --target sm_80 2>&1 | FileCheck %s
// RUN: not distaff compile %s --target sm_80 --emit ptx 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: rm -f %t && not distaff explain %s --target sm_80 -o %t && not test -e %t

// ERROR: error: 'memref.alloca' op is memory of each lane's own
// CHECK-DAG: error: 'memref.alloca' op is memory of each lane's own
// CHECK-DAG: explain @refused sm_80 W=32 w=32 N=1 {{.*}} for reductions 0 B{{$}}
// CHECK-DAG: vector.transfer_read: global memory{{$}}
// CHECK-DAG: vector.transfer_read vector<64xf32>: ⟨
func.func @refused(%x: memref<64xf32>, %y: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %own = memref.alloca() : memref<1xf32>
  memref.store %pad, %own[%c0] : memref<1xf32>
  %0 = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %0, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
