// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// Barrier 0 is that of all threads.
func.func @id_0(%n: index) {
  // expected-error @+1 {{id must be in 1..15, got 0}}
  iree_gpu.global_subgroup_barrier id(0) threads(%n)
  return
}

// -----

func.func @id_16(%n: index) {
  // expected-error @+1 {{id must be in 1..15, got 16}}
  iree_gpu.global_subgroup_barrier id(16) threads(%n)
  return
}

// -----

func.func @threads_without_an_id(%n: index) {
  // expected-error @+1 {{'id' and 'threads' go together}}
  "iree_gpu.global_subgroup_barrier"(%n) : (index) -> ()
  return
}

// -----

func.func @id_without_threads() {
  // expected-error @+1 {{'id' and 'threads' go together}}
  "iree_gpu.global_subgroup_barrier"() <{id = 3 : i64}> : () -> ()
  return
}
