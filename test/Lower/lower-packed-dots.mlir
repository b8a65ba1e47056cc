// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-lower-packed-dots{target=host:avx2}))' | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-lower-packed-dots{target=host:avx512vnni}))' | FileCheck %s --check-prefixes=CHECK,VNNI

// CHECK-LABEL: func.func @halves(
// CHECK-SAME: %[[A:.*]]: vector<8xi32>, %[[B:.*]]: vector<8xi32>, %[[C:.*]]: vector<8xi32>
// CHECK: %[[P:.*]] = vector.bitcast %[[A]] : vector<8xi32> to vector<16xi16>
// CHECK: %[[X:.*]] = arith.extsi %[[P]] : vector<16xi16> to vector<16xi32>
// CHECK: %[[Q:.*]] = vector.bitcast %[[B]] : vector<8xi32> to vector<16xi16>
// CHECK: %[[Y:.*]] = arith.extsi %[[Q]] : vector<16xi16> to vector<16xi32>
// CHECK: %[[PRODUCTS:.*]] = arith.muli %[[X]], %[[Y]]
// CHECK: %[[EVEN:.*]], %[[ODD:.*]] = vector.deinterleave %[[PRODUCTS]]
// CHECK: %[[D:.*]] = arith.addi %[[EVEN]], %[[ODD]]
// CHECK: arith.addi %[[C]], %[[D]]
func.func @halves(%a: vector<8xi32>, %b: vector<8xi32>, %c: vector<8xi32>) -> vector<8xi32> {
  %d = distaff.packed_dot %a as si16, %b as si16 : vector<8xi32> to vector<8xi32>
  %e = arith.addi %c, %d : vector<8xi32>
  return %e : vector<8xi32>
}

// Where there is an instruction, it takes its operands in its order, and the
// addition behind it.
// CHECK-LABEL: func.func @bytes(
// CHECK-SAME: %[[A:.*]]: vector<8xi32>, %[[B:.*]]: vector<8xi32>, %[[C:.*]]: vector<8xi32>
// VNNI-NEXT: %[[D:.*]] = distaff.packed_dot %[[B]] as ui8, %[[A]] as si8 plus %[[C]]
// VNNI-NEXT: return %[[D]]
// AVX2: arith.extsi {{.*}} : vector<32xi8> to vector<32xi32>
// AVX2: arith.extui {{.*}} : vector<32xi8> to vector<32xi32>
func.func @bytes(%a: vector<8xi32>, %b: vector<8xi32>, %c: vector<8xi32>) -> vector<8xi32> {
  %d = distaff.packed_dot %a as si8, %b as ui8 : vector<8xi32> to vector<8xi32>
  %e = arith.addi %d, %c : vector<8xi32>
  return %e : vector<8xi32>
}

// Read twice it stays alone; signs on both sides no instruction takes; nor does
// one take a single word.
// CHECK-LABEL: func.func @others(
// VNNI: distaff.packed_dot %{{.*}} as ui8, %{{.*}} as si8 : vector<8xi32> to vector<8xi32>
// VNNI: arith.addi
// CHECK-NOT: distaff.packed_dot
// CHECK: return
func.func @others(%a: vector<8xi32>, %b: vector<8xi32>, %s: i32) -> (vector<8xi32>, vector<8xi32>, vector<8xi32>, i32) {
  %d = distaff.packed_dot %a as ui8, %b as si8 : vector<8xi32> to vector<8xi32>
  %e = arith.addi %d, %a : vector<8xi32>
  %h = arith.addi %d, %e : vector<8xi32>
  %f = distaff.packed_dot %a as si8, %b as si8 : vector<8xi32> to vector<8xi32>
  %g = distaff.packed_dot %s as ui8, %s as si8 plus %s : i32 to i32
  return %h, %e, %f, %g : vector<8xi32>, vector<8xi32>, vector<8xi32>, i32
}
