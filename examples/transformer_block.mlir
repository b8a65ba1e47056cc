// A transformer's block: norm, projections, causal attention of two heads, its output
// with the residual, norm, and a gated MLP with the residual. It does not fuse into
// one launch; `distaff explain` says what it becomes.
func.func @block(%arg0: tensor<24x32xf16>, %arg1: tensor<32xf16>, %arg2: tensor<32x32xf16>, %arg3: tensor<32x32xf16>, %arg4: tensor<32x32xf16>, %arg5: tensor<32x32xf16>, %arg6: tensor<32xf16>, %arg7: tensor<32x64xf16>, %arg8: tensor<64x32xf16>) -> (tensor<24x32xf16>) {
  %v1 = tensor.empty() : tensor<24x32xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<24x32xf16>) outs(%v1 : tensor<24x32xf32>) {
  ^bb0(%x0: f16, %o0: f32):
    %y0 = arith.extf %x0 : f16 to f32
    linalg.yield %y0 : f32
  } -> tensor<24x32xf32>
  %v3 = tensor.empty() : tensor<24x32xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v2 : tensor<24x32xf32>) outs(%v3 : tensor<24x32xf32>) {
  ^bb0(%x0: f32, %o0: f32):
    %y0 = arith.mulf %x0, %x0 : f32
    linalg.yield %y0 : f32
  } -> tensor<24x32xf32>
  %v5 = arith.constant 0.0 : f32
  %v6 = tensor.empty() : tensor<24xf32>
  %v7 = linalg.fill ins(%v5 : f32) outs(%v6 : tensor<24xf32>) -> tensor<24xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v4 : tensor<24x32xf32>) outs(%v7 : tensor<24xf32>) {
  ^bb0(%x0: f32, %o0: f32):
    %y0 = arith.addf %x0, %o0 : f32
    linalg.yield %y0 : f32
  } -> tensor<24xf32>
  %v9 = tensor.empty() : tensor<24x32xf16>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v2, %v8, %arg1 : tensor<24x32xf32>, tensor<24xf32>, tensor<32xf16>) outs(%v9 : tensor<24x32xf16>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f16, %o0: f16):
    %n = arith.constant 32.0 : f32
    %a = arith.divf %x1, %n : f32
    %e = arith.constant 1.0e-05 : f32
    %s = arith.addf %a, %e : f32
    %r = math.rsqrt %s : f32
    %m = arith.mulf %x0, %r : f32
    %g = arith.extf %x2 : f16 to f32
    %w = arith.mulf %m, %g : f32
    %y0 = arith.truncf %w : f32 to f16
    linalg.yield %y0 : f16
  } -> tensor<24x32xf16>
  %v11 = arith.constant 0.0 : f32
  %v12 = tensor.empty() : tensor<24x32xf32>
  %v13 = linalg.fill ins(%v11 : f32) outs(%v12 : tensor<24x32xf32>) -> tensor<24x32xf32>
  %v14 = linalg.matmul  ins(%v10, %arg2 : tensor<24x32xf16>, tensor<32x32xf16>) outs(%v13 : tensor<24x32xf32>) -> tensor<24x32xf32>
  %v15 = tensor.empty() : tensor<24x32xf16>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v14 : tensor<24x32xf32>) outs(%v15 : tensor<24x32xf16>) {
  ^bb0(%x0: f32, %o0: f16):
    %y0 = arith.truncf %x0 : f32 to f16
    linalg.yield %y0 : f16
  } -> tensor<24x32xf16>
  %v17 = tensor.expand_shape %v16 [[0], [1, 2]] output_shape [24, 2, 16] : tensor<24x32xf16> into tensor<24x2x16xf16>
  %v18 = tensor.empty() : tensor<2x24x16xf16>
  %v19 = linalg.generic {indexing_maps = [affine_map<(h, s, d) -> (s, h, d)>, affine_map<(h, s, d) -> (h, s, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v17 : tensor<24x2x16xf16>) outs(%v18 : tensor<2x24x16xf16>) {
  ^bb0(%x0: f16, %o0: f16):
    %one = arith.constant 1.0 : f16
    %y0 = arith.mulf %x0, %one : f16
    linalg.yield %y0 : f16
  } -> tensor<2x24x16xf16>
  %v20 = arith.constant 0.0 : f32
  %v21 = tensor.empty() : tensor<24x32xf32>
  %v22 = linalg.fill ins(%v20 : f32) outs(%v21 : tensor<24x32xf32>) -> tensor<24x32xf32>
  %v23 = linalg.matmul  ins(%v10, %arg3 : tensor<24x32xf16>, tensor<32x32xf16>) outs(%v22 : tensor<24x32xf32>) -> tensor<24x32xf32>
  %v24 = tensor.empty() : tensor<24x32xf16>
  %v25 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v23 : tensor<24x32xf32>) outs(%v24 : tensor<24x32xf16>) {
  ^bb0(%x0: f32, %o0: f16):
    %y0 = arith.truncf %x0 : f32 to f16
    linalg.yield %y0 : f16
  } -> tensor<24x32xf16>
  %v26 = tensor.expand_shape %v25 [[0], [1, 2]] output_shape [24, 2, 16] : tensor<24x32xf16> into tensor<24x2x16xf16>
  %v27 = tensor.empty() : tensor<2x24x16xf16>
  %v28 = linalg.generic {indexing_maps = [affine_map<(h, s, d) -> (s, h, d)>, affine_map<(h, s, d) -> (h, s, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v26 : tensor<24x2x16xf16>) outs(%v27 : tensor<2x24x16xf16>) {
  ^bb0(%x0: f16, %o0: f16):
    %one = arith.constant 1.0 : f16
    %y0 = arith.mulf %x0, %one : f16
    linalg.yield %y0 : f16
  } -> tensor<2x24x16xf16>
  %v29 = arith.constant 0.0 : f32
  %v30 = tensor.empty() : tensor<24x32xf32>
  %v31 = linalg.fill ins(%v29 : f32) outs(%v30 : tensor<24x32xf32>) -> tensor<24x32xf32>
  %v32 = linalg.matmul  ins(%v10, %arg4 : tensor<24x32xf16>, tensor<32x32xf16>) outs(%v31 : tensor<24x32xf32>) -> tensor<24x32xf32>
  %v33 = tensor.empty() : tensor<24x32xf16>
  %v34 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v32 : tensor<24x32xf32>) outs(%v33 : tensor<24x32xf16>) {
  ^bb0(%x0: f32, %o0: f16):
    %y0 = arith.truncf %x0 : f32 to f16
    linalg.yield %y0 : f16
  } -> tensor<24x32xf16>
  %v35 = tensor.expand_shape %v34 [[0], [1, 2]] output_shape [24, 2, 16] : tensor<24x32xf16> into tensor<24x2x16xf16>
  %v36 = tensor.empty() : tensor<2x24x16xf16>
  %v37 = linalg.generic {indexing_maps = [affine_map<(h, s, d) -> (s, h, d)>, affine_map<(h, s, d) -> (h, s, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v35 : tensor<24x2x16xf16>) outs(%v36 : tensor<2x24x16xf16>) {
  ^bb0(%x0: f16, %o0: f16):
    %one = arith.constant 1.0 : f16
    %y0 = arith.mulf %x0, %one : f16
    linalg.yield %y0 : f16
  } -> tensor<2x24x16xf16>
  %v38 = arith.constant 0.0 : f32
  %v39 = tensor.empty() : tensor<2x24x24xf32>
  %v40 = linalg.fill ins(%v38 : f32) outs(%v39 : tensor<2x24x24xf32>) -> tensor<2x24x24xf32>
  %v41 = linalg.generic {indexing_maps = [affine_map<(h, s, t, d) -> (h, s, d)>, affine_map<(h, s, t, d) -> (h, t, d)>, affine_map<(h, s, t, d) -> (h, s, t)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v19, %v28 : tensor<2x24x16xf16>, tensor<2x24x16xf16>) outs(%v40 : tensor<2x24x24xf32>) {
  ^bb0(%x0: f16, %x1: f16, %o0: f32):
    %a = arith.extf %x0 : f16 to f32
    %c = arith.extf %x1 : f16 to f32
    %p = arith.mulf %a, %c : f32
    %y0 = arith.addf %o0, %p : f32
    linalg.yield %y0 : f32
  } -> tensor<2x24x24xf32>
  %v42 = tensor.empty() : tensor<2x24x24xf32>
  %v43 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v41 : tensor<2x24x24xf32>) outs(%v42 : tensor<2x24x24xf32>) {
  ^bb0(%x0: f32, %o0: f32):
    %s = arith.constant 0.25 : f32
    %w = arith.mulf %x0, %s : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi ule, %j, %i : index
    %f = arith.constant 0xFF800000 : f32
    %y0 = arith.select %c, %w, %f : f32
    linalg.yield %y0 : f32
  } -> tensor<2x24x24xf32>
  %v44 = tensor.empty() : tensor<2x24x24xf32>
  %v45 = linalg.softmax dimension(2) ins(%v43 : tensor<2x24x24xf32>) outs(%v44 : tensor<2x24x24xf32>) -> tensor<2x24x24xf32>
  %v46 = tensor.empty() : tensor<2x24x24xf16>
  %v47 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v45 : tensor<2x24x24xf32>) outs(%v46 : tensor<2x24x24xf16>) {
  ^bb0(%x0: f32, %o0: f16):
    %y0 = arith.truncf %x0 : f32 to f16
    linalg.yield %y0 : f16
  } -> tensor<2x24x24xf16>
  %v48 = arith.constant 0.0 : f32
  %v49 = tensor.empty() : tensor<2x24x16xf32>
  %v50 = linalg.fill ins(%v48 : f32) outs(%v49 : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
  %v51 = linalg.generic {indexing_maps = [affine_map<(h, s, d, t) -> (h, s, t)>, affine_map<(h, s, d, t) -> (h, t, d)>, affine_map<(h, s, d, t) -> (h, s, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v47, %v37 : tensor<2x24x24xf16>, tensor<2x24x16xf16>) outs(%v50 : tensor<2x24x16xf32>) {
  ^bb0(%x0: f16, %x1: f16, %o0: f32):
    %a = arith.extf %x0 : f16 to f32
    %c = arith.extf %x1 : f16 to f32
    %p = arith.mulf %a, %c : f32
    %y0 = arith.addf %o0, %p : f32
    linalg.yield %y0 : f32
  } -> tensor<2x24x16xf32>
  %v52 = tensor.empty() : tensor<2x24x16xf16>
  %v53 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v51 : tensor<2x24x16xf32>) outs(%v52 : tensor<2x24x16xf16>) {
  ^bb0(%x0: f32, %o0: f16):
    %y0 = arith.truncf %x0 : f32 to f16
    linalg.yield %y0 : f16
  } -> tensor<2x24x16xf16>
  %v54 = tensor.empty() : tensor<24x2x16xf16>
  %v55 = linalg.generic {indexing_maps = [affine_map<(s, h, d) -> (h, s, d)>, affine_map<(s, h, d) -> (s, h, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v53 : tensor<2x24x16xf16>) outs(%v54 : tensor<24x2x16xf16>) {
  ^bb0(%x0: f16, %o0: f16):
    %one = arith.constant 1.0 : f16
    %y0 = arith.mulf %x0, %one : f16
    linalg.yield %y0 : f16
  } -> tensor<24x2x16xf16>
  %v56 = tensor.collapse_shape %v55 [[0], [1, 2]] : tensor<24x2x16xf16> into tensor<24x32xf16>
  %v57 = arith.constant 0.0 : f32
  %v58 = tensor.empty() : tensor<24x32xf32>
  %v59 = linalg.fill ins(%v57 : f32) outs(%v58 : tensor<24x32xf32>) -> tensor<24x32xf32>
  %v60 = linalg.matmul  ins(%v56, %arg5 : tensor<24x32xf16>, tensor<32x32xf16>) outs(%v59 : tensor<24x32xf32>) -> tensor<24x32xf32>
  %v61 = tensor.empty() : tensor<24x32xf16>
  %v62 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v60, %arg0 : tensor<24x32xf32>, tensor<24x32xf16>) outs(%v61 : tensor<24x32xf16>) {
  ^bb0(%x0: f32, %x1: f16, %o0: f16):
    %w = arith.extf %x1 : f16 to f32
    %s = arith.addf %x0, %w : f32
    %y0 = arith.truncf %s : f32 to f16
    linalg.yield %y0 : f16
  } -> tensor<24x32xf16>
  %v63 = tensor.empty() : tensor<24x32xf32>
  %v64 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v62 : tensor<24x32xf16>) outs(%v63 : tensor<24x32xf32>) {
  ^bb0(%x0: f16, %o0: f32):
    %y0 = arith.extf %x0 : f16 to f32
    linalg.yield %y0 : f32
  } -> tensor<24x32xf32>
  %v65 = tensor.empty() : tensor<24x32xf32>
  %v66 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v64 : tensor<24x32xf32>) outs(%v65 : tensor<24x32xf32>) {
  ^bb0(%x0: f32, %o0: f32):
    %y0 = arith.mulf %x0, %x0 : f32
    linalg.yield %y0 : f32
  } -> tensor<24x32xf32>
  %v67 = arith.constant 0.0 : f32
  %v68 = tensor.empty() : tensor<24xf32>
  %v69 = linalg.fill ins(%v67 : f32) outs(%v68 : tensor<24xf32>) -> tensor<24xf32>
  %v70 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v66 : tensor<24x32xf32>) outs(%v69 : tensor<24xf32>) {
  ^bb0(%x0: f32, %o0: f32):
    %y0 = arith.addf %x0, %o0 : f32
    linalg.yield %y0 : f32
  } -> tensor<24xf32>
  %v71 = tensor.empty() : tensor<24x32xf16>
  %v72 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v64, %v70, %arg6 : tensor<24x32xf32>, tensor<24xf32>, tensor<32xf16>) outs(%v71 : tensor<24x32xf16>) {
  ^bb0(%x0: f32, %x1: f32, %x2: f16, %o0: f16):
    %n = arith.constant 32.0 : f32
    %a = arith.divf %x1, %n : f32
    %e = arith.constant 1.0e-05 : f32
    %s = arith.addf %a, %e : f32
    %r = math.rsqrt %s : f32
    %m = arith.mulf %x0, %r : f32
    %g = arith.extf %x2 : f16 to f32
    %w = arith.mulf %m, %g : f32
    %y0 = arith.truncf %w : f32 to f16
    linalg.yield %y0 : f16
  } -> tensor<24x32xf16>
  %v73 = arith.constant 0.0 : f32
  %v74 = tensor.empty() : tensor<24x64xf32>
  %v75 = linalg.fill ins(%v73 : f32) outs(%v74 : tensor<24x64xf32>) -> tensor<24x64xf32>
  %v76 = linalg.matmul  ins(%v72, %arg7 : tensor<24x32xf16>, tensor<32x64xf16>) outs(%v75 : tensor<24x64xf32>) -> tensor<24x64xf32>
  %v77 = tensor.empty() : tensor<24x64xf16>
  %v78 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v76 : tensor<24x64xf32>) outs(%v77 : tensor<24x64xf16>) {
  ^bb0(%x0: f32, %o0: f16):
    %n = arith.negf %x0 : f32
    %p = math.exp %n : f32
    %u = arith.constant 1.0 : f32
    %d = arith.addf %p, %u : f32
    %s = arith.divf %x0, %d : f32
    %y0 = arith.truncf %s : f32 to f16
    linalg.yield %y0 : f16
  } -> tensor<24x64xf16>
  %v79 = arith.constant 0.0 : f32
  %v80 = tensor.empty() : tensor<24x32xf32>
  %v81 = linalg.fill ins(%v79 : f32) outs(%v80 : tensor<24x32xf32>) -> tensor<24x32xf32>
  %v82 = linalg.matmul  ins(%v78, %arg8 : tensor<24x64xf16>, tensor<64x32xf16>) outs(%v81 : tensor<24x32xf32>) -> tensor<24x32xf32>
  %v83 = tensor.empty() : tensor<24x32xf16>
  %v84 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v82, %v62 : tensor<24x32xf32>, tensor<24x32xf16>) outs(%v83 : tensor<24x32xf16>) {
  ^bb0(%x0: f32, %x1: f16, %o0: f16):
    %w = arith.extf %x1 : f16 to f32
    %s = arith.addf %x0, %w : f32
    %y0 = arith.truncf %s : f32 to f16
    linalg.yield %y0 : f16
  } -> tensor<24x32xf16>
  return %v84 : tensor<24x32xf16>
}
