// SPDX-License-Identifier: Apache-2.0
#include "browser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace alxsim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ABrowser : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (const std::string why = Browser::missing(); !why.empty()) {
            GTEST_SKIP() << why;
        }
    }
};

const char* const page = "data:text/html,<title>A page</title><p>words</p>"
                         "<input type=range min=0 max=10 value=5>"
                         "<button onclick='document.title+=1'>one</button>";

TEST_F(ABrowser, ShowsAPageClicksAndTypes)
{
    Browser browser;
    browser.go(page);
    EXPECT_EQ(browser.title(), "A page");
    EXPECT_EQ(browser.text("p"), "words");
    browser.click("button");
    EXPECT_EQ(browser.title(), "A page1");
    browser.type("input", keys::right);
    EXPECT_EQ(browser.property("input", "value"), "6");
    browser.press(keys::tab);
    browser.press(keys::enter);
    EXPECT_EQ(browser.title(), "A page11");
    EXPECT_EQ(browser.run("return arguments[0] + 1", Json::array({2})), 3);
    EXPECT_THAT(browser.errors(), IsEmpty());
    EXPECT_THROW(browser.click("#none"), std::runtime_error);
    EXPECT_THROW(browser.wait_for("return false", 0.1), std::runtime_error);
}

TEST_F(ABrowser, SaysWhatAScriptDidWrong)
{
    Browser browser;
    browser.go(page);
    browser.run("setTimeout(() => nothing.like.that)");
    browser.run("return new Promise(done => setTimeout(done, 100))");
    EXPECT_THAT(browser.errors(), ElementsAre(HasSubstr("nothing is not defined")));
    EXPECT_THAT(browser.errors(), IsEmpty());
}

TEST_F(ABrowser, IsAsNarrowAsATelephoneAndTakesPictures)
{
    Browser browser;
    browser.go(page);
    browser.resize(390, 844);
    EXPECT_EQ(browser.run("return innerWidth"), 390);
    const std::string picture = browser.downloads() + "/picture.png";
    browser.screenshot(picture);
    EXPECT_GT(std::filesystem::file_size(picture), 100u);
}

} // namespace
} // namespace alxsim::testing
