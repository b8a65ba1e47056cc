// RUN: distaff-opt %s --split-input-file --verify-diagnostics

func.func @signless(%a: vector<8xi32>) {
  // expected-error @below {{multiplies integers with a sign or without, or floats, of 8 or 16 bits, got 'i16'}}
  %d = distaff.packed_dot %a as i16, %a as si16 : vector<8xi32> to vector<8xi32>
  return
}

// -----

func.func @wide(%a: vector<8xi32>) {
  // expected-error @below {{multiplies integers with a sign or without, or floats, of 8 or 16 bits, got 'si32'}}
  %d = distaff.packed_dot %a as si8, %a as si32 : vector<8xi32> to vector<8xi32>
  return
}

// -----

func.func @parts(%a: vector<8xi32>) {
  // expected-error @below {{needs as many parts on both sides, got 'si16' and 'si8'}}
  %d = distaff.packed_dot %a as si16, %a as si8 : vector<8xi32> to vector<8xi32>
  return
}

// -----

func.func @floats(%a: vector<8xi32>) {
  // expected-error @below {{multiplies floats of one type, got 'si16' and 'bf16'}}
  %d = distaff.packed_dot %a as si16, %a as bf16 : vector<8xi32> to vector<8xf32>
  return
}

// -----

func.func @result(%a: vector<8xi32>) {
  // expected-error @below {{of 'bf16' has no result of 'i32'}}
  %d = distaff.packed_dot %a as bf16, %a as bf16 : vector<8xi32> to vector<8xi32>
  return
}

// -----

func.func @acc(%a: vector<8xi32>, %c: vector<8xi32>) {
  // expected-error @below {{failed to verify that what it is added to is as the result}}
  %d = "distaff.packed_dot"(%a, %a, %c) {lhs_part = bf16, rhs_part = bf16} : (vector<8xi32>, vector<8xi32>, vector<8xi32>) -> vector<8xf32>
  return
}
