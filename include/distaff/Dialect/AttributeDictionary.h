//===- AttributeDictionary.h - Inherent attributes in text ------*- C++ -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inherent attributes of an inherited op that its syntax does not print
// have two forms in text: entries of the attribute dictionary, and properties
// before it, which MLIR prints since its assembly formats are strict:
//
//   iree_vector_ext.to_layout %v to layout(#l) {mma_kind = #k} : ...
//   iree_vector_ext.to_layout %v to layout(#l) <{mma_kind = #k}> : ...
//
// Both are parsed, also in one op, and properties without the braces, as later
// versions of IREE print those of iree_codegen.inner_tiled. The dictionary is
// printed, unless the op's dialect has the interface
// InherentAttributesAsProperties.
//
// An assembly format uses `custom<AttributeDictionary>` in place of `attr-dict`
// (AttributeDictionary.td); hand-written parsers and printers call the
// functions below.
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_ATTRIBUTEDICTIONARY_H
#define DISTAFF_DIALECT_ATTRIBUTEDICTIONARY_H

#include "distaff/LLVM.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpImplementation.h"

namespace distaff {

/// Marks a dialect whose ops print inherent attributes as properties.
class InherentAttributesAsProperties
    : public DialectInterface::Base<InherentAttributesAsProperties> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InherentAttributesAsProperties)
  explicit InherentAttributesAsProperties(Dialect *dialect) : Base(dialect) {}
};

/// Adds the interface to the dialects, when they are loaded.
template <typename... DialectTs>
void printInherentAttributesAsProperties(DialectRegistry &registry) {
  (registry.addExtension(+[](MLIRContext *, DialectTs *dialect) {
    dialect->template addInterfaces<InherentAttributesAsProperties>();
  }),
   ...);
}

/// Parses `[<{...}>] [{...}]` into `attributes`, the latter after the keyword
/// `attributes` if `hasKeyword`. `inherent` lists the attributes that `<{...}>`
/// may hold: the inherent ones of the op called `name` that its syntax does not
/// print.
ParseResult parseAttributeDictionary(OpAsmParser &parser,
                                     NamedAttrList &attributes, StringRef name,
                                     ArrayRef<StringRef> inherent,
                                     bool hasKeyword = false);

/// Prints `attributes` in that form. The inherent ones are those that the op's
/// definition names.
void printAttributeDictionary(OpAsmPrinter &printer, Operation *op,
                              ArrayRef<NamedAttribute> attributes,
                              bool hasKeyword = false);

/// The directive `custom<AttributeDictionary>` prints only the attributes that
/// `inherent` names and the discardable ones.
void printAttributeDictionary(OpAsmPrinter &printer, Operation *op,
                              DictionaryAttr attributes, StringRef name,
                              ArrayRef<StringRef> inherent,
                              bool hasKeyword = false);

} // namespace distaff

#endif // DISTAFF_DIALECT_ATTRIBUTEDICTIONARY_H
