// SPDX-License-Identifier: Apache-2.0
#include "program/serve/http/connection.h"

#include "base/printable.h"
#include "base/work/stop.h"
#include "program/serve/http/response.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <limits>
#include <new>
#include <stdexcept>
#include <thread>

namespace alxsim::program::http_server {
namespace {

namespace http = boost::beast::http;

constexpr int bad_request = 400;
constexpr int too_large = 413;
constexpr int head_too_large = 431;
constexpr int failed = 500;
constexpr int ended = 503;

constexpr const char* out_of_memory =
    "this needs more memory than the host gives; smaller data, dim or batches take less";

using Head = http::request_header<>;

std::string header(const Head& head, http::field field)
{
    // Two of a kind are as good as none that we know.
    return head.count(field) > 1 ? "twice" : std::string(head[field]);
}

RequestHead head_of(const Head& head)
{
    // Fetch metadata has no number in Beast.
    const std::size_t sites = head.count("Sec-Fetch-Site");
    return {std::string(head.method_string()),
            path_of_target(std::string(head.target())),
            header(head, http::field::host),
            header(head, http::field::origin),
            sites > 1 ? "twice" : std::string(head["Sec-Fetch-Site"]),
            header(head, http::field::content_type),
            header(head, http::field::content_length),
            header(head, http::field::transfer_encoding)};
}

/// Makes the answer to what is no request that is read to its end.
Answer refusal_of(const Error& error)
{
    if (error == http::error::header_limit) {
        return refusal(head_too_large, "the request's headers have more than " +
                                           std::to_string(most_head_bytes) +
                                           " bytes, the most allowed");
    }
    if (error == http::error::body_limit) {
        return refusal(too_large,
                       "the body is larger than " + std::to_string(most_body_bytes) + " bytes");
    }
    return refusal(bad_request, "this is no request of HTTP/1.1: " + printable(error.message()));
}

} // namespace

Connection::Connection(Socket socket, Service& service)
    : socket_(std::move(socket)),
      service_(service),
      timer_(socket_.get_executor())
{
    parser_.header_limit(static_cast<std::uint32_t>(most_head_bytes));
    parser_.body_limit(std::numeric_limits<std::uint64_t>::max()); // the gate looks at the token
                                                                   // first, then at the length
}

/// Runs it; where it fails, that ends this connection alone.
template <class Work>
void Connection::guarded(const Work& work) noexcept
{
    try {
        if (stage_ != Stage::closed) {
            work();
        }
    } catch (...) {
        give_up();
    }
}

/// The step, later: what it uses lives until then.
auto Connection::then(Step step)
{
    return [self = shared_from_this(), step](const Error& error, std::size_t bytes) {
        self->guarded([&] { ((*self).*step)(error, bytes); });
    };
}

/// Says so, if that is possible.
void Connection::give_up() noexcept
{
    try {
        if (stage_ == Stage::reading) {
            refuse(refusal(failed, out_of_memory));
            return;
        }
    } catch (...) { // not even that
    }
    close();
}

void Connection::begin()
{
    close_after(service_.limits.request);
    read();
}

void Connection::close() noexcept
{
    stage_ = Stage::closed;
    gone_ = true;
    Error ignored;
    socket_.close(ignored);
    try {
        timer_.cancel();
    } catch (const std::exception&) { // then it finds nothing to close
    }
}

void Connection::close_after(std::chrono::milliseconds time)
{
    timer_.expires_after(time);
    timer_.async_wait([waiting = weak_from_this()](const Error& error) {
        const std::shared_ptr<Connection> self = waiting.lock();
        if (self && !error && self->timer_.expiry() <= asio::steady_timer::clock_type::now()) {
            self->close();
        }
    });
}

/// There is always one that reads: who hangs up is seen at once.
void Connection::read()
{
    socket_.async_read_some(received_.prepare(received_.max_size() - received_.size()),
                            then(&Connection::came));
}

void Connection::came(const Error& error, std::size_t bytes)
{
    if (error) {
        gone_ = true;
        if (stage_ == Stage::reading || stage_ == Stage::leaving) {
            close();
        }
        return;
    }
    if (stage_ == Stage::reading) {
        received_.commit(bytes);
        parse();
    } else { // more than one request: it is not looked at
        read();
    }
}

void Connection::parse()
{
    while (received_.size() > 0 && !parser_.is_done()) {
        Error error;
        received_.consume(parser_.put(received_.data(), error));
        if (error == http::error::need_more) {
            break;
        }
        if (error) {
            refuse(refusal_of(error));
            return;
        }
        if (parser_.is_header_done() && !let_in_ && !let_in()) {
            return;
        }
    }
    if (let_in_ && (parser_.is_done() || !posted_)) {
        ask();
    } else {
        read();
    }
}

/// Judges the head before anything of the body is read. False: somebody else goes on.
bool Connection::let_in()
{
    const RequestHead head = head_of(parser_.get());
    const Gate::Verdict verdict = service_.gate.judge(head);
    if (verdict.status != 0) {
        refuse(refusal(verdict.status, verdict.words));
        return false;
    }
    let_in_ = true;
    posted_ = head.method == "POST";
    name_ = verdict.name;
    parser_.body_limit(most_body_bytes);
    if (!boost::beast::iequals(parser_.get()[http::field::expect], "100-continue")) {
        return true;
    }
    static const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(go_on), then(&Connection::told_to_go_on));
    return false;
}

