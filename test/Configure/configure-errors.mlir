// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 --split-input-file --verify-diagnostics

// expected-error @+1 {{'func.func' op asks for subgroups of 64 lanes, those of sm_80 have 32}}
func.func @subgroups_of_another_target(%a: memref<8xf32>) attributes {translation_info =
    #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  return
}

// -----

func.func @linalg_in_its_own_loop(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  // expected-note @+1 {{the loop over workgroups}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %e) -> (tensor<64xf32>) {
    %at = affine.apply affine_map<(i) -> (i * 16)>(%i)
    %a = tensor.extract_slice %x[%at] [16] [1] : tensor<64xf32> to tensor<16xf32>
    %b = tensor.extract_slice %o[%at] [16] [1] : tensor<64xf32> to tensor<16xf32>
    // expected-error @+1 {{computes with tensors beside a loop over workgroups, where only vectors may; leave the loop away, then tiles are chosen}}
    %c = linalg.exp ins(%a : tensor<16xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %o[%at] [16] [1] : tensor<16xf32> into tensor<64xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<64xf32>
}

// -----

// expected-error @+1 {{asks for workgroups of 48 lanes; sm_80 takes multiples of 32 up to 1024}}
func.func @part_of_a_subgroup(%a: memref<8xf32>) attributes {translation_info =
    #iree_codegen.translation_info<workgroup_size = [48, 1, 1]>} {
  return
}

// -----

func.func @linalg_on_memrefs(%a: memref<60xf32>, %b: memref<60xf32>) {
  // expected-error @+1 {{'linalg.exp' op works on memrefs; linalg kernels work on tensors}}
  linalg.exp ins(%a : memref<60xf32>) outs(%b : memref<60xf32>)
  return
}

// -----

// expected-error @+1 {{mixes memref arguments with tensors}}
func.func @mixed(%a: tensor<8xf32>, %b: memref<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

// expected-error @+1 {{returns a memref; write the result into an argument instead}}
func.func @returns_memref(%a: memref<8xf32>) -> memref<8xf32> {
  return %a : memref<8xf32>
}

// -----

func.func @two_loops(%a: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  // expected-note @+1 {{the first one}}
  scf.forall (%i) in (8) {
    memref.store %z, %a[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>]}
  // expected-error @+1 {{is a second loop over workgroups}}
  scf.forall (%i) in (8) {
    memref.store %z, %a[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @write_outside_the_loop(%a: memref<8xf32>, %b: memref<f32>) {
  %z = arith.constant 0.0 : f32
  // expected-note @+1 {{the loop over workgroups}}
  scf.forall (%i) in (8) {
    memref.store %z, %a[%i] : memref<8xf32>
  } {mapping = [#gpu.block<x>]}
  // expected-error @+1 {{writes outside the loop over workgroups, so every workgroup would}}
  memref.store %z, %b[] : memref<f32>
  return
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [8, 0], reduction = [4, 32]}>
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1]>

func.func @walks_nest(%x: tensor<64x96xf32>) -> tensor<64x96xf32> attributes {translation_info = #launch} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  // expected-error @+1 {{'linalg.reduce' op is walked both along what it reduces and along its result, which other ops of the kernel read: the whole result would have to be kept in memory between the loops; give `reduction` tiles along one of the two only, or make the `workgroup` tile as small}}
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x96xf32>) outs(%f : tensor<64xf32>) dimensions = [1] {lowering_config = #config}
  %o = tensor.empty() : tensor<64x96xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<64x96xf32>, tensor<64xf32>) outs(%o : tensor<64x96xf32>) {
  ^bb0(%v: f32, %s: f32, %out: f32):
    %d = arith.divf %v, %s : f32
    linalg.yield %d : f32
  } -> tensor<64x96xf32>
  return %y : tensor<64x96xf32>
}

// -----

func.func @result_along_a_reduction(%x: tensor<6x96xf32>, %p: tensor<6x96xf32>, %o: tensor<6xf32>) -> (tensor<6x96xf32>, tensor<96xf32>) {
  %e = tensor.empty() : tensor<96xf32>
  // expected-error @+1 {{'linalg.generic' op has result 1 with the indexing map affine_map<(d0, d1) -> (d1)>, along loop d1, which is reduction; a result is reduced along all loops called reduction and no other one: compute the result by an op of its own}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>],
      iterator_types = ["reduction", "reduction"]} ins(%x : tensor<6x96xf32>) outs(%p, %e : tensor<6x96xf32>, tensor<96xf32>) {
  ^bb0(%v: f32, %q: f32, %out: f32):
    %s = arith.addf %out, %v : f32
    linalg.yield %v, %s : f32, f32
  } -> (tensor<6x96xf32>, tensor<96xf32>)
  return %r#0, %r#1 : tensor<6x96xf32>, tensor<96xf32>
}

// -----

func.func @parallel_loop_of_no_result(%x: tensor<6x96xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{not along loop d1, which is parallel; a result is reduced along all loops called reduction and no other one: call the loop reduction}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : tensor<6x96xf32>) outs(%o : tensor<6xf32>) {
  ^bb0(%v: f32, %out: f32):
    %s = arith.addf %out, %v : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

func.func @difference(%x: tensor<6x96xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{'linalg.generic' op reduces its result 0 by an op that is no known combiner; known are sum, product}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x96xf32>) outs(%o : tensor<6xf32>) {
  ^bb0(%v: f32, %out: f32):
    // expected-note @+1 {{combined here}}
    %s = arith.subf %out, %v : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

func.func @quotient(%x: tensor<6x96xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{reduces its result 0 by an op that is no known combiner}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x96xf32>) outs(%o : tensor<6xf32>) {
  ^bb0(%v: f32, %out: f32):
    // expected-note @+1 {{combined here}}
    %s = arith.divf %out, %v : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

func.func @fused_multiply_add(%x: tensor<6x96xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{reduces its result 0 by an op that is no known combiner}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x96xf32>) outs(%o : tensor<6xf32>) {
  ^bb0(%v: f32, %out: f32):
    // expected-note @+1 {{combined here}}
    %s = math.fma %v, %v, %out : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

func.func @two_ops(%x: tensor<6x96xf32>, %o: tensor<6xf32>) -> tensor<6xf32> {
  // expected-error @+1 {{reduces its result 0 by more or less than one op}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x96xf32>) outs(%o : tensor<6xf32>) {
  ^bb0(%v: f32, %out: f32):
    %m = arith.mulf %out, %v : f32
    %s = arith.addf %m, %v : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// -----

// What no target has code for is refused where it stands, also in a body.
func.func @prints(%m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<4xf32>, vector<4xf32>
  // expected-error @+1 {{'vector.print' op has code on no target: no launch prints; remove it, what a kernel computes is written to files by distaff run --output}}
  vector.print %v : vector<4xf32>
  vector.transfer_write %v, %m[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
  return
}

// -----

func.func @prints_elements(%a: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.map ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) (%x: f32, %o: f32) {
    // expected-error @+1 {{'vector.print' op has code on no target: no launch prints}}
    vector.print %x : f32
    linalg.yield %x : f32
  }
  return %r : tensor<64xf32>
}

// -----

func.func @four_bits(%a: tensor<64xf4E2M1FN>) -> tensor<64xf32> {
  // expected-error @+1 {{'arith.extf' op has code on no target: nothing converts f4E2M1FN; of the floats below 16 bits there are f8E4M3FN, f8E5M2, f8E4M3FNUZ and f8E5M2FNUZ, so convert the data to one of them beforehand}}
  %w = arith.extf %a : tensor<64xf4E2M1FN> to tensor<64xf32>
  return %w : tensor<64xf32>
}

// -----

func.func @rounded_by_instructions_only(%a: tensor<64xf32>) -> tensor<64xtf32> {
  // expected-error @+1 {{'arith.truncf' op has code on no target: it has numbers of type tf32, which only instructions round to; compute in f32}}
  %w = arith.truncf %a : tensor<64xf32> to tensor<64xtf32>
  return %w : tensor<64xtf32>
}

// -----

func.func @a_number_beside_a_tensor(%t: tensor<6xi32>) -> (tensor<6xi32>, i32) {
  %c0 = arith.constant 0 : i32
  // expected-error @-2 {{'func.func' op returns 'i32' beside computing tensors; return a tensor, or write the kernel on memrefs and put it there}}
  %w = arith.addi %t, %t : tensor<6xi32>
  return %w, %c0 : tensor<6xi32>, i32
}

// -----

// The formats of 8 bits that have code are not all there are.
func.func @eight_bits(%m: memref<32xf32>, %o: memref<32xf8E4M3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  // expected-error @+1 {{'arith.truncf' op has code on no target: nothing converts f8E4M3;}}
  %w = arith.truncf %v : vector<32xf32> to vector<32xf8E4M3>
  vector.transfer_write %w, %o[%c0] {in_bounds = [true]} : vector<32xf8E4M3>, memref<32xf8E4M3>
  return
}

// -----

// A comparison that ranks nothing finds nothing.
#same = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
func.func @largest_and_where(%x: tensor<20x300xf32>, %value: tensor<20xf32>, %at: tensor<20xi32>) -> (tensor<20xf32>, tensor<20xi32>) {
  // expected-error @+1 {{what a comparison picks, with its position, is two arith.select by one comparison of the new value and the result so far, or a minimum or maximum and one arith.select, along one loop}}
  %r:2 = linalg.generic {indexing_maps = [#same, #rows, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<20x300xf32>) outs(%value, %at : tensor<20xf32>, tensor<20xi32>) {
  ^bb0(%a: f32, %b: f32, %c: i32):
    %i = linalg.index 1 : index
    %i32 = arith.index_cast %i : index to i32
    %larger = arith.cmpf une, %a, %b : f32
    %v = arith.select %larger, %a, %b : f32
    %k = arith.select %larger, %i32, %c : i32
    linalg.yield %v, %k : f32, i32
  } -> (tensor<20xf32>, tensor<20xi32>)
  return %r#0, %r#1 : tensor<20xf32>, tensor<20xi32>
}

// -----

// VX-120: a call is inlined, and there is nothing of this one.
func.func private @elsewhere(vector<128xf32>) -> vector<128xf32>
func.func @calls(%a: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
  // expected-error @+1 {{'func.call' op calls @elsewhere, which has no body here; a kernel is all of its code, so give it one, or compile for `host`, which links others}}
  %y = func.call @elsewhere(%x) : (vector<128xf32>) -> vector<128xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  return
}

// -----

func.func @region_in_a_body(%x: tensor<8x16xf32>, %a: tensor<8xf32>, %o: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8x16xf32>) {
  // expected-error @+1 {{'linalg.generic' op reduces its result 0 by more or less than one op}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf32>) outs(%a, %o : tensor<8xf32>, tensor<8x16xf32>) {
  ^bb0(%i: f32, %s: f32, %m: f32):
    %z = arith.constant 0.0 : f32
    %is = arith.cmpf olt, %i, %z : f32
    %b = scf.if %is -> (f32) {
      scf.yield %s : f32
    } else {
      scf.yield %i : f32
    }
    %t = arith.addf %s, %b : f32
    linalg.yield %t, %b : f32, f32
  } -> (tensor<8xf32>, tensor<8x16xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8x16xf32>
}

// -----

func.func @result_so_far(%x: tensor<8x16xf32>, %a: tensor<8xf32>, %o: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8x16xf32>) {
  // expected-error @+1 {{'linalg.generic' op reduces its result 0 by an op that is no known combiner}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf32>) outs(%a, %o : tensor<8xf32>, tensor<8x16xf32>) {
  ^bb0(%i: f32, %s: f32, %m: f32):
    // expected-note @+1 {{combined here}}
    %t = arith.addf %s, %i : f32
    linalg.yield %t, %t : f32, f32
  } -> (tensor<8xf32>, tensor<8x16xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8x16xf32>
}
