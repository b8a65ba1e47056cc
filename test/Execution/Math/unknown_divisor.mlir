// RUN: not distaff run %s --target sm_80 --check --stop-after=input 2>&1 | FileCheck %s
// Nothing is known of what divides: neither that it is infinite, nor the quotient.
// CHECK: bound INF  undecided
// CHECK-NOT: MISMATCH
#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [4], subgroup_strides = [0], thread_strides = [1]>
func.func @f(%a: memref<128xf16>, %o: memref<1xf16>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %x = arith.constant dense<[-40000.0, -39968.0, 40000.0, 40000.0]> : vector<4xf16>
  %one = arith.constant 1.0 : f16
  %s = vector.multi_reduction <add>, %x, %z [0] : vector<4xf16> to f16
  %e = math.exp %s : f16
  %f = math.exp %e : f16
  %q = arith.divf %one, %f : f16
  memref.store %q, %o[%c0] : memref<1xf16>
  return
}
