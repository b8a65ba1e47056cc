// RUN: distaff compile %s --func full --target sm_80 --emit llvm -o - | FileCheck %s --check-prefix=FULL
// RUN: distaff compile %s --func full --target sm_80 --emit ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: distaff compile %s --func little --target sm_80 --emit llvm -o - | FileCheck %s --check-prefix=LITTLE

// VX-281: of a loop of which a turn fills most of what a lane may have, ptxas is told to
// unroll none: it would load what several turns need before the first one. Elements behind
// a last row are read under a condition, so that all of a turn's are there at once: of the
// 128 registers of a lane of 512, 32 elements and 32 partial maxima.
#launch = #iree_codegen.translation_info<workgroup_size = [512, 1, 1] subgroup_size = 32>

// FULL: br i1 {{.*}}, !llvm.loop [[LOOP:!.*]]
// FULL: [[LOOP]] = distinct !{[[LOOP]], [[ROLLED:!.*]]}
// FULL: [[ROLLED]] = !{!"llvm.loop.unroll.disable"}
// PTX: .pragma "nounroll";
func.func @full(%x: tensor<9323x64xf32>) -> tensor<9323x64xf32> attributes {translation_info = #launch} {
  %init = tensor.empty() : tensor<9323x64xf32>
  %0 = linalg.softmax {lowering_config = #iree_gpu.lowering_config<{workgroup = [0, 8], reduction = [2048, 0]}>}
      dimension(0) ins(%x : tensor<9323x64xf32>) outs(%init : tensor<9323x64xf32>) -> tensor<9323x64xf32>
  return %0 : tensor<9323x64xf32>
}

// LITTLE: br i1
// LITTLE-NOT: llvm.loop.unroll.disable
func.func @little(%x: tensor<9323x64xf32>) -> tensor<9323x64xf32> attributes {translation_info = #launch} {
  %init = tensor.empty() : tensor<9323x64xf32>
  %0 = linalg.softmax {lowering_config = #iree_gpu.lowering_config<{workgroup = [0, 8], reduction = [512, 0]}>}
      dimension(0) ins(%x : tensor<9323x64xf32>) outs(%init : tensor<9323x64xf32>) -> tensor<9323x64xf32>
  return %0 : tensor<9323x64xf32>
}
