// RUN: distaff run %s --func no_loop --target sm_80 --pipeline run-cluster --specialize producer-consumer --check --input arg0=whole:0:-3:3 --input arg1=whole:1:-3:3 2>&1 | FileCheck %s --check-prefix=NOLOOP
// RUN: distaff run %s --func carried --target gfx942 --pipeline run-cluster --specialize producer-consumer --check --input arg0=whole:0:-3:3 --input arg1=whole:1:-3:3 --input arg3=2 2>&1 | FileCheck %s --check-prefix=CARRIED
// RUN: distaff run %s --func rows --target sm_80 --device ptx --pipeline run-cluster --specialize producer-consumer --check --input arg0=whole:0:-3:3 --input arg1=whole:1:-3:3 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: distaff compile %s --func rows --target sm_80 --pipeline run-cluster --stop-after=specialize -o %t.plain
// RUN: distaff compile %s --func rows --target sm_80 --pipeline run-cluster --specialize producer-consumer --stop-after=specialize -o %t.ahead 2> %t.warnings
// RUN: cmp %t.plain %t.ahead

// Plain ops of a group pass panels of the compiler's own to each other, which are not copied ahead. They are compiled
// as without --specialize, with the reason in a warning, and a failed attempt leaves nothing behind (PCF-185).

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>
!A = !pcf.sref<16x16xi32, #sg>
!R = !pcf.sref<64x16xi32, #sg>
!O = !pcf.sref<16x16xi32, sync(#sg)>
!S = !pcf.sref<64xi32, sync(#sg)>
!T = tensor<16x16xi32>

// NOLOOP: warning: cannot multi-buffer a panel: no phase of a loop fills one that the executor allocates; copy what a step reads to such a panel, in a phase of its own; the kernel is compiled as without --specialize
// NOLOOP-NOT: error:
// NOLOOP: ok
func.func @no_loop(%in: !T, %in2: !T, %out: !T) -> !T attributes {translation_info = #launch} {
  %zero = arith.constant 0 : i32

  %r = pcf.shared_executor scope(#sg) execute(%A <- %in : !T, %B <- %in2 : !T, %O = %out)[%tg: !pcf.threadgroup<#sg>] : (!A, !A, !O) -> (!T) {
    %a = pcf.read_slice %A[0, 0] [16, 16] [1, 1] : !A to !T
    %b = pcf.read_slice %B[0, 0] [16, 16] [1, 1] : !A to !T
    %e = tensor.empty() : !T
    %z = linalg.fill ins(%zero : i32) outs(%e : !T) -> !T
    %p = linalg.matmul ins(%a, %b : !T, !T) outs(%z : !T) -> !T
    %q = linalg.matmul ins(%a, %p : !T, !T) outs(%z : !T) -> !T
    pcf.write_slice %q into %O[0, 0] [16, 16] [1, 1] : !T into !O
    pcf.return
  }
  return %r : !T
}

// CARRIED: warning: cannot multi-buffer a panel: the phase that fills it has payload; the kernel is compiled as without --specialize
// CARRIED-NOT: error:
// CARRIED: ok
func.func @carried(%in: !T, %in2: !T, %out: !T, %n: index) -> !T attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %r = pcf.shared_executor scope(#sg) execute(%A <- %in : !T, %B <- %in2 : !T, %O = %out)[%tg: !pcf.threadgroup<#sg>] : (!A, !A, !O) -> (!T) {
    %a = pcf.read_slice %A[0, 0] [16, 16] [1, 1] : !A to !T
    %b = pcf.read_slice %B[0, 0] [16, 16] [1, 1] : !A to !T
    %e = tensor.empty() : !T
    %z = linalg.fill ins(%zero : i32) outs(%e : !T) -> !T
    %q = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> !T {
      %p = linalg.matmul ins(%x, %b : !T, !T) outs(%z : !T) -> !T
      scf.yield %p : !T
    }
    pcf.write_slice %q into %O[0, 0] [16, 16] [1, 1] : !T into !O
    pcf.return
  }
  return %r : !T
}

// ROWS: warning: cannot multi-buffer a panel: the phase that fills it has payload; the kernel is compiled as without --specialize
// ROWS-NOT: error:
// ROWS: ok
func.func @rows(%in: tensor<64x16xi32>, %in2: !T, %out: tensor<64xi32>) -> tensor<64xi32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %r = pcf.shared_executor scope(#sg) execute(%A <- %in : tensor<64x16xi32>, %B <- %in2 : !T, %O = %out)[%tg: !pcf.threadgroup<#sg>] : (!R, !A, !S) -> (tensor<64xi32>) {
    %b = pcf.read_slice %B[0, 0] [16, 16] [1, 1] : !A to !T
    scf.for %i = %c0 to %n step %c16 {
      %a = pcf.read_slice %A[%i, 0] [16, 16] [1, 1] : !R to !T
      %e = tensor.empty() : !T
      %er = tensor.empty() : tensor<16xi32>
      %z = linalg.fill ins(%zero : i32) outs(%e : !T) -> !T
      %zr = linalg.fill ins(%zero : i32) outs(%er : tensor<16xi32>) -> tensor<16xi32>
      %p = linalg.matmul ins(%a, %b : !T, !T) outs(%z : !T) -> !T
      %q = linalg.reduce { arith.addi } ins(%p : !T) outs(%zr : tensor<16xi32>) dimensions = [1]
      pcf.write_slice %q into %O[%i] [16] [1] : tensor<16xi32> into !S
    }
    pcf.return
  }
  return %r : tensor<64xi32>
}
