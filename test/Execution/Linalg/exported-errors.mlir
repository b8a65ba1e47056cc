// What a failed assertion of a body is on each machine: an error that names it.
//
// RUN: not distaff run %s --func gather --target sm_80 --input arg0=whole:0:100:120 2>&1 | FileCheck %s --check-prefix=SIMT
// RUN: not distaff run %s --func gather --target sm_80 --stages convert --input arg0=whole:0:100:120 2>&1 | FileCheck %s --check-prefix=SIMT
// RUN: not distaff run %s --func gather --target gfx942 --input arg0=whole:0:-9:-1 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not distaff run %s --func gather --target sm_80 --device ptx --input arg0=whole:0:100:120 2>&1 | FileCheck %s --check-prefix=PTX
// RUN: not distaff run %s --func gather --target host --device host --threads 2 --input arg0=whole:0:100:120 2>&1 | FileCheck %s --check-prefix=HOST
// SIMT: error: {{.*}}assertion: {{.*}}index must be smaller than dim size
// BELOW: error: {{.*}}assertion: {{.*}}index must not be negative
// PTX: in the emitted PTX: {{.*}}trap: assertion: index must be smaller than dim size
// HOST: 'gather' failed an assertion: index must be smaller than dim size
//
// Points of a body are none of the machine's lanes.
// RUN: not distaff run %s --func whole --target sm_80 --check --input arg0=zeros 2>&1 | FileCheck %s --check-prefix=POINT
// RUN: not distaff run %s --func whole --target sm_80 --stages tile --input arg0=zeros 2>&1 | FileCheck %s --check-prefix=POINT
// POINT: 'cf.assert' op assertion: workgroup (0, 0, 0): no zeros
//
// Default positions are within the table.
// RUN: distaff run %s --func gather --target sm_80 --check | FileCheck %s --check-prefix=FINE
// FINE: lower{{.*}} ok

#place = affine_map<(d0, d1) -> (d0)>
#m = affine_map<(d0, d1) -> (d0, d1)>
func.func @gather(%i: tensor<45xi64>, %t: tensor<100x16xf32>) -> tensor<45x16xf32> {
  %zero = arith.constant 0 : i64
  %end = arith.constant 100 : index
  %e = tensor.empty() : tensor<45x16xf32>
  %r = linalg.generic {indexing_maps = [#place, #m], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<45xi64>) outs(%e : tensor<45x16xf32>) {
  ^bb0(%in: i64, %out: f32):
    %row = arith.index_cast %in : i64 to index
    %column = linalg.index 1 : index
    %below = arith.cmpi slt, %row, %end : index
    cf.assert %below, "index must be smaller than dim size"
    %above = arith.cmpi sge, %in, %zero : i64
    cf.assert %above, "index must not be negative"
    %x = tensor.extract %t[%row, %column] : tensor<100x16xf32>
    linalg.yield %x : f32
  } -> tensor<45x16xf32>
  return %r : tensor<45x16xf32>
}

// What cannot run where its branch is not taken.
// RUN: not distaff compile %s --func effect --target sm_80 --emit ptx 2>&1 | FileCheck %s --check-prefix=EFFECT
// EFFECT: error: 'scf.while' op stands in a branch of a linalg op's body, which computes both sides of it; only ops of arith and math, reads by tensor.extract and cf.assert may stand there
#one = affine_map<(d0) -> (d0)>
func.func @effect(%x: tensor<8xi32>) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8xi32>
  %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%x : tensor<8xi32>) outs(%e : tensor<8xi32>) {
  ^bb0(%in: i32, %out: i32):
    %c = arith.cmpi sgt, %in, %zero : i32
    %q = scf.if %c -> i32 {
      %w = scf.while (%v = %in) : (i32) -> i32 {
        %more = arith.cmpi sgt, %v, %zero : i32
        scf.condition(%more) %v : i32
      } do {
      ^bb0(%v: i32):
        %next = arith.shrsi %v, %in : i32
        scf.yield %next : i32
      }
      scf.yield %w : i32
    } else {
      scf.yield %in : i32
    }
    linalg.yield %q : i32
  } -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// RUN: not distaff compile %s --func computed_tile --target sm_80 --emit ptx 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: error: 'linalg.pack' op has inner tiles of a computed size; give them a constant one
func.func @computed_tile(%s: tensor<8xf32>, %n: index) -> tensor<?x?xf32> {
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %r = linalg.pack %s inner_dims_pos = [0] inner_tiles = [%n] into %e : tensor<8xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// An assertion between ops that become several launches is in one of them.
// RUN: not distaff run %s --func between --target sm_80 --input arg1=-1 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: not distaff run %s --func between --target host --device host --input arg1=-1 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: distaff run %s --func between --target sm_80 --input arg1=1 --check | FileCheck %s --check-prefix=FINE
// BETWEEN: assertion: {{.*}}a positive number
#to_all = affine_map<(d0) -> ()>
func.func @between(%x: tensor<33xf32>, %n: i32) -> tensor<33xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %e0 = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#one, #to_all], iterator_types = ["reduction"]} ins(%x : tensor<33xf32>) outs(%s0 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  } -> tensor<f32>
  %positive = arith.cmpi sgt, %n, %none : i32
  cf.assert %positive, "a positive number"
  %s = tensor.extract %sum[] : tensor<f32>
  %e = tensor.empty() : tensor<33xf32>
  %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%x : tensor<33xf32>) outs(%e : tensor<33xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.subf %in, %s : f32
    linalg.yield %v : f32
  } -> tensor<33xf32>
  return %r : tensor<33xf32>
}

func.func @whole(%x: tensor<77xi32>) -> tensor<77xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<77xi32>
  %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%x : tensor<77xi32>) outs(%e : tensor<77xi32>) {
  ^bb0(%in: i32, %out: i32):
    %ok = arith.cmpi ne, %in, %zero : i32
    cf.assert %ok, "no zeros"
    %y = arith.subi %zero, %in : i32
    linalg.yield %y : i32
  } -> tensor<77xi32>
  return %r : tensor<77xi32>
}
