// RUN: distaff-opt %s --verify-diagnostics --split-input-file --pcf-prefetch-panel-reads

// What cannot be read a barrier ahead, and why. IR stays as it was.

// What a read finds says where another reads.
#sg  = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!G = !pcf.sref<?x32xf16, #sg>
!O = !pcf.sref<32x32xf32, sync(#sg)>
!L = !pcf.sref<2x32x32xf16, #sg>
!T0 = !pcf.threadgroup<#sg>
!T1 = !pcf.threadgroup<#sg, {tensor<32x32xf32>}>

func.func @place(%g: tensor<?x32xf16>, %o: tensor<32x32xf32>, %nk: index) -> tensor<32x32xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg) initialize {
    %l = pcf.alloc() : !L
    pcf.yield %l : !L
  } -> (%l: !L) execute(%G <- %g : tensor<?x32xf16>, %O = %o)[%tg: !T0] : (!G, !O) -> (tensor<32x32xf32>) {
    %acc0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<32x32xf32>
      pcf.cluster_yield %z : tensor<32x32xf32>
    } : (!T0) -> !T1
    %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%it = %acc0) -> (!T1) {
      %slot = arith.remui %k, %c2 : index
      %ko = arith.muli %k, %c32 : index
      pcf.shared_executor.run_cluster(%tg)[] () {
        %a = pcf.read_slice %G[%ko, 0] [32, 32] [1, 1] : !G to tensor<32x32xf16>
        %v = pcf.subview %l[%slot, 0, 0] [1, 32, 32] [1, 1, 1] : !L to !pcf.sref<32x32xf16, #sg>
        pcf.write_slice %a into %v[0, 0] [32, 32] [1, 1] : tensor<32x32xf16> into !pcf.sref<32x32xf16, #sg>
        pcf.cluster_yield
      } : (!T0)
      pcf.barrier(#sg) fence(%l) : !L
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<32x32xf32>) {
        %v = pcf.subview %l[%slot, 0, 0] [1, 32, 32] [1, 1, 1] : !L to !pcf.sref<32x32xf16, #sg>
        %p = pcf.read_slice %v[0, 0] [32, 32] [1, 1] : !pcf.sref<32x32xf16, #sg> to tensor<32x32xf16>
        %e = tensor.extract %p[%c0, %c0] : tensor<32x32xf16>
        %i = arith.fptoui %e : f16 to i32
        %at = arith.index_cast %i : i32 to index
        // expected-error @+1 {{cannot separate reads: where it reads is computed from what the phase reads}}
        %q = pcf.read_slice %v[%at, 0] [32, 32] [1, 1] : !pcf.sref<32x32xf16, #sg> to tensor<32x32xf16>
        %y = linalg.matmul ins(%p, %q : tensor<32x32xf16>, tensor<32x32xf16>) outs(%x : tensor<32x32xf32>) -> tensor<32x32xf32>
        pcf.cluster_yield %y : tensor<32x32xf32>
      } : (!T1) -> !T1
      pcf.barrier(#sg) fence(%l) : !L
      scf.yield %n : !T1
    }
    pcf.shared_executor.run_cluster(%acc)[] (%x: tensor<32x32xf32>) {
      pcf.write_slice %x into %O[0, 0] [32, 32] [1, 1] : tensor<32x32xf32> into !O
      pcf.cluster_yield
    } : (!T1)
    pcf.return
  }
  return %res : tensor<32x32xf32>
}

// -----

