// Ids that only a target's own ops read differ by thread too: what needs other lanes'
// data may not stand behind them (W23, VX-93, DG8); the ids of workgroups do not.
// RUN: distaff-opt %s --distaff-distribute="target=sm_80" --verify-diagnostics -o /dev/null

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>

func.func @tid(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c32 = arith.constant 32 : i32
  %a = arith.constant 0.0 : f32
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %c = arith.cmpi ult, %t, %c7 : i32
  %0 = vector.transfer_read %m[%c0], %a {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %v = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %r = scf.if %c -> f32 {
    // expected-error @below {{'vector.multi_reduction' op needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id}}
    %s = vector.multi_reduction <add>, %v, %a [0] : vector<64xf32> to f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  memref.store %r, %o[] : memref<f32>
  return
}

func.func @laneid(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c32 = arith.constant 32 : i32
  %a = arith.constant 0.0 : f32
  %t = nvvm.read.ptx.sreg.laneid : i32
  %c = arith.cmpi ult, %t, %c7 : i32
  %0 = vector.transfer_read %m[%c0], %a {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %v = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %r = scf.if %c -> f32 {
    // expected-error @below {{'vector.multi_reduction' op needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id}}
    %s = vector.multi_reduction <add>, %v, %a [0] : vector<64xf32> to f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  memref.store %r, %o[] : memref<f32>
  return
}

func.func @warpid(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c32 = arith.constant 32 : i32
  %a = arith.constant 0.0 : f32
  %t = nvvm.read.ptx.sreg.warpid : i32
  %c = arith.cmpi ult, %t, %c7 : i32
  %0 = vector.transfer_read %m[%c0], %a {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %v = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %r = scf.if %c -> f32 {
    // expected-error @below {{'vector.multi_reduction' op needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id}}
    %s = vector.multi_reduction <add>, %v, %a [0] : vector<64xf32> to f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  memref.store %r, %o[] : memref<f32>
  return
}

func.func @lanemask(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c32 = arith.constant 32 : i32
  %a = arith.constant 0.0 : f32
  %t = nvvm.read.ptx.sreg.lanemask.lt : i32
  %c = arith.cmpi ult, %t, %c7 : i32
  %0 = vector.transfer_read %m[%c0], %a {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %v = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %r = scf.if %c -> f32 {
    // expected-error @below {{'vector.multi_reduction' op needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id}}
    %s = vector.multi_reduction <add>, %v, %a [0] : vector<64xf32> to f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  memref.store %r, %o[] : memref<f32>
  return
}

func.func @workitem(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c32 = arith.constant 32 : i32
  %a = arith.constant 0.0 : f32
  %t = rocdl.workitem.id.x : i32
  %c = arith.cmpi ult, %t, %c7 : i32
  %0 = vector.transfer_read %m[%c0], %a {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %v = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %r = scf.if %c -> f32 {
    // expected-error @below {{'vector.multi_reduction' op needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id}}
    %s = vector.multi_reduction <add>, %v, %a [0] : vector<64xf32> to f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  memref.store %r, %o[] : memref<f32>
  return
}

func.func @mbcnt(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c32 = arith.constant 32 : i32
  %a = arith.constant 0.0 : f32
  %t = rocdl.mbcnt.lo %c7, %c0_i32 : (i32, i32) -> i32
  %c = arith.cmpi ult, %t, %c7 : i32
  %0 = vector.transfer_read %m[%c0], %a {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %v = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %r = scf.if %c -> f32 {
    // expected-error @below {{'vector.multi_reduction' op needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id}}
    %s = vector.multi_reduction <add>, %v, %a [0] : vector<64xf32> to f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  memref.store %r, %o[] : memref<f32>
  return
}

func.func @shuffle(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c32 = arith.constant 32 : i32
  %a = arith.constant 0.0 : f32
  %t, %valid = gpu.shuffle idx %c7, %c0_i32, %c32 : i32
  %c = arith.cmpi ult, %t, %c7 : i32
  %0 = vector.transfer_read %m[%c0], %a {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %v = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %r = scf.if %c -> f32 {
    // expected-error @below {{'vector.multi_reduction' op needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id}}
    %s = vector.multi_reduction <add>, %v, %a [0] : vector<64xf32> to f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  memref.store %r, %o[] : memref<f32>
  return
}

func.func @assembly(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c32 = arith.constant 32 : i32
  %a = arith.constant 0.0 : f32
  %t = llvm.inline_asm "mov.u32 $0, %laneid;", "=r" : () -> i32
  %c = arith.cmpi ult, %t, %c7 : i32
  %0 = vector.transfer_read %m[%c0], %a {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %v = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %r = scf.if %c -> f32 {
    // expected-error @below {{'vector.multi_reduction' op needs data of other threads, but only some threads run it: 'scf.if' around it depends on a thread id}}
    %s = vector.multi_reduction <add>, %v, %a [0] : vector<64xf32> to f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  memref.store %r, %o[] : memref<f32>
  return
}

func.func @workgroups(%m: memref<64xf32>, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %c32 = arith.constant 32 : i32
  %a = arith.constant 0.0 : f32
  %b = gpu.block_id x
  %t = arith.index_cast %b : index to i32
  %c = arith.cmpi ult, %t, %c7 : i32
  %0 = vector.transfer_read %m[%c0], %a {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %v = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %r = scf.if %c -> f32 {
    %s = vector.multi_reduction <add>, %v, %a [0] : vector<64xf32> to f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  memref.store %r, %o[] : memref<f32>
  return
}
