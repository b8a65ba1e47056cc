// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 --split-input-file --verify-diagnostics

#one_subgroup = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>

// 64 KiB of a vector are 512 registers of each of 32 lanes. That some may be spilled is said by conversion, which knows.
func.func @too_large(%x: memref<64x256xf32>, %y: memref<64x256xf32>) attributes {translation_info = #one_subgroup} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<64x256xf32>, vector<64x256xf32>
  %r = math.exp %v : vector<64x256xf32>
  vector.transfer_write %r, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x256xf32>, memref<64x256xf32>
  return
}

// -----

#all_subgroups = #iree_codegen.translation_info<workgroup_size = [1024, 1, 1] subgroup_size = 32>

// A lane of 1,024 has 64 registers; 80 would fit into one of 512.
func.func @too_many_lanes(%x: memref<160x256xf32>, %y: memref<160x256xf32>) attributes {translation_info = #all_subgroups} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<160x256xf32>, vector<160x256xf32>
  %r = math.exp %v : vector<160x256xf32>
  vector.transfer_write %r, %y[%c0, %c0] {in_bounds = [true, true]} : vector<160x256xf32>, memref<160x256xf32>
  return
}

// -----

#half_of_them = #iree_codegen.translation_info<workgroup_size = [512, 1, 1] subgroup_size = 32>

func.func @as_many_as_fit(%x: memref<80x256xf32>, %y: memref<80x256xf32>) attributes {translation_info = #half_of_them} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<80x256xf32>, vector<80x256xf32>
  %r = math.exp %v : vector<80x256xf32>
  vector.transfer_write %r, %y[%c0, %c0] {in_bounds = [true, true]} : vector<80x256xf32>, memref<80x256xf32>
  return
}

// -----

#lanes = #iree_codegen.translation_info<workgroup_size = [192, 1, 1] subgroup_size = 32>

// No lane shares a prime extent with others.
func.func @prime_extents(%x: memref<61x97xf32>, %y: memref<61x97xf32>) attributes {translation_info = #lanes} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  // expected-warning @+1 {{the kernel's vectors unroll to about 17751 operations per lane, of which 5917 are this op's, more than the 16384 that compile in seconds; smaller vectors in a loop, or more lanes, make fewer}}
  %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<61x97xf32>, vector<61x97xf32>
  %r = math.exp %v : vector<61x97xf32>
  vector.transfer_write %r, %y[%c0, %c0] {in_bounds = [true, true]} : vector<61x97xf32>, memref<61x97xf32>
  return
}

// Of 16 bits, two elements are one register, and where rows are odd two accesses.
func.func @narrow_elements_one_by_one(%x: memref<127x127xf16>, %y: memref<127x127xf16>) attributes {translation_info = #lanes} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  // expected-warning @+1 {{the kernel's vectors unroll to about 32258 operations per lane, of which 16129 are this op's, more than the 16384 that compile in seconds}}
  %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<127x127xf16>, vector<127x127xf16>
  vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<127x127xf16>, memref<127x127xf16>
  return
}
