// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace alxsim::experiments {

/// Who is told of progress while it lives, in place of stderr; of several the one that began last.
/// On any thread, one at a time.
class ProgressReader {
public:
    /// `line`: of the work as it is now, "" when there is none; or one that stays.
    using Reader = std::function<void(const std::string& line, bool stays)>;

    explicit ProgressReader(Reader reader);
    ~ProgressReader();
    ProgressReader(const ProgressReader&) = delete;
    ProgressReader& operator=(const ProgressReader&) = delete;

private:
    friend class TerminalLine;
    Reader reader_;
};

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
    /// A line that stays, terminal or not.
    void tell(const std::string& text);

private:
    static bool told_reader(const std::string& line, bool stays);

    bool terminal_;
    bool shown_ = false;
};

} // namespace alxsim::experiments
