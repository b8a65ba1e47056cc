// Each way to lower vectors of a CPU, asked for by its name (VX-119, VX-120,
// VX-122, VX-123). test/Execution/Host/vectors.test has what they compute.

// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-lower-vectors{target=host:avx2}))' | FileCheck %s --implicit-check-not=distaff.strategies

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#turned = affine_map<(i, j) -> (j, i)>

// An element of the left side by a row of the right one.
// CHECK-LABEL: func @outer
// CHECK-COUNT-16: math.fma {{.*}} : vector<8xf32>
// CHECK-NOT: math.fma
func.func @outer(%a: memref<4x4xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) attributes {distaff.strategies = {contractions = "outer"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<4x4xf32>, vector<4x4xf32>
  %y = vector.load %b[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  %z = vector.load %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  %r = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %z : vector<4x4xf32>, vector<4x8xf32> into vector<4x8xf32>
  vector.store %r, %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  return
}

// A column of the left side, 4 long, by an element of the right one.
// CHECK-LABEL: func @parallel
// CHECK-COUNT-32: math.fma {{.*}} : vector<4xf32>
// CHECK-NOT: math.fma
func.func @parallel(%a: memref<4x4xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) attributes {distaff.strategies = {contractions = "parallel"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<4x4xf32>, vector<4x4xf32>
  %y = vector.load %b[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  %z = vector.load %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  %r = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %z : vector<4x4xf32>, vector<4x8xf32> into vector<4x8xf32>
  vector.store %r, %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  return
}

// Products of rows and columns of 4, each summed up at the end.
// CHECK-LABEL: func @dot
// CHECK-COUNT-32: arith.mulf {{.*}} : vector<4xf32>
// CHECK-NOT: arith.mulf
func.func @dot(%a: memref<4x4xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<4x4xf32>, vector<4x4xf32>
  %y = vector.load %b[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  %z = vector.load %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  // An op may ask for itself.
  %r = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, distaff.strategies = {contractions = "dot"}} %x, %y, %z : vector<4x4xf32>, vector<4x8xf32> into vector<4x8xf32>
  vector.store %r, %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  return
}

// CHECK-LABEL: func @elements
// CHECK-COUNT-128: math.fma {{.*}} : f32
// CHECK-NOT: math.fma
func.func @elements(%a: memref<4x4xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) attributes {distaff.strategies = {contractions = "elements"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<4x4xf32>, vector<4x4xf32>
  %y = vector.load %b[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  %z = vector.load %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  %r = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %z : vector<4x4xf32>, vector<4x8xf32> into vector<4x8xf32>
  vector.store %r, %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  return
}

// Shortest paths in pieces, of which none is an element.
// CHECK-LABEL: func @semiring
// CHECK-COUNT-16: arith.minimumf {{.*}} : vector<8xf32>
// CHECK-NOT: arith.minimumf
func.func @semiring(%a: memref<4x4xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<4x4xf32>, vector<4x4xf32>
  %y = vector.load %b[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  %z = vector.load %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  %r = distaff.contract <minimumf, add> {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %x, %y, %z : vector<4x4xf32>, vector<4x8xf32> into vector<4x8xf32>
  vector.store %r, %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  return
}

// Logsumexp has no partial sums, so no dot: each of four rows of the result is
// that of four products and the accumulator, along n.
// CHECK-LABEL: func @logsumexp
// CHECK-COUNT-20: math.exp {{.*}} : vector<8xf32>
// CHECK-NOT: math.exp
func.func @logsumexp(%a: memref<4x4xf32>, %b: memref<4x8xf32>, %c: memref<4x8xf32>) attributes {distaff.strategies = {contractions = "dot"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<4x4xf32>, vector<4x4xf32>
  %y = vector.load %b[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  %z = vector.load %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  %r = distaff.contract <logsumexp, add> {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %x, %y, %z : vector<4x4xf32>, vector<4x8xf32> into vector<4x8xf32>
  vector.store %r, %c[%c0, %c0] : memref<4x8xf32>, vector<4x8xf32>
  return
}

// Three rounds for each of eight rows; seven additions of whole columns.
// CHECK-LABEL: func @halves
// CHECK-COUNT-8: arith.addf {{.*}} : vector<4xf32>
// CHECK-LABEL: func @transposed
// CHECK-COUNT-8: arith.addf {{.*}} : vector<8xf32>
// CHECK-NOT: arith.addf
// CHECK-LABEL: func @by_elements
// CHECK-COUNT-64: arith.addf {{.*}} : f32
// CHECK-NOT: arith.addf
func.func @halves(%a: memref<8x8xf32>, %b: memref<8xf32>) attributes {distaff.strategies = {reductions = "halves"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<8x8xf32>, vector<8x8xf32>
  %y = vector.load %b[%c0] : memref<8xf32>, vector<8xf32>
  %r = vector.multi_reduction <add>, %x, %y [1] : vector<8x8xf32> to vector<8xf32>
  vector.store %r, %b[%c0] : memref<8xf32>, vector<8xf32>
  return
}
func.func @transposed(%a: memref<8x8xf32>, %b: memref<8xf32>) attributes {distaff.strategies = {reductions = "transposed"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<8x8xf32>, vector<8x8xf32>
  %y = vector.load %b[%c0] : memref<8xf32>, vector<8xf32>
  %r = vector.multi_reduction <add>, %x, %y [1] : vector<8x8xf32> to vector<8xf32>
  vector.store %r, %b[%c0] : memref<8xf32>, vector<8xf32>
  return
}
func.func @by_elements(%a: memref<8x8xf32>, %b: memref<8xf32>) attributes {distaff.strategies = {reductions = "elements"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<8x8xf32>, vector<8x8xf32>
  %y = vector.load %b[%c0] : memref<8xf32>, vector<8xf32>
  %r = vector.multi_reduction <add>, %x, %y [1] : vector<8x8xf32> to vector<8xf32>
  vector.store %r, %b[%c0] : memref<8xf32>, vector<8xf32>
  return
}

// Additions are part of what a reduction costs, here 2 each, a shuffle 3 and an
// element moved 4. Eight rows of 16: two blocks of 24 shuffles and 16 additions
// cost 176; halves 8 (2 + 3 (3 + 2) + 2 * 4 + 2) = 216, though without additions
// they were cheaper. Of 24: 3 * 72 + 24 * 2 = 264 and 232.
// CHECK-LABEL: func @sixteen
// CHECK-COUNT-48: vector.shuffle
// CHECK-COUNT-16: arith.addf {{.*}} : vector<8xf32>
// CHECK-NOT: {{vector.shuffle|arith.addf}}
// CHECK-LABEL: func @twenty_four
// CHECK-COUNT-8: arith.addf {{.*}} : vector<4xf32>
func.func @sixteen(%a: memref<8x16xf32>, %b: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<8x16xf32>, vector<8x16xf32>
  %y = vector.load %b[%c0] : memref<8xf32>, vector<8xf32>
  %r = vector.multi_reduction <add>, %x, %y [1] : vector<8x16xf32> to vector<8xf32>
  vector.store %r, %b[%c0] : memref<8xf32>, vector<8xf32>
  return
}
func.func @twenty_four(%a: memref<8x24xf32>, %b: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<8x24xf32>, vector<8x24xf32>
  %y = vector.load %b[%c0] : memref<8xf32>, vector<8xf32>
  %r = vector.multi_reduction <add>, %x, %y [1] : vector<8x24xf32> to vector<8xf32>
  vector.store %r, %b[%c0] : memref<8xf32>, vector<8xf32>
  return
}

// Without a choice: a permuted read of whole blocks has no scalar loads (VX-122).
// CHECK-LABEL: func @rows
// CHECK-COUNT-8: vector.load {{.*}} : memref<8x8xf32>, vector<8xf32>
// CHECK-COUNT-24: vector.shuffle
// CHECK-NOT: memref.load
// CHECK-LABEL: func @loads
// CHECK-COUNT-64: memref.load
// CHECK-NOT: vector.shuffle
func.func @rows(%a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true], permutation_map = #turned} : memref<8x8xf32>, vector<8x8xf32>
  vector.store %x, %b[%c0, %c0] : memref<8x8xf32>, vector<8x8xf32>
  return
}
func.func @loads(%a: memref<8x8xf32>, %b: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true], permutation_map = #turned, distaff.strategies = {transfers = "elements"}} : memref<8x8xf32>, vector<8x8xf32>
  vector.store %x, %b[%c0, %c0] : memref<8x8xf32>, vector<8x8xf32>
  return
}

// The end of a row of 15: 4, 2 and 1, or 8 of which the last does not count. As
// they are ranked AVX2 loads under a mask, and stores in parts.
// CHECK-LABEL: func @ranked
// CHECK: vector.maskedload {{.*}} : memref<15xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
// CHECK: vector.store {{.*}} : memref<15xf32>, vector<7xf32>
// CHECK-LABEL: func @parts
// CHECK-NOT: vector.masked
// CHECK-LABEL: func @masked
// CHECK: vector.maskedload
// CHECK: vector.maskedstore {{.*}} : memref<15xf32>, vector<8xi1>, vector<8xf32>
func.func @ranked(%a: memref<15xf32>, %b: memref<15xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<15xf32>, vector<15xf32>
  vector.store %x, %b[%c0] : memref<15xf32>, vector<15xf32>
  return
}
func.func @parts(%a: memref<15xf32>, %b: memref<15xf32>) attributes {distaff.strategies = {remainders = "parts"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<15xf32>, vector<15xf32>
  vector.store %x, %b[%c0] : memref<15xf32>, vector<15xf32>
  return
}
func.func @masked(%a: memref<15xf32>, %b: memref<15xf32>) attributes {distaff.strategies = {remainders = "masked"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<15xf32>, vector<15xf32>
  vector.store %x, %b[%c0] : memref<15xf32>, vector<15xf32>
  return
}

// 48 elements are 6 pieces, or 16 of 3.
// CHECK-LABEL: func @flattened
// CHECK-COUNT-6: arith.mulf {{.*}} : vector<8xf32>
// CHECK-NOT: arith.mulf
// CHECK-LABEL: func @nested
// CHECK-COUNT-16: arith.mulf {{.*}} : vector<3xf32>
// CHECK-NOT: arith.mulf
func.func @flattened(%a: memref<16x3xf32>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<16x3xf32>, vector<16x3xf32>
  %y = arith.mulf %x, %x : vector<16x3xf32>
  vector.store %y, %a[%c0, %c0] : memref<16x3xf32>, vector<16x3xf32>
  return
}
func.func @nested(%a: memref<16x3xf32>) attributes {distaff.strategies = {vectors = "nested"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<16x3xf32>, vector<16x3xf32>
  %y = arith.mulf %x, %x : vector<16x3xf32>
  vector.store %y, %a[%c0, %c0] : memref<16x3xf32>, vector<16x3xf32>
  return
}

// Rows that memory has apart are loaded row by row, whatever becomes of them.
// CHECK-LABEL: func @apart
// CHECK-COUNT-16: vector.load {{.*}} vector<3xf32>
// CHECK-COUNT-6: arith.mulf {{.*}} : vector<8xf32>
func.func @apart(%a: memref<16x4xf32>) attributes {distaff.strategies = {vectors = "flattened", remainders = "parts"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<16x4xf32>, vector<16x3xf32>
  %y = arith.mulf %x, %x : vector<16x3xf32>
  vector.store %y, %a[%c0, %c0] : memref<16x4xf32>, vector<16x3xf32>
  return
}

// A register has 32 bytes.
// CHECK-LABEL: func @bytes
// CHECK: arith.addi {{.*}} : vector<32xi8>
// CHECK-LABEL: func @narrow
// CHECK-COUNT-16: arith.addi {{.*}} : vector<4xi8>
func.func @bytes(%a: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<64xi8>, vector<64xi8>
  %y = arith.addi %x, %x : vector<64xi8>
  vector.store %y, %a[%c0] : memref<64xi8>, vector<64xi8>
  return
}
func.func @narrow(%a: memref<64xi8>) attributes {distaff.strategies = {pieces = "4"}} {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<64xi8>, vector<64xi8>
  %y = arith.addi %x, %x : vector<64xi8>
  vector.store %y, %a[%c0] : memref<64xi8>, vector<64xi8>
  return
}

// Another attribute of the dialect names no strategies, and is kept as it is.
// CHECK-LABEL: func private @prepared
// CHECK-SAME: attributes {distaff.prepared_launch = "a copy"}
func.func private @prepared() attributes {distaff.prepared_launch = "a copy"} {
  return
}
