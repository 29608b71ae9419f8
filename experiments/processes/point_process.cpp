// SPDX-License-Identifier: Apache-2.0
#include "experiments/processes/point_process.h"

#include "base/input_error.h"

#include <utility>

namespace alxsim::experiments {
namespace {

/// A second task that the child has not read yet must fit into the pipe: we do not wait for a
/// child that waits for us to read its answer.
constexpr std::size_t longest_task_ahead = 16384;
/// A slower point shall not hold up another while other processes have nothing to do.
constexpr std::chrono::milliseconds moment{20};

std::string why_ended(int code, const std::string& errors)
{
    const std::string why = code < 0 ? "its process was ended by signal " + std::to_string(-code)
                                     : "its process ended with code " + std::to_string(code);
    return errors.empty() ? why : why + ": " + errors.substr(0, errors.find_last_not_of('\n') + 1);
}

} // namespace

bool PointProcess::takes_next(const std::string& task) const
{
    return open_ && quick_ && given_.size() < 2 && task.size() < longest_task_ahead;
}

void PointProcess::give(std::size_t point, const std::string& task)
{
    if (given_.empty()) {
        answered_ = Clock::now();
    }
    given_.push_back(point);
    child_.write_input(task + "\n");
}

void PointProcess::dismiss()
{
    open_ = false;
    child_.close_input();
}

void PointProcess::take_answers(const Listener& listener)
{
    for (const std::string& line : child_.take_lines()) {
        const std::size_t blank = line.find(' ');
        const std::string word = line.substr(0, blank);
        const std::string rest = blank == std::string::npos ? "" : line.substr(blank + 1);
        if (word == "progress") {
            listener.progress(given_.front(), std::stod(rest));
        } else if (word == "leaving") {
            left_ = true;
            dismiss();
        } else if (word == "refused") {
            throw InputError(Json::parse(rest).get<std::string>());
        } else if (word == "result") {
            take_result(rest, listener);
        }
    }
}

void PointProcess::take_result(const std::string& text, const Listener& listener)
{
    const std::size_t point = given_.front();
    given_.pop_front();
    child_.forget_errors();
    const Clock::time_point now = Clock::now();
    quick_ = now - answered_ < moment;
    answered_ = now;
    listener.result(point, value_of_json<PointResult>(Json::parse(text)), text);
}

PointProcess::End PointProcess::end()
{
    const int code = child_.wait();
    End end;
    end.not_run = std::move(given_);
    if (!end.not_run.empty() && !(left_ && code == 0)) {
        end.failed = end.not_run.front();
        end.why = why_ended(code, child_.errors());
        end.not_run.pop_front();
    }
    return end;
}

} // namespace alxsim::experiments
