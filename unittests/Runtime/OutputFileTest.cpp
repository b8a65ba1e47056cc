//===- OutputFileTest.cpp - Files written whole ---------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "distaff/Runtime/OutputFile.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace distaff::runtime;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for each test.
class OutputFile : public testing::Test {
protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "distaff-output-XXXXXX";
    folder = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder); }

  static std::string read(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const fs::path &path, const std::string &text) {
    std::ofstream(path) << text;
  }
  /// Names that should not be there are temporary files left behind.
  size_t numFiles() const {
    return std::distance(fs::directory_iterator(folder), {});
  }

  fs::path folder;
};

TEST_F(OutputFile, ANewFileHoldsAllParts) {
  EXPECT_EQ(writeOutputFile(folder / "new", {"a", "", "bc"}), "");
  EXPECT_EQ(read(folder / "new"), "abc");
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(OutputFile, AReplacedFileKeepsItsPermissions) {
  put(folder / "old", "something longer");
  fs::permissions(folder / "old", fs::perms(0640));
  EXPECT_EQ(writeOutputFile(folder / "old", {"new"}), "");
  EXPECT_EQ(read(folder / "old"), "new");
  EXPECT_EQ(fs::status(folder / "old").permissions(), fs::perms(0640));
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(OutputFile, LinksStayAndTheirTargetIsWritten) {
  fs::create_directory(folder / "sub");
  put(folder / "sub/real", "old");
  fs::create_symlink("real", folder / "sub/near");
  fs::create_symlink("sub/near", folder / "far");
  fs::create_symlink("sub/absent", folder / "dangling");
  EXPECT_EQ(writeOutputFile(folder / "far", {"new"}), "");
  EXPECT_EQ(writeOutputFile(folder / "dangling", {"made"}), "");
  EXPECT_TRUE(fs::is_symlink(folder / "far"));
  EXPECT_TRUE(fs::is_symlink(folder / "sub/near"));
  EXPECT_TRUE(fs::is_symlink(folder / "dangling"));
  EXPECT_EQ(read(folder / "sub/real"), "new");
  EXPECT_EQ(read(folder / "sub/absent"), "made");
}

TEST_F(OutputFile, ACircleOfLinksIsAnError) {
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_NE(writeOutputFile(folder / "a", {"x"}), "");
}

TEST_F(OutputFile, APipeIsWrittenTo) {
  fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string content(200000, 'x'); // more than a pipe holds
  std::string arrived;
  std::thread reader([&] { arrived = read(pipe); });
  EXPECT_EQ(writeOutputFile(pipe, {content, "end"}), "");
  reader.join();
  EXPECT_EQ(arrived, content + "end");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(OutputFile, ADeviceThatIsFullIsAnError) {
  EXPECT_EQ(writeOutputFile("/dev/null", {"x"}), "");
  EXPECT_EQ(writeOutputFile("/dev/full", {"x"}), "No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  // Through a link too, which stays one.
  fs::create_symlink("/dev/full", folder / "full");
  EXPECT_EQ(writeOutputFile(folder / "full", {"x"}), "No space left on device");
  EXPECT_TRUE(fs::is_symlink(folder / "full"));
}

TEST_F(OutputFile, AnOpenFileIsAppendedTo) {
  put(folder / "log", "first ");
  FILE *log = std::fopen((folder / "log").c_str(), "a");
  ASSERT_TRUE(log);
  std::string path = "/dev/fd/" + std::to_string(fileno(log));
  EXPECT_EQ(writeOutputFile(path, {"second"}), "");
  std::fclose(log);
  EXPECT_EQ(read(folder / "log"), "first second");
  EXPECT_NE(writeOutputFile(path, {"closed"}), "");
}

// Files are written beside their names before what is a pipe is opened, which
// waits for a reader.
TEST_F(OutputFile, ASignalLeavesNoneOfManyFilesBehind) {
  constexpr size_t many = 150;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::vector<std::string> paths;
  for (size_t i = 0; i < many; ++i)
    paths.push_back(folder / std::to_string(i));
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::vector<Output> outputs;
    for (const std::string &path : paths)
      outputs.push_back({path, {"text"}});
    outputs.push_back({folder / "pipe", {"text"}});
    writeOutputFiles(outputs);
    _exit(0);
  }
  for (int tries = 0; tries < 1000 && numFiles() != many + 1; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(numFiles(), many + 1);
  ASSERT_EQ(kill(child, SIGTERM), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_EQ(numFiles(), 1u);
}

TEST_F(OutputFile, WhatFailsLeavesNothingBehind) {
  put(folder / "kept", "kept");
  EXPECT_NE(writeOutputFile(folder / "no" / "folder", {"x"}), "");
  EXPECT_NE(writeOutputFile(folder, {"x"}), "");
  EXPECT_NE(writeOutputFile("", {"x"}), "");
  EXPECT_NE(writeOutputFile(folder / "kept" / "below", {"x"}), "");
  EXPECT_EQ(read(folder / "kept"), "kept");
  EXPECT_EQ(numFiles(), 1u);
}

} // namespace
