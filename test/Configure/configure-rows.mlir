// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 --split-input-file | FileCheck %s

// A row that fits into the registers is read once, by as few lanes as take 16
// bytes eight times: 64 rows leave room on the machine either way, and each
// subgroup more is a round of shuffles and one more of a chain of sums.
// CHECK: #iree_gpu.lowering_config<{reduction = [0, 0], workgroup = [1, 0]}>
// CHECK: workgroup_size = [128, 1, 1]
// CHECK: @whole_rows
func.func @whole_rows(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x4096xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  return %r : tensor<64xf32>
}

// -----

// One that does not is walked.
// CHECK: #iree_gpu.lowering_config<{reduction = [0, {{[1-9][0-9]*}}], workgroup = [{{[12]}}, 0]}>
// CHECK: @long_rows
func.func @long_rows(%x: tensor<1024x1048576xf32>) -> tensor<1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1024x1048576xf32>) outs(%i : tensor<1024xf32>) dimensions = [1]
  return %r : tensor<1024xf32>
}

// -----

// Of a few such rows, each is shared by many workgroups, which walk their parts.
// CHECK: #iree_gpu.lowering_config<{reduction = [0, 0, 2048], workgroup = [2, 1, 0]}>
// CHECK: @few_long_rows__0
// CHECK: linalg.generic{{.*}} ins(%{{.*}} : tensor<4x256x4096xf32>)
func.func @few_long_rows(%x: tensor<4x1048576xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4x1048576xf32>) outs(%i : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}

// -----

// Columns are next to each other in memory, so a workgroup takes several.
// CHECK: #iree_gpu.lowering_config<{reduction = [{{.*}}, 0], workgroup = [0, {{8|16|32|64|128}}]}>
// CHECK: @columns
func.func @columns(%x: tensor<2048x65536xf32>) -> tensor<65536xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65536xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<65536xf32>) -> tensor<65536xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<2048x65536xf32>) outs(%i : tensor<65536xf32>) dimensions = [0]
  return %r : tensor<65536xf32>
}

// -----

// A transpose takes whole sectors on both sides.
// CHECK: #iree_gpu.lowering_config<{reduction = [0, 0], workgroup = [{{[1-9][0-9]}}, {{[1-9][0-9]}}]}>
// CHECK: @transposed
func.func @transposed(%a: tensor<960x1600xf32>) -> tensor<1600x960xf32> {
  %e = tensor.empty() : tensor<1600x960xf32>
  %r = linalg.transpose ins(%a : tensor<960x1600xf32>) outs(%e : tensor<1600x960xf32>) permutation = [1, 0]
  return %r : tensor<1600x960xf32>
}

// -----

// Of a prime length lanes share the next power of two, or a part of it.
// CHECK: #iree_gpu.lowering_config<{reduction = [0, 0], workgroup = [{{1|2|4|8}}, {{128|256|512|1024}}]}>
// CHECK: @primes
func.func @primes(%a: tensor<1009x1013xf32>, %b: tensor<1009x1013xf32>) -> tensor<1009x1013xf32> {
  %r = arith.addf %a, %b : tensor<1009x1013xf32>
  return %r : tensor<1009x1013xf32>
}

// -----

// Integers that are divided leave no rest: of the divisors of the extent, a
// third and powers of two, those count whose parts are powers of two long.
// CHECK: @quotients__0
// CHECK: linalg.generic{{.*}} ins(%{{.*}} : tensor<{{6x131072|24x32768|96x8192|384x2048}}xi32>,
func.func @quotients(%x: tensor<786432xi32>, %d: tensor<786432xi32>) -> tensor<i32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<i32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %r = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%x, %d : tensor<786432xi32>, tensor<786432xi32>) outs(%i : tensor<i32>) {
  ^bb0(%a: i32, %b: i32, %acc: i32):
    %q = arith.divui %a, %b : i32
    %s = arith.addi %acc, %q : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  return %r : tensor<i32>
}

// -----

// Sums are held beside all that they add. A lane of 1024 has 64 registers, 36
// of them for vectors; 8 columns of both rows would take 40: 16 of %y, 16 of %z
// and 8 sums. The rows are walked.
// CHECK: #iree_gpu.lowering_config<{reduction = [1, 0], workgroup = [0, 8192]}>
// CHECK: @sums_beside_what_they_add
#all = affine_map<(j, i) -> (j, i)>
#column = affine_map<(j, i) -> (i)>
func.func @sums_beside_what_they_add(%x: tensor<2x65536xf32>, %z: tensor<2x65536xf32>) -> (tensor<2x65536xf32>, tensor<65536xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [1024, 1, 1] subgroup_size = 32>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65536xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<65536xf32>) -> tensor<65536xf32>
  %y = math.exp %x : tensor<2x65536xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #column], iterator_types = ["reduction", "parallel"], lowering_config = #iree_gpu.lowering_config<{workgroup = [0, 8192]}>} ins(%y, %z : tensor<2x65536xf32>, tensor<2x65536xf32>) outs(%i : tensor<65536xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %d = arith.subf %a, %b : f32
    %s = arith.addf %acc, %d : f32
    linalg.yield %s : f32
  } -> tensor<65536xf32>
  return %y, %r : tensor<2x65536xf32>, tensor<65536xf32>
}
