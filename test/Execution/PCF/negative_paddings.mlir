// PCF-203: a padding of less than nothing cuts elements off, in the code of a group and in that of workers; the first extent
// of the tensor is known, or only the run knows it.
//
// RUN: distaff run %s --func group --target sm_80 --check --every-stage --input arg2=7 | FileCheck %s
// RUN: distaff run %s --func group --target sm_80 --check --device ptx --input arg2=3
// RUN: distaff run %s --func group --target gfx942 --check --schedule 3 --input arg2=1
// RUN: distaff run %s --func workers --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func workers --target sm_80 --check --device ptx
// RUN: distaff run %s --func workers --target sm_80 --input arg0=iota --output res0=%t.npy
// RUN: distaff run %s --func columns --target sm_80 --input arg0=iota --check --output res0=%t.columns.npy
// RUN: %python -c "import sys; sys.path.insert(0, '%S/../Inputs'); import npy, pathlib; at = lambda w, i, j: 9.0 * (w + 3) + j - 1 if i == 0 and j > 0 else 3.0; read = lambda name: npy.read(pathlib.Path('%t' + name), 'f32'); assert read('.npy') == [at(w, i, j) for w in range(4) for i in range(2) for j in range(8)], read('.npy'); assert read('.columns.npy') == [9.0 * i + j for i in range(1, 7) for j in range(7)]"
// CHECK: distribute-lanes {{.*}} ok
// CHECK: convert {{.*}} ok

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>
!In = !pcf.sref<7x9xf32, #sg>
!Out = !pcf.sref<8x8xf32, sync(#sg)>

// Of %rows rows the first goes, and two follow; each loses a column in front and two behind, and then has two more.
func.func @group(%x: tensor<7x9xf32>, %o: tensor<8x8xf32>, %rows: index) -> tensor<8x8xf32> attributes {translation_info = #launch} {
  %c7 = arith.constant 7 : index
  %three = arith.constant 3.0 : f32
  %n = arith.minui %rows, %c7 : index
  %r = pcf.shared_executor scope(#sg) execute(%X <- %x : tensor<7x9xf32>, %O = %o)[%tg: !pcf.threadgroup<#sg>] : (!In, !Out) -> (tensor<8x8xf32>) {
    %a = pcf.read_slice %X[0, 0] [%n, 9] [1, 1] : !In to tensor<?x9xf32>
    %b = tensor.pad %a low[-1, -1] high[2, -2] {
    ^bb0(%i: index, %j: index):
      tensor.yield %three : f32
    } : tensor<?x9xf32> to tensor<?x6xf32>
    %d = arith.addf %b, %b : tensor<?x6xf32>
    %c = tensor.pad %d low[0, 2] high[-1, 0] {
    ^bb0(%i: index, %j: index):
      %k = arith.addi %i, %j : index
      %l = arith.index_cast %k : index to i32
      %m = arith.sitofp %l : i32 to f32
      tensor.yield %m : f32
    } : tensor<?x6xf32> to tensor<?x8xf32>
    %full = arith.constant dense<-7.0> : tensor<8x8xf32>
    pcf.write_slice %full into %O[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !Out
    pcf.write_slice %c into %O[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into !Out
    pcf.return
  }
  return %r : tensor<8x8xf32>
}

// Each worker has two rows of the result.
func.func @workers(%x: tensor<7x9xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {translation_info = #launch} {
  %c2 = arith.constant 2 : index
  %three = arith.constant 3.0 : f32
  %r = pcf.generic scope(#sg) execute(%X <- %x : tensor<7x9xf32>, %O = %o)[%id: index, %count: index] : (!In, !Out) -> (tensor<8x8xf32>) {
    %a = pcf.read_slice %X[%id, 0] [4, 9] [1, 1] : !In to tensor<4x9xf32>
    %b = tensor.pad %a low[-3, 1] high[1, -2] {
    ^bb0(%i: index, %j: index):
      tensor.yield %three : f32
    } : tensor<4x9xf32> to tensor<2x8xf32>
    %at = arith.muli %id, %c2 : index
    pcf.write_slice %b into %O[%at, 0] [2, 8] [1, 1] : tensor<2x8xf32> into !Out
    pcf.return
  }
  return %r : tensor<8x8xf32>
}

// By the other pipeline.
func.func @columns(%x: tensor<7x9xf32>) -> tensor<6x7xf32> {
  %three = arith.constant 3.0 : f32
  %r = tensor.pad %x low[-1, 0] high[0, -2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %three : f32
  } : tensor<7x9xf32> to tensor<6x7xf32>
  return %r : tensor<6x7xf32>
}
