// RUN: distaff-opt %s -pcf-verify-inits -split-input-file -verify-diagnostics

#sg = #iree_gpu.subgroup_scope

// Results that are written, and those that other workers wrote (PCF-198).
func.func @rows(%in: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %empty = tensor.empty() : tensor<4x8xf32>
  %first = pcf.generic scope(#sg) execute(%A <- %in : tensor<4x8xf32>, %O = %empty)[%id: index, %n: index]
      : (!pcf.sref<4x8xf32, #sg>, !pcf.sref<4x8xf32, sync(#sg)>) -> (tensor<4x8xf32>) {
    %x = pcf.read_slice %A[%id, 0] [1, 8] [1, 1] : !pcf.sref<4x8xf32, #sg> to vector<1x8xf32>
    pcf.write_slice %x into %O[%id, 0] [1, 8] [1, 1] : vector<1x8xf32> into !pcf.sref<4x8xf32, sync(#sg)>
    pcf.return
  }
  %second = pcf.generic scope(#sg) execute(%O = %first)[%id: index, %n: index] : (!pcf.sref<4x8xf32, sync(#sg)>) -> (tensor<4x8xf32>) {
    pcf.return
  }
  return %second : tensor<4x8xf32>
}

// Of no elements, none is kept.
func.func @nothing(%in: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %r = pcf.generic scope(#sg) execute(%O = %in)[%id: index, %n: index] : (!pcf.sref<0x8xf32, sync(#sg)>) -> (tensor<0x8xf32>) {
    pcf.return
  }
  return %r : tensor<0x8xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @kept(%in: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{'pcf.generic' op begins its result 0 with the values of argument 0, and keeps or reads some of them, but an argument is only read; begin with tensor.empty, read the argument by a readonly ref, and write all elements}}
  %r = pcf.generic scope(#sg) execute(%O = %in)[%id: index, %n: index] : (!pcf.sref<4x8xf32, sync(#sg)>) -> (tensor<4x8xf32>) {
    pcf.return
  }
  return %r : tensor<4x8xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @unwritten() -> tensor<4x8xf32> {
  // expected-error @+1 {{'pcf.generic' op writes nothing to its result 0, which begins without values; write it, or begin with an argument's values by a pcf.generic of subgroups before}}
  %r = pcf.generic scope(#sg) execute(%O)[%id: index, %n: index] : (!pcf.sref<4x8xf32, sync(#sg)>) -> (tensor<4x8xf32>) {
    pcf.return
  }
  return %r : tensor<4x8xf32>
}
