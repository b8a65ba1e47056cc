// memref.copy is done by all lanes together, a part each (VX-75, VX-76, VX-94): whole
// buffers, strided parts, into workgroup memory and out of it turned, larger than a
// step, of dynamic extents, in a loop.
// RUN: distaff run %s --target sm_80 --func whole --check --every-stage | FileCheck %s
// RUN: distaff run %s --target sm_80 --func through_workgroup_memory --check --every-stage | FileCheck %s
// RUN: distaff run %s --target sm_80 --func through_workgroup_memory --device ptx --check
// RUN: distaff run %s --target sm_80 --func large --check --every-stage | FileCheck %s
// RUN: distaff run %s --target gfx942 --func dynamic --shape arg0=7x1030 --shape arg1=7x1030 --check --every-stage | FileCheck %s
// RUN: distaff run %s --target sm_80 --func parts --check --every-stage | FileCheck %s
// CHECK: distribute {{.*}} ok
// CHECK: lower {{.*}} ok
// CHECK: convert {{.*}} ok

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#space = #gpu.address_space<workgroup>
func.func @whole(%a: memref<16x32xf16>, %o: memref<16x32xf16>) attributes {translation_info = #info} {
  memref.copy %a, %o : memref<16x32xf16> to memref<16x32xf16>
  return
}

func.func @through_workgroup_memory(%a: memref<3x16x32xf32>, %o: memref<3x32x16xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<16x32xf32, #space>
  scf.for %i = %c0 to %c3 step %c1 {
    %v = memref.subview %a[%i, 0, 0] [1, 16, 32] [1, 1, 1] : memref<3x16x32xf32> to memref<16x32xf32, strided<[32, 1], offset: ?>>
    memref.copy %v, %s : memref<16x32xf32, strided<[32, 1], offset: ?>> to memref<16x32xf32, #space>
    %x = vector.transfer_read %s[%c0, %c0], %z {in_bounds = [true, true], permutation_map = affine_map<(r, c) -> (c, r)>} : memref<16x32xf32, #space>, vector<32x16xf32>
    vector.transfer_write %x, %o[%i, %c0, %c0] {in_bounds = [true, true]} : vector<32x16xf32>, memref<3x32x16xf32>
  }
  return
}

func.func @large(%a: memref<3x1100x3xi8>, %o: memref<3x1100x3xi8>) attributes {translation_info = #info} {
  memref.copy %a, %o : memref<3x1100x3xi8> to memref<3x1100x3xi8>
  return
}

func.func @dynamic(%a: memref<?x?xf32>, %o: memref<?x?xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 64>} {
  memref.copy %a, %o : memref<?x?xf32> to memref<?x?xf32>
  return
}

func.func @parts(%a: memref<16x32xf32>, %o: memref<20x40xf32>) attributes {translation_info = #info} {
  %v = memref.subview %a[1, 2] [7, 9] [2, 3] : memref<16x32xf32> to memref<7x9xf32, strided<[64, 3], offset: 34>>
  %w = memref.subview %o[3, 5] [7, 9] [1, 2] : memref<20x40xf32> to memref<7x9xf32, strided<[40, 2], offset: 125>>
  memref.copy %v, %w : memref<7x9xf32, strided<[64, 3], offset: 34>> to memref<7x9xf32, strided<[40, 2], offset: 125>>
  return
}
