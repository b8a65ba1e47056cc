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
!P  = !pcf.cluster<#sg, (0 -> d0), ws.prod>
!C  = !pcf.cluster<#sg, (d0 -> s0), ws.cons>
!CA = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<1x256x128xf32>}, ws.cons>

// Some move the next panel while the others compute.
func.func @producer_consumer(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
    %p: index, %nk: index) -> tensor<1x256x128xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !LA   %b = pcf.alloc() : !LB   pcf.yield %a, %b : !LA, !LB } -> (%la: !LA, %lb: !LB)
    execute(%A <- %lhs : tensor<1x256x?xf16>, %B <- %rhs : tensor<1x?x128xf16>, %O = %out3)[%tg: !pcf.threadgroup<#sg>]
    : (!GA, !GB, !GC) -> (tensor<1x256x128xf32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%p]] (%prod: !P, %cons: !C) {
      %acc0 = pcf.shared_executor.run_cluster(%cons)[%p] () {
        %z = arith.constant dense<0.0> : tensor<1x256x128xf32>
        pcf.cluster_yield %z : tensor<1x256x128xf32> } : (!C) -> !CA
      pcf.shared_executor.run_cluster(%prod)[%p] () {                            // panel 0 -> slot 0
        %a = pcf.read_slice %A[0, 0, 0] [1, 256, 32] [1, 1, 1] : !GA to tensor<1x256x32xf16>
        %b = pcf.read_slice %B[0, 0, 0] [1, 32, 128] [1, 1, 1] : !GB to tensor<1x32x128xf16>
        pcf.write_slice %a into %la[0, 0, 0] [1, 256, 32] [1, 1, 1] : tensor<1x256x32xf16> into !LA
        pcf.write_slice %b into %lb[0, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<1x32x128xf16> into !LB
        pcf.cluster_yield } : (!P)
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%it = %acc0) -> (!CA) {
        %cur = arith.remui %k, %c2 : index   %k1 = arith.addi %k, %c1 : index   %nxt = arith.remui %k1, %c2 : index
        %more = arith.cmpi ult, %k1, %nk : index
        pcf.shared_executor.run_cluster(%prod)[%p] () {
          scf.if %more {
            %ko = arith.muli %k1, %c32 : index
            %a = pcf.read_slice %A[0, 0, %ko] [1, 256, 32] [1, 1, 1] : !GA to tensor<1x256x32xf16>
            %b = pcf.read_slice %B[0, %ko, 0] [1, 32, 128] [1, 1, 1] : !GB to tensor<1x32x128xf16>
            pcf.write_slice %a into %la[%nxt, 0, 0] [1, 256, 32] [1, 1, 1] : tensor<1x256x32xf16> into !LA
            pcf.write_slice %b into %lb[%nxt, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<1x32x128xf16> into !LB
          }
          pcf.cluster_yield } : (!P)
        %n = pcf.shared_executor.run_cluster(%it)[%p] (%x: tensor<1x256x128xf32>) {
          %a = pcf.read_slice %la[%cur, 0, 0] [1, 256, 32] [1, 1, 1] : !LA to tensor<1x256x32xf16>
          %b = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
          %m = linalg.batch_matmul ins(%a, %b : tensor<1x256x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x256x128xf32>) -> tensor<1x256x128xf32>
          pcf.cluster_yield %m : tensor<1x256x128xf32> } : (!CA) -> !CA
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        scf.yield %n : !CA }
      pcf.shared_executor.run_cluster(%acc)[%p] (%x: tensor<1x256x128xf32>) {
        pcf.write_slice %x into %O[0, 0, 0] [1, 256, 128] [1, 1, 1] : tensor<1x256x128xf32> into !GC
        pcf.cluster_yield } : (!CA)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %res : tensor<1x256x128xf32>
}
