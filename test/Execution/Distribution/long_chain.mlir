// Each value of a chain is used twice; what looks for the product behind a read visits a value once. Along all paths it would take hours.
// RUN: distaff run %s --target sm_80 --check
func.func @long_chain(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%v0: f32, %o: f32):
    %v1 = arith.mulf %v0, %v0 : f32
    %v2 = arith.minimumf %v1, %v0 : f32
    %v3 = arith.mulf %v2, %v2 : f32
    %v4 = arith.minimumf %v3, %v2 : f32
    %v5 = arith.mulf %v4, %v4 : f32
    %v6 = arith.minimumf %v5, %v4 : f32
    %v7 = arith.mulf %v6, %v6 : f32
    %v8 = arith.minimumf %v7, %v6 : f32
    %v9 = arith.mulf %v8, %v8 : f32
    %v10 = arith.minimumf %v9, %v8 : f32
    %v11 = arith.mulf %v10, %v10 : f32
    %v12 = arith.minimumf %v11, %v10 : f32
    %v13 = arith.mulf %v12, %v12 : f32
    %v14 = arith.minimumf %v13, %v12 : f32
    %v15 = arith.mulf %v14, %v14 : f32
    %v16 = arith.minimumf %v15, %v14 : f32
    %v17 = arith.mulf %v16, %v16 : f32
    %v18 = arith.minimumf %v17, %v16 : f32
    %v19 = arith.mulf %v18, %v18 : f32
    %v20 = arith.minimumf %v19, %v18 : f32
    %v21 = arith.mulf %v20, %v20 : f32
    %v22 = arith.minimumf %v21, %v20 : f32
    %v23 = arith.mulf %v22, %v22 : f32
    %v24 = arith.minimumf %v23, %v22 : f32
    %v25 = arith.mulf %v24, %v24 : f32
    %v26 = arith.minimumf %v25, %v24 : f32
    %v27 = arith.mulf %v26, %v26 : f32
    %v28 = arith.minimumf %v27, %v26 : f32
    %v29 = arith.mulf %v28, %v28 : f32
    %v30 = arith.minimumf %v29, %v28 : f32
    %v31 = arith.mulf %v30, %v30 : f32
    %v32 = arith.minimumf %v31, %v30 : f32
    %v33 = arith.mulf %v32, %v32 : f32
    %v34 = arith.minimumf %v33, %v32 : f32
    %v35 = arith.mulf %v34, %v34 : f32
    %v36 = arith.minimumf %v35, %v34 : f32
    %v37 = arith.mulf %v36, %v36 : f32
    %v38 = arith.minimumf %v37, %v36 : f32
    %v39 = arith.mulf %v38, %v38 : f32
    %v40 = arith.minimumf %v39, %v38 : f32
    linalg.yield %v40 : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
