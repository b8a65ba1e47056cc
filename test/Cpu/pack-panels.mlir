// RUN: distaff-opt %s --distaff-pack-panels=target=host:avx2 | FileCheck %s

// The right side's panel of a column is copied once for 20 tiles of it, and read
// from there; the left side is read as it is. 40 tiles along y are two workgroups.
// CHECK: #[[DIVIDED:.*]] = affine_map<(d0) -> (d0 * 20)>
// CHECK-LABEL: func.func @product
// CHECK: scf.forall (%[[Y:.*]], %[[X:.*]]) in (2, 4)
// CHECK: %[[PANEL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64x1x16xf32>
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK: %[[PART:.*]] = vector.transfer_read %arg1[%[[K]], %{{.*}}]
// CHECK: vector.transfer_write %[[PART]], %[[PANEL]][%[[K]], %{{.*}}, %{{.*}}]
// CHECK: scf.for %[[TILE:[a-z0-9]+]] =
// CHECK: scf.for %[[STEP:[a-z0-9]+]] =
// CHECK: vector.transfer_read %arg0[
// CHECK: vector.transfer_read %[[PANEL]][%[[STEP]],
// CHECK: vector.contract
// CHECK-LABEL: func.func @product__grid
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: return %{{.*}}, %[[TWO]], %{{.*}}
func.func @product(%a: memref<160x64xf32>, %b: memref<64x64xf32>, %r: memref<160x64xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<4x16xf32>
  scf.forall (%y, %x) in (40, 4) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
      %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<160x64xf32>, vector<4x1xf32>
      %o = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<1x16xf32>
      %t = vector.contract {indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (l, j)>, affine_map<(i, j, l) -> (i, j)>],
                            iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %o, %acc
          : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
      scf.yield %t : vector<4x16xf32>
    }
    vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xf32>, memref<160x64xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @product__grid() -> (index, index, index) attributes {host} {
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %c1 = arith.constant 1 : index
  return %c4, %c40, %c1 : index, index, index
}

