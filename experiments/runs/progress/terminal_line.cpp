// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/progress/terminal_line.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace alxsim::experiments {
namespace {

/// Counts those of the terminal, less one: in the last column some begin a new line.
std::size_t columns()
{
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    return known ? static_cast<std::size_t>(size.ws_col) - 1 : 79;
}

/// Bytes of UTF-8 that are no more than `most` characters, of the first line.
std::string cut(const std::string& text, std::size_t most)
{
    std::size_t characters = 0;
    std::size_t end = 0;
    for (; end < text.size() && text[end] != '\n'; ++end) {
        const bool begins_character = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
        characters += begins_character ? 1 : 0;
        if (characters > most) {
            break;
        }
    }
    return text.substr(0, end);
}

std::mutex reader_mutex;              ///< of what follows, and of each call of a reader
std::vector<ProgressReader*> readers; ///< the last is told

} // namespace

ProgressReader::ProgressReader(Reader reader) : reader_(std::move(reader))
{
    const std::lock_guard<std::mutex> lock(reader_mutex);
    readers.push_back(this);
}

ProgressReader::~ProgressReader()
{
    const std::lock_guard<std::mutex> lock(reader_mutex);
    readers.erase(std::find(readers.begin(), readers.end(), this));
}

TerminalLine::TerminalLine() : terminal_(isatty(STDERR_FILENO) == 1)
{
    const std::lock_guard<std::mutex> lock(reader_mutex);
    terminal_ = terminal_ || !readers.empty();
}

bool TerminalLine::told_reader(const std::string& line, bool stays)
{
    const std::lock_guard<std::mutex> lock(reader_mutex);
    if (readers.empty()) {
        return false;
    }
    readers.back()->reader_(line, stays);
    return true;
}

void TerminalLine::tell(const std::string& text)
{
    clear();
    if (!told_reader(text, true)) {
        std::fprintf(stderr, "%s\n", text.c_str());
    }
}

void TerminalLine::show(const std::string& text)
{
    if (told_reader(text, false)) {
        shown_ = true;
    } else if (terminal_) {
        std::fprintf(stderr, "\r\033[K%s", cut(text, columns()).c_str());
        std::fflush(stderr);
        shown_ = true;
    }
}

void TerminalLine::clear()
{
    if (shown_ && !told_reader("", false)) {
        std::fprintf(stderr, "\r\033[K");
        std::fflush(stderr);
    }
    shown_ = false;
}

} // namespace alxsim::experiments
