//===- OutputFile.cpp - Files written whole -------------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/OutputFile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace distaff::runtime {
namespace {

std::string lastError() { return std::strerror(errno); }

/// Follows symbolic links to a path that is none; it may not exist yet. Empty
/// for a circle of links.
std::string followLinks(std::string path) {
  // As many as Linux follows.
  for (int links = 0; links < 40; ++links) {
    char target[4096];
    ssize_t length = readlink(path.c_str(), target, sizeof(target) - 1);
    if (length < 0)
      return path;
    std::string next(target, length);
    size_t slash = path.rfind('/');
    path = next[0] == '/' || slash == std::string::npos
               ? next
               : path.substr(0, slash + 1) + next;
  }
  return "";
}

std::string writeParts(int file, const std::vector<std::string_view> &parts) {
  for (std::string_view part : parts)
    while (!part.empty()) {
      ssize_t written = write(file, part.data(), part.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return lastError();
      part.remove_prefix(written);
    }
  return "";
}

/// Closing may be what tells that the data did not arrive.
std::string writeAndClose(int file,
                          const std::vector<std::string_view> &parts) {
  std::string why = writeParts(file, parts);
  if (close(file) != 0 && why.empty())
    why = lastError();
  return why;
}

/// The open file that a path such as /dev/stdout stands for, or -1. It is
/// written to as it is: the shell may append to it, and nobody may rename it.
int openFileNamed(std::string_view path) {
  if (path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.substr(0, folder.size()) != folder)
      continue;
    std::string number(path.substr(folder.size()));
    char *end = nullptr;
    long file = std::strtol(number.c_str(), &end, 10);
    if (!number.empty() && *end == '\0' && file >= 0 && file < 1 << 20)
      return static_cast<int>(file);
  }
  return -1;
}

/// Creates a file that nobody has, beside `path`.
int createBeside(const std::string &path, std::string &name) {
  size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "" : path.substr(0, slash + 1);
  for (int number = 0;; ++number) {
    name = folder + ".distaff-" + std::to_string(getpid()) + "-" +
           std::to_string(number) + ".tmp";
    int file =
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
      return file;
  }
}

} // namespace

std::string writeOutputFile(const std::string &path,
                            const std::vector<std::string_view> &parts) {
  if (int file = openFileNamed(path); file >= 0) {
    int own = dup(file);
    return own < 0 ? lastError() : writeAndClose(own, parts);
  }
  std::string target = followLinks(path);
  if (target.empty()) {
    errno = ELOOP;
    return lastError();
  }
  std::optional<mode_t> oldMode;
  struct stat status;
  if (stat(target.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) {
      int file = open(target.c_str(), O_WRONLY | O_CLOEXEC);
      return file < 0 ? lastError() : writeAndClose(file, parts);
    }
    oldMode = status.st_mode & 07777;
    // A file that may not be written is not replaced either.
    if (access(target.c_str(), W_OK) != 0)
      return lastError();
  } else if (errno != ENOENT) {
    return lastError();
  }

  std::string temporary;
  int file = createBeside(target, temporary);
  if (file < 0)
    return lastError();
  std::string why;
  if (oldMode && fchmod(file, *oldMode) != 0)
    why = lastError();
  std::string unwritten = writeAndClose(file, parts);
  if (why.empty())
    why = unwritten;
  if (why.empty() && rename(temporary.c_str(), target.c_str()) != 0)
    why = lastError();
  if (!why.empty())
    unlink(temporary.c_str());
  return why;
}

} // namespace distaff::runtime
