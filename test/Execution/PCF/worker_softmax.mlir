// RUN: distaff run %s --target sm_80 --pipeline run-cluster --check --every-stage | FileCheck %s
// RUN: distaff run %s --target gfx942 --pipeline run-cluster --check | FileCheck %s --check-prefix=LOWER
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --check --device ptx | FileCheck %s --check-prefix=PTX

// PCF-123, PCF-155: each subgroup computes the softmax of its rows, which are fewer for the last one. The
// maxima and sums that a softmax is made of have as many elements as the rows, whose number is
// bounded where they are read.
// CHECK: distribute-lanes {{.*}} ok
// CHECK: convert {{.*}} ok
// LOWER: lower {{.*}} ok
// PTX: ptx {{.*}} ok

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>
!rows = !pcf.sref<61x40xf32, #sg>
!results = !pcf.sref<61x40xf32, sync(#sg)>
func.func @softmax_of_rows(%x: tensor<61x40xf32>, %o: tensor<61x40xf32>) -> tensor<61x40xf32> attributes {translation_info = #launch} {
  %c61 = arith.constant 61 : index
  %r = pcf.generic scope(#sg) execute(%X <- %x : tensor<61x40xf32>, %O = %o)[%id: index, %n: index] : (!rows, !results) -> (tensor<61x40xf32>) {
    %rows = arith.ceildivui %c61, %n : index
    %at = arith.muli %id, %rows : index
    %begin = arith.minui %at, %c61 : index
    %left = arith.subi %c61, %begin : index
    %size = arith.minui %rows, %left : index
    %a = pcf.read_slice %X[%begin, 0] [%size, 40] [1, 1] : !rows to tensor<?x40xf32>
    %e = tensor.empty(%size) : tensor<?x40xf32>
    %p = linalg.softmax dimension(1) ins(%a : tensor<?x40xf32>) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
    pcf.write_slice %p into %O[%begin, 0] [%size, 40] [1, 1] : tensor<?x40xf32> into !results
    pcf.return
  }
  return %r : tensor<61x40xf32>
}
