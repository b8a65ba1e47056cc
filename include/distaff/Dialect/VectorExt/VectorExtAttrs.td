//===- VectorExtAttrs.td - Layout attributes ---------------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two attributes of a layout: tiles (nested_layout) and, for layouts that
// tiles cannot express, digits (digit_layout). distaff/Layout defines them.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_VECTOREXT_VECTOREXTATTRS_TD
#define DISTAFF_DIALECT_VECTOREXT_VECTOREXTATTRS_TD

include "distaff/Dialect/VectorExt/VectorExtBase.td"
include "distaff/Dialect/VectorExt/VectorLayoutInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

class VectorExt_Attr<string name, list<Trait> traits = []>
    : AttrDef<VectorExt_Dialect, name, traits>;

def VectorExt_NestedLayoutAttr : VectorExt_Attr<"NestedLayout", [
    DeclareAttrInterfaceMethods<VectorLayoutInterface,
      ["getDistributedShape", "permute", "project", "apply", "reshape"]>,
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "nested_layout";
  let genMnemonicAlias = 1;
  let summary = "A layout as five tiles per dimension";
  let description = [{
    Splits the extent of every dimension d, outermost first, into
    `D_d = S_d * B_d * O_d * T_d * E_d`: subgroups, batches (repetitions of an
    instruction), outers (repetitions inside an instruction's fragment), lanes,
    and contiguous elements per lane. The element at
    `idx_d = (((vs_d * B_d + b_d) * O_d + o_d) * T_d + vt_d) * E_d + e_d` lies
    in the subgroups s with `(s / subgroup_strides_d) mod S_d = vs_d`, in the
    lanes l with `(l / thread_strides_d) mod T_d = vt_d`, in register
    `[b..., o..., e...]` of the lane's vector.

    The stride of a tile of 1 is always 0, whatever was written. A tile above 1
    of stride 0 is not distributed: each lane (each subgroup) holds all of it,
    so it is a part of `outer_tile` (of `batch_tile`), and printed so. Gaps
    between the strides of a level are legal: the skipped ids hold replicas.

    As the encoding of a tensor type, `tensor<16x16xf32, #layout>`, it is the
    layout of each value of that type, like a `to_layout` after the op that
    defines the value (`vector-ext-anchor-encodings`).

    Example: 64x64 elements over two subgroups of 64 lanes, 32 per lane:
    ```mlir
    #iree_vector_ext.nested_layout<
      subgroup_tile = [2, 1], batch_tile = [2, 4], outer_tile = [1, 1],
      thread_tile = [16, 4], element_tile = [1, 4],
      subgroup_strides = [1, 0], thread_strides = [1, 16]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::distaff::NestedDim">:$dims
  );
  // Both normalise, so that `get` and `getChecked` agree.
  let skipDefaultBuilders = 1;
  let builders = [
    AttrBuilder<(ins "::distaff::NestedLayout":$layout), [{
      layout.normalize();
      return $_get($_ctxt, ::llvm::ArrayRef(layout.dims));
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the layout as a plain struct, for the layout algebra.
    ::distaff::NestedLayout getNested() const;
    ::distaff::Layout getLayout() const;
  }];
}

def VectorExt_DigitLayoutAttr : VectorExt_Attr<"DigitLayout", [
    DeclareAttrInterfaceMethods<VectorLayoutInterface>,
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "digit_layout";
  let genMnemonicAlias = 1;
  let summary = "A layout as mixed-radix digits";
  let description = [{
    The index along a dimension is the mixed-radix number of its digits,
    outermost first; the value of a digit is `(id / stride) mod size` of the
    subgroup, the lane or the flat register index. Digits close the algebra:
    every sound reshape of a nested layout has a digit form.

    Example: 8 elements, of which lane 0 holds 0, 1, 4 and 5:
    ```mlir
    #iree_vector_ext.digit_layout<[[reg(2, 2), lane(2, 1), reg(2, 1)]]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "number of digits per dimension">:$counts,
    ArrayRefParameter<"::distaff::Digit", "digits of all dimensions">:$flatDigits
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::distaff::Layout getLayout() const;
  }];
}

#endif // DISTAFF_DIALECT_VECTOREXT_VECTOREXTATTRS_TD
