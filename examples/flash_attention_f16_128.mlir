// Flash attention forward as in flash_attention.mlir, head size 128: 64 query rows per workgroup, 64 keys per
// step, for with twice the columns that is what registers hold. q is expected pre-scaled by log2(e) / sqrt(128).
// Output equals softmax(q k^T) v in base 2.
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @flash_attention_f16_128(%q: memref<256x128xf16>, %k: memref<512x128xf16>, %v: memref<512x128xf16>, %o: memref<256x128xf16>) {
  %c0 = arith.constant 0 : index
  %crow = arith.constant 64 : index
  %ckv = arith.constant 64 : index
  %cend = arith.constant 512 : index
  %h = arith.constant 0.0 : f16
  %max0 = arith.constant dense<0xFF800000> : vector<64xf32>
  %sum0 = arith.constant dense<0.0> : vector<64xf32>
  %one = arith.constant dense<1.0> : vector<64xf32>
  %s0 = arith.constant dense<0.0> : vector<64x64xf32>
  %acc0 = arith.constant dense<0.0> : vector<64x128xf32>
  scf.forall (%tile) in (4) {
    %row = arith.muli %tile, %crow : index
    %qh = vector.transfer_read %q[%row, %c0], %h {in_bounds = [true, true]} : memref<256x128xf16>, vector<64x128xf16>
      %qf = arith.extf %qh : vector<64x128xf16> to vector<64x128xf32>
    %r:3 = scf.for %j = %c0 to %cend step %ckv iter_args(%m = %max0, %l = %sum0, %acc = %acc0)
        -> (vector<64xf32>, vector<64xf32>, vector<64x128xf32>) {
      %kh = vector.transfer_read %k[%j, %c0], %h {in_bounds = [true, true]} : memref<512x128xf16>, vector<64x128xf16>
      %kf = arith.extf %kh : vector<64x128xf16> to vector<64x128xf32>
      %s = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %qf, %kf, %s0 : vector<64x128xf32>, vector<64x128xf32> into vector<64x64xf32>
      %mn = vector.multi_reduction <maximumf>, %s, %m [1] : vector<64x64xf32> to vector<64xf32>
      %mb = vector.broadcast %mn : vector<64xf32> to vector<64x64xf32>
      %mt = vector.transpose %mb, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
      %d = arith.subf %s, %mt : vector<64x64xf32>
      %p = math.exp2 %d : vector<64x64xf32>
      %dm = arith.subf %m, %mn : vector<64xf32>
      %a = math.exp2 %dm : vector<64xf32>
      %la = arith.mulf %a, %l : vector<64xf32>
      %ln = vector.multi_reduction <add>, %p, %la [1] : vector<64x64xf32> to vector<64xf32>
      %inv = arith.divf %one, %ln : vector<64xf32>
      %ib = vector.broadcast %inv : vector<64xf32> to vector<64x64xf32>
      %it = vector.transpose %ib, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
      %pn = arith.mulf %p, %it : vector<64x64xf32>
      %ph = arith.truncf %pn : vector<64x64xf32> to vector<64x64xf16>
      %lb = vector.broadcast %la : vector<64xf32> to vector<128x64xf32>
      %lt = vector.transpose %lb, [1, 0] : vector<128x64xf32> to vector<64x128xf32>
      %jb = vector.broadcast %inv : vector<64xf32> to vector<128x64xf32>
      %jt = vector.transpose %jb, [1, 0] : vector<128x64xf32> to vector<64x128xf32>
      %scale = arith.mulf %lt, %jt : vector<64x128xf32>
      %accs = arith.mulf %scale, %acc : vector<64x128xf32>
      %pf = arith.extf %ph : vector<64x64xf16> to vector<64x64xf32>
      %vh = vector.transfer_read %v[%j, %c0], %h {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>}
        : memref<512x128xf16>, vector<128x64xf16>
      %vf = arith.extf %vh : vector<128x64xf16> to vector<128x64xf32>
      %accn = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
        %pf, %vf, %accs : vector<64x64xf32>, vector<128x64xf32> into vector<64x128xf32>
      scf.yield %mn, %ln, %accn : vector<64xf32>, vector<64xf32>, vector<64x128xf32>
    }
    %oh = arith.truncf %r#2 : vector<64x128xf32> to vector<64x128xf16>
    vector.transfer_write %oh, %o[%row, %c0] {in_bounds = [true, true]} : vector<64x128xf16>, memref<256x128xf16>
  } {mapping = [#gpu.block<x>]}
  return
}
