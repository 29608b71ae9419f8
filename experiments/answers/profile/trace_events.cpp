// SPDX-License-Identifier: Apache-2.0
#include "experiments/answers/profile/trace_events.h"

#include "base/input_error.h"
#include "base/json_document.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <unordered_map>

namespace alxsim::experiments {
namespace {

constexpr double picoseconds_in_microsecond = 1e6;
constexpr double longest = 9e18; ///< picoseconds that fit

/// "line 3, column 5" of a byte, counted from 1.
std::string place_in(const std::string& text, std::size_t byte)
{
    const std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    const std::size_t before = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    const std::size_t column = before == std::string::npos ? end + 1 : end - before;
    return "line " + std::to_string(line + 1) + ", column " + std::to_string(column);
}

/// Takes events as they are read; nothing else of the document is kept.
class EventReader final : public nlohmann::json_sax<Json> {
public:
    EventReader(const std::string& text, const std::string& file) : text_(text), file_(file)
    {
        word("");
    }

    bool null() override { return true; }
    bool boolean(bool /*value*/) override { return true; }
    bool number_integer(number_integer_t value) override
    {
        return number(static_cast<double>(value));
    }
    bool number_unsigned(number_unsigned_t value) override
    {
        return number(static_cast<double>(value));
    }
    bool number_float(number_float_t value, const string_t& /*text*/) override
    {
        return number(value);
    }
    bool binary(binary_t& /*value*/) override { return true; }

    bool string(string_t& value) override
    {
        if (in_arguments()) {
            if (key_ == "name") {
                event_.argument_name = value;
            } else if (key_ == "hlo_category") {
                event_.span.category = word(value);
            } else if (key_ == "source") {
                event_.span.source = word(value);
            } else if (key_ == "device_duration_ps") {
                event_.device_duration = number_in(value);
            }
        } else if (in_event()) {
            if (key_ == "ph") {
                event_.kind = value;
            } else if (key_ == "name") {
                event_.name = value;
            }
        }
        return true;
    }

    bool key(string_t& value) override
    {
        key_ = value;
        if (depth_ == 1) {
            top_key_ = value;
        } else if (depth_ == 3) {
            event_key_ = value;
        }
        return true;
    }

    bool start_object(std::size_t /*elements*/) override
    {
        ++depth_;
        if (in_event()) {
            event_ = {};
        }
        return true;
    }

    bool end_object() override
    {
        if (in_event()) {
            finish_event();
        }
        --depth_;
        return true;
    }

    bool start_array(std::size_t /*elements*/) override
    {
        ++depth_;
        found_list_ = found_list_ || (depth_ == 2 && top_key_ == "traceEvents");
        return true;
    }

    bool end_array() override
    {
        --depth_;
        return true;
    }

    bool parse_error(std::size_t byte, const std::string& token,
                     const nlohmann::detail::exception& /*problem*/) override
    {
        throw InputError(file_, place_in(text_, byte),
                         "found '" + token.substr(0, 40) +
                             "'; allowed: JSON in the trace-event format, as JAX's profiler "
                             "writes it (*.trace.json.gz)");
    }

    TraceEvents take()
    {
        if (!found_list_) {
            throw InputError(file_, "",
                             "found no list \"traceEvents\"; allowed: a trace as JAX's profiler "
                             "writes it (*.trace.json.gz)");
        }
        return std::move(events_);
    }

private:
    struct Event {
        std::string kind, name, argument_name;
        std::optional<double> begin, duration, device_duration;
        TraceEvent span;
    };

    bool in_list() const { return found_list_ && top_key_ == "traceEvents"; }
    bool in_event() const { return depth_ == 3 && in_list(); }
    bool in_arguments() const { return depth_ == 4 && in_list() && event_key_ == "args"; }

    int word(const std::string& text)
    {
        const auto [at, is_new] = places_.try_emplace(text, static_cast<int>(events_.words.size()));
        if (is_new) {
            events_.words.push_back(text);
        }
        return at->second;
    }

    bool number(double value)
    {
        if (in_event()) {
            if (key_ == "ts") {
                event_.begin = value;
            } else if (key_ == "dur") {
                event_.duration = value;
            } else if (key_ == "pid") {
                event_.span.thread.first = id(value);
            } else if (key_ == "tid") {
                event_.span.thread.second = id(value);
            }
        } else if (in_arguments() && key_ == "device_duration_ps") {
            event_.device_duration = value;
        }
        return true;
    }

    static std::int64_t id(double value)
    {
        return std::abs(value) < 1e15 ? static_cast<std::int64_t>(value) : -1;
    }

    /// Not a number where the text is none, which is refused where it is used.
    static double number_in(const std::string& text)
    {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        return !text.empty() && *end == '\0' ? value : std::nan("");
    }

    std::int64_t picoseconds(std::optional<double> value, double scale, const char* field) const
    {
        if (!value || !(*value >= 0) || !(*value * scale < longest)) {
            throw InputError(file_, "/traceEvents/" + std::to_string(number_) + "/" + field,
                             (value ? "found a time of " + std::to_string(*value)
                                    : std::string("found no number")) +
                                 "; allowed: " + (scale > 1 ? "micro" : "pico") +
                                 "seconds from 0 up");
        }
        return std::llround(*value * scale);
    }

    void finish_event()
    {
        if (event_.kind == "M") {
            if (event_.name == "process_name") {
                events_.processes[event_.span.thread.first] = event_.argument_name;
            } else if (event_.name == "thread_name") {
                events_.threads[event_.span.thread] = event_.argument_name;
            }
        } else if (event_.kind == "X") {
            TraceEvent span = event_.span;
            span.name = word(event_.name);
            span.begin = picoseconds(event_.begin, picoseconds_in_microsecond, "ts");
            span.duration = event_.device_duration
                                ? picoseconds(event_.device_duration, 1, "args/device_duration_ps")
                                : picoseconds(event_.duration, picoseconds_in_microsecond, "dur");
            if (span.begin > static_cast<std::int64_t>(longest) - span.duration) {
                picoseconds(std::nullopt, 1, "dur");
            }
            events_.spans.push_back(span);
        }
        ++number_;
    }

    const std::string& text_;
    const std::string& file_;
    TraceEvents events_;
    std::unordered_map<std::string, int> places_;
    int depth_ = 0;
    bool found_list_ = false;
    std::string top_key_, event_key_, key_;
    Event event_;
    std::size_t number_ = 0; ///< of the event
};

} // namespace

TraceEvents trace_events_of(const std::string& text, const std::string& file)
{
    EventReader reader(text, file);
    Json::sax_parse(text, &reader);
    return reader.take();
}

} // namespace alxsim::experiments
