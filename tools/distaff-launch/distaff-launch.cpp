//===- distaff-launch.cpp - Launch a kernel package -----------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// distaff-launch PACKAGE [--input arg0=x.npy]... [--output res0=y.npy]...
//                        [--shape arg0=33x17]... [--device N] [--time N]
//
// Runs a package's kernel on a CUDA device. Built on the C ABI alone; exit
// codes are those of `distaff`: 1 no device or a failed launch, 2 bad flags or
// files.
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/Inputs.h"
#include "distaff/Runtime/Package.h"
#include "distaff/Runtime/distaff_runtime.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace distaff;
using namespace distaff::runtime;

namespace {

constexpr char usage[] =
    "usage: distaff-launch PACKAGE [--input NAME=FILE.npy|random:SEED|iota|"
    "zeros|NUMBER]...\n"
    "                      [--output NAME=FILE.npy]... [--shape "
    "NAME=33x17]...\n"
    "                      [--device N] [--time REPEATS]\n"
    "       distaff-launch --info PACKAGE    says what it takes and holds\n";

struct Options {
  std::string package;
  std::vector<std::string> inputs, outputs, shapes;
  int device = 0;
  int repeats = 0;
  bool info = false;
};

[[noreturn]] void fail(int code, const std::string &message) {
  std::fprintf(stderr, "distaff-launch: error: %s\n", message.c_str());
  std::exit(code);
}

int parseCount(const std::string &flag, const std::string &text, int least) {
  char *end = nullptr;
  long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end || value < least || value > 1000000)
    fail(2, flag + " takes a number of at least " + std::to_string(least) +
                ", not '" + text + "'");
  return static_cast<int>(value);
}

Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    if (flag == "--help" || flag == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    if (flag == "--version") {
      std::puts("distaff " DISTAFF_VERSION);
      std::exit(0);
    }
    if (flag == "--info") {
      options.info = true;
      continue;
    }
    if (flag.empty() || flag[0] != '-') {
      if (!options.package.empty())
        fail(2, "there are two packages: '" + options.package + "' and '" +
                    flag + "'");
      options.package = flag;
      continue;
    }
    std::string value;
    size_t equals = flag.find('=');
    if (equals != std::string::npos) {
      value = flag.substr(equals + 1);
      flag.resize(equals);
    } else if (i + 1 < argc) {
      value = argv[++i];
    } else {
      fail(2, flag + " needs a value");
    }
    if (flag == "--input")
      options.inputs.push_back(value);
    else if (flag == "--output")
      options.outputs.push_back(value);
    else if (flag == "--shape")
      options.shapes.push_back(value);
    else if (flag == "--device")
      options.device = parseCount(flag, value, 0);
    else if (flag == "--time")
      options.repeats = parseCount(flag, value, 1);
    else
      fail(2, "unknown flag '" + flag + "'");
  }
  if (options.package.empty())
    fail(2, std::string("no package given\n") + usage);
  return options;
}

std::vector<int64_t> parseShape(const std::string &text) {
  std::vector<int64_t> shape;
  size_t position = 0;
  while (position <= text.size() && !text.empty()) {
    char *end = nullptr;
    errno = 0;
    long long extent = std::strtoll(text.c_str() + position, &end, 10);
    if (!std::isdigit(static_cast<unsigned char>(text[position])) || errno ||
        (*end != 'x' && *end != '\0'))
      fail(2, "'" + text + "' is no shape such as 33x17");
    shape.push_back(extent);
    position = end - text.c_str() + 1;
  }
  return shape;
}

/// Returns the numbers of an array whose elements take `bits` in memory, with
/// their sign.
HostArray numbersOf(const HostArray &array, int64_t bits) {
  HostArray values = array;
  values.bytes = unpackNumbers(array.bytes, bitsInMemory(array.type), bits,
                               array.numElements());
  for (unsigned char &byte : values.bytes)
    storeInteger(array.type, byte, &byte);
  return values;
}

/// The parameters of a package with their host memory.
class Parameters {
public:
  Parameters(distaff_package *package, const Options &options)
      : package(package), arguments(distaff_package_argument_count(package)),
        extents(distaff_package_extent_count(package), -1) {
    assignments(options.inputs, "--input", inputs, /*resultsToo=*/false);
    assignments(options.outputs, "--output", outputs, /*resultsToo=*/true);
    assignments(options.shapes, "--shape", shapes, /*resultsToo=*/false);
    if (InputError error = checkFiles(outputs))
      fail(2, "--output: " + error.message);
    findExtents();
    // Nothing is allocated before these sizes are checked.
    if (distaff_package_check(package, extentData()))
      fail(2, distaff_last_error());
    checkShapes();
    fillArrays();
  }

  const int64_t *extentData() const {
    return extents.empty() ? nullptr : extents.data();
  }

  std::vector<HostArray> arrays;

