// RUN: distaff-opt %s --split-input-file --verify-diagnostics

// VX-124: what a contraction over a semiring may not be.

// -----

func.func @unknown_sum(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{expected a combining kind or `logsumexp`, got `minus`}}
  %r = distaff.contract <minus, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32
  return %r : f32
}

// -----

func.func @unknown_product(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{expected the kind of a product or `region`, got `divide`}}
  %r = distaff.contract <minimumf, divide> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32
  return %r : f32
}

// -----

func.func @product_of_integers(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{product `and` is none of 'f32'}}
  %r = distaff.contract <minimumf, and> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32
  return %r : f32
}

// -----

func.func @narrowing(%a: vector<16xf32>, %b: vector<16xf64>, %c: f32) -> f32 {
  // expected-error @+1 {{product `add` of 'f64' does not widen to 'f32'; write the conversion in a region}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf64> into f32
  return %r : f32
}

// -----

func.func @iterators(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{expected iterator types "parallel" and "reduction", got "window"}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["window"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32
  return %r : f32
}

// -----

func.func @two_maps(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{has 2 indexing maps, for lhs, rhs and acc}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32
  return %r : f32
}

// -----

func.func @not_a_selection(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{indexing map of rhs must select some of the 1 dims}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k + 1)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32
  return %r : f32
}

// -----

func.func @another_rank(%a: vector<16xf32>, %b: vector<16xf32>, %c: vector<16xf32>) -> vector<16xf32> {
  // expected-error @+1 {{lhs of type 'vector<16xf32>' has not 2 dims, as its indexing map has}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into vector<16xf32>
  return %r : vector<16xf32>
}

// -----

func.func @reduced_and_kept(%a: vector<16xf32>, %b: vector<16xf32>, %c: vector<16xf32>) -> vector<16xf32> {
  // expected-error @+1 {{reduces dim 0, which acc has}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> (k)>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into vector<16xf32>
  return %r : vector<16xf32>
}

// -----

func.func @kept_and_lost(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{keeps dim 0, which acc has not}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["parallel"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32
  return %r : f32
}

// -----

func.func @nobodys(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{has dim 1, which neither lhs nor rhs has}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(k, l) -> (k)>, affine_map<(k, l) -> (k)>, affine_map<(k, l) -> ()>], iterator_types = ["reduction", "reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32
  return %r : f32
}

// -----

func.func @extents(%a: vector<16xf32>, %b: vector<8xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{lhs has 16 elements along dim 0, where others have 8}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<8xf32> into f32
  return %r : f32
}

// -----

func.func @mask_extent(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32, %m: vector<8xi1>) -> f32 {
  // expected-error @+1 {{mask of type 'vector<8xi1>' is not that of the iteration space, 16}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c mask %m : vector<16xf32>, vector<16xf32>, vector<8xi1> into f32
  return %r : f32
}

// -----

func.func @sum_of_integers(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{combines by `xor`, which is none of 'f32'}}
  %r = distaff.contract <xor, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32
  return %r : f32
}

// -----

func.func @logs_of_integers(%a: vector<16xi32>, %b: vector<16xi32>, %c: i32) -> i32 {
  // expected-error @+1 {{combines by `logsumexp`, which is none of 'i32'}}
  %r = distaff.contract <logsumexp, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xi32>, vector<16xi32> into i32
  return %r : i32
}

// -----

func.func @logs_of_bytes(%a: vector<16xf8E4M3FN>, %b: vector<16xf8E4M3FN>, %c: f8E4M3FN) -> f8E4M3FN {
  // expected-error @+1 {{combines by `logsumexp`, which is none of 'f8E4M3FN'}}
  %r = distaff.contract <logsumexp, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf8E4M3FN>, vector<16xf8E4M3FN> into f8E4M3FN
  return %r : f8E4M3FN
}

// -----

func.func @scalable(%a: vector<[16]xf32>, %b: vector<[16]xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{does not take scalable vectors, got 'vector<[16]xf32>'}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<[16]xf32>, vector<[16]xf32> into f32
  return %r : f32
}

// -----

func.func @one_argument(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{product has 1 arguments, expected elements of lhs and rhs}}
  %r = distaff.contract <minimumf, region> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32 {
  ^bb0(%x: f32):
    distaff.yield %x : f32
  }
  return %r : f32
}

// -----

func.func @argument_type(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{product's argument 1 has type 'f64', elements are 'f32'}}
  %r = distaff.contract <minimumf, region> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32 {
  ^bb0(%x: f32, %y: f64):
    distaff.yield %x : f32
  }
  return %r : f32
}

// -----

func.func @impure(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{product must be pure, 'gpu.barrier' is not}}
  %r = distaff.contract <minimumf, region> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32 {
  ^bb0(%x: f32, %y: f32):
    gpu.barrier
    distaff.yield %x : f32
  }
  return %r : f32
}

// -----

func.func @yields_another(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  // expected-error @+1 {{product must yield 'f32', the type of what it is combined with}}
  %r = distaff.contract <minimumf, region> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32 {
  ^bb0(%x: f32, %y: f32):
    %w = arith.extf %x : f32 to f64
    distaff.yield %w : f64
  }
  return %r : f32
}

// -----

func.func @from_outside(%a: vector<16xf32>, %c: f32) -> f32 {
  // expected-note @+1 {{required by region isolation constraints}}
  %r = distaff.contract <add, region> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %a, %c : vector<16xf32>, vector<16xf32> into f32 {
  ^bb0(%x: f32, %y: f32):
    // expected-error @+1 {{using value defined outside the region}}
    %p = arith.mulf %x, %c : f32
    distaff.yield %p : f32
  }
  return %r : f32
}

// -----

func.func @tensor_sum(%a: vector<4xf32>, %b: vector<4xf32>, %c: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{acc of type 'tensor<f32>' must be a vector or a number}}
  %r = distaff.contract <minimumf, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<4xf32>, vector<4xf32> into tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @memref_sum(%a: vector<4xf32>, %b: vector<4xf32>, %c: memref<7xf32>) {
  // expected-error @+1 {{acc of type 'memref<7xf32>' must be a vector or a number}}
  %r = distaff.contract <add, mul> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %c : vector<4xf32>, vector<4xf32> into memref<7xf32>
  return
}
