// A bitcast of a vector without dimensions is that of its one element: 1.0 of f32 is 0x3F800000 = 1065353216.
// RUN: distaff run %s --target sm_80 --stop-after=input --func found --output arg0=%t.found.npy
// RUN: distaff run %s --target sm_80 --stop-after=input --func expected --output arg0=%t.expected.npy
// RUN: cmp %t.found.npy %t.expected.npy

func.func @found(%o: memref<i32>) {
  %x = arith.constant dense<1.0> : vector<f32>
  %y = vector.bitcast %x : vector<f32> to vector<i32>
  vector.transfer_write %y, %o[] : vector<i32>, memref<i32>
  return
}

func.func @expected(%o: memref<i32>) {
  %y = arith.constant dense<1065353216> : vector<i32>
  vector.transfer_write %y, %o[] : vector<i32>, memref<i32>
  return
}
