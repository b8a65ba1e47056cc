// More tiles along y than a grid can have there are counted along x, whatever number of workgroups is asked for.
//
// RUN: distaff compile %s --target sm_80 --pipeline run-cluster --stop-after tile --emit mlir | FileCheck %s
// RUN: distaff compile %s --target sm_80 --pipeline run-cluster --emit ptx -o %t.ptx
//
// CHECK: pcf.loop scope(#iree_codegen.workgroup_scope) count(%{{[^,)]*}}) execute
#config = #iree_gpu.lowering_config<{workgroup = [16, 16, 0], subgroup = [16, 16, 0], reduction = [0, 0, 8], resident = 200000}>
func.func @k(%a: tensor<1120000x8xf32>, %b: tensor<8x32xf32>) -> tensor<1120000x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1120000x32xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<1120000x32xf32>) -> tensor<1120000x32xf32>
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<1120000x8xf32>, tensor<8x32xf32>) outs(%c : tensor<1120000x32xf32>) -> tensor<1120000x32xf32>
  return %d : tensor<1120000x32xf32>
}
