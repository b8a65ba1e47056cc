// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 | FileCheck %s
// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 | FileCheck %s

// A lane whose assertion fails ends the program; the message stays for who runs it.
// CHECK-LABEL: llvm.func @assertion(
// CHECK-SAME: %[[B:.*]]: i1
// CHECK: %[[FAILS:.*]] = llvm.xor %[[B]], %{{.*}} : i1
// CHECK: llvm.cond_br %[[FAILS]], ^[[TRAP:.*]], ^[[NEXT:.*]]
// CHECK: ^[[TRAP]]:
// CHECK-NEXT: llvm.intr.trap {assertion = "less than four"}
// CHECK-NEXT: llvm.br ^[[NEXT]]
gpu.module @kernels {
  gpu.func @assertion(%b: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    cf.assert %b, "less than four"
    gpu.return
  }
}
