// Static products that are smaller than a tile, or ragged at its edge, in two halves: PCF-77, PCF-89.
//
// RUN: distaff run %s --func one --target sm_80 --pipeline run-cluster --specialize ping-pong --check
// RUN: distaff run %s --func odd --target sm_80 --pipeline run-cluster --specialize ping-pong --check %stages
// RUN: %if full %{ distaff run %s --func granule --target sm_80 --pipeline run-cluster --specialize ping-pong --check %}
// RUN: distaff run %s --func ragged --target sm_80 --pipeline run-cluster --specialize ping-pong --check %stages
// RUN: %if full %{ distaff run %s --func square --target sm_80 --pipeline run-cluster --specialize ping-pong --check %}
// RUN: %if full %{ distaff run %s --func hundred --target sm_80 --pipeline run-cluster --specialize ping-pong --check %}
// RUN: distaff run %s --func flat --target sm_80 --pipeline run-cluster --specialize ping-pong --check
// RUN: distaff run %s --func tall --target sm_80 --pipeline run-cluster --specialize ping-pong --check
// RUN: distaff run %s --func one --target gfx942 --pipeline run-cluster --specialize ping-pong --check
// RUN: %if full %{ distaff run %s --func odd --target gfx942 --pipeline run-cluster --specialize ping-pong --check %stages %}
// RUN: %if full %{ distaff run %s --func granule --target gfx942 --pipeline run-cluster --specialize ping-pong --check %}
// RUN: distaff run %s --func ragged --target gfx942 --pipeline run-cluster --specialize ping-pong --check %stages
// RUN: %if full %{ distaff run %s --func square --target gfx942 --pipeline run-cluster --specialize ping-pong --check %}
// RUN: %if full %{ distaff run %s --func hundred --target gfx942 --pipeline run-cluster --specialize ping-pong --check %}
// RUN: distaff run %s --func flat --target gfx942 --pipeline run-cluster --specialize ping-pong --check
// RUN: %if full %{ distaff run %s --func tall --target gfx942 --pipeline run-cluster --specialize ping-pong --check %}
// RUN: distaff run %s --func ragged --target sm_80 --pipeline run-cluster --specialize ping-pong --check --device ptx
// RUN: distaff run %s --func row --target sm_80 --pipeline run-cluster --specialize ping-pong --check %stages
// RUN: distaff run %s --func row --target sm_80 --pipeline run-cluster --specialize ping-pong --check --device ptx
// RUN: distaff run %s --func turned --target sm_80 --pipeline run-cluster --specialize ping-pong --check %stages
// RUN: distaff run %s --func turned --target gfx942 --pipeline run-cluster --specialize ping-pong --check

func.func @one(%a: tensor<1x1xf16>, %b: tensor<1x1xf16>) -> tensor<1x1xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x1xf32>) -> tensor<1x1xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1x1xf16>, tensor<1x1xf16>) outs(%f : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

func.func @odd(%a: tensor<7x17xf32>, %b: tensor<17x9xf32>) -> tensor<7x9xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x9xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %r = linalg.matmul ins(%a, %b : tensor<7x17xf32>, tensor<17x9xf32>) outs(%f : tensor<7x9xf32>) -> tensor<7x9xf32>
  return %r : tensor<7x9xf32>
}

func.func @granule(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>) -> tensor<16x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = linalg.matmul ins(%a, %b : tensor<16x16xf16>, tensor<16x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

func.func @ragged(%a: tensor<17x33xf16>, %b: tensor<33x65xf16>) -> tensor<17x65xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<17x65xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<17x65xf16>) -> tensor<17x65xf16>
  %r = linalg.matmul ins(%a, %b : tensor<17x33xf16>, tensor<33x65xf16>) outs(%f : tensor<17x65xf16>) -> tensor<17x65xf16>
  return %r : tensor<17x65xf16>
}

func.func @square(%a: tensor<48x48xi8>, %b: tensor<48x48xi8>) -> tensor<48x48xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<48x48xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<48x48xi32>) -> tensor<48x48xi32>
  %r = linalg.matmul ins(%a, %b : tensor<48x48xi8>, tensor<48x48xi8>) outs(%f : tensor<48x48xi32>) -> tensor<48x48xi32>
  return %r : tensor<48x48xi32>
}

func.func @hundred(%a: tensor<100x40xf16>, %b: tensor<40x33xf16>) -> tensor<100x33xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x33xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<100x33xf32>) -> tensor<100x33xf32>
  %r = linalg.matmul ins(%a, %b : tensor<100x40xf16>, tensor<40x33xf16>) outs(%f : tensor<100x33xf32>) -> tensor<100x33xf32>
  return %r : tensor<100x33xf32>
}

func.func @flat(%a: tensor<1x130xf16>, %b: tensor<130x64xf16>) -> tensor<1x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1x130xf16>, tensor<130x64xf16>) outs(%f : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

func.func @tall(%a: tensor<130x20xf32>, %b: tensor<20x1xf32>) -> tensor<130x1xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<130x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<130x1xf32>) -> tensor<130x1xf32>
  %r = linalg.matmul ins(%a, %b : tensor<130x20xf32>, tensor<20x1xf32>) outs(%f : tensor<130x1xf32>) -> tensor<130x1xf32>
  return %r : tensor<130x1xf32>
}

// The second half has no row, and its writes no elements (PCF-27).
#row_of_b = affine_map<(m, n, k) -> (n, k)>
func.func @row(%a: tensor<1x2xi8>, %b: tensor<127x2xi8>) -> tensor<1x127xi8> {
  %z = arith.constant 0 : i8
  %e = tensor.empty() : tensor<1x127xi8>
  %f = linalg.fill ins(%z : i8) outs(%e : tensor<1x127xi8>) -> tensor<1x127xi8>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, #row_of_b, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<1x2xi8>, tensor<127x2xi8>) outs(%f : tensor<1x127xi8>) -> tensor<1x127xi8>
  return %r : tensor<1x127xi8>
}

// What is written begins with the 8 columns of one instruction; the rows are cut.
func.func @turned(%a: tensor<33x40xf16>, %b: tensor<40x8xf16>, %c: tensor<33x8xf32>) -> tensor<8x33xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<33x40xf16>, tensor<40x8xf16>) outs(%c : tensor<33x8xf32>) -> tensor<33x8xf32>
  %e = tensor.empty() : tensor<8x33xf32>
  %t = linalg.transpose ins(%r : tensor<33x8xf32>) outs(%e : tensor<8x33xf32>) permutation = [1, 0]
  return %t : tensor<8x33xf32>
}