  /// Packs elements narrower than a byte into the bits of a kernel's memory.
  void pack() {
    for (size_t i = 0; i < arrays.size(); ++i)
      if (isNarrow(i))
        arrays[i].bytes =
            packNumbers(arrays[i].bytes, bitsInMemory(arrays[i].type), bits(i));
  }

  void writeOutputs() const {
    std::vector<HostArray> values;
    for (size_t i = 0; i < arrays.size(); ++i)
      values.push_back(isNarrow(i) ? numbersOf(arrays[i], bits(i)) : arrays[i]);
    std::vector<std::pair<std::string, const HostArray *>> wanted;
    for (size_t i = 0; i < arrays.size(); ++i)
      if (auto found = outputs.find(name(i)); found != outputs.end())
        wanted.push_back({found->second, &values[i]});
    if (std::string why = writeNpys(wanted); !why.empty())
      fail(2, why);
  }

private:
  std::string name(size_t i) const {
    return distaff_package_parameter_name(package, i);
  }
  size_t bits(size_t i) const {
    return distaff_package_parameter_bits(package, i);
  }
  bool isNarrow(size_t i) const {
    return bitsInMemory(arrays[i].type) < 8 &&
           !distaff_package_parameter_is_scalar(package, i);
  }
  size_t count() const {
    return arguments + distaff_package_result_count(package);
  }

  void assignments(const std::vector<std::string> &flags, const char *flag,
                   std::map<std::string, std::string> &values,
                   bool resultsToo) {
    if (InputError error = parseAssignments(flags, values))
      fail(2, std::string(flag) + ": " + error.message);
    for (const auto &[key, value] : values) {
      bool known = false;
      for (size_t i = 0; i < (resultsToo ? count() : arguments); ++i)
        known |= name(i) == key;
      if (!known)
        fail(2, std::string(flag) + ": the package has no '" + key + "'");
    }
  }

  /// Sets every dynamic extent from --shape or from the argument's file.
  void findExtents() {
    for (size_t i = 0; i < arguments; ++i) {
      size_t rank = distaff_package_parameter_rank(package, i);
      std::vector<int64_t> given;
      if (auto shape = shapes.find(name(i)); shape != shapes.end())
        given = parseShape(shape->second);
      else if (auto input = inputs.find(name(i));
               input != inputs.end() && namesFile(input->second)) {
        NpyArray array;
        if (std::string why = readNpy(input->second, array); !why.empty())
          fail(2, why);
        given = array.shape;
      }
      for (size_t d = 0; d < rank; ++d) {
        int64_t number = distaff_package_parameter_extent(package, i, d);
        if (number < 0)
          continue;
        if (given.size() != rank)
          fail(2, "'" + name(i) +
                      "' has dynamic extents: give its shape, "
                      "--shape " +
                      name(i) + "=..., or a file");
        extents[number] = given[d];
      }
    }
  }

  /// Checks that a given shape is the argument's, also in its static extents.
  void checkShapes() {
    for (size_t i = 0; i < arguments; ++i) {
      auto given = shapes.find(name(i));
      if (given == shapes.end())
        continue;
      std::vector<int64_t> shape = shapeOf(i);
      if (parseShape(given->second) == shape)
        continue;
      std::string text;
      for (int64_t extent : shape)
        text += (text.empty() ? "" : "x") + std::to_string(extent);
      fail(2, "--shape: '" + name(i) + "' is " +
                  (text.empty() ? "a scalar" : text) + " in the package, not " +
                  given->second);
    }
  }

  std::vector<int64_t> shapeOf(size_t i) const {
    std::vector<int64_t> shape(distaff_package_parameter_rank(package, i));
    if (distaff_package_parameter_shape(package, i, extentData(), shape.data()))
      fail(2, distaff_last_error());
    return shape;
  }

  void fillArrays() {
    for (size_t i = 0; i < count(); ++i) {
      ScalarType type =
          *parseScalarType(distaff_package_parameter_type(package, i));
      std::vector<int64_t> shape = shapeOf(i);
      if (!fitsHost(shape, type))
        fail(1, "'" + name(i) + "' takes more than the " +
                    std::to_string(largestHostArray()) +
                    " bytes that this machine has for an array");
      HostArray array = HostArray::zeros(type, std::move(shape));
      // A result begins as NaN or a repeated byte, so that unwritten elements
      // are visible.
      if (i >= arguments) {
        std::fill(array.bytes.begin(), array.bytes.end(), 0xff);
      } else {
        auto input = inputs.find(name(i));
        if (InputError error = fillInput(
                input == inputs.end() ? "random:0" : input->second, i, array))
          fail(2, name(i) + ": " + error.message);
      }
      arrays.push_back(std::move(array));
    }
  }

  distaff_package *package;
  size_t arguments;
  std::vector<int64_t> extents;
  std::map<std::string, std::string> inputs, outputs, shapes;
};

void check(distaff_status status) {
  if (status)
    fail(status, distaff_last_error());
}

