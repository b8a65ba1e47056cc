// A product that is added to what its result begins with, an argument: in one cluster, behind producers, and in halves that take turns; and
// the argument is as it was.
//
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize none --check --shape arg0=1x256x96 --shape arg1=1x96x128 --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 --input arg2=whole:3:-9:9 --input arg3=4 --input arg4=3 --output arg2=%t.none.npy --output res0=%t.none.res.npy
// RUN: %python -c "import sys; sys.path.insert(0, '%S/Inputs/../../Inputs'); import npy, pathlib; c, d = (npy.read(pathlib.Path(p), 'f32') for p in ('%t.none.npy', '%t.none.res.npy')); assert max(map(abs, c)) <= 9 and c != d"
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize none --check --device ptx --shape arg0=1x256x96 --shape arg1=1x96x128 --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 --input arg2=whole:3:-9:9 --input arg3=4 --input arg4=3 --output arg2=%t.none.npy --output res0=%t.none.res.npy
// RUN: %python -c "import sys; sys.path.insert(0, '%S/Inputs/../../Inputs'); import npy, pathlib; c, d = (npy.read(pathlib.Path(p), 'f32') for p in ('%t.none.npy', '%t.none.res.npy')); assert max(map(abs, c)) <= 9 and c != d"
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize producer-consumer --check --shape arg0=1x256x96 --shape arg1=1x96x128 --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 --input arg2=whole:3:-9:9 --input arg3=4 --input arg4=3 --output arg2=%t.producer-consumer.npy --output res0=%t.producer-consumer.res.npy
// RUN: %python -c "import sys; sys.path.insert(0, '%S/Inputs/../../Inputs'); import npy, pathlib; c, d = (npy.read(pathlib.Path(p), 'f32') for p in ('%t.producer-consumer.npy', '%t.producer-consumer.res.npy')); assert max(map(abs, c)) <= 9 and c != d"
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize producer-consumer --check --device ptx --shape arg0=1x256x96 --shape arg1=1x96x128 --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 --input arg2=whole:3:-9:9 --input arg3=4 --input arg4=3 --output arg2=%t.producer-consumer.npy --output res0=%t.producer-consumer.res.npy
// RUN: %python -c "import sys; sys.path.insert(0, '%S/Inputs/../../Inputs'); import npy, pathlib; c, d = (npy.read(pathlib.Path(p), 'f32') for p in ('%t.producer-consumer.npy', '%t.producer-consumer.res.npy')); assert max(map(abs, c)) <= 9 and c != d"
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize ping-pong --check --shape arg0=1x256x96 --shape arg1=1x96x128 --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 --input arg2=whole:3:-9:9 --input arg3=4 --input arg4=3 --output arg2=%t.ping-pong.npy --output res0=%t.ping-pong.res.npy
// RUN: %python -c "import sys; sys.path.insert(0, '%S/Inputs/../../Inputs'); import npy, pathlib; c, d = (npy.read(pathlib.Path(p), 'f32') for p in ('%t.ping-pong.npy', '%t.ping-pong.res.npy')); assert max(map(abs, c)) <= 9 and c != d"
// RUN: distaff run %s --target sm_80 --pipeline run-cluster --specialize ping-pong --check --device ptx --shape arg0=1x256x96 --shape arg1=1x96x128 --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 --input arg2=whole:3:-9:9 --input arg3=4 --input arg4=3 --output arg2=%t.ping-pong.npy --output res0=%t.ping-pong.res.npy
// RUN: %python -c "import sys; sys.path.insert(0, '%S/Inputs/../../Inputs'); import npy, pathlib; c, d = (npy.read(pathlib.Path(p), 'f32') for p in ('%t.ping-pong.npy', '%t.ping-pong.res.npy')); assert max(map(abs, c)) <= 9 and c != d"

#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>
#sg  = #iree_gpu.subgroup_scope
!GA = !pcf.sref<1x256x?xf16, #sg>
!GB = !pcf.sref<1x?x128xf16, #sg>
!GC = !pcf.sref<1x256x128xf32, sync(#sg)>
!T0 = !pcf.threadgroup<#sg>
!T1 = !pcf.threadgroup<#sg, {tensor<1x256x128xf32>}>
!PA = !pcf.sref<1x256x32xf16, #sg>
!PB = !pcf.sref<1x32x128xf16, #sg>

// Everybody copies a panel of each operand, then everybody computes.
func.func @accumulating(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
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
      %old = pcf.read_slice %O[0, 0, 0] [1, 256, 128] [1, 1, 1] : !GC to tensor<1x256x128xf32>
      %sum = arith.addf %x, %old : tensor<1x256x128xf32>
      pcf.write_slice %sum into %O[0, 0, 0] [1, 256, 128] [1, 1, 1] : tensor<1x256x128xf32> into !GC
      pcf.cluster_yield } : (!T1)
    pcf.return
  }
  return %res : tensor<1x256x128xf32>
}
