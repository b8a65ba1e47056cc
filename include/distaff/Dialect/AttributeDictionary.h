//===- AttributeDictionary.h - Inherent attributes in text ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inherent attributes of an inherited op that its syntax does not spell
// have two forms in text: entries of the attribute dictionary, and properties
// in front of it, which MLIR prints since its assembly formats are strict:
//
//   iree_vector_ext.to_layout %v to layout(#l) {mma_kind = #k} : ...
//   iree_vector_ext.to_layout %v to layout(#l) <{mma_kind = #k}> : ...
//
// Both are parsed, in one op too, and properties without the braces, as later
// versions of IREE print those of iree_codegen.inner_tiled. Printed is the
// dictionary, unless the op's dialect has the interface
// InherentAttributesAsProperties.
//
// An assembly format has `custom<AttributeDictionary>` where it would have
// `attr-dict` (AttributeDictionary.td); parsers and printers written by hand
// call the functions below.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_ATTRIBUTEDICTIONARY_H
#define DISTAFF_DIALECT_ATTRIBUTEDICTIONARY_H

#include "distaff/LLVM.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpImplementation.h"

namespace distaff {

/// Ops of a dialect that has this interface print inherent attributes as
/// properties.
class InherentAttributesAsProperties
    : public DialectInterface::Base<InherentAttributesAsProperties> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InherentAttributesAsProperties)
  explicit InherentAttributesAsProperties(Dialect *dialect) : Base(dialect) {}
};

/// Gives the interface to the dialects, when they are loaded.
template <typename... DialectTs>
void printInherentAttributesAsProperties(DialectRegistry &registry) {
  (registry.addExtension(+[](MLIRContext *, DialectTs *dialect) {
    dialect->template addInterfaces<InherentAttributesAsProperties>();
  }),
   ...);
}

/// Parses `[<{...}>] [{...}]` into `attributes`, the latter behind the keyword
/// `attributes` if `hasKeyword`. `inherent` names what `<{...}>` may hold: the
/// inherent attributes of the op called `name` that its syntax does not spell.
ParseResult parseAttributeDictionary(OpAsmParser &parser,
                                     NamedAttrList &attributes, StringRef name,
                                     ArrayRef<StringRef> inherent,
                                     bool hasKeyword = false);

/// Prints `attributes` in that form. The inherent ones are those which the op's
/// definition names.
void printAttributeDictionary(OpAsmPrinter &printer, Operation *op,
                              ArrayRef<NamedAttribute> attributes,
                              bool hasKeyword = false);

/// The directive `custom<AttributeDictionary>` prints of all attributes those
/// that `inherent` names and the discardable ones.
void printAttributeDictionary(OpAsmPrinter &printer, Operation *op,
                              DictionaryAttr attributes, StringRef name,
                              ArrayRef<StringRef> inherent,
                              bool hasKeyword = false);

} // namespace distaff

#endif // DISTAFF_DIALECT_ATTRIBUTEDICTIONARY_H
