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

// Producers and consumers written for each subgroup: two loops, whose barriers pair
// up only as long as there are equally many of them.
func.func @by_hand(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
    %p: index, %nk: index) -> tensor<1x256x128xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %res = pcf.generic scope(#sg)
    initialize { %a = pcf.alloc() : !LA   %b = pcf.alloc() : !LB   pcf.yield %a, %b : !LA, !LB } -> (%la: !LA, %lb: !LB)
    execute(%A <- %lhs : tensor<1x256x?xf16>, %B <- %rhs : tensor<1x?x128xf16>, %O = %out3)[%id: index, %n: index]
    : (!GA, !GB, !GC) -> (tensor<1x256x128xf32>) {
    %produces = arith.cmpi ult, %id, %p : index
    scf.if %produces {
      // This producer's rows of A's panel, and of B's; none for the last ones where it does not come out even.
      %arows = arith.ceildivui %c256, %p : index   %abegin = arith.muli %id, %arows : index   %ao = arith.minui %abegin, %c256 : index
      %aleft = arith.subi %c256, %ao : index       %as = arith.minui %arows, %aleft : index
      %brows = arith.ceildivui %c32, %p : index    %bbegin = arith.muli %id, %brows : index   %bo = arith.minui %bbegin, %c32 : index
      %bleft = arith.subi %c32, %bo : index        %bs = arith.minui %brows, %bleft : index
      %a0 = pcf.read_slice %A[0, %ao, 0] [1, %as, 32] [1, 1, 1] : !GA to tensor<1x?x32xf16>
      %b0 = pcf.read_slice %B[0, %bo, 0] [1, %bs, 128] [1, 1, 1] : !GB to tensor<1x?x128xf16>
      pcf.write_slice %a0 into %la[0, %ao, 0] [1, %as, 32] [1, 1, 1] : tensor<1x?x32xf16> into !LA
      pcf.write_slice %b0 into %lb[0, %bo, 0] [1, %bs, 128] [1, 1, 1] : tensor<1x?x128xf16> into !LB
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      scf.for %k = %c0 to %nk step %c1 {
        %k1 = arith.addi %k, %c1 : index   %nxt = arith.remui %k1, %c2 : index
        %more = arith.cmpi ult, %k1, %nk : index
        scf.if %more {
          %ko = arith.muli %k1, %c32 : index   %bk = arith.addi %ko, %bo : index
          %a = pcf.read_slice %A[0, %ao, %ko] [1, %as, 32] [1, 1, 1] : !GA to tensor<1x?x32xf16>
          %b = pcf.read_slice %B[0, %bk, 0] [1, %bs, 128] [1, 1, 1] : !GB to tensor<1x?x128xf16>
          pcf.write_slice %a into %la[%nxt, %ao, 0] [1, %as, 32] [1, 1, 1] : tensor<1x?x32xf16> into !LA
          pcf.write_slice %b into %lb[%nxt, %bo, 0] [1, %bs, 128] [1, 1, 1] : tensor<1x?x128xf16> into !LB
        }
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      }
    } else {
      // This consumer's rows of the result.
      %c = arith.subi %id, %p : index            %nc = arith.subi %n, %p : index
      %rows = arith.ceildivui %c256, %nc : index   %begin = arith.muli %c, %rows : index   %o = arith.minui %begin, %c256 : index
      %left = arith.subi %c256, %o : index         %s = arith.minui %rows, %left : index
      %e = tensor.empty(%s) : tensor<1x?x128xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x?x128xf32>) -> tensor<1x?x128xf32>
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %z) -> (tensor<1x?x128xf32>) {
        %cur = arith.remui %k, %c2 : index
        %a = pcf.read_slice %la[%cur, %o, 0] [1, %s, 32] [1, 1, 1] : !LA to tensor<1x?x32xf16>
        %b = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
        %y = linalg.batch_matmul ins(%a, %b : tensor<1x?x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x?x128xf32>) -> tensor<1x?x128xf32>
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        scf.yield %y : tensor<1x?x128xf32>
      }
      pcf.write_slice %acc into %O[0, %o, 0] [1, %s, 128] [1, 1, 1] : tensor<1x?x128xf32> into !GC
    }
    pcf.return
  }
  return %res : tensor<1x256x128xf32>
}
