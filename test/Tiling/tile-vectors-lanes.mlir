// RUN: distaff-opt %s --distaff-tile-vectors=target=sm_80 --canonicalize --cse | FileCheck %s

// Large n-D vectors on the lanes of a workgroup (VX-127). test/Execution/Distribution/large_vectors.test
// has what they compute.

#workgroup = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>

// Of 509 elements 128 lanes can share none: they share 512, the last of which are masked (VX-163).
// CHECK-LABEL: func.func @prime
// CHECK: scf.forall ({{.*}}) in (7)
// CHECK: scf.for
// CHECK: %[[INSIDE:.*]] = vector.constant_mask [1, 1, 509] : vector<1x1x512xi1>
// CHECK: vector.transfer_read {{.*}}, %[[INSIDE]] {{.*}} vector<1x1x512xf32>
// CHECK: vector.transfer_write {{.*}}, %[[INSIDE]] {{.*}} vector<1x1x512xf32>
// CHECK-NOT: vector.transfer
func.func @prime(%a: memref<7x251x509xf32>, %b: memref<7x251x509xf32>) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0, %c0], %z {in_bounds = [true, true, true]} : memref<7x251x509xf32>, vector<7x251x509xf32>
  %r = math.absf %x : vector<7x251x509xf32>
  vector.transfer_write %r, %b[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<7x251x509xf32>, memref<7x251x509xf32>
  return
}

// What is outside is divided by 1.
// CHECK-LABEL: func.func @quotient
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1> : vector<176xi32>
// CHECK: %[[BY:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ONES]]
// CHECK: arith.divsi %{{.*}}, %[[BY]]
func.func @quotient(%a: memref<100001xi32>, %b: memref<100001xi32>) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %x = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<100001xi32>, vector<100001xi32>
  %y = vector.transfer_read %b[%c0], %z {in_bounds = [true]} : memref<100001xi32>, vector<100001xi32>
  %r = arith.divsi %x, %y : vector<100001xi32>
  vector.transfer_write %r, %b[%c0] {in_bounds = [true]} : vector<100001xi32>, memref<100001xi32>
  return
}

// Rows become columns in a square of what lanes hold.
// CHECK-LABEL: func.func @transposed
// CHECK: vector.transpose {{.*}} vector<16x32xf32> to vector<32x16xf32>
func.func @transposed(%a: memref<512x256xf32>, %b: memref<256x512xf32>) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<512x256xf32>, vector<512x256xf32>
  %r = vector.transpose %x, [1, 0] : vector<512x256xf32> to vector<256x512xf32>
  vector.transfer_write %r, %b[%c0, %c0] {in_bounds = [true, true]} : vector<256x512xf32>, memref<256x512xf32>
  return
}

// Partial sums are carried, and behind the end of a row they add identities (VX-164).
// CHECK-LABEL: func.func @sums_of_rows
// CHECK-DAG: %[[IDENTITIES:.*]] = arith.constant dense<-0.000000e+00> : vector<4x128xf32>
// CHECK: %[[SUMS:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[IDENTITIES]]) -> (vector<4x128xf32>)
// CHECK: arith.addf {{.*}} : vector<4x128xf32>
// CHECK: %[[LAST:.*]] = arith.select %{{.*}}, %{{.*}}, %[[IDENTITIES]] : vector<4x128xi1>
// CHECK: %[[ALL:.*]] = arith.addf %[[LAST]], %[[SUMS]] : vector<4x128xf32>
// CHECK: vector.multi_reduction <add>, %[[ALL]], {{.*}} [1] : vector<4x128xf32> to vector<4xf32>
func.func @sums_of_rows(%a: memref<256x1021xf32>, %s: memref<256xf32>) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = arith.constant dense<0.0> : vector<256xf32>
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<256x1021xf32>, vector<256x1021xf32>
  %r = vector.multi_reduction <add>, %x, %n [1] : vector<256x1021xf32> to vector<256xf32>
  vector.transfer_write %r, %s[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32>
  return
}

// The accumulators of a product are a square, and steps are those of its matrix instruction, the last
// of which multiply zeros (VX-164).
// CHECK-LABEL: func.func @product
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f16
// CHECK: vector.transfer_read %arg0{{.*}}, %[[ZERO]], %{{.*}} vector<64x32xf16>
// CHECK: scf.for {{.*}} -> (vector<64x64xf32>)
// CHECK: vector.contract {{.*}} : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
// CHECK: vector.transfer_read %arg1{{.*}}, %[[ZERO]], %{{.*}} vector<32x64xf16>
// CHECK-NOT: arith.select
// CHECK: vector.contract {{.*}} : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
func.func @product(%a: memref<256x250xf16>, %b: memref<250x256xf16>, %c: memref<256x256xf32>) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 1.0 : f16
  %n = arith.constant dense<0.0> : vector<256x256xf32>
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<256x250xf16>, vector<256x250xf16>
  %y = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<250x256xf16>, vector<250x256xf16>
  %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %x, %y, %n : vector<256x250xf16>, vector<250x256xf16> into vector<256x256xf32>
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<256x256xf32>, memref<256x256xf32>
  return
}

