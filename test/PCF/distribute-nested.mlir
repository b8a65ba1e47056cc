// Phases of an executor inside a phase are that executor's own: a scope's distribution
// leaves the others' alone, and without a scope each is distributed once.
// RUN: distaff-opt %s --pcf-distribute=scope=#iree_gpu.subgroup_scope | FileCheck %s --check-prefix=OUTER
// RUN: distaff-opt %s --pcf-distribute -o %t.mlir
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t.mlir
// RUN: distaff run %s --target sm_80 --input arg0=iota --input arg1=zeros --output res0=%t.before.npy
// RUN: distaff run %t.mlir --target sm_80 --input arg0=iota --input arg1=zeros --output res0=%t.after.npy
// RUN: cmp %t.before.npy %t.after.npy
// RUN: %python -c "import struct, sys; data = struct.unpack('<128i', open(sys.argv[1], 'rb').read()[-4 * 128:]); assert data == tuple(2 * i + 3 for i in range(128)), data" %t.after.npy

// OUTER-LABEL: @lanes_in_subgroups
// OUTER: run_thread
// OUTER: run_cluster
// OUTER: run_cluster
// OUTER: run_cluster
// OUTER: run_thread
// BOTH-LABEL: @lanes_in_subgroups
// BOTH-NOT: run_cluster
// BOTH: read_slice {{.*}}[1, {{[0-9]+}}]
// BOTH-NOT: run_cluster

#sg = #iree_gpu.subgroup_scope
#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!SG = !pcf.threadgroup<#sg>
!LG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {tensor<1x32xi32>}>
!H = !pcf.threadgroup<#sg, {tensor<4x32xi32>}>
!S = !pcf.sref<4x32xi32, #sg>
!O = !pcf.sref<4x32xi32, sync(#sg)>
func.func @lanes_in_subgroups(%a: tensor<4x32xi32>, %o: tensor<4x32xi32>) -> tensor<4x32xi32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) execute(%in <- %a : tensor<4x32xi32>, %out = %o)[%tg: !SG] : (!S, !O) -> (tensor<4x32xi32>) {
    pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
      pcf.shared_executor scope(#ln) execute[%lg: !LG] {
        %h = pcf.shared_executor.run_cluster(%lg)[] () {
          %x = pcf.read_slice %in[%id, 0] [1, 32] [1, 1] : !S to tensor<1x32xi32>
          %y = arith.addi %x, %x : tensor<1x32xi32>
          pcf.cluster_yield %y : tensor<1x32xi32>
        } : (!LG) -> !T
        %g = pcf.shared_executor.run_cluster(%h)[] (%v: tensor<1x32xi32>) {
          %c = arith.constant dense<2> : tensor<1x32xi32>
          %w = arith.addi %v, %c : tensor<1x32xi32>
          pcf.cluster_yield %w : tensor<1x32xi32>
        } : (!T) -> !T
        pcf.shared_executor.run_cluster(%g)[] (%v: tensor<1x32xi32>) {
          pcf.write_slice %v into %out[%id, 0] [1, 32] [1, 1] : tensor<1x32xi32> into !O
          pcf.cluster_yield
        } : (!T)
        pcf.return
      }
      pcf.cluster_yield
    } : (!SG)
    pcf.barrier(#sg) fence(%out) : !O
    // Reads what all subgroups' lanes wrote.
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %out[0, 0] [4, 32] [1, 1] : !O to tensor<4x32xi32>
      pcf.cluster_yield %x : tensor<4x32xi32>
    } : (!SG) -> !H
    pcf.barrier(#sg) fence(%out) : !O
    pcf.shared_executor.run_cluster(%h)[] (%x: tensor<4x32xi32>) {
      %c = arith.constant dense<1> : tensor<4x32xi32>
      %y = arith.addi %x, %c : tensor<4x32xi32>
      pcf.write_slice %y into %out[0, 0] [4, 32] [1, 1] : tensor<4x32xi32> into !O
      pcf.cluster_yield
    } : (!H)
    pcf.return
  }
  return %r : tensor<4x32xi32>
}
