// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace alxsim::experiments {

/// A line on stderr that is rewritten, as long as that is a terminal; else it is not shown. Cut to
/// the terminal's width.
class TerminalLine {
public:
    TerminalLine();
    ~TerminalLine() { clear(); }
    TerminalLine(const TerminalLine&) = delete;
    TerminalLine& operator=(const TerminalLine&) = delete;

    bool is_terminal() const { return terminal_; }
    void show(const std::string& text);
    /// Before other text.
    void clear();

private:
    bool terminal_;
    bool shown_ = false;
};

} // namespace alxsim::experiments
