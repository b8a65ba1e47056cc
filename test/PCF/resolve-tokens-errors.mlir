// RUN: distaff-opt %s --pcf-resolve-tokens --split-input-file --verify-diagnostics

func.func @allocated() {
  // expected-error@+1 {{sync attribute i32 does not implement SyncScopeAttrInterface}}
  %a = pcf.alloc() : !pcf.sref<4xi32, #pcf.sequential, i32>
  return
}

// -----

// expected-error@+1 {{sync attribute 7 : i64 does not implement SyncScopeAttrInterface}}
func.func private @declared(!pcf.sref<4xi32, #pcf.sequential, 7>)

// -----

func.func @passed_on(%m: memref<4xi32>) {
  // expected-error@+1 {{sync attribute "token" does not implement SyncScopeAttrInterface}}
  scf.execute_region {
    cf.br ^dead
  ^unreachable(%x: !pcf.sref<4xi32, #pcf.sequential, "token">):
    cf.br ^dead
  ^dead:
    scf.yield
  }
  return
}
