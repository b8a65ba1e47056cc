// PCF-202: what a worker does not write of a result is what the result begins as, also where the run decides which workers
// write, and how many rows there are; what is written whole begins as nothing.
//
// RUN: distaff run %s --func rows --target sm_80 --check --every-stage --input arg2=2 | FileCheck %s
// RUN: distaff run %s --func rows --target sm_80 --check --device ptx --input arg2=0
// RUN: distaff run %s --func rows --target gfx942 --check --schedule 3 --input arg2=4
// RUN: distaff run %s --func blocks --target sm_80 --check --every-stage --shape arg0=37x64 --shape arg1=37x64 | FileCheck %s
// RUN: distaff run %s --func blocks --target sm_80 --check --device ptx --shape arg0=1x64 --shape arg1=1x64
// RUN: distaff run %s --func blocks --target gfx942 --check --schedule 5 --shape arg0=0x64 --shape arg1=0x64
// RUN: distaff run %s --func whole --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func whole --target sm_80 --check --device ptx
// CHECK: distribute-lanes {{.*}} ok
// CHECK: convert {{.*}} ok

// All rows of the result are written: no worker copies what it begins as.
// RUN: distaff compile %s --func whole --target sm_80 --stop-after=distribute-lanes | FileCheck %s --check-prefix=WHOLE
// RUN: distaff compile %s --func shares --target sm_80 --stop-after=distribute-lanes | FileCheck %s --check-prefix=WHOLE
// RUN: distaff run %s --func shares --target sm_80 --check --device ptx
// WHOLE-NOT: linalg.fill
// WHOLE-COUNT-1: = pcf.generic
// WHOLE-NOT: = pcf.generic

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>

!Rows = !pcf.sref<8x64xf32, #sg>
!RowResults = !pcf.sref<8x64xf32, sync(#sg)>
func.func @rows(%x: tensor<8x64xf32>, %o: tensor<8x64xf32>, %workers: index) -> tensor<8x64xf32> attributes {translation_info = #launch} {
  %c2 = arith.constant 2 : index
  %r = pcf.generic scope(#sg) execute(%X <- %x : tensor<8x64xf32>, %O = %o)[%id: index, %n: index] : (!Rows, !RowResults) -> (tensor<8x64xf32>) {
    %writes = arith.cmpi ult, %id, %workers : index
    scf.if %writes {
      %at = arith.muli %id, %c2 : index
      %a = pcf.read_slice %X[%at, 0] [1, 64] [1, 1] : !Rows to tensor<1x64xf32>
      pcf.write_slice %a into %O[%at, 0] [1, 64] [1, 1] : tensor<1x64xf32> into !RowResults
    }
    pcf.return
  }
  return %r : tensor<8x64xf32>
}

// Of every second row a part.
!Blocks = !pcf.sref<?x64xf32, #sg>
!BlockResults = !pcf.sref<?x64xf32, sync(#sg)>
func.func @blocks(%x: tensor<?x64xf32>, %o: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %r = pcf.generic scope(#sg) execute(%X <- %x : tensor<?x64xf32>, %O = %o)[%id: index, %n: index] : (!Blocks, !BlockResults) -> (tensor<?x64xf32>) {
    %begin = arith.muli %id, %c2 : index
    %step = arith.muli %n, %c2 : index
    scf.for %i = %begin to %m step %step {
      %a = pcf.read_slice %X[%i, 5] [1, 40] [1, 1] : !Blocks to tensor<1x40xf32>
      pcf.write_slice %a into %O[%i, 9] [1, 40] [1, 1] : tensor<1x40xf32> into !BlockResults
    }
    pcf.return
  }
  return %r : tensor<?x64xf32>
}

!Whole = !pcf.sref<37x64xf32, #sg>
!WholeResults = !pcf.sref<37x64xf32, sync(#sg)>
func.func @whole(%x: tensor<37x64xf32>) -> tensor<37x64xf32> attributes {translation_info = #launch} {
  %c37 = arith.constant 37 : index
  %f = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<37x64xf32>
  %o = linalg.fill ins(%f : f32) outs(%e : tensor<37x64xf32>) -> tensor<37x64xf32>
  %r = pcf.generic scope(#sg) execute(%X <- %x : tensor<37x64xf32>, %O = %o)[%id: index, %n: index] : (!Whole, !WholeResults) -> (tensor<37x64xf32>) {
    scf.for %i = %id to %c37 step %n {
      %a = pcf.read_slice %X[%i, 0] [1, 64] [1, 1] : !Whole to tensor<1x64xf32>
      pcf.write_slice %a into %O[%i, 0] [1, 64] [1, 1] : tensor<1x64xf32> into !WholeResults
    }
    pcf.return
  }
  return %r : tensor<37x64xf32>
}

// Each worker has a share of the rows, the last ones fewer.
func.func @shares(%x: tensor<37x64xf32>, %o: tensor<37x64xf32>) -> tensor<37x64xf32> attributes {translation_info = #launch} {
  %c37 = arith.constant 37 : index
  %r = pcf.generic scope(#sg) execute(%X <- %x : tensor<37x64xf32>, %O = %o)[%id: index, %n: index] : (!Whole, !WholeResults) -> (tensor<37x64xf32>) {
    %rows = arith.ceildivui %c37, %n : index
    %at = arith.muli %id, %rows : index
    %begin = arith.minui %at, %c37 : index
    %left = arith.subi %c37, %begin : index
    %size = arith.minui %rows, %left : index
    %a = pcf.read_slice %X[%begin, 0] [%size, 64] [1, 1] : !Whole to tensor<?x64xf32>
    pcf.write_slice %a into %O[%begin, 0] [%size, 64] [1, 1] : tensor<?x64xf32> into !WholeResults
    pcf.return
  }
  return %r : tensor<37x64xf32>
}
