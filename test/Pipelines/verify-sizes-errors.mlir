// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// No pass is named: what no machine holds is refused before any.

// expected-error @+1 {{tensor<4294967296x4294967296xf32> takes more than 1099511627776 bytes, more than the memory of any machine}}
func.func @product_wraps(%a: tensor<4294967296x4294967296xf32>) { return }

// -----

func.func @the_largest_array(%a: tensor<1099511627776xi8>, %b: memref<137438953472xf64>, %c: memref<549755813888xi4>) { return }

// -----

// expected-error @+1 {{memref<137438953473xf64> takes more than 1099511627776 bytes}}
func.func @one_more(%a: memref<137438953473xf64>) { return }

// -----

// expected-error @+1 {{memref<?x4611686018427387904xi1> takes more than 1099511627776 bytes}}
func.func @beside_a_dynamic_extent(%a: memref<?x4611686018427387904xi1>) { return }

// -----

// The strides of an empty array are products too.
// expected-error @+1 {{tensor<0x4611686018427387904x4xf32> takes more than 1099511627776 bytes}}
func.func @empty(%a: tensor<0x4611686018427387904x4xf32>) { return }

// -----

// expected-error @+1 {{reaches beyond 1099511627776 bytes, more than the memory of any machine}}
func.func @strides(%a: memref<4x4xf32, strided<[4611686018427387904, 1]>>) { return }

// -----

// expected-error @+1 {{reaches beyond 1099511627776 bytes}}
func.func @negative_strides(%a: memref<2xf32, strided<[-9223372036854775807]>>) { return }

// -----

// expected-error @+1 {{reaches beyond 1099511627776 bytes}}
func.func @offset(%a: memref<2xf32, strided<[1], offset: 4611686018427387904>>) { return }

// -----

func.func @vectors(%a: vector<16777216xi1>, %n: index) {
  // expected-error @+1 {{vector<16777217xi1> has more than 16777216 elements, no workgroup has registers for it; read a part of the array at a time}}
  %0 = vector.create_mask %n : vector<16777217xi1>
  return
}

// -----

func.func @inside_regions(%c: i1) {
  scf.if %c {
    // expected-error @+1 {{vector<4096x4097xf32> has more than 16777216 elements}}
    %0 = arith.constant dense<1.0> : vector<4096x4097xf32>
  }
  return
}

// -----

// expected-error @+1 {{i128 is wider than the 64 bits of the widest register}}
func.func @wide(%a: tensor<4xi128>) { return }

// -----

func.func @attributes() {
  // expected-error @+1 {{9223372036854775807 in an affine map is a position beyond any array}}
  "test.op"() {map = affine_map<(d0) -> (d0 + 9223372036854775807)>} : () -> ()
  return
}

// -----

// Every operand fits, their product does not.
func.func @iteration_space(%a: tensor<134217728xf32>, %b: tensor<134217728xf32>, %c: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{has more than 4503599627370496 points to compute, more than any GPU does in a launch}}
  %0 = linalg.generic {
    indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%a, %b : tensor<134217728xf32>, tensor<134217728xf32>) outs(%c : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %z : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @alignments() {
  %a = memref.alloc() {alignment = 1024 : i64} : memref<4xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'memref.alloc' op has the alignment 2048, which memory of a GPU does not have; it is a power of two up to 1024, or left out}}
  %b = memref.alloc() {alignment = 2048 : i64} : memref<4xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alignment_of_private_memory() {
  // expected-error @+1 {{'memref.alloca' op has the alignment 4294967296}}
  %a = memref.alloca() {alignment = 4294967296 : i64} : memref<4xf32, #gpu.address_space<private>>
  return
}

// -----

// expected-error @+1 {{'memref.global' op has the alignment 1099511627776}}
memref.global "private" constant @table : memref<2xf32> = dense<1.0> {alignment = 1099511627776 : i64}

// -----

func.func @backwards(%m: memref<4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %step = arith.constant -1 : index
  // expected-error @+1 {{'scf.for' op has the step -1; loops go forward, by 1 at least}}
  scf.for %i = %c0 to %c4 step %step {
    memref.store %x, %m[%i] : memref<4xf32>
  }
  return
}
