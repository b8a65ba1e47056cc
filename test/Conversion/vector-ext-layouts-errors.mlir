// RUN: distaff-opt %s --vector-ext-drop-layouts --verify-diagnostics
// What has no whole (VX-12, VX-21).

func.func @a_part_alone(%part: vector<2xf32>) -> vector<8xf32> {
  // expected-error @+1 {{joins a lane's part to the whole, and there are no lanes: its partner is missing}}
  %whole = iree_vector_ext.to_simd %part : vector<2xf32> -> vector<8xf32>
  return %whole : vector<8xf32>
}