// What the kernel writes is read where it is.
// CHECK-LABEL: func.func @written
// CHECK-NOT: memref.alloca
func.func @written(%b: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  scf.forall (%y, %x) in (40, 4) {
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    scf.for %k = %c0 to %c64 step %c1 {
      %o = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<1x16xf32>
      vector.transfer_write %o, %b[%k, %n] {in_bounds = [true, true]} : vector<1x16xf32>, memref<64x64xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @written__grid() -> (index, index, index) attributes {host} {
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %c1 = arith.constant 1 : index
  return %c4, %c40, %c1 : index, index, index
}

// A tile that may be cut at the end reads the same panel on both sides of a
// branch: the side that masks says what is copied, and both read the copy.
// CHECK-LABEL: func.func @cut
// CHECK: scf.forall
// CHECK: %[[CUT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64x1x16xf32>
// CHECK: memref.subview %arg1
// CHECK: vector.transfer_write %{{.*}}, %[[CUT]]
// CHECK: scf.if
// CHECK: vector.transfer_read %[[CUT]]
// CHECK: else
// CHECK: vector.transfer_read %[[CUT]]
func.func @cut(%a: memref<160x64xf32>, %b: memref<64x61xf32>, %r: memref<160x61xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<1x16xf32>
  scf.forall (%y, %x) in (160, 4) {
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %left = affine.min affine_map<(d0) -> (16, d0 * -16 + 61)>(%x)
    %whole = arith.cmpi eq, %left, %c16 : index
    scf.if %whole {
      %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (vector<1x16xf32>) {
        %o = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<64x61xf32>, vector<1x16xf32>
        %t = arith.addf %acc, %o : vector<1x16xf32>
        scf.yield %t : vector<1x16xf32>
      }
      vector.transfer_write %s, %r[%y, %n] {in_bounds = [true, true]} : vector<1x16xf32>, memref<160x61xf32>
    } else {
      %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (vector<1x16xf32>) {
        %v = memref.subview %b[%k, %n] [1, %left] [1, 1] : memref<64x61xf32> to memref<1x?xf32, strided<[61, 1], offset: ?>>
        %o = vector.transfer_read %v[%c0, %c0], %p {in_bounds = [true, false]} : memref<1x?xf32, strided<[61, 1], offset: ?>>, vector<1x16xf32>
        %t = arith.addf %acc, %o : vector<1x16xf32>
        scf.yield %t : vector<1x16xf32>
      }
      vector.transfer_write %s, %r[%y, %n] : vector<1x16xf32>, memref<160x61xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @cut__grid() -> (index, index, index) attributes {host} {
  %c4 = arith.constant 4 : index
  %c160 = arith.constant 160 : index
  %c1 = arith.constant 1 : index
  return %c4, %c160, %c1 : index, index, index
}

// Two places of one array are no panel.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: memref.alloca
func.func @apart(%b: memref<64x96xf32>, %r: memref<160x64xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c80 = arith.constant 80 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<1x16xf32>
  scf.forall (%y, %x) in (160, 4) {
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %m = affine.apply affine_map<(d0) -> (d0 * 16 + 16)>(%x)
    %first = arith.cmpi ult, %y, %c80 : index
    scf.if %first {
      %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (vector<1x16xf32>) {
        %o = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<64x96xf32>, vector<1x16xf32>
        %t = arith.addf %acc, %o : vector<1x16xf32>
        scf.yield %t : vector<1x16xf32>
      }
      vector.transfer_write %s, %r[%y, %n] {in_bounds = [true, true]} : vector<1x16xf32>, memref<160x64xf32>
    } else {
      %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (vector<1x16xf32>) {
        %o = vector.transfer_read %b[%k, %m], %p {in_bounds = [true, true]} : memref<64x96xf32>, vector<1x16xf32>
        %t = arith.addf %acc, %o : vector<1x16xf32>
        scf.yield %t : vector<1x16xf32>
      }
      vector.transfer_write %s, %r[%y, %n] {in_bounds = [true, true]} : vector<1x16xf32>, memref<160x64xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @apart__grid() -> (index, index, index) attributes {host} {
  %c4 = arith.constant 4 : index
  %c160 = arith.constant 160 : index
  %c1 = arith.constant 1 : index
  return %c4, %c160, %c1 : index, index, index
}

// A long panel: two blocks of 1000 steps, and 20 tiles wait in between. What is
// converted behind the read is converted before it is copied.
// CHECK-LABEL: func.func @long
// CHECK: scf.forall (%[[Y:.*]], %[[X:.*]]) in (2, 4)
// CHECK-DAG: memref.alloca() {{.*}} : memref<1000x1x16xf32>
// CHECK-DAG: %[[WAITING:.*]] = memref.alloca() {{.*}} : memref<20x4x16xf32>
// CHECK: scf.for %[[B:[a-z0-9]+]] = %{{.*}} to %c2{{.*}} step
// CHECK: scf.for
// CHECK: vector.transfer_read %arg1
// CHECK: arith.extf
// CHECK: vector.transfer_write
// CHECK: scf.for %[[TILE:[a-z0-9]+]] =
// CHECK: scf.if
// CHECK: vector.transfer_read %[[WAITING]]
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: arith.extf %{{.*}} : vector<1x16xf16>
// CHECK: scf.if
// CHECK: vector.transfer_write %{{.*}}, %arg2
// CHECK: else
// CHECK: vector.transfer_write %{{.*}}, %[[WAITING]]
func.func @long(%a: memref<160x2000xf32>, %b: memref<2000x64xf16>, %r: memref<160x64xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2000 = arith.constant 2000 : index
  %p = arith.constant 0.0 : f32
  %h = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<4x16xf32>
  scf.forall (%y, %x) in (40, 4) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %s = scf.for %k = %c0 to %c2000 step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
      %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<160x2000xf32>, vector<4x1xf32>
      %q = vector.transfer_read %b[%k, %n], %h {in_bounds = [true, true]} : memref<2000x64xf16>, vector<1x16xf16>
      %w = arith.extf %q : vector<1x16xf16> to vector<1x16xf32>
      %t = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %w, %acc : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
      scf.yield %t : vector<4x16xf32>
    }
    vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xf32>, memref<160x64xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @long__grid() -> (index, index, index) attributes {host} {
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %c1 = arith.constant 1 : index
  return %c4, %c40, %c1 : index, index, index
}

// Nothing is shared, but rows are 4000 bytes apart: 8 of them for all tiles.
// CHECK-LABEL: func.func @columns
// CHECK: scf.forall (%[[X:.*]]) in (4)
// CHECK: %[[WAITING:.*]] = memref.alloca() {{.*}} : memref<16x16xf32>
// CHECK-NOT: memref.alloca
// CHECK: scf.for %[[B:[a-z0-9]+]] = %{{.*}} to %c13{{.*}} step
func.func @columns(%a: memref<100x1000xf32>, %r: memref<1000xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%x) in (64) {
    %n = affine.apply affine_map<(d0) -> (d0 * 15)>(%x)
    %s = scf.for %k = %c0 to %c100 step %c1 iter_args(%acc = %zero) -> (vector<16xf32>) {
      %q = vector.transfer_read %a[%k, %n], %p {in_bounds = [true]} : memref<100x1000xf32>, vector<16xf32>
      %t = arith.addf %acc, %q : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    vector.transfer_write %s, %r[%n] {in_bounds = [true]} : vector<16xf32>, memref<1000xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
func.func @columns__grid() -> (index, index, index) attributes {host} {
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  return %c64, %c1, %c1 : index, index, index
}

// 15 rows are less than two blocks of 8: each tile does all of its steps.
// CHECK-LABEL: func.func @short_columns
// CHECK: scf.forall (%{{.*}}) in (64)
// CHECK-NOT: memref.alloca
func.func @short_columns(%a: memref<15x1000xf32>, %r: memref<1000xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%x) in (64) {
    %n = affine.apply affine_map<(d0) -> (d0 * 15)>(%x)
    %s = scf.for %k = %c0 to %c15 step %c1 iter_args(%acc = %zero) -> (vector<16xf32>) {
      %q = vector.transfer_read %a[%k, %n], %p {in_bounds = [true]} : memref<15x1000xf32>, vector<16xf32>
      %t = arith.addf %acc, %q : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    vector.transfer_write %s, %r[%n] {in_bounds = [true]} : vector<16xf32>, memref<1000xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
func.func @short_columns__grid() -> (index, index, index) attributes {host} {
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  return %c64, %c1, %c1 : index, index, index
}

// What writes before its loop does so once.
// CHECK-LABEL: func.func @writes_before
// CHECK-NOT: memref.alloca
func.func @writes_before(%a: memref<100x1000xf32>, %r: memref<1000xf32> {iree.abi.output = 0 : index}, %t: memref<1000xf32> {iree.abi.output = 1 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  scf.forall (%x) in (64) {
    %n = affine.apply affine_map<(d0) -> (d0 * 15)>(%x)
    vector.transfer_write %zero, %t[%n] {in_bounds = [true]} : vector<16xf32>, memref<1000xf32>
    %s = scf.for %k = %c0 to %c100 step %c1 iter_args(%acc = %zero) -> (vector<16xf32>) {
      %q = vector.transfer_read %a[%k, %n], %p {in_bounds = [true]} : memref<100x1000xf32>, vector<16xf32>
      %u = arith.addf %acc, %q : vector<16xf32>
      scf.yield %u : vector<16xf32>
    }
    vector.transfer_write %s, %r[%n] {in_bounds = [true]} : vector<16xf32>, memref<1000xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
func.func @writes_before__grid() -> (index, index, index) attributes {host} {
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  return %c64, %c1, %c1 : index, index, index
}

// What one tile reads is shared with nobody.
// CHECK-LABEL: func.func @alone
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (1, 4)
// CHECK-NOT: memref.alloca
func.func @alone(%a: memref<4x64xf32>, %b: memref<64x64xf32>, %r: memref<4x64xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<4x16xf32>
  scf.forall (%y, %x) in (1, 4) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
      %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<4x64xf32>, vector<4x1xf32>
      %q = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<1x16xf32>
      %t = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %q, %acc : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
      scf.yield %t : vector<4x16xf32>
    }
    vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xf32>, memref<4x64xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @alone__grid() -> (index, index, index) attributes {host} {
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  return %c4, %c1, %c1 : index, index, index
}

// Panels of ten columns at a time, and the left side beside them, in three blocks
// of 168 steps: its rows are copied 16 steps at once, the last ones one by one, and
// all tiles of one panel are done before the next one. The sides of the branch
// read the same copies, which the side that masks says how to make.
// CHECK-LABEL: func.func @several
// CHECK: scf.forall (%[[Y:.*]], %[[X:.*]]) in (2, 1)
// CHECK-DAG: %[[RIGHT:.*]] = memref.alloca() {{.*}} : memref<10x168x1x16xf32>
// CHECK-DAG: %[[LEFT:.*]] = memref.alloca() {{.*}} : memref<40x4x168xf32>
// CHECK-DAG: %[[WAIT:.*]] = memref.alloca() {{.*}} : memref<10x40x4x16xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %c3
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK: scf.for %[[J:[a-z0-9]+]] =
// CHECK: vector.transfer_read %arg1[%[[K]], %{{.*}}]
// CHECK: vector.transfer_write %{{.*}}, %[[RIGHT]]
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: scf.for %[[K:[a-z0-9]+]] = {{.*}} step %c16
// CHECK: memref.subview %arg0[%{{.*}}, %[[K]]] [%{{.*}}, 16]
// CHECK: vector.transfer_write %{{.*}}, %[[LEFT]]{{.*}} vector<4x16xf32>
// CHECK: scf.for
// CHECK: vector.transfer_write %{{.*}}, %[[LEFT]]{{.*}} vector<4x1xf32>
// CHECK: scf.for %[[J:[a-z0-9]+]] =
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: scf.if
// CHECK: vector.transfer_read %[[WAIT]]
// CHECK: vector.transfer_read %[[LEFT]]
// CHECK: vector.transfer_read %[[RIGHT]]
// CHECK: else
// CHECK: vector.transfer_read %[[LEFT]]
// CHECK: vector.transfer_read %[[RIGHT]]
// CHECK: return
func.func @several(%a: memref<318x500xf32>, %b: memref<500x160xf32>, %r: memref<318x160xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c500 = arith.constant 500 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<4x16xf32>
  scf.forall (%y, %x) in (80, 10) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %left = affine.min affine_map<(d0) -> (4, d0 * -4 + 318)>(%y)
    %whole = arith.cmpi eq, %left, %c4 : index
    scf.if %whole {
      %s = scf.for %k = %c0 to %c500 step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
        %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<318x500xf32>, vector<4x1xf32>
        %q = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<500x160xf32>, vector<1x16xf32>
        %t = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %q, %acc : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
        scf.yield %t : vector<4x16xf32>
      }
      vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xf32>, memref<318x160xf32>
    } else {
      %s = scf.for %k = %c0 to %c500 step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
        %v = memref.subview %a[%m, %k] [%left, 1] [1, 1] : memref<318x500xf32> to memref<?x1xf32, strided<[500, 1], offset: ?>>
        %l = vector.transfer_read %v[%c0, %c0], %p {in_bounds = [false, true]} : memref<?x1xf32, strided<[500, 1], offset: ?>>, vector<4x1xf32>
        %q = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<500x160xf32>, vector<1x16xf32>
        %t = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %q, %acc : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
        scf.yield %t : vector<4x16xf32>
      }
      vector.transfer_write %s, %r[%m, %n] : vector<4x16xf32>, memref<318x160xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @several__grid() -> (index, index, index) attributes {host} {
  %c10 = arith.constant 10 : index
  %c80 = arith.constant 80 : index
  %c1 = arith.constant 1 : index
  return %c10, %c80, %c1 : index, index, index
}

// Of a loop of which only a launch knows how often it runs there is a block at
// least, which starts and ends what no step does. The right side lies in rows
// along the steps: 8 are copied at once, one behind the other.
// CHECK-LABEL: func.func @launched
// CHECK: %[[STEPS:.*]] = memref.dim
// CHECK: scf.forall
// CHECK: affine.max #{{.*}}()[%[[STEPS]]]
// CHECK-DAG: memref.alloca() {{.*}} : memref<1024x1x16xf32>
// CHECK: vector.transfer_read %arg1{{.*}} vector<16x8xf32>
// CHECK: vector.transfer_write {{.*}} permutation_map = #{{.*}} : vector<16x8xf32>, memref<1024x1x16xf32>
func.func @launched(%a: memref<160x?xf32>, %b: memref<64x?xf32>, %r: memref<160x64xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = memref.dim %a, %c1 : memref<160x?xf32>
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<4x16xf32>
  scf.forall (%y, %x) in (40, 4) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %s = scf.for %k = %c0 to %d step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
      %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<160x?xf32>, vector<4x1xf32>
      %q = vector.transfer_read %b[%n, %k], %p {in_bounds = [true, true]} : memref<64x?xf32>, vector<16x1xf32>
      %t = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %q, %acc : vector<4x1xf32>, vector<16x1xf32> into vector<4x16xf32>
      scf.yield %t : vector<4x16xf32>
    }
    vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xf32>, memref<160x64xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @launched__grid(%k: index) -> (index, index, index) attributes {host} {
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %c1 = arith.constant 1 : index
  return %c4, %c40, %c1 : index, index, index
}

// The left side is read in another loop on the other side, which is not in blocks.
// CHECK-LABEL: func.func @elsewhere
// CHECK: scf.forall (%{{.*}}, %{{.*}}) in (3, 10)
// CHECK-NOT: memref<{{.*}}x4x168xf32>
// CHECK: return
func.func @elsewhere(%a: memref<318x500xf32>, %b: memref<500x160xf32>, %r: memref<318x160xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c500 = arith.constant 500 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<4x16xf32>
  scf.forall (%y, %x) in (80, 10) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %left = affine.min affine_map<(d0) -> (4, d0 * -4 + 318)>(%y)
    %whole = arith.cmpi eq, %left, %c4 : index
    scf.if %whole {
      %s = scf.for %k = %c0 to %c500 step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
        %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<318x500xf32>, vector<4x1xf32>
        %q = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<500x160xf32>, vector<1x16xf32>
        %t = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %q, %acc : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
        scf.yield %t : vector<4x16xf32>
      }
      vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xf32>, memref<318x160xf32>
    } else {
      %s = scf.for %k = %c0 to %c500 step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
        %q = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<500x160xf32>, vector<1x16xf32>
        %w = vector.broadcast %q : vector<1x16xf32> to vector<4x16xf32>
        %t = arith.addf %acc, %w : vector<4x16xf32>
        scf.yield %t : vector<4x16xf32>
      }
      %u = scf.for %k = %c0 to %c500 step %c1 iter_args(%acc = %s) -> (vector<4x16xf32>) {
        %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<318x500xf32>, vector<4x1xf32>
        %w = vector.broadcast %l : vector<4x1xf32> to vector<4x16xf32>
        %t = arith.addf %acc, %w : vector<4x16xf32>
        scf.yield %t : vector<4x16xf32>
      }
      vector.transfer_write %u, %r[%m, %n] : vector<4x16xf32>, memref<318x160xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @elsewhere__grid() -> (index, index, index) attributes {host} {
  %c10 = arith.constant 10 : index
  %c80 = arith.constant 80 : index
  %c1 = arith.constant 1 : index
  return %c10, %c80, %c1 : index, index, index
}

// What a kernel has on the stack itself leaves too little for both sides.
// CHECK-LABEL: func.func @crowded
// CHECK-NOT: memref<{{.*}}x4x168xf32>
// CHECK: return
func.func @crowded(%a: memref<318x500xf32>, %b: memref<500x160xf32>, %r: memref<318x160xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c500 = arith.constant 500 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<4x16xf32>
  %own = memref.alloca() : memref<430000xf32>
  memref.store %p, %own[%c0] : memref<430000xf32>
  scf.forall (%y, %x) in (80, 10) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %left = affine.min affine_map<(d0) -> (4, d0 * -4 + 318)>(%y)
    %whole = arith.cmpi eq, %left, %c4 : index
    scf.if %whole {
      %s = scf.for %k = %c0 to %c500 step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
        %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<318x500xf32>, vector<4x1xf32>
        %q = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<500x160xf32>, vector<1x16xf32>
        %t = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %q, %acc : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
        scf.yield %t : vector<4x16xf32>
      }
      vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xf32>, memref<318x160xf32>
    } else {
      %s = scf.for %k = %c0 to %c500 step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
        %v = memref.subview %a[%m, %k] [%left, 1] [1, 1] : memref<318x500xf32> to memref<?x1xf32, strided<[500, 1], offset: ?>>
        %l = vector.transfer_read %v[%c0, %c0], %p {in_bounds = [false, true]} : memref<?x1xf32, strided<[500, 1], offset: ?>>, vector<4x1xf32>
        %q = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<500x160xf32>, vector<1x16xf32>
        %t = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %q, %acc : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
        scf.yield %t : vector<4x16xf32>
      }
      vector.transfer_write %s, %r[%m, %n] : vector<4x16xf32>, memref<318x160xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @crowded__grid() -> (index, index, index) attributes {host} {
  %c10 = arith.constant 10 : index
  %c80 = arith.constant 80 : index
  %c1 = arith.constant 1 : index
  return %c10, %c80, %c1 : index, index, index
}

// Whoever is called may write what a panel is copied from.
func.func private @somebody()
// CHECK-LABEL: func.func @calls
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @calls(%a: memref<160x64xf32>, %b: memref<64x64xf32>, %r: memref<160x64xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<4x16xf32>
  scf.forall (%y, %x) in (40, 4) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
      %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<160x64xf32>, vector<4x1xf32>
      %o = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<64x64xf32>, vector<1x16xf32>
      %t = vector.contract {indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (l, j)>, affine_map<(i, j, l) -> (i, j)>],
                            iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %o, %acc
          : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
      scf.yield %t : vector<4x16xf32>
    }
    func.call @somebody() : () -> ()
    vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xf32>, memref<160x64xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @calls__grid() -> (index, index, index) attributes {host} {
  %c4 = arith.constant 4 : index
  %c40 = arith.constant 40 : index
  %c1 = arith.constant 1 : index
  return %c4, %c40, %c1 : index, index, index
}

// One side of the branch does fewer steps than the other.
// CHECK-LABEL: func.func @fewer
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @fewer(%a: memref<160x64xf32>, %b: memref<64x61xf32>, %r: memref<160x61xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<1x16xf32>
  scf.forall (%y, %x) in (160, 4) {
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %left = affine.min affine_map<(d0) -> (16, d0 * -16 + 61)>(%x)
    %whole = arith.cmpi eq, %left, %c16 : index
    scf.if %whole {
      %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (vector<1x16xf32>) {
        %o = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<64x61xf32>, vector<1x16xf32>
        %t = arith.addf %acc, %o : vector<1x16xf32>
        scf.yield %t : vector<1x16xf32>
      }
      vector.transfer_write %s, %r[%y, %n] {in_bounds = [true, true]} : vector<1x16xf32>, memref<160x61xf32>
    } else {
      %s = scf.for %k = %c0 to %c63 step %c1 iter_args(%acc = %zero) -> (vector<1x16xf32>) {
        %v = memref.subview %b[%k, %n] [1, %left] [1, 1] : memref<64x61xf32> to memref<1x?xf32, strided<[61, 1], offset: ?>>
        %o = vector.transfer_read %v[%c0, %c0], %p {in_bounds = [true, false]} : memref<1x?xf32, strided<[61, 1], offset: ?>>, vector<1x16xf32>
        %t = arith.addf %acc, %o : vector<1x16xf32>
        scf.yield %t : vector<1x16xf32>
      }
      vector.transfer_write %s, %r[%y, %n] : vector<1x16xf32>, memref<160x61xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @fewer__grid() -> (index, index, index) attributes {host} {
  %c4 = arith.constant 4 : index
  %c160 = arith.constant 160 : index
  %c1 = arith.constant 1 : index
  return %c4, %c160, %c1 : index, index, index
}
