// A user's code of a lane, between to_simt and to_simd, is what the elementwise ops are
// of the whole (VX-12, VX-65): two operands laid out alike, constants, scalars, a
// comparison and a select, in a loop; what is put together has the layout of the parts.
// RUN: distaff run %s --target sm_80 --func of_a_lane --output arg2=%t.lane.npy
// RUN: distaff run %s --target sm_80 --func of_the_whole --output arg2=%t.whole.npy
// RUN: cmp %t.lane.npy %t.whole.npy
// RUN: distaff run %s --target sm_80 --func of_a_lane --device ptx --output arg2=%t.ptx.npy
// RUN: cmp %t.ptx.npy %t.whole.npy
// A part in its collapsed shape, the layout's 2x16, is the same (VX-12).
// RUN: distaff run %s --target gfx942 --func collapsed --output arg1=%t.collapsed.npy
// RUN: distaff run %s --target gfx942 --func not_collapsed --output arg1=%t.not_collapsed.npy
// RUN: cmp %t.collapsed.npy %t.not_collapsed.npy
// VX-200: at every stage, the first ones evaluated as the code of all lanes.
// RUN: distaff run %s --target sm_80 --func of_a_lane --check --every-stage | FileCheck %s --check-prefix=STAGES
// RUN: distaff run %s --target gfx942 --func collapsed --check --every-stage | FileCheck %s --check-prefix=STAGES
// RUN: distaff run %s --target host --func of_a_lane --check --every-stage | FileCheck %s --check-prefix=HOST
// STAGES: input {{.*}} ok
// STAGES: tile {{.*}} ok
// STAGES: convert {{.*}} ok
// HOST: input {{.*}} ok
// HOST: bufferize {{.*}} ok
// VX-201: on a CPU.
// RUN: distaff run %s --target host --device host --func of_a_lane --output arg2=%t.host.npy
// RUN: cmp %t.host.npy %t.whole.npy
// RUN: distaff run %s --target host --device host --func collapsed --output arg1=%t.collapsed.npy
// RUN: cmp %t.collapsed.npy %t.not_collapsed.npy
// RUN: distaff compile %s --target sm_80 --func of_a_lane --stop-after=distribute | FileCheck %s --implicit-check-not=to_sim
// CHECK-LABEL: gpu.func @of_a_lane
// CHECK: arith.cmpf ogt, %{{.*}} : vector<1x1x1x1x1x4xf32>

#L = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [4, 1]>
#M = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [4, 1], subgroup_strides = [0, 1], thread_strides = [1, 4]>
#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @of_a_lane(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %o: memref<16x16xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %s = arith.constant 1.5 : f32
  %x0 = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %y0 = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x0) -> (vector<16x16xf32>) {
    %x = iree_vector_ext.to_layout %v to layout(#L) : vector<16x16xf32>
    %y = iree_vector_ext.to_layout %y0 to layout(#L) : vector<16x16xf32>
    %k = arith.constant dense<0.25> : vector<1x1x1x1x1x4xf32>
    %p = iree_vector_ext.to_simt %x : vector<16x16xf32> -> vector<1x1x1x1x1x4xf32>
    %q = iree_vector_ext.to_simt %y : vector<16x16xf32> -> vector<1x1x1x1x1x4xf32>
    %f = vector.broadcast %s : f32 to vector<1x1x1x1x1x4xf32>
    %m = arith.mulf %p, %f : vector<1x1x1x1x1x4xf32>
    %n = arith.addf %m, %k : vector<1x1x1x1x1x4xf32>
    %c = arith.cmpf ogt, %n, %q : vector<1x1x1x1x1x4xf32>
    %e0 = arith.select %c, %n, %q : vector<1x1x1x1x1x4xi1>, vector<1x1x1x1x1x4xf32>
    // Under another shape they are the same registers.
    %e1 = vector.shape_cast %e0 : vector<1x1x1x1x1x4xf32> to vector<2x2xf32>
    %e2 = arith.maximumf %e1, %e1 : vector<2x2xf32>
    %e = vector.shape_cast %e2 : vector<2x2xf32> to vector<1x1x1x1x1x4xf32>
    %w = iree_vector_ext.to_simd %e : vector<1x1x1x1x1x4xf32> -> vector<16x16xf32>
    %u = iree_vector_ext.to_layout %w to layout(#M) : vector<16x16xf32>
    scf.yield %u : vector<16x16xf32>
  }
  vector.transfer_write %r, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

func.func @of_the_whole(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %o: memref<16x16xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %f = arith.constant dense<1.5> : vector<16x16xf32>
  %k = arith.constant dense<0.25> : vector<16x16xf32>
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %y = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> (vector<16x16xf32>) {
    %m = arith.mulf %v, %f : vector<16x16xf32>
    %n = arith.addf %m, %k : vector<16x16xf32>
    %e = arith.maximumf %n, %y : vector<16x16xf32>
    scf.yield %e : vector<16x16xf32>
  }
  vector.transfer_write %r, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// The layout of the attribute's documentation: 2x4x1x1x1x4 elements, collapsed 2x16.
#D = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [1, 16]>
#wide = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 64>
func.func @collapsed(%a: memref<64x64xf16>, %o: memref<64x64xf16>) attributes {translation_info = #wide} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %r = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %x = iree_vector_ext.to_layout %r to layout(#D) : vector<64x64xf16>
  %p = iree_vector_ext.to_simt %x : vector<64x64xf16> -> vector<2x16xf16>
  %k = arith.constant dense<2.0> : vector<2x16xf16>
  %m = arith.mulf %p, %k : vector<2x16xf16>
  %n = arith.addf %m, %p : vector<2x16xf16>
  %w = iree_vector_ext.to_simd %n : vector<2x16xf16> -> vector<64x64xf16>
  vector.transfer_write %w, %o[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf16>, memref<64x64xf16>
  return
}

func.func @not_collapsed(%a: memref<64x64xf16>, %o: memref<64x64xf16>) attributes {translation_info = #wide} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %r = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %k = arith.constant dense<2.0> : vector<64x64xf16>
  %m = arith.mulf %r, %k : vector<64x64xf16>
  %n = arith.addf %m, %r : vector<64x64xf16>
  vector.transfer_write %n, %o[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf16>, memref<64x64xf16>
  return
}
