// RUN: distaff-opt %s | distaff-opt | FileCheck %s

// CHECK-LABEL: func.func @forms
func.func @forms(%a: vector<8xi32>, %b: vector<8xi32>, %c: vector<8xf32>, %s: i32) {
  // CHECK: distaff.packed_dot %{{.*}} as si16, %{{.*}} as si16 : vector<8xi32> to vector<8xi32>
  %d = distaff.packed_dot %a as si16, %b as si16 : vector<8xi32> to vector<8xi32>
  // CHECK: distaff.packed_dot %{{.*}} as ui8, %{{.*}} as si8 plus %{{.*}} : vector<8xi32> to vector<8xi32>
  %e = distaff.packed_dot %a as ui8, %b as si8 plus %d : vector<8xi32> to vector<8xi32>
  // CHECK: distaff.packed_dot %{{.*}} as bf16, %{{.*}} as bf16 plus %{{.*}} : vector<8xi32> to vector<8xf32>
  %f = distaff.packed_dot %a as bf16, %b as bf16 plus %c : vector<8xi32> to vector<8xf32>
  // CHECK: distaff.packed_dot %{{.*}} as si8, %{{.*}} as si8 : i32 to i32
  %g = distaff.packed_dot %s as si8, %s as si8 : i32 to i32
  return
}
