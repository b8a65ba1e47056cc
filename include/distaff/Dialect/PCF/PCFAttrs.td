//===- PCFAttrs.td - Attributes of the pcf dialect ---------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_PCFATTRS_TD
#define DISTAFF_DIALECT_PCF_PCFATTRS_TD

include "distaff/Dialect/PCF/PCFBase.td"
include "distaff/Dialect/PCF/PCFScopes.td"
include "mlir/IR/AttrTypeBase.td"

def PCF_SequentialAttr : AttrDef<PCF_Dialect, "Sequential", [
    DeclareAttrInterfaceMethods<PCF_ScopeAttrInterface, ["addBarrier",
      "addFence"]>]> {
  let mnemonic = "sequential";
  let summary = "The scope that has one worker";
  let description = [{ Its only worker has id 0; a barrier costs nothing. }];
}

def PCF_TestScopeAttr : AttrDef<PCF_Dialect, "TestScope", [
    DeclareAttrInterfaceMethods<PCF_ScopeAttrInterface>]> {
  let mnemonic = "test_scope";
  let summary = "A scope of any rank for tests of verifiers";
  let description = [{
    It has no machine: requesting ids aborts, and there is no barrier.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "1">:$rank);
  let assemblyFormat = "(`<` $rank^ `>`)?";
  let genVerifyDecl = 1;
}

def PCF_SyncOnReturnAttr : AttrDef<PCF_Dialect, "SyncOnReturn", [
    DeclareAttrInterfaceMethods<PCF_SyncScopeAttrInterface>]> {
  let mnemonic = "sync_on_return";
  let summary = "Writes are visible when the op that owns the ref returns";
  let description = [{
    `!pcf.sref<4xf32, sync(#scope)>` is short for
    `!pcf.sref<4xf32, #scope, #pcf.sync_on_return>`.
  }];
}

def PCF_NsSymAttr : AttrDef<PCF_Dialect, "NsSym"> {
  let mnemonic = "ns_sym";
  let summary = "The id of a cluster: the groups that enclose it, then a leaf";
  let description = [{
    Clusters are identified in types, since their bounds depend on SSA values;
    so the id is written in full. `#pcf.ns_sym<a.b.c>` is cluster `c` of the
    group `b` in the group `a`; a cluster type prints it bare.
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "identifiers, outermost first">:$path
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the symbol of `text`; null after an error.
    static NsSymAttr parseFrom(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::mlir::MLIRContext *context, ::llvm::StringRef text);

    ::mlir::StringAttr getLeaf() const { return getPath().back(); }
    ::llvm::ArrayRef<::mlir::StringAttr> getNamespacePath() const {
      return getPath().drop_back();
    }
    bool isLeafOnly() const { return getPath().size() == 1; }

    /// Returns whether the text is a bare identifier without a dot.
    static bool isIdentifier(::llvm::StringRef text);

    /// Returns the text form: `a.b.c`.
    ::std::string str() const;
  }];
}

def PCF_TensorTilingAttr : AttrDef<PCF_Dialect, "TensorTiling"> {
  let mnemonic = "tensor_tiling";
  let summary = "Distribute phases by tiling their tensors";
  let description = [{
    Every member gets a box of each tensor. `workers` is the number of members
    along each dimension of the tensors that a phase computes or writes, slowest
    first, unless another phase has fixed it; without it a phase's own ops do.

    Example: `#pcf.tensor_tiling<workers = [64, 1]>`, a row per member.
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$workers);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // DISTAFF_DIALECT_PCF_PCFATTRS_TD
