// RUN: distaff-opt %s -allow-unregistered-dialect > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --mlir-print-op-generic | distaff-opt -allow-unregistered-dialect | diff %t.once -

// What the ops look like (chapter 3 of the specification): PCF-14.

#seq = #pcf.sequential
#wg  = #iree_codegen.workgroup_scope
#wgl = #iree_codegen.workgroup_scope<linearize>
#sg  = #iree_gpu.subgroup_scope
#ln  = #iree_gpu.lane_scope

func.func @generic(%in: tensor<8xf32>, %init: tensor<8xf32>, %d0: index) {
  %c0 = arith.constant 0 : index
  %r:2 = pcf.generic scope(#seq)
    initialize {
      %b = pcf.alloc() : !pcf.sref<8xf32, #seq>
      pcf.yield %b : !pcf.sref<8xf32, #seq>
    } -> (%buf: !pcf.sref<8xf32, #seq>)
    execute(%x <- %in : tensor<8xf32>, %y = %init, %z)[%id: index, %n: index]
    : (!pcf.sref<8xf32, #seq>, !pcf.sref<8xf32, sync(#seq)>, !pcf.sref<?xf32, sync(#seq)>)
    -> (tensor<8xf32>, tensor<?xf32>{%d0}) {
    %v = pcf.read_slice %x[0] [8] [1] : !pcf.sref<8xf32, #seq> to vector<8xf32>
    pcf.write_slice %v into %buf[0] [8] [1] : vector<8xf32> into !pcf.sref<8xf32, #seq>
    pcf.write_slice %v into %y[0] [8] [1] : vector<8xf32> into !pcf.sref<8xf32, sync(#seq)>
    %first = arith.cmpi eq, %id, %c0 : index
    pcf.br.cond_return %first ^rest
  ^rest:
    pcf.return
  }
  return
}

func.func @tile_group(%k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg ns(tg) split [[%k]]
      (%left: !pcf.cluster<#sg, (0 -> d0), tg.left>, %right: !pcf.cluster<#sg, (d0 -> s0), tg.right>) {
      pcf.shared_executor.tile_group %right[%k] ns(in) split [[%j]]
        (%ra: !pcf.cluster<#sg, (d0 -> d1), tg.in.a>, %rb: !pcf.cluster<#sg, (d1 -> s0), tg.in.b>) {
        pcf.return
      } : !pcf.cluster<#sg, (d0 -> s0), tg.right>
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

func.func @phases(%k: index) {
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<64xf32>
      %n = arith.constant 4 : index
      pcf.cluster_yield %z, %n : tensor<64xf32>, index
    } : (!pcf.threadgroup<#ln>) -> !pcf.threadgroup<#ln, {tensor<64xf32>, index}>
    pcf.shared_executor.run_cluster(%h)[] (%x: tensor<64xf32>, %i: index) {
      "test.use"(%x, %i) : (tensor<64xf32>, index) -> ()
      pcf.cluster_yield
    } : (!pcf.threadgroup<#ln, {tensor<64xf32>, index}>)
    pcf.return
  }
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]]
      (%left: !pcf.cluster<#sg, (0 -> d0), w.left>, %right: !pcf.cluster<#sg, (d0 -> s0), w.right>) {
      %pv = pcf.shared_executor.run_thread(%left)[%k] () [%id: index] {
        %v = "test.make"(%id) : (index) -> vector<4xf32>
        pcf.cluster_yield %v : vector<4xf32>
      } : (!pcf.cluster<#sg, (0 -> d0), w.left>) -> !pcf.cluster<#sg, (0 -> d0), private: {vector<4xf32>}, w.left>
      %q = pcf.shared_executor.run_thread(%pv)[%k] (%x: vector<4xf32>)[%id: index] {
        %y = arith.addf %x, %x : vector<4xf32>
        pcf.cluster_yield %y : vector<4xf32>
      } : (!pcf.cluster<#sg, (0 -> d0), private: {vector<4xf32>}, w.left>) -> !pcf.cluster<#sg, (0 -> d0), private: {vector<4xf32>}, w.left>
      pcf.shared_executor.run_thread(%q)[%k] (%x: vector<4xf32>) [%id: index] {
        "test.use"(%x, %id) : (vector<4xf32>, index) -> ()
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (0 -> d0), private: {vector<4xf32>}, w.left>)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}
