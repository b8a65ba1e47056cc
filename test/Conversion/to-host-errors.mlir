// RUN: not distaff-opt %s --distaff-convert-to-host=target=sm_80 2>&1 | FileCheck %s
// CHECK: error: needs a CPU as its target, got 'sm_80'
func.func @k(%r: memref<1xf32>) {
  return
}
