// RUN: distaff-opt %s --pcf-convert-forall-to-loops -split-input-file -verify-diagnostics
// RUN: distaff-opt %s --pcf-convert-forall-to-generic-nest -split-input-file -verify-diagnostics
// RUN: not distaff-opt %s '--pcf-convert-forall-to-loops=scope=i32' 2>&1 | FileCheck %s --check-prefix=NOATTR
// RUN: not distaff-opt %s '--pcf-convert-forall-to-generic-nest=scopes=#pcf.sequential,7' 2>&1 | FileCheck %s --check-prefix=NOSCOPE
// NOATTR: scope i32 does not implement ScopeAttrInterface
// NOSCOPE: scope 7 : i64 does not implement ScopeAttrInterface

// PCF-42: what cannot be converted says why.
func.func @empty_mapping() {
  // expected-error@+1 {{cannot convert forall: its mapping is empty}}
  scf.forall (%i) in (4) {
  } {mapping = []}
  return
}

// -----

func.func @not_a_permutation() {
  // expected-error@+1 {{cannot convert forall: its mapping is no permutation}}
  scf.forall (%i, %j) in (4, 4) {
  } {mapping = [#iree_codegen.local_mapping<0>, #iree_codegen.local_mapping<2>]}
  return
}

// -----

func.func @twice_the_same_id() {
  // expected-error@+1 {{cannot convert forall: its mapping is no permutation}}
  scf.forall (%i, %j) in (4, 4) {
  } {mapping = [#iree_codegen.local_mapping<1>, #iree_codegen.local_mapping<1>]}
  return
}

// -----

func.func @a_shared_output_as_source(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{cannot convert forall: 'in_parallel' inserts a shared output}}
  %r:2 = scf.forall (%i) in (4) shared_outs(%o = %a, %p = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  }
  return
}
