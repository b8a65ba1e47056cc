// RUN: distaff-opt %s '--distaff-stage-reads=target=sm_80 all slots=2' --verify-diagnostics
#sg = #iree_gpu.subgroup_scope
func.func @nothing(%in: memref<64xf16>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  // expected-error @+1 {{nothing can be copied ahead: no step of a loop reads a vector of global memory that the kernel does not write and that fits into sm_80's shared memory 2 times; leave out --specialize}}
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = vector.transfer_read %in[%c0], %z {in_bounds = [true]} : memref<64xf16>, vector<64xf16>
      vector.transfer_write %x, %in[%c0] {in_bounds = [true]} : vector<64xf16>, memref<64xf16>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg>)
    pcf.return
  }
  return
}
