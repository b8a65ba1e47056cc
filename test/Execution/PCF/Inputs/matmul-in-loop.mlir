// A dynamic matrix product as the stage tile leaves it (stage 2 of chapter 8 of the
// specification), with its grid function: what a kernel looks like that enters the
// pipeline run-cluster with pcf in it.
#wg = #iree_codegen.workgroup_scope
#ti = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [256, 1, 1] subgroup_size = 64>
#cfg = #iree_gpu.lowering_config<{workgroup = [256, 128, 0], reduction = [0, 0, 64], subgroup = [128, 64, 0], promote_operands = [0, 1], mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>
#left = affine_map<()[s0, s1] -> (s0 - s1, 0)> 
!GA = !pcf.sref<?x?xf16, #wg>
!GC = !pcf.sref<?x?xf32, sync(#wg)>

func.func @matmul(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #ti} {
  %c0 = arith.constant 0 : index   %c1 = arith.constant 1 : index   %c128 = arith.constant 128 : index   %c256 = arith.constant 256 : index
  %cst = arith.constant 0.0 : f32
  %M = tensor.dim %A, %c0 : tensor<?x?xf16>   %K = tensor.dim %A, %c1 : tensor<?x?xf16>   %N = tensor.dim %B, %c1 : tensor<?x?xf16>
  %ntm = affine.apply affine_map<()[s0] -> (s0 ceildiv 256)>()[%M]   %ntn = affine.apply affine_map<()[s0] -> (s0 ceildiv 128)>()[%N]
  %r = pcf.loop scope(#wg) count(%ntn, %ntm)
    execute(%a <- %A : tensor<?x?xf16>, %b <- %B : tensor<?x?xf16>, %c = %C)[%in: index, %im: index]
    : (!GA, !GA, !GC) -> (tensor<?x?xf32>) {
    %om = arith.muli %im, %c256 : index   %on = arith.muli %in, %c128 : index   %lm = affine.max #left()[%M, %om]   %ll = affine.max #left()[%N, %on]
    %sm = arith.minsi %lm, %c256 : index   %sn = arith.minsi %ll, %c128 : index
    %at = pcf.read_slice %a[%om, 0] [%sm, %K] [1, 1] : !GA to tensor<?x?xf16>
    %bt = pcf.read_slice %b[0, %on] [%K, %sn] [1, 1] : !GA to tensor<?x?xf16>
    %e = tensor.empty(%sm, %sn) : tensor<?x?xf32>
    %ft = linalg.fill ins(%cst : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %mt = linalg.matmul {lowering_config = #cfg} ins(%at, %bt : tensor<?x?xf16>, tensor<?x?xf16>) outs(%ft : tensor<?x?xf32>) -> tensor<?x?xf32>
    pcf.write_slice %mt into %c[%om, %on] [%sm, %sn] [1, 1] : tensor<?x?xf32> into !GC
    pcf.return
  }
  return %r : tensor<?x?xf32>
}

func.func @matmul__grid(%m: index, %k: index, %k_b: index, %n: index, %m_c: index, %n_c: index) -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %x = affine.apply affine_map<()[s0] -> (s0 ceildiv 128)>()[%n]
  %y = affine.apply affine_map<()[s0] -> (s0 ceildiv 256)>()[%m]
  return %x, %y, %c1 : index, index, index
}