void measure(distaff_kernel *kernel, distaff_device *device,
             distaff_package *package, Parameters &parameters, int repeats) {
  std::vector<uint64_t> addresses(parameters.arrays.size());
  std::vector<const void *> pointers;
  for (size_t i = 0; i < addresses.size(); ++i) {
    HostArray &array = parameters.arrays[i];
    if (distaff_package_parameter_is_scalar(package, i)) {
      pointers.push_back(array.bytes.data());
      continue;
    }
    check(distaff_device_allocate(device, array.bytes.size(), &addresses[i]));
    check(distaff_device_upload(device, addresses[i], array.bytes.data(),
                                array.bytes.size()));
    pointers.push_back(&addresses[i]);
  }
  double median, minimum, maximum;
  check(distaff_kernel_time(kernel, pointers.data(), parameters.extentData(),
                            repeats, &median, &minimum, &maximum));
  for (uint64_t address : addresses)
    if (address)
      check(distaff_device_free(device, address));
  std::printf("%s on %s: median %.2f us, min %.2f us, max %.2f us over %d "
              "launches\n",
              distaff_package_name(package), distaff_device_name(device),
              median, minimum, maximum, repeats);
}

Package readOrFail(const std::string &path) {
  Package package;
  if (std::string why = readPackage(path, package); !why.empty())
    fail(2, why);
  return package;
}

/// Prints a parameter of a package as "arg1  f16  ?x64  33x64": dynamic extents
/// are numbered in order.
void printParameter(const char *role, const Parameter &parameter) {
  std::string shape;
  for (const Formula &extent : parameter.shape)
    shape +=
        (shape.empty() ? "" : "x") + (extent.kind == Formula::Kind::Constant
                                          ? std::to_string(extent.value)
                                          : std::string("?"));
  if (shape.empty())
    shape = parameter.isScalar ? "by value" : "one element";
  std::printf("%-9s %-8s %-10s %s\n", role, parameter.name.c_str(),
              std::string(name(parameter.type)).c_str(), shape.c_str());
}

/// Prints the parameters and contents of a package, without a device.
int printInfo(const Package &package) {
  std::printf("%-9s %s\n%-9s %s\n", "function", package.name.c_str(), "target",
              package.target.c_str());
  for (const Parameter &argument : package.arguments)
    printParameter("argument", argument);
  for (const Parameter &result : package.results)
    printParameter("result", result);
  for (const Launch &launch : package.launches) {
    std::string grid;
    for (const Formula &extent : launch.grid)
      grid +=
          (grid.empty() ? "" : "x") + (extent.kind == Formula::Kind::Constant
                                           ? std::to_string(extent.value)
                                           : std::string("?"));
    auto [x, y, z] = launch.workgroupSize;
    std::printf("%-9s %s: %s workgroups of %lldx%lldx%lld lanes, %lld bytes of "
                "shared memory at launch\n",
                "launch", launch.kernel.c_str(), grid.c_str(),
                static_cast<long long>(x), static_cast<long long>(y),
                static_cast<long long>(z),
                static_cast<long long>(launch.sharedMemory));
  }
  for (const CodeObject &code : package.codeObjects)
    std::printf("%-9s %s for %s, %zu bytes\n", "code", code.kind.c_str(),
                code.architecture.c_str(), code.bytes.size());
  std::fflush(stdout);
  if (std::ferror(stdout))
    fail(2, std::string("cannot write to standard output: ") +
                std::strerror(errno));
  return 0;
}

/// Refuses a package for AMD GPUs, so that the error is not a missing driver.
void refuseOtherVendors(const Package &package) {
  if (package.target.rfind("gfx", 0) == 0)
    fail(1, "'" + package.name + "' is a package for " + package.target +
                ", and this launcher runs those for NVIDIA GPUs; of a code "
                "object for AMD GPUs (--emit hsaco) a program loads the kernel "
                "with hipModuleLoad");
}

} // namespace

int main(int argc, char **argv) {
  Options options = parseOptions(argc, argv);
  Package described = readOrFail(options.package);
  if (options.info)
    return printInfo(described);
  refuseOtherVendors(described);
  distaff_package *package = nullptr;
  check(distaff_package_open(options.package.c_str(), &package));
  Parameters parameters(package, options);

  distaff_device *device = nullptr;
  distaff_kernel *kernel = nullptr;
  check(distaff_device_open(options.device, &device));
  check(distaff_kernel_load(device, package, &kernel));
  parameters.pack();
  std::vector<void *> data;
  for (HostArray &array : parameters.arrays)
    data.push_back(array.bytes.data());
  check(distaff_kernel_run(kernel, data.data(), parameters.extentData()));
  parameters.writeOutputs();
  if (options.repeats)
    measure(kernel, device, package, parameters, options.repeats);

  distaff_kernel_unload(kernel);
  distaff_device_close(device);
  distaff_package_close(package);
  return 0;
}
