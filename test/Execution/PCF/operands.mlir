// What a kernel computes with besides its two matrices, along the pipeline run-cluster, every
// stage checked (PCF-85, 89): one vector as row and as column, a constant as operand,
// vectors that are read before panels are written and used after, a vector along a batch
// of unknown extent, elementwise ops on tensors in phases written by hand, a large term
// that is added when the products are summed up, and not before, operands that the
// product's own body converts, which no instruction does.
// RUN: distaff run %s --func row_and_column --target sm_80 --pipeline run-cluster --check %stages | FileCheck %s
// RUN: distaff run %s --func row_and_column --target sm_80 --pipeline run-cluster --device ptx --specialize producer-consumer --check | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func row_and_column --target gfx942 --pipeline run-cluster --check %stages | FileCheck %s
// RUN: distaff run %s --func constant_operand --target sm_80 --pipeline run-cluster --check %stages | FileCheck %s
// RUN: distaff run %s --func constant_operand --target sm_80 --pipeline run-cluster --device ptx --check | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func vectors_of_operands --target sm_80 --pipeline run-cluster --shape arg2=37x16 --check %stages | FileCheck %s
// RUN: distaff run %s --func vectors_of_operands --target sm_80 --pipeline run-cluster --shape arg2=37x16 --device ptx --check | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func vector_of_batches --target sm_80 --pipeline run-cluster --shape arg0=3x4x16 --shape arg1=17x16x3 --shape arg2=3 --check %stages | FileCheck %s
// RUN: distaff run %s --func vector_of_batches --target sm_80 --pipeline run-cluster --shape arg0=3x4x16 --shape arg1=17x16x3 --shape arg2=3 --device ptx --check | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func tensors_in_phases --target sm_80 --pipeline run-cluster --input arg0=3 --check %stages | FileCheck %s
// RUN: distaff run %s --func tensors_in_phases --target sm_80 --pipeline run-cluster --input arg0=0 --device ptx --check | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func term_added_last --target gfx1201 --pipeline run-cluster --input arg2=random:3:1000000:2000000 --check %stages | FileCheck %s
// RUN: distaff run %s --func term_added_last --target sm_80 --pipeline run-cluster --input arg2=random:3:1000000:2000000 --device ptx --check | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func converted_operands --target sm_80 --pipeline run-cluster --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2 --check %stages | FileCheck %s
// RUN: distaff run %s --func converted_operands --target sm_80 --pipeline run-cluster --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2 --device ptx --specialize ping-pong --check | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func converted_operands --target gfx942 --pipeline run-cluster --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2 --check | FileCheck %s
// RUN: distaff run %s --func narrowed_operands --target sm_80 --pipeline run-cluster --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2 --device ptx --check | FileCheck %s --check-prefix=PTX
// CHECK: lower {{.*}} ok
// PTX: ptx {{.*}} ok

#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>

func.func @row_and_column(%a: tensor<4x40xf16>, %b: tensor<40x4xf16>, %v: tensor<4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %product = linalg.matmul ins(%a, %b : tensor<4x40xf16>, tensor<40x4xf16>) outs(%start : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%product, %v, %v : tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%p: f32, %row: f32, %column: f32, %old: f32):
    %scaled = arith.mulf %p, %row : f32
    %sum = arith.addf %scaled, %column : f32
    linalg.yield %sum : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// Its loop over rows is measured by no argument that is read.
func.func @constant_operand(%b: tensor<65x49xf16>) -> tensor<33x49xf32> {
  %half = arith.constant dense<0.5> : tensor<33x65xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<33x49xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<33x49xf32>) -> tensor<33x49xf32>
  %r = linalg.matmul ins(%half, %b : tensor<33x65xf16>, tensor<65x49xf16>) outs(%start : tensor<33x49xf32>) -> tensor<33x49xf32>
  return %r : tensor<33x49xf32>
}

// The result is turned, so its vectors are too.
func.func @vectors_of_operands(%a: tensor<33x16xf16>, %u: tensor<33xf16>, %b: tensor<?x16xf16>, %v: tensor<16xf16>) -> tensor<?x33xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %b, %c0 : tensor<?x16xf16>
  %ea = tensor.empty() : tensor<33x16xf16>
  %scaled = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%a, %u : tensor<33x16xf16>, tensor<33xf16>) outs(%ea : tensor<33x16xf16>) {
  ^bb0(%x: f16, %s: f16, %old: f16):
    %y = arith.mulf %x, %s : f16
    linalg.yield %y : f16
  } -> tensor<33x16xf16>
  %eb = tensor.empty(%n) : tensor<?x16xf16>
  %shifted = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%b, %v : tensor<?x16xf16>, tensor<16xf16>) outs(%eb : tensor<?x16xf16>) {
  ^bb0(%x: f16, %s: f16, %old: f16):
    %y = arith.addf %x, %s : f16
    linalg.yield %y : f16
  } -> tensor<?x16xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<33x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<33x?xf32>) -> tensor<33x?xf32>
  %product = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%scaled, %shifted : tensor<33x16xf16>, tensor<?x16xf16>) outs(%start : tensor<33x?xf32>) -> tensor<33x?xf32>
  %turned = tensor.empty(%n) : tensor<?x33xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ji], iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<33x?xf32>) outs(%turned : tensor<?x33xf32>) {
  ^bb0(%p: f32, %old: f32):
    %q = arith.negf %p : f32
    linalg.yield %q : f32
  } -> tensor<?x33xf32>
  return %r : tensor<?x33xf32>
}

