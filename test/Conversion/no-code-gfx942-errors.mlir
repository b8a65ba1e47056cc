// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 --verify-diagnostics

// NVIDIA's targets have an instruction for it.
gpu.module @kernels {
  gpu.func @asynchronous_copy(%in: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %id = gpu.thread_id x
    %m = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{'nvgpu.device_async_copy' op has no code for gfx942: copy by memref.load and memref.store, or by vector.transfer_read and vector.transfer_write}}
    %token = nvgpu.device_async_copy %in[%id], %m[%id], 1 : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    nvgpu.device_async_wait %token
    gpu.return
  }
}
