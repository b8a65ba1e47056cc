// One lane's program as a user writes it, without a grid function: every command
// takes it, and launches known_grid_size workgroups of known_block_size lanes.
// RUN: distaff run %s --func twice --target sm_80 --input arg0=iota --output arg1=%t.npy
// RUN: %python -c "import struct, sys; data = open(sys.argv[1], 'rb').read()[-4 * 96:]; assert struct.unpack('<96f', data) == tuple(2.0 * i for i in range(96)), data" %t.npy
// RUN: distaff run %s --func twice --target sm_80 --check --every-stage 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: distaff run %s --func sums --target sm_80 --check --every-stage 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: distaff compile %s --target sm_80 --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff compile %s --func twice --target sm_80 --emit package -o %t.package
// RUN: grep -a -o '"grid":[^]]*]' %t.package | FileCheck %s --check-prefix=GRID
// RUN: distaff explain %s --func twice --target sm_80 | FileCheck %s --check-prefix=WHY
// RUN: distaff compile %s --func sums --target sm_80 --stop-after=lower -o %t.mlir
// RUN: distaff run %t.mlir --target sm_80 --check 2>&1 | FileCheck %s --check-prefix=ALONE

// That stages agree with a lane's code says nothing of a group's, which is said.
// STAGES-DAG: input {{.*}} ok
// STAGES-DAG: lower {{.*}} ok
// STAGES-DAG: remark: 'gpu.func' op is code that every worker runs for itself
// ALONE-DAG: remark: 'gpu.func' op is code that every worker runs for itself
// ALONE-DAG: {{.*}} ok
// PTX: .entry twice(
// PTX: .reqntid 32, 1, 1
// PTX: .entry sums(
// GRID: [3,1,1]
// WHY: twice
gpu.module @mine {
  gpu.func @twice(%in: memref<96xf32>, %out: memref<96xf32>) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 3, 1, 1>,
      translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %i = gpu.global_id x
    %x = memref.load %in[%i] : memref<96xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %out[%i] : memref<96xf32>
    gpu.return
  }
  // On a lane's vectors of any rank.
  gpu.func @sums(%in: memref<32x2x3xf32>, %out: memref<32xf32>) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %i = gpu.thread_id x
    %v = vector.transfer_read %in[%i, %c0, %c0], %z {in_bounds = [true, true]} : memref<32x2x3xf32>, vector<2x3xf32>
    %s = vector.multi_reduction <add>, %v, %z [0, 1] : vector<2x3xf32> to f32
    memref.store %s, %out[%i] : memref<32xf32>
    gpu.return
  }
}
