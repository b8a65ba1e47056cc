//===- CostFile.cpp - The costs of a target as a file ---------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Driver/CostFile.h"
#include "distaff/Target/Costs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace distaff;

static constexpr StringLiteral costSchema = "distaff-costs";
static constexpr int64_t costVersion = 1;
/// Of sums of products of costs nothing may overflow.
static constexpr int64_t largestCost = 1000000;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string distaff::writeCosts(const Target &target) {
  PricedTarget copy(target, "");
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.objectBegin();
  json.attribute("schema", costSchema);
  json.attribute("version", costVersion);
  json.attribute("target", StringRef(target.name));
  StringRef section;
  for (const CostField &field : copy.fields()) {
    if (field.section != section) {
      if (!section.empty())
        json.attributeEnd(), json.objectEnd();
      section = field.section;
      json.attributeBegin(section), json.objectBegin();
    }
    if (*field.value == infiniteIssueCost)
      json.attribute(field.name, "infinite");
    else
      json.attribute(field.name, *field.value);
  }
  json.objectEnd(), json.attributeEnd();
  json.objectEnd();
  os << "\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads one file; what is wrong first is told.
class CostReader {
public:
  CostReader(StringRef text, StringRef targetName, PricedTarget &target)
      : text(text), targetName(targetName), fields(target.fields()) {}

  std::string read();

private:
  /// "line 7: " of where a name of a section stands; JSON keeps no places.
  std::string at(StringRef name, StringRef section = "") const;
  std::string readHead(const llvm::json::Object &file);
  std::string readSection(StringRef section, const llvm::json::Value &value);
  std::string readField(CostField &field, const llvm::json::Value &value);
  std::string knownIn(StringRef section) const;

  StringRef text, targetName;
  SmallVector<CostField> fields;
};
} // namespace

std::string CostReader::at(StringRef name, StringRef section) const {
  auto quoted = [](StringRef word) { return ("\"" + word + "\"").str(); };
  size_t from = section.empty() ? 0 : text.find(quoted(section));
  size_t place = text.find(quoted(name), from == StringRef::npos ? 0 : from);
  if (place == StringRef::npos) // written with escapes
    return "";
  return "line " + std::to_string(1 + text.take_front(place).count('\n')) +
         ": ";
}

/// Names of sections without those of their fields.
std::string CostReader::knownIn(StringRef section) const {
  SmallVector<StringRef> names;
  for (const CostField &field : fields) {
    StringRef name = section.empty() ? field.section : field.name;
    if ((section.empty() || field.section == section) &&
        !llvm::is_contained(names, name))
      names.push_back(name);
  }
  return llvm::join(names, ", ");
}

std::string CostReader::readHead(const llvm::json::Object &file) {
  auto schema = file.getString("schema");
  if (!schema || *schema != costSchema)
    return at("schema") + "\"schema\" is not \"" + costSchema.str() +
           "\"; `distaff targets NAME --costs` writes such a file";
  auto version = file.getInteger("version");
  if (!version || *version != costVersion)
    return at("version") + "\"version\" is not " + std::to_string(costVersion) +
           ", which is the only one that is read";
  auto name = file.getString("target");
  if (!name || *name != targetName)
    return at("target") + "the costs are of " +
           (name ? "'" + name->str() + "'" : "no target") +
           ", and the target is " + targetName.str();
  return "";
}

std::string CostReader::readField(CostField &field,
                                  const llvm::json::Value &value) {
  StringRef name = field.name;
  if (auto word = value.getAsString(); word && *word == "infinite") {
    if (!field.mayBeInfinite)
      return at(name, field.section) + "\"" + name.str() +
             "\" cannot be infinite, for it is no instruction that need not be "
             "chosen";
    *field.value = infiniteIssueCost;
    return "";
  }
  auto number = value.getAsInteger();
  if (!number || *number < field.least || *number > largestCost)
    return at(name, field.section) + "\"" + name.str() +
           "\" is no whole number from " + std::to_string(field.least) +
           " to " + std::to_string(largestCost) +
           (field.mayBeInfinite ? ", nor \"infinite\"" : "");
  *field.value = *number;
  return "";
}

std::string CostReader::readSection(StringRef section,
                                    const llvm::json::Value &value) {
  const llvm::json::Object *names = value.getAsObject();
  if (!names)
    return at(section) + "\"" + section.str() + "\" is no object of costs";
  for (const auto &[key, cost] : *names) {
    StringRef name = key;
    auto *field = llvm::find_if(fields, [&](const CostField &known) {
      return known.section == section && known.name == name;
    });
    if (field == fields.end())
      return at(name, section) + "unknown cost \"" + name.str() + "\" in \"" +
             section.str() + "\", which has " + knownIn(section);
    if (std::string why = readField(*field, cost); !why.empty())
      return why;
  }
  return "";
}

std::string CostReader::read() {
  auto parsed = llvm::json::parse(text);
  if (!parsed)
    return "is no JSON: " + llvm::toString(parsed.takeError());
  const llvm::json::Object *file = parsed->getAsObject();
  if (!file)
    return "is no object";
  if (std::string why = readHead(*file); !why.empty())
    return why;
  for (const auto &[key, value] : *file) {
    StringRef section = key;
    if (section == "schema" || section == "version" || section == "target")
      continue;
    if (llvm::none_of(fields, [&](const CostField &field) {
          return field.section == section;
        }))
      return at(section) + "unknown section \"" + section.str() + "\"; " +
             targetName.str() + " has " + knownIn("");
    if (std::string why = readSection(section, value); !why.empty())
      return why;
  }
  return "";
}

std::string distaff::readCosts(StringRef text, StringRef targetName,
                               PricedTarget &target) {
  return CostReader(text, targetName, target).read();
}
