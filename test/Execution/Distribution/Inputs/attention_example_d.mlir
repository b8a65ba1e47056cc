// Example D of the specification (9.3) as it is written there: query, key and value tiles lie in workgroup memory,
// and all 32 steps read the same ones. `maxf` reads `maximumf`.
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d1, d0)>
func.func @flash_attention(%alloc: memref<1x128x64xf16, #gpu.address_space<workgroup>>, %alloc_11: memref<128x64xf16, #gpu.address_space<workgroup>>,
    %alloc_12: memref<128x64xf16, #gpu.address_space<workgroup>>, %alloc_7: memref<1x128x64xf16, #gpu.address_space<workgroup>>, %8: index) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %cst = arith.constant dense<0.0> : vector<32x64xf32>
  %cst_0 = arith.constant dense<0xFF800000> : vector<32xf32>
  %cst_1 = arith.constant dense<0.0> : vector<32xf32>
  %cst_2 = arith.constant dense<0.0> : vector<32x128xf32>
  %cst_3 = arith.constant dense<1.0> : vector<32xf32>
  %cst_4 = arith.constant 0.0 : f16
  %9 = vector.transfer_read %alloc[%c0, %8, %c0], %cst_4 {in_bounds = [true, true]} : memref<1x128x64xf16, #gpu.address_space<workgroup>>, vector<32x64xf16>
  %10 = arith.extf %9 : vector<32x64xf16> to vector<32x64xf32>
  %11:3 = scf.for %arg0 = %c0 to %c4096 step %c128 iter_args(%arg1 = %cst_0, %arg2 = %cst_1, %arg3 = %cst) -> (vector<32xf32>, vector<32xf32>, vector<32x64xf32>) {
    %13 = vector.transfer_read %alloc_11[%c0, %c0], %cst_4 {in_bounds = [true, true]} : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<128x64xf16>
    %14 = arith.extf %13 : vector<128x64xf16> to vector<128x64xf32>
    %15 = vector.contract {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %10, %14, %cst_2 : vector<32x64xf32>, vector<128x64xf32> into vector<32x128xf32>
    %16 = vector.multi_reduction <maximumf>, %15, %arg1 [1] : vector<32x128xf32> to vector<32xf32>
    %17 = vector.broadcast %16 : vector<32xf32> to vector<128x32xf32>
    %18 = vector.transpose %17, [1, 0] : vector<128x32xf32> to vector<32x128xf32>
    %19 = arith.subf %15, %18 : vector<32x128xf32>
    %20 = math.exp2 %19 : vector<32x128xf32>
    %21 = arith.subf %arg1, %16 : vector<32xf32>
    %22 = math.exp2 %21 : vector<32xf32>
    %23 = arith.mulf %22, %arg2 : vector<32xf32>
    %24 = vector.multi_reduction <add>, %20, %23 [1] : vector<32x128xf32> to vector<32xf32>
    %25 = arith.divf %cst_3, %24 : vector<32xf32>
    %26 = vector.broadcast %25 : vector<32xf32> to vector<128x32xf32>
    %27 = vector.transpose %26, [1, 0] : vector<128x32xf32> to vector<32x128xf32>
    %28 = arith.mulf %20, %27 : vector<32x128xf32>
    %29 = arith.truncf %28 : vector<32x128xf32> to vector<32x128xf16>
    %30 = vector.broadcast %23 : vector<32xf32> to vector<64x32xf32>
    %31 = vector.broadcast %25 : vector<32xf32> to vector<64x32xf32>
    %32 = vector.transpose %30, [1, 0] : vector<64x32xf32> to vector<32x64xf32>
    %33 = vector.transpose %31, [1, 0] : vector<64x32xf32> to vector<32x64xf32>
    %34 = arith.mulf %32, %33 : vector<32x64xf32>
    %35 = arith.mulf %34, %arg3 : vector<32x64xf32>
    %36 = arith.extf %29 : vector<32x128xf16> to vector<32x128xf32>
    %37 = vector.transfer_read %alloc_12[%c0, %c0], %cst_4 {in_bounds = [true, true], permutation_map = #map7} : memref<128x64xf16, #gpu.address_space<workgroup>>, vector<64x128xf16>
    %38 = arith.extf %37 : vector<64x128xf16> to vector<64x128xf32>
    %39 = vector.contract {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %36, %38, %35 : vector<32x128xf32>, vector<64x128xf32> into vector<32x64xf32>
    scf.yield %16, %24, %39 : vector<32xf32>, vector<32xf32>, vector<32x64xf32>
  }
  %12 = arith.truncf %11#2 : vector<32x64xf32> to vector<32x64xf16>
  vector.transfer_write %12, %alloc_7[%c0, %8, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<1x128x64xf16, #gpu.address_space<workgroup>>
  return
}
