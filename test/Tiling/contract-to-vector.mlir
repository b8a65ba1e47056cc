// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-contract-to-vector))' | FileCheck %s
// RUN: distaff-opt %s --canonicalize | FileCheck %s

// VX-124: (add, mul) is vector.contract, masked by vector.mask.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @multiplies
// CHECK: vector.contract {{.*}}kind = #vector.kind<add>{{.*}} : vector<8x16xf16>, vector<16x8xf16> into vector<8x8xf32>
// CHECK-NOT: distaff.contract
func.func @multiplies(%a: vector<8x16xf16>, %b: vector<16x8xf16>, %c: vector<8x8xf32>) -> vector<8x8xf32> {
  %r = distaff.contract <add, mul> {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c : vector<8x16xf16>, vector<16x8xf16> into vector<8x8xf32>
  return %r : vector<8x8xf32>
}

// CHECK-LABEL: func.func @masked
// CHECK: vector.mask %{{.*}} { vector.contract {{.*}}kind = #vector.kind<maxnumf>
func.func @masked(%a: vector<8x16xf32>, %b: vector<16x8xf32>, %c: vector<8x8xf32>, %m: vector<8x8x16xi1>) -> vector<8x8xf32> {
  %r = distaff.contract <maxnumf, mul> {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c mask %m : vector<8x16xf32>, vector<16x8xf32>, vector<8x8x16xi1> into vector<8x8xf32>
  return %r : vector<8x8xf32>
}

// A vector.mask around it is a mask of its own, before it is vector.contract's again.
// CHECK-LABEL: func.func @masked_from_outside
// CHECK-SAME: %[[OWN:[a-z0-9]+]]: vector<8x8x16xi1>, %[[OUTER:[a-z0-9]+]]: vector<8x8x16xi1>)
// CHECK: %[[BOTH:.*]] = arith.andi %[[OUTER]], %[[OWN]]
// CHECK: distaff.contract <minimumf, add> {{.*}} mask %[[BOTH]]
// CHECK: vector.mask %[[OUTER]] { vector.contract
func.func @masked_from_outside(%a: vector<8x16xf32>, %b: vector<16x8xf32>, %c: vector<8x8xf32>, %m: vector<8x8x16xi1>, %n: vector<8x8x16xi1>) -> (vector<8x8xf32>, vector<8x8xf32>) {
  %r = vector.mask %n { distaff.contract <minimumf, add> {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c mask %m : vector<8x16xf32>, vector<16x8xf32>, vector<8x8x16xi1> into vector<8x8xf32> } : vector<8x8x16xi1> -> vector<8x8xf32>
  %s = vector.mask %n { distaff.contract <add, mul> {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c : vector<8x16xf32>, vector<16x8xf32> into vector<8x8xf32> } : vector<8x8x16xi1> -> vector<8x8xf32>
  return %r, %s : vector<8x8xf32>, vector<8x8xf32>
}

// CHECK-LABEL: func.func @others_stay
// CHECK: distaff.contract <logsumexp, mul>
// CHECK: distaff.contract <add, mul>
func.func @others_stay(%a: vector<8x16xf32>, %b: vector<16x8xf32>, %c: vector<8x8xf32>, %d: vector<8xf32>) -> (vector<8x8xf32>, vector<8x8xf32>) {
  %r = distaff.contract <logsumexp, mul> {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c : vector<8x16xf32>, vector<16x8xf32> into vector<8x8xf32>
  %s = distaff.contract <add, mul> {indexing_maps = [#mk, affine_map<(m, n, k) -> (n)>, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %a, %d, %c : vector<8x16xf32>, vector<8xf32> into vector<8x8xf32>
  return %r, %s : vector<8x8xf32>, vector<8x8xf32>
}

// vector.contract takes operands of one type: the narrower is widened, and both where neither holds the other.

// CHECK-LABEL: func.func @two_types
// CHECK: %[[A:.*]] = arith.extf %{{.*}} : vector<8x16xf16> to vector<8x16xf32>
// CHECK: vector.contract {{.*}} %[[A]], %{{.*}} : vector<8x16xf32>, vector<16x8xf32> into vector<8x8xf32>
// CHECK-DAG: %[[B:.*]] = arith.extf %{{.*}} : vector<8x16xf16> to vector<8x16xf32>
// CHECK-DAG: %[[C:.*]] = arith.extf %{{.*}} : vector<16x8xbf16> to vector<16x8xf32>
// CHECK: vector.contract {{.*}} %[[B]], %[[C]], %{{.*}}
// CHECK: %[[D:.*]] = arith.extsi %{{.*}} : vector<16x8xi8> to vector<16x8xi16>
// CHECK: vector.contract {{.*}} %{{.*}}, %[[D]], %{{.*}} : vector<8x16xi16>, vector<16x8xi16> into vector<8x8xi32>
func.func @two_types(%a: vector<8x16xf16>, %b: vector<16x8xf32>, %c: vector<8x8xf32>, %d: vector<16x8xbf16>, %e: vector<8x16xi16>, %f: vector<16x8xi8>, %g: vector<8x8xi32>) -> (vector<8x8xf32>, vector<8x8xf32>, vector<8x8xi32>) {
  %r = distaff.contract <add, mul> {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c : vector<8x16xf16>, vector<16x8xf32> into vector<8x8xf32>
  %s = distaff.contract <add, mul> {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %a, %d, %c : vector<8x16xf16>, vector<16x8xbf16> into vector<8x8xf32>
  %t = distaff.contract <add, mul> {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %e, %f, %g : vector<8x16xi16>, vector<16x8xi8> into vector<8x8xi32>
  return %r, %s, %t : vector<8x8xf32>, vector<8x8xf32>, vector<8x8xi32>
}
