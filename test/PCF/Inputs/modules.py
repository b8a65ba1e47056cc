"""Many modules of functions in which every pass that ends pcf has something to do."""
for module in range(40):
    print(f"module @m{module} {{")
    for function in range(5):
        extent = 16 + module % 3
        kind = f"!pcf.sref<{extent}xf32, #test_sync.scope, #test_sync.counters<{function}>>"
        print(f"""  func.func @f{function}(%v: vector<{extent}xf32>) {{
    pcf.generic scope(#test_sync.scope)
      initialize {{
        %b = pcf.alloc() : {kind}
        pcf.yield %b : {kind}
      }} -> (%buffer: {kind})
      execute[%id: index, %count: index] {{
      pcf.write_slice %v into %buffer[%id] [1] [1] : vector<{extent}xf32> into {kind}
      pcf.return
    }}
    return
  }}""")
    print("}")
