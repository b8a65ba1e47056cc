// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// PCF-118
#seq = #pcf.sequential
func.func @element(%a: !pcf.sref<4xf32, #seq>, %b: !pcf.sref<4xf16, #seq>) {
  // expected-error @+1 {{source element type 'f32' does not match destination element type 'f16'}}
  %t = pcf.async_copy %a into %b : !pcf.sref<4xf32, #seq> into !pcf.sref<4xf16, #seq>
  return
}

// -----

#seq = #pcf.sequential
func.func @shape(%a: !pcf.sref<4x?xf32, #seq>, %b: !pcf.sref<5x8xf32, #seq>) {
  // expected-error @+1 {{source '!pcf.sref<4x?xf32, #pcf.sequential>' does not match the shape of destination '!pcf.sref<5x8xf32, #pcf.sequential>'; copy a slice through 'pcf.subview'}}
  %t = pcf.async_copy %a into %b : !pcf.sref<4x?xf32, #seq> into !pcf.sref<5x8xf32, #seq>
  return
}

// -----

#seq = #pcf.sequential
!R = !pcf.sref<8xf32, #seq>
func.func @readonly(%in: tensor<8xf32>, %b: !R) {
  pcf.generic scope(#seq) execute(%x <- %in : tensor<8xf32>)[%id: index, %n: index] : (!R) {
    %w = pcf.subview %x[0] [4] [1] : !R to !pcf.sref<4xf32, #seq>
    %v = pcf.subview %b[0] [4] [1] : !R to !pcf.sref<4xf32, #seq>
    // expected-error @+1 {{cannot write to a readonly ref}}
    %t = pcf.async_copy %v into %w : !pcf.sref<4xf32, #seq> into !pcf.sref<4xf32, #seq>
    pcf.return
  }
  return
}

// -----

func.func @no_token(%a: index) {
  // expected-error @+1 {{operand #0 must be variadic of copy token, but got 'index'}}
  "pcf.wait"(%a) : (index) -> ()
  return
}