// Reads behind the barrier would find what the phase writes.
#sg  = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!G = !pcf.sref<?x32xf16, #sg>
!O = !pcf.sref<32x32xf32, sync(#sg)>
!L = !pcf.sref<2x32x32xf16, #sg>
!T0 = !pcf.threadgroup<#sg>
!T1 = !pcf.threadgroup<#sg, {tensor<32x32xf32>}>

func.func @writes(%g: tensor<?x32xf16>, %o: tensor<32x32xf32>, %nk: index) -> tensor<32x32xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg) initialize {
    %l = pcf.alloc() : !L
    pcf.yield %l : !L
  } -> (%l: !L) execute(%G <- %g : tensor<?x32xf16>, %O = %o)[%tg: !T0] : (!G, !O) -> (tensor<32x32xf32>) {
    %acc0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<32x32xf32>
      pcf.cluster_yield %z : tensor<32x32xf32>
    } : (!T0) -> !T1
    %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%it = %acc0) -> (!T1) {
      %slot = arith.remui %k, %c2 : index
      %ko = arith.muli %k, %c32 : index
      pcf.shared_executor.run_cluster(%tg)[] () {
        %a = pcf.read_slice %G[%ko, 0] [32, 32] [1, 1] : !G to tensor<32x32xf16>
        %v = pcf.subview %l[%slot, 0, 0] [1, 32, 32] [1, 1, 1] : !L to !pcf.sref<32x32xf16, #sg>
        pcf.write_slice %a into %v[0, 0] [32, 32] [1, 1] : tensor<32x32xf16> into !pcf.sref<32x32xf16, #sg>
        pcf.cluster_yield
      } : (!T0)
      pcf.barrier(#sg) fence(%l) : !L
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<32x32xf32>) {
        %v = pcf.subview %l[%slot, 0, 0] [1, 32, 32] [1, 1, 1] : !L to !pcf.sref<32x32xf16, #sg>
        // expected-note @+1 {{the read}}
        %p = pcf.read_slice %v[0, 0] [32, 32] [1, 1] : !pcf.sref<32x32xf16, #sg> to tensor<32x32xf16>
        %y = linalg.matmul ins(%p, %p : tensor<32x32xf16>, tensor<32x32xf16>) outs(%x : tensor<32x32xf32>) -> tensor<32x32xf32>
        // expected-error @+1 {{cannot separate reads: the phase writes memory of which it reads a panel}}
        pcf.write_slice %p into %v[0, 0] [32, 32] [1, 1] : tensor<32x32xf16> into !pcf.sref<32x32xf16, #sg>
        pcf.cluster_yield %y : tensor<32x32xf32>
      } : (!T1) -> !T1
      pcf.barrier(#sg) fence(%l) : !L
      scf.yield %n : !T1
    }
    pcf.shared_executor.run_cluster(%acc)[] (%x: tensor<32x32xf32>) {
      pcf.write_slice %x into %O[0, 0] [32, 32] [1, 1] : tensor<32x32xf32> into !O
      pcf.cluster_yield
    } : (!T1)
    pcf.return
  }
  return %res : tensor<32x32xf32>
}

// -----

// Without a barrier in the loop nothing says that all come as often.
#sg  = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!G = !pcf.sref<?x32xf16, #sg>
!O = !pcf.sref<32x32xf32, sync(#sg)>
!L = !pcf.sref<2x32x32xf16, #sg>
!T0 = !pcf.threadgroup<#sg>
!T1 = !pcf.threadgroup<#sg, {tensor<32x32xf32>}>

func.func @no_barrier(%g: tensor<?x32xf16>, %o: tensor<32x32xf32>, %nk: index) -> tensor<32x32xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  // expected-error @+1 {{cannot separate reads: no phase with payload, in a loop with a barrier, reads a panel}}
  %res = pcf.shared_executor scope(#sg) initialize {
    %l = pcf.alloc() : !L
    pcf.yield %l : !L
  } -> (%l: !L) execute(%G <- %g : tensor<?x32xf16>, %O = %o)[%tg: !T0] : (!G, !O) -> (tensor<32x32xf32>) {
    %acc0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<32x32xf32>
      pcf.cluster_yield %z : tensor<32x32xf32>
    } : (!T0) -> !T1
    %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%it = %acc0) -> (!T1) {
      %slot = arith.remui %k, %c2 : index
      %ko = arith.muli %k, %c32 : index
      pcf.shared_executor.run_cluster(%tg)[] () {
        %a = pcf.read_slice %G[%ko, 0] [32, 32] [1, 1] : !G to tensor<32x32xf16>
        %v = pcf.subview %l[%slot, 0, 0] [1, 32, 32] [1, 1, 1] : !L to !pcf.sref<32x32xf16, #sg>
        pcf.write_slice %a into %v[0, 0] [32, 32] [1, 1] : tensor<32x32xf16> into !pcf.sref<32x32xf16, #sg>
        pcf.cluster_yield
      } : (!T0)
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<32x32xf32>) {
        %v = pcf.subview %l[%slot, 0, 0] [1, 32, 32] [1, 1, 1] : !L to !pcf.sref<32x32xf16, #sg>
        %p = pcf.read_slice %v[0, 0] [32, 32] [1, 1] : !pcf.sref<32x32xf16, #sg> to tensor<32x32xf16>
        %q = pcf.read_slice %v[0, 0] [32, 32] [1, 1] : !pcf.sref<32x32xf16, #sg> to tensor<32x32xf16>
        %y = linalg.matmul ins(%p, %q : tensor<32x32xf16>, tensor<32x32xf16>) outs(%x : tensor<32x32xf32>) -> tensor<32x32xf32>
        pcf.cluster_yield %y : tensor<32x32xf32>
      } : (!T1) -> !T1
      scf.yield %n : !T1
    }
    pcf.shared_executor.run_cluster(%acc)[] (%x: tensor<32x32xf32>) {
      pcf.write_slice %x into %O[0, 0] [32, 32] [1, 1] : tensor<32x32xf32> into !O
      pcf.cluster_yield
    } : (!T1)
    pcf.return
  }
  return %res : tensor<32x32xf32>
}

