// One tile of C = A * B, f16 x f16 -> f32: one of the ways of docs/Specialization.md
// to say it, which all take the same arguments and give equal bits:
//
//   arg0, arg1   1x256xK and 1xKx128, K a multiple of 32
//   arg2         1x256x128, overwritten
//   arg3         which subgroup the second cluster begins with: 1 to 7 of the 8
//                of 32 lanes, 1 to 3 of the 4 of 64
//   arg4         the number of panels, K / 32

#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1]>
#sg  = #iree_gpu.subgroup_scope
!GA = !pcf.sref<1x256x?xf16, #sg>
!GB = !pcf.sref<1x?x128xf16, #sg>
!GC = !pcf.sref<1x256x128xf32, sync(#sg)>
!T0 = !pcf.threadgroup<#sg>
!T1 = !pcf.threadgroup<#sg, {tensor<1x256x128xf32>}>
!PA = !pcf.sref<1x256x32xf16, #sg>
!PB = !pcf.sref<1x32x128xf16, #sg>

// Everybody copies a panel of each operand, then everybody computes.
func.func @panels(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
    %p: index, %nk: index) -> tensor<1x256x128xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !PA   %b = pcf.alloc() : !PB   pcf.yield %a, %b : !PA, !PB } -> (%pa: !PA, %pb: !PB)
    execute(%A <- %lhs : tensor<1x256x?xf16>, %B <- %rhs : tensor<1x?x128xf16>, %O = %out3)[%tg: !pcf.threadgroup<#sg>]
    : (!GA, !GB, !GC) -> (tensor<1x256x128xf32>) {
    %acc0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<1x256x128xf32>
      pcf.cluster_yield %z : tensor<1x256x128xf32> } : (!T0) -> !T1
    %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%it = %acc0) -> (!T1) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %ko = arith.muli %k, %c32 : index
        %a = pcf.read_slice %A[0, 0, %ko] [1, 256, 32] [1, 1, 1] : !GA to tensor<1x256x32xf16>
        %b = pcf.read_slice %B[0, %ko, 0] [1, 32, 128] [1, 1, 1] : !GB to tensor<1x32x128xf16>
        pcf.write_slice %a into %pa[0, 0, 0] [1, 256, 32] [1, 1, 1] : tensor<1x256x32xf16> into !PA
        pcf.write_slice %b into %pb[0, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<1x32x128xf16> into !PB
        pcf.cluster_yield } : (!T0)
      pcf.barrier(#sg) fence(%pa, %pb) : !PA, !PB
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<1x256x128xf32>) {
        %a = pcf.read_slice %pa[0, 0, 0] [1, 256, 32] [1, 1, 1] : !PA to tensor<1x256x32xf16>
        %b = pcf.read_slice %pb[0, 0, 0] [1, 32, 128] [1, 1, 1] : !PB to tensor<1x32x128xf16>
        %m = linalg.batch_matmul ins(%a, %b : tensor<1x256x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x256x128xf32>) -> tensor<1x256x128xf32>
        pcf.cluster_yield %m : tensor<1x256x128xf32> } : (!T1) -> !T1
      pcf.barrier(#sg) fence(%pa, %pb) : !PA, !PB
      scf.yield %n : !T1 }
    pcf.shared_executor.run_cluster(%acc)[] (%x: tensor<1x256x128xf32>) {
      pcf.write_slice %x into %O[0, 0, 0] [1, 256, 128] [1, 1, 1] : tensor<1x256x128xf32> into !GC
      pcf.cluster_yield } : (!T1)
    pcf.return
  }
  return %res : tensor<1x256x128xf32>
}