void Connection::told_to_go_on(const Error& error, std::size_t /*bytes*/)
{
    if (error) {
        close();
    } else {
        parse();
    }
}

/// From now on the answer is worked on, however long that takes.
void Connection::ask()
{
    Question question{posted_, name_, posted_ ? std::move(parser_.get().body()) : ""};
    asio::post(service_.workers, [self = shared_from_this(), question = std::move(question)] {
        self->work(question);
    });
    stage_ = Stage::answering;
    timer_.cancel();
    received_.clear();
    read();
}

/// On a thread of the workers.
void Connection::work(const Question& question) noexcept
{
    try {
        answer_ = worked_out(question);
    } catch (...) { // there is no memory to say so
        answer_ = Answer{};
        answer_.status = failed;
    }
    while (!hand_over()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

Answer Connection::worked_out(const Question& question) const
{
    const StopScope scope([this] { return gone_ || service_.ending; });
    try {
        look_for_stop();
        return service_.answers(question);
    } catch (const Stopped&) {
        return refusal(ended, "the program 'alxsim serve' ends");
    } catch (const std::bad_alloc&) {
        return refusal(failed, out_of_memory);
    } catch (const std::length_error&) {
        return refusal(failed, out_of_memory);
    } catch (const std::exception& error) {
        return refusal(failed, printable(error.what()));
    }
}

/// False: it has to be tried again.
bool Connection::hand_over() noexcept
{
    try {
        asio::post(socket_.get_executor(), [self = shared_from_this()] {
            self->guarded([&] { self->give(std::move(self->answer_)); });
        });
        return true;
    } catch (const std::exception&) {
        return service_.ending;
    }
}

/// Nothing of the request is kept; what still comes of it is not looked at.
void Connection::refuse(Answer answer)
{
    give(std::move(answer));
    received_.clear();
    read();
}

void Connection::give(Answer answer)
{
    if (gone_) {
        close();
        return;
    }
    head_ = head_of_response(answer);
    body_ = parser_.get().method() == http::verb::head ? "" : std::move(answer.body);
    stage_ = Stage::writing;
    close_after(service_.limits.answer);
    const std::array<asio::const_buffer, 2> all{asio::buffer(head_), asio::buffer(body_)};
    asio::async_write(socket_, all, then(&Connection::given));
}

/// The other side may not have read it yet, and would not if we hung up on what it still sends.
void Connection::given(const Error& error, std::size_t /*bytes*/)
{
    Error unsent;
    if (!error && !gone_) {
        socket_.shutdown(Socket::shutdown_send, unsent);
    }
    if (error || gone_ || unsent) {
        close();
        return;
    }
    stage_ = Stage::leaving;
    std::string().swap(body_);
    close_after(service_.limits.leave);
}

} // namespace alxsim::program::http_server
