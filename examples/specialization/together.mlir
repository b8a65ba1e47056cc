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
!LA = !pcf.sref<2x256x32xf16, #sg>
!LB = !pcf.sref<2x32x128xf16, #sg>
!T0 = !pcf.threadgroup<#sg>
!T1 = !pcf.threadgroup<#sg, {tensor<1x256x128xf32>}>
!T3 = !pcf.threadgroup<#sg, {tensor<1x256x128xf32>, tensor<1x256x32xf16>, tensor<1x32x128xf16>}>

// Everybody moves the next panel and loads this one, then everybody computes.
func.func @together(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
    %p: index, %nk: index) -> tensor<1x256x128xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !LA   %b = pcf.alloc() : !LB   pcf.yield %a, %b : !LA, !LB } -> (%la: !LA, %lb: !LB)
    execute(%A <- %lhs : tensor<1x256x?xf16>, %B <- %rhs : tensor<1x?x128xf16>, %O = %out3)[%tg: !pcf.threadgroup<#sg>]
    : (!GA, !GB, !GC) -> (tensor<1x256x128xf32>) {
    %acc0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %a = pcf.read_slice %A[0, 0, 0] [1, 256, 32] [1, 1, 1] : !GA to tensor<1x256x32xf16>
      %b = pcf.read_slice %B[0, 0, 0] [1, 32, 128] [1, 1, 1] : !GB to tensor<1x32x128xf16>
      pcf.write_slice %a into %la[0, 0, 0] [1, 256, 32] [1, 1, 1] : tensor<1x256x32xf16> into !LA
      pcf.write_slice %b into %lb[0, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<1x32x128xf16> into !LB
      %z = arith.constant dense<0.0> : tensor<1x256x128xf32>
      pcf.cluster_yield %z : tensor<1x256x128xf32> } : (!T0) -> !T1
    pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
    %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%it = %acc0) -> (!T1) {
      %cur = arith.remui %k, %c2 : index   %k1 = arith.addi %k, %c1 : index   %nxt = arith.remui %k1, %c2 : index
      %more = arith.cmpi ult, %k1, %nk : index   %ko = arith.muli %k1, %c32 : index
      %ops = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<1x256x128xf32>) {                       // M(k)
        scf.if %more {
          %a = pcf.read_slice %A[0, 0, %ko] [1, 256, 32] [1, 1, 1] : !GA to tensor<1x256x32xf16>
          %b = pcf.read_slice %B[0, %ko, 0] [1, 32, 128] [1, 1, 1] : !GB to tensor<1x32x128xf16>
          pcf.write_slice %a into %la[%nxt, 0, 0] [1, 256, 32] [1, 1, 1] : tensor<1x256x32xf16> into !LA
          pcf.write_slice %b into %lb[%nxt, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<1x32x128xf16> into !LB
        }
        %av = pcf.read_slice %la[%cur, 0, 0] [1, 256, 32] [1, 1, 1] : !LA to tensor<1x256x32xf16>
        %bv = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
        pcf.cluster_yield %x, %av, %bv : tensor<1x256x128xf32>, tensor<1x256x32xf16>, tensor<1x32x128xf16> } : (!T1) -> !T3
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %n = pcf.shared_executor.run_cluster(%ops)[] (%x: tensor<1x256x128xf32>, %a: tensor<1x256x32xf16>, %b: tensor<1x32x128xf16>) {   // C(k)
        %y = linalg.batch_matmul ins(%a, %b : tensor<1x256x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x256x128xf32>) -> tensor<1x256x128xf32>
        pcf.cluster_yield %y : tensor<1x256x128xf32> } : (!T3) -> !T1
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      scf.yield %n : !T1 }
    pcf.shared_executor.run_cluster(%acc)[] (%x: tensor<1x256x128xf32>) {
      pcf.write_slice %x into %O[0, 0, 0] [1, 256, 128] [1, 1, 1] : tensor<1x256x128xf32> into !GC
      pcf.cluster_yield } : (!T1)
    pcf.return
  }
  return %res : tensor<1x256x128xf32>
}
