// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// PCF-2
// expected-error @+1 {{scope 3 : i64 does not implement ScopeAttrInterface}}
func.func private @no_scope(!pcf.sref<4xf32, 3>)

// -----

// PCF-2
// expected-error @+1 {{scope #pcf.sync_on_return does not implement ScopeAttrInterface}}
func.func private @no_scope_to_sync(!pcf.sref<4xf32, sync(#pcf.sync_on_return)>)

// -----

// expected-error @+1 {{invalid sref element type 'tensor<4xf32>'}}
func.func private @element(!pcf.sref<4xtensor<4xf32>, #pcf.sequential>)

// -----

// expected-error @+1 {{scope "x" does not implement ScopeAttrInterface}}
func.func private @no_scope_of_group(!pcf.threadgroup<"x">)

// -----

// PCF-4
// expected-error @+1 {{payload of a PCF handle must not contain PCF handles}}
func.func private @nested(!pcf.threadgroup<#pcf.sequential, {f32, !pcf.threadgroup<#pcf.sequential>}>)

// -----

// PCF-4
// expected-error @+1 {{payload of a PCF handle must not contain PCF handles}}
func.func private @nested_in_cluster(!pcf.cluster<#pcf.sequential, (0 -> 1), private: {!pcf.threadgroup<#pcf.sequential>}, a>)

// -----

// PCF-6
// expected-error @+1 {{cluster has 1 ranges but #pcf.test_scope<2> has 2 native worker ids}}
func.func private @rank(!pcf.cluster<#pcf.test_scope<2>, (0 -> 1), a>)

// -----

// PCF-6
// expected-error @+1 {{cluster bound must be an integer, 'dN' or 'sN'}}
func.func private @bound(!pcf.cluster<#pcf.test_scope, (0 -> k), a>)

// -----

// PCF-6
// expected-error @+1 {{cluster bound must be an integer, 'dN' or 'sN'}}
func.func private @negative(!pcf.cluster<#pcf.test_scope, (-1 -> 4), a>)

// -----

// PCF-6
// expected-error @+1 {{cluster bound must be an integer, 'dN' or 'sN'}}
func.func private @huge_position(!pcf.cluster<#pcf.test_scope, (0 -> d99999999999), a>)

// -----

// PCF-6
// expected-error @+1 {{'s1' cannot bound dimension 0}}
func.func private @foreign_symbol(!pcf.cluster<#pcf.test_scope<2>, (0 -> s1) x (0 -> s1), a>)

// -----

// PCF-6
// expected-error @+1 {{expected 'shared' or 'private' before ':'}}
func.func private @keyword(!pcf.cluster<#pcf.test_scope, (0 -> 1), public: {f32}, a>)

// -----

// PCF-6
// expected-error @+1 {{duplicate payload}}
func.func private @duplicate(!pcf.cluster<#pcf.test_scope, (0 -> 1), shared: {f32}, private: {f32}, shared: {f32}, a>)

// -----

// PCF-112
// expected-error @+1 {{duplicate payload}}
func.func private @duplicate_of_group(!pcf.threadgroup<#pcf.test_scope, {f32}, shared: {f32}>)

// -----

// PCF-112
// expected-error @+1 {{duplicate payload}}
func.func private @duplicate_private(!pcf.threadgroup<#pcf.test_scope, private: {f32}, shared: {f32}, private: {f32}>)

// -----

// PCF-6
// expected-error @+1 {{cluster id is missing}}
func.func private @no_id(!pcf.cluster<#pcf.test_scope, (0 -> 1)>)

// -----

// PCF-6
// expected-error @+1 {{cluster id is missing}}
func.func private @no_id_after_payload(!pcf.cluster<#pcf.test_scope, (0 -> 1), shared: {f32}>)

// -----

// expected-error @+1 {{scope unit does not implement ScopeAttrInterface}}
func.func private @no_scope_of_cluster(!pcf.cluster<unit, (0 -> 1), a>)

// -----

// expected-error @+1 {{invalid identifier '' in namespaced symbol}}
func.func private @empty_part(!pcf.cluster<#pcf.test_scope, (0 -> 1), a..b>)

// -----

// expected-error @+1 {{invalid identifier '1b' in namespaced symbol}}
func.func private @number() attributes {id = #pcf.ns_sym<a.1b>}

// -----

// expected-error @+1 {{invalid identifier 'a b' in namespaced symbol}}
func.func private @blank() attributes {id = #pcf.ns_sym<"a b">}

// -----

// expected-error @+1 {{a scope has at least one worker id, got 0}}
func.func private @no_rank(!pcf.sref<4xf32, #pcf.test_scope<0>>)
