//===- PCFOpInterfaces.td - Interfaces of pcf ops ----------*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_PCF_PCFOPINTERFACES_TD
#define DISTAFF_DIALECT_PCF_PCFOPINTERFACES_TD

include "mlir/IR/OpBase.td"

def PCF_NamespaceOpInterface : OpInterface<"NamespaceOpInterface"> {
  let cppNamespace = "::distaff::pcf";
  let description = [{
    An op whose region defines cluster ids. `lookupCluster` walks outwards over
    these.
  }];
  let methods = [
    InterfaceMethod<"What the op adds to the ids that it encloses.",
      "::std::optional<::mlir::StringAttr>", "getNamespaceName", (ins),
      [{}], [{ return ::std::nullopt; }]>,
    InterfaceMethod<"The region in which the op's symbols are visible.",
      "::mlir::Region &", "getSymbolRegion">,
    InterfaceMethod<"The ids that the op defines, and the handles they name.",
      [{::llvm::SmallVector<
          ::std::pair<::distaff::pcf::NsSymAttr, ::mlir::BlockArgument>>}],
      "getDefinedSymbols", (ins), [{}], [{ return {}; }]>
  ];
}

def PCF_RefOwnerOpInterface : OpInterface<"RefOwnerOpInterface"> {
  let cppNamespace = "::distaff::pcf";
  let description = [{
    An op that opens a scope and hands refs to the code in it: `pcf.generic`,
    `pcf.loop`, `pcf.shared_executor`.

    The arguments of the body's entry block are, in order, the values that the
    initializer yields (*leading*), one ref per entry of `is_readonly`, and
    those that the op adds (*trailing*): ids and counts, or a threadgroup.
    Result j is the content of the j-th ref that is not readonly when the op
    returns; it is *tied* if an init gives its first value, else the op
    allocates it.
  }];
  let methods = [
    InterfaceMethod<"The scope that the op opens.",
      "::mlir::Attribute", "getScope">,
    InterfaceMethod<"Whether all workers wait for each other at the end.",
      "bool", "getSyncOnReturn">,
    InterfaceMethod<"Says whether they do.",
      "void", "setSyncOnReturn", (ins "bool":$sync)>,
    InterfaceMethod<"First values of the tied results, in order.",
      "::mlir::MutableOperandRange", "getInitsMutable">,
    InterfaceMethod<"Memory behind the readonly refs, in order.",
      "::mlir::MutableOperandRange", "getReadonlySourcesMutable">,
    InterfaceMethod<"Dimensions of untied dynamic results, in order.",
      "::mlir::MutableOperandRange", "getDynamicSizesMutable">,
    InterfaceMethod<"Per result, whether it has an init.",
      "::llvm::ArrayRef<bool>", "getIsTied">,
    InterfaceMethod<"Per ref, whether it is readonly.",
      "::llvm::ArrayRef<bool>", "getIsReadonly">,
    InterfaceMethod<"Number of values that the initializer yields.",
      "int64_t", "getNumLeadingArgs", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<"The region whose values become leading arguments; may be "
                    "null or empty.",
      "::mlir::Region *", "getInitializerRegion", (ins),
      [{}], [{ return nullptr; }]>,
    InterfaceMethod<"The code of the workers.",
      "::mlir::Region &", "getExecute">
  ];
  let extraSharedClassDeclaration = [{
    ::mlir::OperandRange getInits() { return $_op.getInitsMutable(); }
    ::mlir::OperandRange getReadonlySources() {
      return $_op.getReadonlySourcesMutable();
    }
    ::mlir::OperandRange getDynamicSizes() {
      return $_op.getDynamicSizesMutable();
    }
    ::mlir::Block::BlockArgListType getLeadingArgs() {
      return $_op.getExecute().getArguments().take_front(
          $_op.getNumLeadingArgs());
    }
    ::mlir::Block::BlockArgListType getRefArgs() {
      return $_op.getExecute().getArguments().slice(
          $_op.getNumLeadingArgs(), $_op.getIsReadonly().size());
    }
    ::mlir::Block::BlockArgListType getTrailingArgs() {
      return $_op.getExecute().getArguments().drop_front(
          $_op.getNumLeadingArgs() + $_op.getIsReadonly().size());
    }
  }];
  let extraClassDeclaration = [{
    /// Returns the initializer if the op has one, else null.
    ::mlir::Region *getInitializerOrNull();

    /// Returns the ref whose last content is result `result`.
    ::mlir::BlockArgument getRefOfResult(unsigned result);

    /// Returns the result of a ref, nullopt for a readonly one.
    ::std::optional<unsigned> getResultOfRef(unsigned ref);

    /// Returns the operand that gives result `result` its first value; null if
    /// it is untied.
    ::mlir::OpOperand *getTiedInit(unsigned result);

    /// Returns the result whose first value `operand` is, nullopt if it is no
    /// init.
    ::std::optional<unsigned> getTiedResult(::mlir::OpOperand &operand);

    /// Returns the operand of ref `ref`: an init, a readonly source, or null.
    ::mlir::OpOperand *getSourceOfRef(unsigned ref);

    /// Returns the dimensions of the untied dynamic result `result`, else none.
    ::mlir::ValueRange getResultDims(unsigned result);
  }];
}

#endif // DISTAFF_DIALECT_PCF_PCFOPINTERFACES_TD
