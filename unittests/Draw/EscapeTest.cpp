//===- EscapeTest.cpp - Text inside of markup -----------------------------===//
//
// Part of the Distaff project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../lib/Draw/Escape.h"
#include "gtest/gtest.h"

using distaff::draw::escape;

TEST(Escape, WhatMarkupMeansIsWrittenOut) {
  EXPECT_EQ(escape("a<b> & \"c\" 'd'"),
            "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
}

TEST(Escape, OtherCharactersStay) {
  EXPECT_EQ(escape("⟨S[2] é 漢 🙂⟩"), "⟨S[2] é 漢 🙂⟩");
  EXPECT_EQ(escape(""), "");
}

TEST(Escape, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(escape("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(escape("a\xE2\x82"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escape(llvm::StringRef("a\0b\x1b", 4)), "a\xEF\xBF\xBD"
                                                    "b\xEF\xBF\xBD");
}
