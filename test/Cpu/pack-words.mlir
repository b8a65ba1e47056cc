// RUN: distaff-opt %s --distaff-pack-panels=target=host:avx2 | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: distaff-opt %s --distaff-pack-panels=target=host:avx512bf16 | FileCheck %s --check-prefixes=CHECK,VNNI
// RUN: distaff-opt %s --distaff-pack-panels="target=host:avx512bf16 strict-fp" | FileCheck %s --check-prefix=STRICT

// Two steps are in a word of halves; or four in one of bytes, of which one side
// has no sign: what is too much is summed up for each panel, and taken off where
// a block starts. The loop counts words.
// CHECK-LABEL: func.func @bytes(
// AVX2: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<16x128x1x16xi32>
// AVX2: %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<64x4x128xi32>
// VNNI: %[[PANEL:.*]] = memref.alloca() {{.*}} : memref<16x126x1x16xi32>
// VNNI: %[[ROWS:.*]] = memref.alloca() {{.*}} : memref<64x4x126xi32>
// VNNI: %[[EXCESS:.*]] = memref.alloca() {{.*}} : memref<16x1x16xi32>
// VNNI: arith.xori
// VNNI: %[[WORD:.*]] = vector.transfer_read %[[PANEL]]
// VNNI: distaff.packed_dot %{{.*}} as ui8, %[[WORD]] as si8
// VNNI: vector.transfer_write %{{.*}}, %[[EXCESS]]
// VNNI: vector.transfer_read %[[EXCESS]]
// VNNI: distaff.contract <add, region>
// VNNI: arith.subi
// CHECK: scf.for %[[W:[a-z0-9]+]] = %c0{{.*}} iter_args(
// CHECK: %[[L:.*]] = vector.transfer_read %[[ROWS]][%{{.*}}, %{{.*}}, %[[W]]]
// CHECK: %[[R:.*]] = vector.transfer_read %[[PANEL]][%{{.*}}, %[[W]], %{{.*}}, %{{.*}}]
// CHECK: distaff.contract <add, region> {{.*}} %[[L]], %[[R]],
// AVX2: distaff.packed_dot %{{.*}} as si16, %{{.*}} as si16 : i32 to i32
// VNNI: distaff.packed_dot %{{.*}} as ui8, %{{.*}} as si8 : i32 to i32
func.func @bytes(%a: memref<256x501xi8>, %b: memref<501x512xi8>, %r: memref<256x512xi32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c501 = arith.constant 501 : index
  %p = arith.constant 0 : i8
  %zero = arith.constant dense<0> : vector<4x16xi32>
  scf.forall (%y, %x) in (64, 32) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %s = scf.for %k = %c0 to %c501 step %c1 iter_args(%acc = %zero) -> (vector<4x16xi32>) {
      %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<256x501xi8>, vector<4x1xi8>
      %o = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<501x512xi8>, vector<1x16xi8>
      %v = arith.extsi %l : vector<4x1xi8> to vector<4x1xi32>
      %w = arith.extsi %o : vector<1x16xi8> to vector<1x16xi32>
      %t = vector.contract {indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (l, j)>, affine_map<(i, j, l) -> (i, j)>],
                            iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v, %w, %acc
          : vector<4x1xi32>, vector<1x16xi32> into vector<4x16xi32>
      scf.yield %t : vector<4x16xi32>
    }
    vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xi32>, memref<256x512xi32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @bytes__grid() -> (index, index, index) attributes {host} {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  return %c32, %c64, %c1 : index, index, index
}

// Halves without a sign are none that an instruction takes.
// CHECK-LABEL: func.func @no_sign(
// CHECK-NOT: distaff.
// CHECK: vector.contract
func.func @no_sign(%a: memref<256x501xi16>, %b: memref<501x512xi16>, %r: memref<256x512xi32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c501 = arith.constant 501 : index
  %p = arith.constant 0 : i16
  %zero = arith.constant dense<0> : vector<4x16xi32>
  scf.forall (%y, %x) in (64, 32) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %s = scf.for %k = %c0 to %c501 step %c1 iter_args(%acc = %zero) -> (vector<4x16xi32>) {
      %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<256x501xi16>, vector<4x1xi16>
      %o = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<501x512xi16>, vector<1x16xi16>
      %v = arith.extsi %l : vector<4x1xi16> to vector<4x1xi32>
      %w = arith.extui %o : vector<1x16xi16> to vector<1x16xi32>
      %t = vector.contract {indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (l, j)>, affine_map<(i, j, l) -> (i, j)>],
                            iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v, %w, %acc
          : vector<4x1xi32>, vector<1x16xi32> into vector<4x16xi32>
      scf.yield %t : vector<4x16xi32>
    }
    vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xi32>, memref<256x512xi32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @no_sign__grid() -> (index, index, index) attributes {host} {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  return %c32, %c64, %c1 : index, index, index
}

// What adds something in each step needs all of them.
// CHECK-LABEL: func.func @counted(
// CHECK-NOT: distaff.
// CHECK: vector.contract
func.func @counted(%a: memref<256x501xi8>, %b: memref<501x512xi8>, %r: memref<256x512xi32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c501 = arith.constant 501 : index
  %p = arith.constant 0 : i8
  %zero = arith.constant dense<0> : vector<4x16xi32>
  scf.forall (%y, %x) in (64, 32) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %s = scf.for %k = %c0 to %c501 step %c1 iter_args(%acc = %zero) -> (vector<4x16xi32>) {
      %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<256x501xi8>, vector<4x1xi8>
      %o = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<501x512xi8>, vector<1x16xi8>
      %v = arith.extsi %l : vector<4x1xi8> to vector<4x1xi32>
      %w = arith.extsi %o : vector<1x16xi8> to vector<1x16xi32>
      %t = vector.contract {indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (l, j)>, affine_map<(i, j, l) -> (i, j)>],
                            iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v, %w, %acc
          : vector<4x1xi32>, vector<1x16xi32> into vector<4x16xi32>
      %i = arith.index_cast %k : index to i32
      %f = vector.broadcast %i : i32 to vector<4x16xi32>
      %u = arith.addi %t, %f : vector<4x16xi32>
      scf.yield %u : vector<4x16xi32>
    }
    vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xi32>, memref<256x512xi32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @counted__grid() -> (index, index, index) attributes {host} {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  return %c32, %c64, %c1 : index, index, index
}

// Numbers of bf16 are rounded as the instruction likes.
// CHECK-LABEL: func.func @floats(
// VNNI: distaff.packed_dot %{{.*}} as bf16, %{{.*}} as bf16 : i32 to f32
// AVX2-NOT: distaff.
// AVX2: vector.contract
// STRICT-LABEL: func.func @floats(
// STRICT-NOT: distaff.
// STRICT: vector.contract
func.func @floats(%a: memref<256x501xbf16>, %b: memref<501x512xbf16>, %r: memref<256x512xf32> {iree.abi.output = 0 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c501 = arith.constant 501 : index
  %p = arith.constant 0.0 : bf16
  %zero = arith.constant dense<0.0> : vector<4x16xf32>
  scf.forall (%y, %x) in (64, 32) {
    %m = affine.apply affine_map<(d0) -> (d0 * 4)>(%y)
    %n = affine.apply affine_map<(d0) -> (d0 * 16)>(%x)
    %s = scf.for %k = %c0 to %c501 step %c1 iter_args(%acc = %zero) -> (vector<4x16xf32>) {
      %l = vector.transfer_read %a[%m, %k], %p {in_bounds = [true, true]} : memref<256x501xbf16>, vector<4x1xbf16>
      %o = vector.transfer_read %b[%k, %n], %p {in_bounds = [true, true]} : memref<501x512xbf16>, vector<1x16xbf16>
      %v = arith.extf %l : vector<4x1xbf16> to vector<4x1xf32>
      %w = arith.extf %o : vector<1x16xbf16> to vector<1x16xf32>
      %t = vector.contract {indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (l, j)>, affine_map<(i, j, l) -> (i, j)>],
                            iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v, %w, %acc
          : vector<4x1xf32>, vector<1x16xf32> into vector<4x16xf32>
      scf.yield %t : vector<4x16xf32>
    }
    vector.transfer_write %s, %r[%m, %n] {in_bounds = [true, true]} : vector<4x16xf32>, memref<256x512xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
func.func @floats__grid() -> (index, index, index) attributes {host} {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c1 = arith.constant 1 : index
  return %c32, %c64, %c1 : index, index, index
}
