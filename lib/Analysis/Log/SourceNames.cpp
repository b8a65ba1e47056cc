//===- SourceNames.cpp - Names of SSA values in the source text -----------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Analysis/Log/SourceNames.h"
#include "mlir/IR/Operation.h"

using namespace distaff;

static bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
}

/// Returns `la` for `%la: !LA) {`.
static StringRef nameAtStart(StringRef text) {
  if (!text.consume_front("%"))
    return {};
  return text.take_while(isNameCharacter);
}

/// Returns whether the text continues with the op: an op that was derived from
/// another has its location, and not its name.
static bool isWrittenAs(Operation *op, StringRef text) {
  text.consume_front("\"");
  return text.starts_with(op->getName().getStringRef());
}

/// Returns `r` for `... %r:2 = `, with the spaces: the name of an op's results.
static StringRef nameAtEnd(StringRef text) {
  text = text.rtrim();
  if (!text.consume_back("="))
    return {};
  text = text.rtrim();
  StringRef count =
      text.take_back(text.size() - text.find_last_not_of("0123456789") - 1);
  if (!count.empty() && text.drop_back(count.size()).ends_with(":"))
    text = text.drop_back(count.size() + 1).rtrim();
  size_t start = text.rfind('%');
  if (start == StringRef::npos)
    return {};
  StringRef name = nameAtStart(text.drop_front(start));
  return name.size() + 1 == text.size() - start ? name : StringRef();
}

std::string SourceNames::of(Value value) const {
  auto place = value.getLoc()->findInstanceOf<FileLineColLoc>();
  if (!place || place.getFilename() != file || place.getLine() == 0 ||
      place.getLine() > lines.size() || place.getColumn() == 0)
    return {};
  StringRef line = lines[place.getLine() - 1];
  size_t column = std::min<size_t>(place.getColumn() - 1, line.size());
  auto result = dyn_cast<OpResult>(value);
  if (result && !isWrittenAs(result.getOwner(), line.drop_front(column)))
    return {};
  std::string name = (result ? nameAtEnd(line.take_front(column))
                             : nameAtStart(line.drop_front(column)))
                         .str();
  if (!name.empty() && llvm::isDigit(name.front()))
    name = "%" + name;
  if (result && !name.empty() && result.getOwner()->getNumResults() > 1)
    name += "#" + std::to_string(result.getResultNumber());
  return name;
}