// A loop along the scanned dim carries what has been combined, in the innermost loop; what is computed
// from the scan is computed there too (VX-165).
// CHECK-LABEL: func.func @scanned
// CHECK: %[[IDENTITIES:.*]] = arith.constant dense<0> : vector<128xi32>
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[IDENTITIES]]) -> (vector<128xi32>)
// CHECK: %[[PREFIXES:.*]], %[[TOTAL:.*]] = vector.scan <add>, %{{.*}}, %[[IDENTITIES]] {inclusive = true, reduction_dim = 0 : i64}
// CHECK: %[[OFFSET:.*]] = vector.broadcast %[[BEFORE]] : vector<128xi32> to vector<4x128xi32>
// CHECK: %[[ALL:.*]] = arith.addi %[[OFFSET]], %[[PREFIXES]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[BEFORE]], %[[TOTAL]]
// CHECK: math.absi %[[ALL]]
// CHECK: scf.yield %[[NEXT]]
func.func @scanned(%a: memref<400x512xi32>, %b: memref<400x512xi32>) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %n = arith.constant dense<7> : vector<512xi32>
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<400x512xi32>, vector<400x512xi32>
  %y, %last = vector.scan <add>, %x, %n {inclusive = true, reduction_dim = 0 : i64} : vector<400x512xi32>, vector<512xi32>
  %r = math.absi %y : vector<400x512xi32>
  vector.transfer_write %r, %b[%c0, %c0] {in_bounds = [true, true]} : vector<400x512xi32>, memref<400x512xi32>
  return
}

// The last value of an exclusive scan is a reduction of all elements but the last.
// CHECK-LABEL: func.func @scan_total
// CHECK: scf.for {{.*}} -> (vector<4x128xi32>)
// CHECK: vector.multi_reduction <add>
// CHECK-NOT: vector.scan
func.func @scan_total(%a: memref<400x512xi32>, %b: memref<512xi32>) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %n = arith.constant dense<7> : vector<512xi32>
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<400x512xi32>, vector<400x512xi32>
  %y, %last = vector.scan <add>, %x, %n {inclusive = false, reduction_dim = 0 : i64} : vector<400x512xi32>, vector<512xi32>
  vector.transfer_write %last, %b[%c0] {in_bounds = [true]} : vector<512xi32>, memref<512xi32>
  return
}

// More than half of the memory is kept by tiles, too.
// CHECK-LABEL: func.func @in_place
// CHECK: memref.alloc() {{.*}}: memref<257x257xi8, #gpu.address_space<workgroup>>
// CHECK-NOT: vector<257x257xi8>
// CHECK: return
func.func @in_place(%a: memref<257x257xi8>) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i8
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<257x257xi8>, vector<257x257xi8>
  %t = vector.transpose %x, [1, 0] : vector<257x257xi8> to vector<257x257xi8>
  vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<257x257xi8>, memref<257x257xi8>
  return
}

// Of both sides of a cast, lanes would have all elements each.
// CHECK-LABEL: func.func @cast
// CHECK: memref.alloc() {{.*}}: memref<16448xi8, #gpu.address_space<workgroup>>
// CHECK-NOT: vector<64x257xi8>
// CHECK: return
func.func @cast(%a: memref<64x257xi8>, %b: memref<257x64xi8>) attributes {translation_info = #workgroup} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i8
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x257xi8>, vector<64x257xi8>
  %y = vector.shape_cast %x : vector<64x257xi8> to vector<257x64xi8>
  vector.transfer_write %y, %b[%c0, %c0] {in_bounds = [true, true]} : vector<257x64xi8>, memref<257x64xi8>
  return
}

#eight = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>

// What a loop leaves in registers is not carried through memory for loops over
// what follows it.
// CHECK-LABEL: func.func @accumulators
// CHECK-NOT: memref.alloc
// CHECK: arith.truncf %{{.*}} : vector<128x64xf32> to vector<128x64xf16>
// CHECK: return
func.func @accumulators(%a: memref<?x128x64xf32>, %s: memref<128x64xf32>, %r: memref<128x64xf16>) attributes {translation_info = #eight} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<128x64xf32>
  %n = memref.dim %a, %c0 : memref<?x128x64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %none) -> (vector<128x64xf32>) {
    %x = vector.transfer_read %a[%i, %c0, %c0], %z {in_bounds = [true, true]} : memref<?x128x64xf32>, vector<128x64xf32>
    %after = arith.addf %before, %x : vector<128x64xf32>
    scf.yield %after : vector<128x64xf32>
  }
  %y = vector.transfer_read %s[%c0, %c0], %z {in_bounds = [true, true]} : memref<128x64xf32>, vector<128x64xf32>
  %e0 = math.exp %y : vector<128x64xf32>
  %e1 = math.exp %e0 : vector<128x64xf32>
  %q = arith.divf %sum, %e1 : vector<128x64xf32>
  %h = arith.truncf %q : vector<128x64xf32> to vector<128x64xf16>
  vector.transfer_write %h, %r[%c0, %c0] {in_bounds = [true, true]} : vector<128x64xf16>, memref<128x64xf16>
  return
}
