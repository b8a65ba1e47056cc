// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 | FileCheck %s
// RUN: distaff compile %s --func edge --target sm_80 --emit ptx | FileCheck %s --check-prefix=PTX

// One branch for the three rows of a column, in which each row that is outside is the
// first one again (VX-277, VX-278); on NVIDIA no branch, and a predicate for each
// (VX-276). A load of a guarded place brings what the other branch has.
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @edge
  // CHECK: llvm.cond_br %[[FIRST:.*]], ^[[LOADS:bb[0-9]+]], ^
  // CHECK: ^[[LOADS]]:
  // CHECK: llvm.load
  // CHECK: %[[OWN:.*]] = llvm.select %[[SECOND:.*]], %{{.*}}, %{{.*}} : i1, i64
  // CHECK: llvm.getelementptr inbounds %{{.*}}[%[[OWN]]]
  // CHECK-COUNT-2: llvm.load
  // CHECK: %[[SAME:.*]] = llvm.icmp "ugt" %{{.*}}, %{{.*}} : i32
  // CHECK: llvm.select %[[SAME]], %{{.*}}, %{{.*}} : i1, f32
  // CHECK: ^{{.*}}(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
  // CHECK: llvm.cond_br %[[FIRST]], ^[[STORES:bb[0-9]+]], ^
  // CHECK: ^[[STORES]]:
  // CHECK: llvm.store
  // CHECK: %[[INSIDE:.*]] = llvm.icmp "ugt" %{{.*}}, %{{.*}} : i32
  // CHECK: llvm.select %[[INSIDE]], %{{.*}} : i1, f32
  // CHECK-COUNT-2: llvm.store
  // CHECK-NOT: llvm.cond_br
  // CHECK: llvm.return

  // PTX-LABEL: .entry edge
  // PTX-NOT: bra
  // PTX-COUNT-3: @%p{{.*}} ld.global.b32
  // PTX-COUNT-3: @%p{{.*}} st.global.b32
  // PTX-NOT: bra
  gpu.func @edge(%a: memref<?x?xf32>, %o: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %none = arith.constant -1.0 : f32
    %t = gpu.thread_id x
    %m = memref.dim %o, %c0 : memref<?x?xf32>
    %r1 = arith.addi %t, %c1 : index
    %r2 = arith.addi %t, %c2 : index
    %g0 = arith.cmpi ult, %t, %m : index
    %g1 = arith.cmpi ult, %r1, %m : index
    %g2 = arith.cmpi ult, %r2, %m : index
    %x0 = scf.if %g0 -> (f32) {
      %l = memref.load %a[%t, %c0] : memref<?x?xf32>
      scf.yield %l : f32
    } else {
      scf.yield %none : f32
    }
    %y0 = arith.addf %x0, %x0 : f32
    %x1 = scf.if %g1 -> (f32) {
      %l = memref.load %a[%r1, %c0] : memref<?x?xf32>
      scf.yield %l : f32
    } else {
      scf.yield %none : f32
    }
    %y1 = arith.addf %y0, %x1 : f32
    %x2 = scf.if %g2 -> (f32) {
      %l = memref.load %a[%r2, %c0] : memref<?x?xf32>
      scf.yield %l : f32
    } else {
      scf.yield %none : f32
    }
    %y2 = arith.addf %y1, %x2 : f32
    scf.if %g0 {
      memref.store %y0, %o[%t, %c0] : memref<?x?xf32>
    }
    scf.if %g1 {
      memref.store %y1, %o[%r1, %c0] : memref<?x?xf32>
    }
    scf.if %g2 {
      memref.store %y2, %o[%r2, %c0] : memref<?x?xf32>
    }
    gpu.return
  }

  // Two stores of one element stay in their order, under branches of their own: the first
  // one stored again would replace the second. Nor does a guard that says nothing of a
  // row in front of the memory imply that of the next.
  // CHECK-LABEL: llvm.func @apart
  // CHECK-COUNT-4: llvm.cond_br
  gpu.func @apart(%o: memref<?xf32>, %p: memref<?xf32>, %x: f32, %y: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c-1 = arith.constant -1 : index
    %t = gpu.thread_id x
    %m = memref.dim %o, %c0 : memref<?xf32>
    %g = arith.cmpi ult, %t, %m : index
    scf.if %g {
      memref.store %x, %o[%t] : memref<?xf32>
    }
    scf.if %g {
      memref.store %y, %o[%t] : memref<?xf32>
    }
    %r = arith.addi %t, %c-1 : index
    %h = arith.cmpi ult, %r, %m : index
    scf.if %h {
      memref.store %x, %p[%r] : memref<?xf32>
    }
    scf.if %g {
      memref.store %y, %p[%t] : memref<?xf32>
    }
    gpu.return
  }
}
