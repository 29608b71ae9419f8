// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <memory>
#include <string>
#include <vector>

namespace alxsim::testing {

/// Headless Chromium, driven through chromedriver (https://www.w3.org/TR/webdriver2/). A member
/// function that the driver refuses throws std::runtime_error with the driver's own message. Both
/// processes and all that they wrote are gone when this goes.
class Browser {
public:
    /// Why no browser can be driven here; empty if one can.
    static std::string missing();

    /// Starts both; downloads are allowed and go to downloads().
    Browser();
    ~Browser();

    void go(const std::string& url);
    std::string title();

    /// The page as if its window had this many CSS pixels; narrower than a window can be, too.
    void resize(int width, int height);

    /// Elements are named by CSS selectors; the first that matches is meant.
    void click(const std::string& selector);
    std::string text(const std::string& selector);
    std::string property(const std::string& selector, const std::string& name);

    /// Types into an element as a person would: typing "\uE014" presses the right arrow (keys
    /// below).
    void type(const std::string& selector, const std::string& keys);

    /// The same to whatever has the focus.
    void press(const std::string& key);

    /// Runs the body of a function with `arguments`; what it returns.
    Json run(const std::string& script, const Json& arguments = Json::array());

    /// Runs it until it returns something true, and returns that. Throws after `seconds`; by itself
    /// a page has two minutes, and ten times as long under sanitizers, which slow its server down.
    Json wait_for(const std::string& script, double seconds = ALXSIM_PAGE_SECONDS);

    /// PNG of what the window shows, or of the whole page from top to bottom.
    void screenshot(const std::string& path, bool whole_page = true);

    /// Messages on the page's console since the last call that are errors: exceptions of scripts,
    /// loads that failed, what the content security policy refused.
    std::vector<std::string> errors();

    /// Folder to which downloads go.
    std::string downloads() const;

private:
    struct Driver;
    Json command(const std::string& method, const std::string& path,
                 const Json& body = Json::object());
    Json devtools(const std::string& method, const Json& parameters);
    std::string element(const std::string& selector);

    std::unique_ptr<Driver> driver_;
};

namespace keys {

inline constexpr const char* tab = "\uE004";
inline constexpr const char* enter = "\uE007";
inline constexpr const char* space = "\uE00D";
inline constexpr const char* escape = "\uE00C";
inline constexpr const char* page_up = "\uE00E";
inline constexpr const char* page_down = "\uE00F";
inline constexpr const char* end = "\uE010";
inline constexpr const char* home = "\uE011";
inline constexpr const char* left = "\uE012";
inline constexpr const char* up = "\uE013";
inline constexpr const char* right = "\uE014";
inline constexpr const char* down = "\uE015";

} // namespace keys

} // namespace alxsim::testing
