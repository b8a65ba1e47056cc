// RUN: distaff-opt %s --distaff-distribute=strict-fp --verify-diagnostics

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
// A sum of exponentials has no order that strict floats could keep (VX-87, VX-124).
func.func @logsumexp(%x: memref<32xf32>, %y: memref<32xf32>, %z: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %1 = vector.transfer_read %y[%c0], %p {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %a = iree_vector_ext.to_layout %0 to layout(#line) : vector<32xf32>
  %b = iree_vector_ext.to_layout %1 to layout(#line) : vector<32xf32>
  // expected-error @+1 {{'distaff.contract' op adds exponentials relative to the largest, which is no order of the source; strict-fp keeps that order}}
  %d = distaff.contract <logsumexp, add> {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} %a, %b, %p : vector<32xf32>, vector<32xf32> into f32
  memref.store %d, %z[] : memref<f32>
  return
}
