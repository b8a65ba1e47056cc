// RUN: distaff-opt %s --split-input-file --distaff-workgroup-loop --verify-diagnostics | FileCheck %s
// RUN: distaff-opt %s --split-input-file --distaff-workgroup-loop=steps=4 --verify-diagnostics | FileCheck %s --check-prefix=STEPS

// A forall over workgroups is a pcf.loop; what a workgroup computes in front of it is inside.
// With steps, neighbouring tiles are one workgroup's (PCF-132).
// CHECK-LABEL: func.func @forall
// CHECK: %[[N:.*]] = arith.constant 10 : index
// CHECK: pcf.loop scope(#iree_codegen.workgroup_scope) count(%[[N]]) execute[%[[ID:.*]]: index]
// CHECK: vector.transfer_read %{{.*}}[%[[ID]]]
// CHECK: vector.transfer_write
// CHECK: pcf.return
// STEPS-LABEL: func.func @forall
// STEPS: %[[COUNT:.*]] = affine.apply #{{.*}}()[%c10]
// STEPS: pcf.loop scope(#iree_codegen.workgroup_scope) count(%[[COUNT]]) execute[%[[ID:.*]]: index]
// STEPS: %[[FIRST:.*]] = affine.apply #{{.*}}()[%[[ID]]]
// STEPS: %[[LEFT:.*]] = affine.min #{{.*}}()[%c10, %[[FIRST]]]
// STEPS: scf.for %[[T:.*]] = %{{.*}} to %[[LEFT]] step
// STEPS: %[[TILE:.*]] = affine.apply #{{.*}}()[%[[FIRST]], %[[T]]]
// STEPS: vector.transfer_read %{{.*}}[%[[TILE]]]
// STEPS-LABEL: func.func @forall__grid
// STEPS: %[[X:.*]] = affine.apply #{{.*}}()[%c10]
// STEPS: return %[[X]], %c1, %c1
func.func @forall(%in: memref<10xf32>, %out: memref<10xf32>) {
  %z = arith.constant 0.0 : f32
  scf.forall (%i) in (10) {
    %x = vector.transfer_read %in[%i], %z {in_bounds = [true]} : memref<10xf32>, vector<1xf32>
    vector.transfer_write %x, %out[%i] {in_bounds = [true]} : vector<1xf32>, memref<10xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
func.func @forall__grid() -> (index, index, index) attributes {host} {
  %c10 = arith.constant 10 : index
  %c1 = arith.constant 1 : index
  return %c10, %c1, %c1 : index, index, index
}

// -----

// A workgroup's program is a loop of one iteration. What has a loop of its own is not walked.
// CHECK-LABEL: func.func @whole
// CHECK: pcf.loop scope(#iree_codegen.workgroup_scope) count(%{{.*}}) execute[%{{.*}}: index]
// CHECK: vector.transfer_read
// CHECK: scf.for
// STEPS-LABEL: func.func @whole
// STEPS: scf.for
// STEPS-NOT: scf.for
func.func @whole(%in: memref<8xf32>, %out: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = vector.transfer_read %in[%c0], %z {in_bounds = [true]} : memref<8xf32>, vector<1xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    vector.transfer_write %x, %out[%i] {in_bounds = [true]} : vector<1xf32>, memref<8xf32>
  }
  return
}
func.func @whole__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  return %c1, %c1, %c1 : index, index, index
}

// -----

func.func @two(%out: memref<10xf32>) {
  %x = arith.constant dense<0.0> : vector<1xf32>
  scf.forall (%i) in (10) {
    vector.transfer_write %x, %out[%i] {in_bounds = [true]} : vector<1xf32>, memref<10xf32>
  } {mapping = [#gpu.block<x>]}
  // expected-error @+1 {{'scf.forall' op is a second loop over workgroups, and a launch has one grid; make a kernel of each}}
  scf.forall (%i) in (10) {
    vector.transfer_write %x, %out[%i] {in_bounds = [true]} : vector<1xf32>, memref<10xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
