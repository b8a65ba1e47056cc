// RUN: distaff-opt %s | distaff-opt | FileCheck %s
// RUN: distaff-opt %s --mlir-print-op-generic | distaff-opt | FileCheck %s
// RUN: distaff-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// VX-124: products with names stand for a region, and are printed by name.

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#k = affine_map<(k) -> (k)>
#none = affine_map<(k) -> ()>

// CHECK-LABEL: func.func @named
// CHECK: distaff.contract <minimumf, add> {indexing_maps = [{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]} %{{.*}}, %{{.*}}, %{{.*}} : vector<8x16xf32>, vector<16x8xf32> into vector<8x8xf32>
// GENERIC: "distaff.contract"(%{{.*}}, %{{.*}}, %{{.*}}) <{combine = #distaff<combine minimumf>,
// GENERIC-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// GENERIC-NEXT: %[[SUM:.*]] = "arith.addf"(%[[X]], %[[Y]])
// GENERIC-NEXT: "distaff.yield"(%[[SUM]])
func.func @named(%a: vector<8x16xf32>, %b: vector<16x8xf32>, %c: vector<8x8xf32>) -> vector<8x8xf32> {
  %r = distaff.contract <minimumf, add> {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c : vector<8x16xf32>, vector<16x8xf32> into vector<8x8xf32>
  return %r : vector<8x8xf32>
}

// CHECK-LABEL: func.func @widened
// CHECK: distaff.contract <add, and> {{.*}} mask %{{.*}} : vector<16xi8>, vector<16xi16>, vector<16xi1> into i32
func.func @widened(%a: vector<16xi8>, %b: vector<16xi16>, %c: i32, %m: vector<16xi1>) -> i32 {
  %r = distaff.contract <add, and> {indexing_maps = [#k, #k, #none], iterator_types = ["reduction"]} %a, %b, %c mask %m : vector<16xi8>, vector<16xi16>, vector<16xi1> into i32
  return %r : i32
}

// CHECK-LABEL: func.func @region
// CHECK: distaff.contract <add, region> {{.*}} into f32 {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[X]], %[[Y]] : f32
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[D]], %[[D]] : f32
// CHECK-NEXT: distaff.yield %[[P]] : f32
func.func @region(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  %r = distaff.contract <add, region> {indexing_maps = [#k, #k, #none], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32 {
  ^bb0(%x: f32, %y: f32):
    %d = arith.subf %x, %y : f32
    %p = arith.mulf %d, %d : f32
    distaff.yield %p : f32
  }
  return %r : f32
}

// One whose op says more than its name keeps its region.
// CHECK-LABEL: func.func @fast
// CHECK: distaff.contract <maximumf, region>
func.func @fast(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  %r = distaff.contract <maximumf, region> {indexing_maps = [#k, #k, #none], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32 {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %x, %y fastmath<nnan> : f32
    distaff.yield %p : f32
  }
  return %r : f32
}

// Operands in the other order: subtraction would be another product, addition is too.
// CHECK-LABEL: func.func @swapped
// CHECK: distaff.contract <logsumexp, region>
func.func @swapped(%a: vector<16xf32>, %b: vector<16xf32>, %c: f32) -> f32 {
  %r = distaff.contract <logsumexp, region> {indexing_maps = [#k, #k, #none], iterator_types = ["reduction"]} %a, %b, %c : vector<16xf32>, vector<16xf32> into f32 {
  ^bb0(%x: f32, %y: f32):
    %p = arith.addf %y, %x : f32
    distaff.yield %p : f32
  }
  return %r : f32
}
