// The costs of the table choose the instruction and how often it is unrolled, explain
// names both and the dearer one, and that many are run, with the right sums (VX-125). On
// sm_75, which has no m16n8k16, the other one is left, twice as many times.
// RUN: distaff explain %s --target sm_80 | FileCheck %s --check-prefix=AMPERE
// AMPERE: contraction {{.*}}: m16n8k16 f16, subgroups 1x1x1 (cost [[#]]) over m16n8k8 f16, subgroups 1x1x1 (the kernel would cost [[#DEARER:]] instead of [[#]])
// AMPERE: vector.contract: 8 NV_MMA_SYNC_F32_16x8x16_F16
// RUN: distaff run %s --target sm_80 --counters --check --every-stage --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 | FileCheck %s --check-prefix=EIGHT
// RUN: distaff run %s --target sm_80 --device ptx --check --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3
// EIGHT: convert {{.*}} ok
// EIGHT: mma                   8
// RUN: distaff explain %s --target sm_75 | FileCheck %s --check-prefix=TURING
// TURING: contraction {{.*}}: m16n8k8 f16, subgroups 1x1x1 (cost
// TURING-NOT: m16n8k16
// TURING: vector.contract: 16 NV_MMA_SYNC_F32_16x8x8_F16
// RUN: distaff run %s --target sm_75 --counters --check --every-stage --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 | FileCheck %s --check-prefix=SIXTEEN
// SIXTEEN: convert {{.*}} ok
// SIXTEEN: mma                   16

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @product(%a: memref<32x32xf16>, %b: memref<32x16xf16>, %o: memref<32x16xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x16xf32>
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %y = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x16xf16>, vector<32x16xf16>
  %r = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %zero : vector<32x32xf16>, vector<32x16xf16> into vector<32x16xf32>
  vector.transfer_write %r, %o[%c0, %c0] {in_bounds = [true, true]} : vector<32x16xf32>, memref<32x16xf32>
  return
}
