//===- AttributeDictionary.td - attr-dict of inherited ops -*- tablegen -*-===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DISTAFF_DIALECT_ATTRIBUTEDICTIONARY_TD
#define DISTAFF_DIALECT_ATTRIBUTEDICTIONARY_TD

// The member `format` replaces `attr-dict` in an assembly format, and accepts
// `<{...}>` before it. `inherent` lists the inherent attributes that the rest
// of the format does not print. See AttributeDictionary.h.
class AttributeDictionary<list<string> inherent = [], bit hasKeyword = 0> {
  string names = !interleave(
      !foreach(name, inherent, "\\\"" # name # "\\\""), ", ");
  string format = " `` custom<AttributeDictionary>(attr-dict, "
    # "\"getOperationName()\", \"{" # names # "}\", \""
    # !if(hasKeyword, "true", "false") # "\") ";
}

#endif // DISTAFF_DIALECT_ATTRIBUTEDICTIONARY_TD
