// VX-274: what only matrix instructions read of shared memory is rounded where it is stored, and what others read too
// is stored as it is.
// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 | FileCheck %s
// Lane i stores 1 + i/8192, of which tf32 has steps of 8/8192: ties go up. Instructions see 1, 1 + 8/8192, ..., and
// lanes 0, 4, ..., 28 add the four of a row.
// RUN: distaff run %s --func staged --target sm_80 --stop-after=convert --output arg0=%t.staged.npy
// RUN: distaff run %s --func also_read --target sm_80 --stop-after=convert --output arg0=%t.read.npy
// RUN: %python -c "import struct, sys; data = [struct.unpack('<64f', open(p, 'rb').read()[-256:]) for p in sys.argv[1:]]; rounded = [1 + (i + 4) // 8 * 8 / 8192 for i in range(32)]; assert all(d[i] == sum(rounded[i:i + 4]) for d in data for i in range(0, 32, 4)), data; assert data[1][32:] == tuple(1 + i / 8192 for i in range(32)), data" %t.staged.npy %t.read.npy

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x4_TF32>

gpu.module @m {
  // CHECK-LABEL: llvm.func @staged(
  // CHECK: %[[FINITE:.+]] = llvm.fcmp "olt"
  // CHECK: %[[ROUNDED:.+]] = llvm.select %[[FINITE]]
  // CHECK: %[[STORED:.+]] = llvm.bitcast %[[ROUNDED]] : i32 to f32
  // CHECK: llvm.store %[[STORED]]
  // CHECK: %[[LOADED:.+]] = llvm.load
  // CHECK: %[[WORD:.+]] = llvm.bitcast %[[LOADED]] : f32 to i32
  // CHECK: nvvm.mma.sync A[%[[WORD]],
  gpu.func @staged(%out: memref<2x32xf32>) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<1x1x2x2xf32>
    %one = arith.constant 1.0 : f32
    %step = arith.constant 1.220703125e-4 : f32
    %buffer = memref.alloc() : memref<32xf32, #gpu.address_space<workgroup>>
    %i = gpu.thread_id x
    %n = arith.index_cast %i : index to i32
    %x = arith.sitofp %n : i32 to f32
    %y = math.fma %x, %step, %one : f32
    memref.store %y, %buffer[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %loaded = memref.load %buffer[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    %a = vector.from_elements %loaded, %loaded : vector<1x1x2x1xf32>
    %b = arith.constant dense<1.0> : vector<1x1x1x1xf32>
    %d = iree_codegen.inner_tiled ins(%a, %b) outs(%zero) {indexing_maps = #maps, kind = #kind} : vector<1x1x2x1xf32>, vector<1x1x1x1xf32> into vector<1x1x2x2xf32>
    %parts:4 = vector.to_elements %d : vector<1x1x2x2xf32>
    memref.store %parts#0, %out[%c0, %i] : memref<2x32xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @also_read(
  // CHECK-NOT: llvm.select
  // CHECK: %[[WORD:.+]] = nvvm.convert.float.to.tf32
  // CHECK: nvvm.mma.sync A[%[[WORD]],
  gpu.func @also_read(%out: memref<2x32xf32>) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : vector<1x1x2x2xf32>
    %one = arith.constant 1.0 : f32
    %step = arith.constant 1.220703125e-4 : f32
    %bytes = memref.alloc() : memref<128xi8, #gpu.address_space<workgroup>>
    %buffer = memref.view %bytes[%c0][] : memref<128xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %other = memref.view %bytes[%c0][] : memref<128xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %i = gpu.thread_id x
    %n = arith.index_cast %i : index to i32
    %x = arith.sitofp %n : i32 to f32
    %y = math.fma %x, %step, %one : f32
    memref.store %y, %buffer[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %loaded = memref.load %buffer[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    %again = memref.load %other[%i] : memref<32xf32, #gpu.address_space<workgroup>>
    %a = vector.from_elements %loaded, %loaded : vector<1x1x2x1xf32>
    %b = arith.constant dense<1.0> : vector<1x1x1x1xf32>
    %d = iree_codegen.inner_tiled ins(%a, %b) outs(%zero) {indexing_maps = #maps, kind = #kind} : vector<1x1x2x1xf32>, vector<1x1x1x1xf32> into vector<1x1x2x2xf32>
    %parts:4 = vector.to_elements %d : vector<1x1x2x2xf32>
    memref.store %parts#0, %out[%c0, %i] : memref<2x32xf32>
    memref.store %again, %out[%c1, %i] : memref<2x32xf32>
    gpu.return
  }
}
