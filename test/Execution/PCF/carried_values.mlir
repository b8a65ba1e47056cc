// RUN: distaff run %s --func counted_beside --target sm_80 --check --every-stage --input arg2=3
// RUN: distaff run %s --func counted_beside --target sm_80 --check --device ptx --input arg2=2
// RUN: distaff run %s --func counted_beside --target gfx942 --check --every-stage --input arg2=1
// RUN: distaff run %s --func by_turns --target sm_80 --check --every-stage --input arg2=3
// RUN: distaff run %s --func by_turns --target sm_80 --check --device ptx --input arg2=4
// RUN: distaff run %s --func by_turns --target gfx942 --check --every-stage --input arg2=2
// RUN: distaff run %s --func by_turns --target sm_80 --check --device ptx --input arg2=0

// A loop that counts beside a tensor that members share out has as many barriers on each (PCF-79).

#sg = #iree_gpu.subgroup_scope
#L = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>
!I = !pcf.sref<8x8xf32, #sg>
!O = !pcf.sref<8x8xf32, sync(#sg)>

// Rows and columns are shared out in turn, through memory.
func.func @counted_beside(%in: tensor<8x8xf32>, %out: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> attributes {translation_info = #L} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = pcf.shared_executor scope(#sg) execute(%a <- %in : tensor<8x8xf32>, %o = %out)[%tg: !pcf.threadgroup<#sg>] : (!I, !O) -> (tensor<8x8xf32>) {
    %x = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !I to tensor<8x8xf32>
    %e = tensor.empty() : tensor<8x8xf32>
    %w:2 = scf.while (%i = %c0, %t = %x) : (index, tensor<8x8xf32>) -> (index, tensor<8x8xf32>) {
      %c = arith.cmpi ult, %i, %n : index
      scf.condition(%c) %i, %t : index, tensor<8x8xf32>
    } do {
    ^bb0(%i: index, %t: tensor<8x8xf32>):
      %s = linalg.softmax dimension(0) ins(%t : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
      %y = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %y : index, tensor<8x8xf32>
    }
    pcf.write_slice %w#1 into %o[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !O
    pcf.return
  }
  return %r : tensor<8x8xf32>
}

// The induction variable says which.
func.func @by_turns(%in: tensor<8x8xf32>, %out: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> attributes {translation_info = #L} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = pcf.shared_executor scope(#sg) execute(%a <- %in : tensor<8x8xf32>, %o = %out)[%tg: !pcf.threadgroup<#sg>] : (!I, !O) -> (tensor<8x8xf32>) {
    %x = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !I to tensor<8x8xf32>
    %e = tensor.empty() : tensor<8x8xf32>
    %w = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<8x8xf32> {
      %k = arith.remui %i, %c2 : index
      %c = arith.cmpi eq, %k, %c0 : index
      %y = scf.if %c -> tensor<8x8xf32> {
        %s = linalg.softmax dimension(0) ins(%t : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
        %y = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
        scf.yield %y : tensor<8x8xf32>
      } else {
        %y = linalg.softmax dimension(0) ins(%t : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
        scf.yield %y : tensor<8x8xf32>
      }
      scf.yield %y : tensor<8x8xf32>
    }
    pcf.write_slice %w into %o[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !O
    pcf.return
  }
  return %r : tensor<8x8xf32>
}