// -----

// What a call does to memory is not known.
#sg  = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!G = !pcf.sref<?x32xf16, #sg>
!O = !pcf.sref<32x32xf32, sync(#sg)>
!L = !pcf.sref<2x32x32xf16, #sg>
!T0 = !pcf.threadgroup<#sg>
!T1 = !pcf.threadgroup<#sg, {tensor<32x32xf32>}>

func.func @unknown(%g: tensor<?x32xf16>, %o: tensor<32x32xf32>, %nk: index) -> tensor<32x32xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg) initialize {
    %l = pcf.alloc() : !L
    pcf.yield %l : !L
  } -> (%l: !L) execute(%G <- %g : tensor<?x32xf16>, %O = %o)[%tg: !T0] : (!G, !O) -> (tensor<32x32xf32>) {
    %acc0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<32x32xf32>
      pcf.cluster_yield %z : tensor<32x32xf32>
    } : (!T0) -> !T1
    %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%it = %acc0) -> (!T1) {
      %slot = arith.remui %k, %c2 : index
      %ko = arith.muli %k, %c32 : index
      pcf.shared_executor.run_cluster(%tg)[] () {
        %a = pcf.read_slice %G[%ko, 0] [32, 32] [1, 1] : !G to tensor<32x32xf16>
        %v = pcf.subview %l[%slot, 0, 0] [1, 32, 32] [1, 1, 1] : !L to !pcf.sref<32x32xf16, #sg>
        pcf.write_slice %a into %v[0, 0] [32, 32] [1, 1] : tensor<32x32xf16> into !pcf.sref<32x32xf16, #sg>
        pcf.cluster_yield
      } : (!T0)
      pcf.barrier(#sg) fence(%l) : !L
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<32x32xf32>) {
        %v = pcf.subview %l[%slot, 0, 0] [1, 32, 32] [1, 1, 1] : !L to !pcf.sref<32x32xf16, #sg>
        %p = pcf.read_slice %v[0, 0] [32, 32] [1, 1] : !pcf.sref<32x32xf16, #sg> to tensor<32x32xf16>
        %q = pcf.read_slice %v[0, 0] [32, 32] [1, 1] : !pcf.sref<32x32xf16, #sg> to tensor<32x32xf16>
        // expected-error @+1 {{cannot separate reads: what func.call does to memory is not known}}
        func.call @other() : () -> ()
        %y = linalg.matmul ins(%p, %q : tensor<32x32xf16>, tensor<32x32xf16>) outs(%x : tensor<32x32xf32>) -> tensor<32x32xf32>
        pcf.cluster_yield %y : tensor<32x32xf32>
      } : (!T1) -> !T1
      pcf.barrier(#sg) fence(%l) : !L
      scf.yield %n : !T1
    }
    pcf.shared_executor.run_cluster(%acc)[] (%x: tensor<32x32xf32>) {
      pcf.write_slice %x into %O[0, 0] [32, 32] [1, 1] : tensor<32x32xf32> into !O
      pcf.cluster_yield
    } : (!T1)
    pcf.return
  }
  return %res : tensor<32x32xf32>
}
func.func private @other()
