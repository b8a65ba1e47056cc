// Flash attention forward as in flash_attention.mlir, all in f32: no MMA instruction of sm_80 or gfx942 that is
// exact enough fits, so both contractions are multiply-adds. q is expected pre-scaled by log2(e) / sqrt(64).
// Output equals softmax(q k^T) v in base 2.
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @flash_attention_f32_64(%q: memref<256x64xf32>, %k: memref<512x64xf32>, %v: memref<512x64xf32>, %o: memref<256x64xf32>) {
  %c0 = arith.constant 0 : index
  %crow = arith.constant 32 : index
  %ckv = arith.constant 32 : index
  %cend = arith.constant 512 : index
  %h = arith.constant 0.0 : f32
  %max0 = arith.constant dense<0xFF800000> : vector<32xf32>
  %sum0 = arith.constant dense<0.0> : vector<32xf32>
  %one = arith.constant dense<1.0> : vector<32xf32>
  %s0 = arith.constant dense<0.0> : vector<32x32xf32>
  %acc0 = arith.constant dense<0.0> : vector<32x64xf32>
  scf.forall (%tile) in (8) {
    %row = arith.muli %tile, %crow : index
    %qh = vector.transfer_read %q[%row, %c0], %h {in_bounds = [true, true]} : memref<256x64xf32>, vector<32x64xf32>
    %r:3 = scf.for %j = %c0 to %cend step %ckv iter_args(%m = %max0, %l = %sum0, %acc = %acc0)
        -> (vector<32xf32>, vector<32xf32>, vector<32x64xf32>) {
      %kh = vector.transfer_read %k[%j, %c0], %h {in_bounds = [true, true]} : memref<512x64xf32>, vector<32x64xf32>
      %s = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %qh, %kh, %s0 : vector<32x64xf32>, vector<32x64xf32> into vector<32x32xf32>
      %mn = vector.multi_reduction <maximumf>, %s, %m [1] : vector<32x32xf32> to vector<32xf32>
      %mb = vector.broadcast %mn : vector<32xf32> to vector<32x32xf32>
      %mt = vector.transpose %mb, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
      %d = arith.subf %s, %mt : vector<32x32xf32>
      %p = math.exp2 %d : vector<32x32xf32>
      %dm = arith.subf %m, %mn : vector<32xf32>
      %a = math.exp2 %dm : vector<32xf32>
      %la = arith.mulf %a, %l : vector<32xf32>
      %ln = vector.multi_reduction <add>, %p, %la [1] : vector<32x32xf32> to vector<32xf32>
      %inv = arith.divf %one, %ln : vector<32xf32>
      %ib = vector.broadcast %inv : vector<32xf32> to vector<32x32xf32>
      %it = vector.transpose %ib, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
      %pn = arith.mulf %p, %it : vector<32x32xf32>
      %lb = vector.broadcast %la : vector<32xf32> to vector<64x32xf32>
      %lt = vector.transpose %lb, [1, 0] : vector<64x32xf32> to vector<32x64xf32>
      %jb = vector.broadcast %inv : vector<32xf32> to vector<64x32xf32>
      %jt = vector.transpose %jb, [1, 0] : vector<64x32xf32> to vector<32x64xf32>
      %scale = arith.mulf %lt, %jt : vector<32x64xf32>
      %accs = arith.mulf %scale, %acc : vector<32x64xf32>
      %vh = vector.transfer_read %v[%j, %c0], %h {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>}
        : memref<512x64xf32>, vector<64x32xf32>
      %accn = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %pn, %vh, %accs : vector<32x32xf32>, vector<64x32xf32> into vector<32x64xf32>
      scf.yield %mn, %ln, %accn : vector<32xf32>, vector<32xf32>, vector<32x64xf32>
    }
    vector.transfer_write %r#2, %o[%row, %c0] {in_bounds = [true, true]} : vector<32x64xf32>, memref<256x64xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