func.func @vector_of_batches(%a: tensor<?x4x16xbf16>, %b: tensor<17x16x?xbf16>, %v: tensor<?xf32>) -> tensor<?x4x17xf32> {
  %c0 = arith.constant 0 : index
  %batches = tensor.dim %a, %c0 : tensor<?x4x16xbf16>
  %empty = tensor.empty(%batches) : tensor<?x4x17xf32>
  %start = linalg.broadcast ins(%v : tensor<?xf32>) outs(%empty : tensor<?x4x17xf32>) dimensions = [1, 2]
  %r = linalg.contract indexing_maps = [affine_map<(a, m, n, k) -> (a, m, k)>, affine_map<(a, m, n, k) -> (n, k, a)>, affine_map<(a, m, n, k) -> (a, m, n)>]
      ins(%a, %b : tensor<?x4x16xbf16>, tensor<17x16x?xbf16>) outs(%start : tensor<?x4x17xf32>) -> tensor<?x4x17xf32>
  return %r : tensor<?x4x17xf32>
}

!sref = !pcf.sref<64x64xf32, sync(#iree_codegen.workgroup_scope)>
!group = !pcf.threadgroup<#iree_gpu.subgroup_scope>
!sums = !pcf.threadgroup<#iree_gpu.subgroup_scope, {tensor<64x64xf32>}>
#launch = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [128, 1, 1] subgroup_size = 32>

func.func @tensors_in_phases(%n: index) -> tensor<64x64xf32> attributes {translation_info = #launch} {
  %empty = tensor.empty() : tensor<64x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = pcf.loop scope(#iree_codegen.workgroup_scope) count(%c1) execute(%ref = %empty)[%id: index] : (!sref) -> (tensor<64x64xf32>) {
    pcf.shared_executor scope(#iree_gpu.subgroup_scope) execute[%group: !group] {
      %first = pcf.shared_executor.run_cluster(%group)[] () {
        %c = arith.constant dense<1.5> : tensor<64x64xf32>
        pcf.cluster_yield %c : tensor<64x64xf32>
      } : (!group) -> !sums
      %last = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %first) -> (!sums) {
        %next = pcf.shared_executor.run_cluster(%sums)[] (%x: tensor<64x64xf32>) {
          %c = arith.constant dense<2.5> : tensor<64x64xf32>
          %y = arith.addf %x, %c : tensor<64x64xf32>
          pcf.cluster_yield %y : tensor<64x64xf32>
        } : (!sums) -> !sums
        scf.yield %next : !sums
      }
      pcf.shared_executor.run_cluster(%last)[] (%x: tensor<64x64xf32>) {
        pcf.write_slice %x into %ref[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !sref
        pcf.cluster_yield
      } : (!sums)
      pcf.return
    }
    pcf.return
  }
  return %r : tensor<64x64xf32>
}

// One panel: no loop stands between the zero that the sum begins with and the term.
func.func @term_added_last(%a: tensor<16x15xbf16>, %b: tensor<15x16xbf16>, %term: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
  %product = linalg.matmul ins(%a, %b : tensor<16x15xbf16>, tensor<15x16xbf16>) outs(%start : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = linalg.add ins(%product, %term : tensor<16x16xf32>, tensor<16x16xf32>) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// f16 numbers are multiplied, and 8-bit ones read.
func.func @converted_operands(%a: tensor<33x40xi8>, %b: tensor<40x20xf16>, %c: tensor<33x20xf32>) -> tensor<33x20xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<33x40xi8>, tensor<40x20xf16>) outs(%c : tensor<33x20xf32>) {
  ^bb0(%x: i8, %y: f16, %old: f32):
    %number = arith.sitofp %x : i8 to f16
    %wide = arith.extf %number : f16 to f32
    %other = arith.extf %y : f16 to f32
    %product = arith.mulf %wide, %other : f32
    %sum = arith.addf %old, %product : f32
    linalg.yield %sum : f32
  } -> tensor<33x20xf32>
  return %r : tensor<33x20xf32>
}

func.func @narrowed_operands(%a: tensor<33x40xf32>, %b: tensor<40x20xf32>, %c: tensor<33x20xf16>) -> tensor<33x20xf16> {
  %r = linalg.matmul ins(%a, %b : tensor<33x40xf32>, tensor<40x20xf32>) outs(%c : tensor<33x20xf16>) -> tensor<33x20xf16>
  return %r : tensor<33x20xf16>
}
