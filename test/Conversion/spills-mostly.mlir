// RUN: timeout 60 distaff compile %s --target gfx942 --emit gcn -o - 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAYS < %t.err

// Of 1,100 registers per lane most have to be spilled: said, and done in seconds.
// LLVM took minutes to choose which.

// SAYS: warning: {{.*}}registers
// CHECK: .private_segment_fixed_size: {{[1-9][0-9]+}}

#map = affine_map<(d0) -> (d0 * 33)>
#translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 64>
module {
  func.func @softmax(%arg0: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> attributes {translation_info = #translation_info} {
    %cst = arith.constant dense<0.000000e+00> : vector<33xf32>
    %cst_0 = arith.constant dense<0xFFC00000> : vector<33xf32>
    %c0 = arith.constant 0 : index
    %0 = tensor.empty() : tensor<1024x4096xf32>
    %1 = scf.forall (%arg1) in (256) shared_outs(%arg2 = %0) -> (tensor<1024x4096xf32>) {
      %2 = affine.apply #map(%arg1)
      %3 = tensor.empty() : tensor<33x4096xf32>
      %cst_1 = arith.constant 0.000000e+00 : f32
      %4 = vector.transfer_read %arg0[%2, %c0], %cst_1 {in_bounds = [true, true]} : tensor<1024x4096xf32>, vector<33x4096xf32>
      %5 = vector.multi_reduction <maxnumf>, %4, %cst_0 [1] : vector<33x4096xf32> to vector<33xf32>
      %6 = vector.broadcast %5 : vector<33xf32> to vector<4096x33xf32>
      %7 = vector.transpose %6, [1, 0] : vector<4096x33xf32> to vector<33x4096xf32>
      %8 = arith.subf %4, %7 : vector<33x4096xf32>
      %9 = math.exp %8 : vector<33x4096xf32>
      %10 = vector.multi_reduction <add>, %9, %cst [1] : vector<33x4096xf32> to vector<33xf32>
      %11 = vector.broadcast %10 : vector<33xf32> to vector<4096x33xf32>
      %12 = vector.transpose %11, [1, 0] : vector<4096x33xf32> to vector<33x4096xf32>
      %13 = arith.divf %9, %12 : vector<33x4096xf32>
      %14 = vector.transfer_write %13, %3[%c0, %c0] {in_bounds = [true, true]} : vector<33x4096xf32>, tensor<33x4096xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %14 into %arg2[%2, 0] [33, 4096] [1, 1] : tensor<33x4096xf32> into tensor<1024x4096xf32>
      }
    } {mapping = [#gpu.block<x>]}
    return %1 : tensor<1024x4096xf32>
  }
  func.func @softmax__grid() -> (index, index, index) attributes {host} {
    %c256 = arith.constant 256 : index
    %c1 = arith.constant 1 : index
    %c1_0 = arith.constant 1 : index
    return %c256, %c1, %c1_0 : index, index, index
  }
}
