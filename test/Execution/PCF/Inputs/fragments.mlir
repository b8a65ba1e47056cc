// Phases whose payload and operands are fragments of an MMA, with what may stand
// around a product: fragments.test runs them as groups, as members, and as vectors.

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#mma = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
#transposed = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16, col_major>}>
#left = affine_map<()[s0] -> (s0, 32)>
#mn = affine_map<(m, n) -> (m, n)>
#m_ = affine_map<(m, n) -> (m)>
#n_ = affine_map<(m, n) -> (n)>
#nm = affine_map<(m, n) -> (n, m)>
!TG = !pcf.threadgroup<#ln>
!TC = !pcf.threadgroup<#ln, {tensor<32x16xf32>}>
!A = !pcf.sref<32x32xf16, #ln>
!B = !pcf.sref<32x16xf16, #ln>
!C = !pcf.sref<?x?xf32, #ln>
!R = !pcf.sref<32xf32, #ln>
!N = !pcf.sref<16xf32, #ln>

// Accumulators that begin with what is there, up to an edge; then computed on
// as payload, by rows and by columns, in ops of linalg and of arith.
func.func @payload(%a: tensor<32x32xf16>, %b: tensor<32x16xf16>, %rows: tensor<32xf32>, %columns: tensor<16xf32>, %old: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#ln) execute(%A <- %a : tensor<32x32xf16>, %B <- %b : tensor<32x16xf16>, %R <- %rows : tensor<32xf32>, %N <- %columns : tensor<16xf32>, %O <- %old : tensor<?x?xf32>, %C = %old)[%tg: !TG]
    : (!A, !B, !R, !N, !C, !C) -> (tensor<?x?xf32>) {
    %z = arith.constant 0.0 : f32
    %c32 = arith.constant 32 : index
    %c16 = arith.constant 16 : index
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %pm = arith.subi %c32, %m : index
      %pn = arith.subi %c16, %n : index
      %o = pcf.read_slice %O[0, 0] [%m, %n] [1, 1] : !C to tensor<?x?xf32>
      %x = tensor.pad %o low[0, 0] high[%pm, %pn] { ^bb0(%i: index, %j: index): tensor.yield %z : f32 } : tensor<?x?xf32> to tensor<32x16xf32>
      pcf.cluster_yield %x : tensor<32x16xf32>
    } : (!TG) -> !TC
    %t1 = pcf.shared_executor.run_cluster(%t0)[] (%x: tensor<32x16xf32>) {
      %as = pcf.read_slice %A[0, 0] [32, 32] [1, 1] : !A to tensor<32x32xf16>
      %bs = pcf.read_slice %B[0, 0] [32, 16] [1, 1] : !B to tensor<32x16xf16>
      %y = linalg.matmul {lowering_config = #mma} ins(%as, %bs : tensor<32x32xf16>, tensor<32x16xf16>) outs(%x : tensor<32x16xf32>) -> tensor<32x16xf32>
      pcf.cluster_yield %y : tensor<32x16xf32>
    } : (!TC) -> !TC
    %t2 = pcf.shared_executor.run_cluster(%t1)[] (%x: tensor<32x16xf32>) {
      %rs = pcf.read_slice %R[0] [32] [1] : !R to tensor<32xf32>
      %ns = pcf.read_slice %N[0] [16] [1] : !N to tensor<16xf32>
      %e = tensor.empty() : tensor<32x16xf32>
      %y = linalg.generic {indexing_maps = [#m_, #mn, #n_, #mn], iterator_types = ["parallel", "parallel"]}
        ins(%rs, %x, %ns : tensor<32xf32>, tensor<32x16xf32>, tensor<16xf32>) outs(%e : tensor<32x16xf32>) {
      ^bb0(%row: f32, %v: f32, %column: f32, %out: f32):
        %p = arith.mulf %v, %row : f32
        %s = arith.subf %p, %column : f32
        linalg.yield %s : f32
      } -> tensor<32x16xf32>
      %two = arith.constant dense<2.0> : tensor<32x16xf32>
      %w = linalg.mul ins(%y, %two : tensor<32x16xf32>, tensor<32x16xf32>) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
      %q = linalg.generic {indexing_maps = [#mn], iterator_types = ["parallel", "parallel"]} outs(%w : tensor<32x16xf32>) {
      ^bb0(%v: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %before = arith.cmpi ule, %j, %i : index
        %s = arith.select %before, %v, %z : f32
        linalg.yield %s : f32
      } -> tensor<32x16xf32>
      pcf.cluster_yield %q : tensor<32x16xf32>
    } : (!TC) -> !TC
    pcf.shared_executor.run_cluster(%t2)[] (%x: tensor<32x16xf32>) {
      %s = tensor.extract_slice %x[0, 0] [%m, %n] [1, 1] : tensor<32x16xf32> to tensor<?x?xf32>
      %e = tensor.empty(%m, %n) : tensor<?x?xf32>
      %q = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
      ^bb0(%v: f32, %out: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %ij = arith.addi %i, %j : index
        %k = arith.index_cast %ij : index to i32
        %f = arith.sitofp %k : i32 to f32
        %w = arith.addf %v, %f : f32
        linalg.yield %w : f32
      } -> tensor<?x?xf32>
      pcf.write_slice %q into %C[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into !C
      pcf.cluster_yield
    } : (!TC)
    pcf.return
  }
  return %r : tensor<?x?xf32>
}

// An operand of the MMA that is computed, by rows and by columns; the result is
// written transposed. Loops are in no particular order.
func.func @operands(%a: tensor<32x32xf16>, %b: tensor<32x16xf16>, %rows: tensor<32xf32>, %columns: tensor<16xf32>, %old: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#ln) execute(%A <- %a : tensor<32x32xf16>, %B <- %b : tensor<32x16xf16>, %R <- %rows : tensor<32xf32>, %C = %old)[%tg: !TG]
    : (!A, !B, !R, !C) -> (tensor<?x?xf32>) {
    %z = arith.constant 0.0 : f32
    pcf.shared_executor.run_cluster(%tg)[] () {
      %as = pcf.read_slice %A[0, 0] [32, 32] [1, 1] : !A to tensor<32x32xf16>
      %bs = pcf.read_slice %B[0, 0] [32, 16] [1, 1] : !B to tensor<32x16xf16>
      %rs = pcf.read_slice %R[0] [32] [1] : !R to tensor<32xf32>
      %ks = pcf.read_slice %R[0] [32] [1] : !R to tensor<32xf32>
      %ae = tensor.empty() : tensor<32x32xf16>
      %x = linalg.generic {indexing_maps = [affine_map<(k, m) -> (m, k)>, affine_map<(k, m) -> (m)>, affine_map<(k, m) -> (k)>, affine_map<(k, m) -> (m, k)>], iterator_types = ["parallel", "parallel"]}
        ins(%as, %rs, %ks : tensor<32x32xf16>, tensor<32xf32>, tensor<32xf32>) outs(%ae : tensor<32x32xf16>) {
      ^bb0(%v: f16, %row: f32, %step: f32, %out: f16):
        %h = arith.truncf %row : f32 to f16
        %g = arith.truncf %step : f32 to f16
        %p = arith.mulf %v, %h : f16
        %q = arith.addf %p, %g : f16
        linalg.yield %q : f16
      } -> tensor<32x32xf16>
      %e = tensor.empty() : tensor<32x16xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(k, n, m) -> (m, k)>, affine_map<(k, n, m) -> (k, n)>, affine_map<(k, n, m) -> (m, n)>], iterator_types = ["reduction", "parallel", "parallel"], lowering_config = #mma}
        ins(%x, %bs : tensor<32x32xf16>, tensor<32x16xf16>) outs(%f : tensor<32x16xf32>) {
      ^bb0(%u: f16, %v: f16, %acc: f32):
        %u1 = arith.extf %u : f16 to f32
        %v1 = arith.extf %v : f16 to f32
        %p = arith.mulf %u1, %v1 : f32
        %s = arith.addf %acc, %p : f32
        linalg.yield %s : f32
      } -> tensor<32x16xf32>
      %te = tensor.empty() : tensor<16x32xf32>
      %t = linalg.transpose ins(%y : tensor<32x16xf32>) outs(%te : tensor<16x32xf32>) permutation = [1, 0]
      %s = tensor.extract_slice %t[0, 0] [%n, %m] [1, 1] : tensor<16x32xf32> to tensor<?x?xf32>
      pcf.write_slice %s into %C[0, 0] [%n, %m] [1, 1] : tensor<?x?xf32> into !C
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return %r : tensor<?x?xf32>
}

// The instruction computes the transposed product, of 8 rows and 16 columns.
func.func @col_major(%a: tensor<32x32xf16>, %b: tensor<32x16xf16>, %rows: tensor<32xf32>, %columns: tensor<16xf32>, %old: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#ln) execute(%A <- %a : tensor<32x32xf16>, %B <- %b : tensor<32x16xf16>, %C = %old)[%tg: !TG]
    : (!A, !B, !C) -> (tensor<?x?xf32>) {
    %z = arith.constant 0.0 : f32
    pcf.shared_executor.run_cluster(%tg)[] () {
      %as = pcf.read_slice %A[0, 0] [24, 32] [1, 1] : !A to tensor<24x32xf16>
      %bs = pcf.read_slice %B[0, 0] [32, 16] [1, 1] : !B to tensor<32x16xf16>
      %e = tensor.empty() : tensor<24x16xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<24x16xf32>) -> tensor<24x16xf32>
      %y = linalg.matmul {lowering_config = #transposed} ins(%as, %bs : tensor<24x32xf16>, tensor<32x16xf16>) outs(%f : tensor<24x16xf32>) -> tensor<24x16xf32>
      %c24 = arith.constant 24 : index
      %sm = arith.minsi %m, %c24 : index
      %s = tensor.extract_slice %y[0, 0] [%sm, %n] [1, 1] : tensor<24x16xf32> to tensor<?x?xf32>
      pcf.write_slice %s into %C[0, 0] [%sm, %n] [1, 1] : tensor<?x?xf32> into !C
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return %r : tensor<?x?xf32>
}

// Two slices change places: what is read later would be the other one's. Then
// one is changed where it is.
func.func @swap(%a: tensor<32x32xf16>, %b: tensor<32x16xf16>, %rows: tensor<32xf32>, %columns: tensor<16xf32>, %old: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#ln) execute(%C = %old)[%tg: !TG] : (!C) -> (tensor<?x?xf32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %C[0, 0] [16, 16] [1, 1] : !C to tensor<16x16xf32>
      %y = pcf.read_slice %C[16, 0] [16, 16] [1, 1] : !C to tensor<16x16xf32>
      pcf.write_slice %y into %C[0, 0] [16, 16] [1, 1] : tensor<16x16xf32> into !C
      pcf.write_slice %x into %C[16, 0] [16, 16] [1, 1] : tensor<16x16xf32> into !C
      pcf.cluster_yield
    } : (!TG)
    pcf.barrier(#ln) fence(%C) : !C
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %C[0, 0] [16, 16] [1, 1] : !C to tensor<16x16xf32>
      %e = tensor.empty() : tensor<16x16xf32>
      %y = linalg.add ins(%x, %x : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
      pcf.write_slice %y into %C[0, 0] [16, 16] [1, 1] : tensor<16x16xf32> into !C
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return %r : tensor<?x?xf32>
}
