// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/executors/point_process.h"

namespace alxsim::experiments {
namespace {

/// Tasks that the child has not read yet must fit into the pipe (64 KiB): we do not wait for a
/// child that waits for us to read its answer.
constexpr std::size_t most_given = 4;
constexpr std::size_t longest_task_ahead = 16384;
/// No point shall wait for longer behind others while other processes have nothing to do.
constexpr std::chrono::milliseconds moment{20};

std::string why_ended(int code, const std::string& errors)
{
    const std::string why = code < 0 ? "its process was ended by signal " + std::to_string(-code)
                                     : "its process ended with code " + std::to_string(code);
    return errors.empty() ? why : why + ": " + errors.substr(0, errors.find_last_not_of('\n') + 1);
}

} // namespace

bool PointProcess::takes_next(const PointOrder& order) const
{
    return open_ && last_took_ && *last_took_ * given_.size() < moment &&
           given_.size() < most_given && order.task.size() < longest_task_ahead;
}

void PointProcess::give(const PointOrder& order)
{
    if (given_.empty()) {
        answered_ = Clock::now();
    }
    given_.push_back(order.point);
    child_.write_input(order.task + "\n");
    if (!order.small) {
        dismiss(); // its memory goes back to the host, and SystemC starts once
    }
}

void PointProcess::dismiss()
{
    open_ = false;
    child_.close_input();
}

void PointProcess::take_answers(PointListener& listener)
{
    for (const std::string& line : child_.take_lines()) {
        const std::size_t blank = line.find(' ');
        take_answer(line.substr(0, blank), blank == std::string::npos ? "" : line.substr(blank + 1),
                    listener);
    }
}

void PointProcess::take_answer(const std::string& word, const std::string& rest,
                               PointListener& listener)
{
    if (given_.empty()) {
        return; // it was asked for nothing
    }
    if (word == "progress") {
        listener.progressed(given_.front(), std::stod(rest));
    } else if (word == "predicted") {
        listener.predicted(given_.front(), Seconds(std::stod(rest)));
    } else if (word == "doing") {
        listener.doing(given_.front(), parse_written_json(rest).get<std::string>());
    } else if (word == "tell") {
        listener.told(given_.front(), parse_written_json(rest).get<std::string>());
    } else if (word == "leaving") {
        left_ = true;
        dismiss();
    } else if (word == "refused") {
        listener.refused(take_point(), parse_written_json(rest).get<std::string>());
    } else if (word == "result") {
        listener.finished(take_point(), value_of_json<PointResult>(parse_written_json(rest)), rest);
    }
}

std::size_t PointProcess::take_point()
{
    const std::size_t point = given_.front();
    given_.pop_front();
    child_.forget_errors();
    const Clock::time_point now = Clock::now();
    last_took_ = now - answered_;
    answered_ = now;
    return point;
}

void PointProcess::end(PointListener& listener)
{
    const int code = child_.wait();
    if (!given_.empty() && !(left_ && code == 0)) {
        listener.failed(given_.front(), why_ended(code, child_.errors()));
        given_.pop_front();
    }
    for (const std::size_t point : given_) {
        listener.handed_back(point);
    }
    given_.clear();
}

} // namespace alxsim::experiments
