// SPDX-License-Identifier: Apache-2.0
#include "program/serve/answers.h"

#include "program/serve/page.h"

#include <map>

namespace alxsim::program {
namespace {

constexpr int unprocessable = 422; ///< a value that the study does not allow
constexpr int conflict = 409;
constexpr int not_found = 404;
constexpr int bad_json = 400;

Answer json_answer(int status, const Json& json)
{
    return {status, "application/json", json.dump()};
}

Answer no_such(const std::string& name)
{
    return refusal(not_found, "nothing here is called '" + printable(name) + "'");
}

using Handler = Json (*)(Playground&, const Json& request);

/// What is asked for by POST.
const std::map<std::string, Handler>& handlers()
{
    static const std::map<std::string, Handler> all{
        {"study", [](Playground& one, const Json& request) { return one.controls(request); }},
        {"curve", [](Playground& one, const Json& request) { return one.curve(request); }},
        {"confirm", [](Playground& one, const Json& request) { return one.confirm(request); }},
        {"cancel", [](Playground& one, const Json&) { return one.cancel(); }},
        {"save", [](Playground& one, const Json& request) { return one.save(request); }}};
    return all;
}

Answer do_posted(Playground& playground, const Question& question)
{
    const auto found = handlers().find(question.name);
    if (found == handlers().end()) {
        return no_such(question.name);
    }
    Json request;
    try {
        request = parse_json(question.body, "the request");
    } catch (const InputError& error) {
        return refusal(bad_json, error.what());
    }
    try {
        return json_answer(200, found->second(playground, request));
    } catch (const InputError& error) {
        return refusal(unprocessable, error.what());
    } catch (const Superseded& error) {
        return refusal(conflict, error.what());
    } catch (const Busy& error) {
        return refusal(conflict, error.what());
    }
}

} // namespace

Answer answer_of(Playground& playground, const Question& question)
{
    if (question.posted) {
        return do_posted(playground, question);
    }
    if (question.name == "confirm") {
        return json_answer(200, playground.confirmation());
    }
    const std::optional<PageFile> file = page_file(question.name);
    return file ? Answer{200, file->type, file->content} : no_such(question.name);
}

} // namespace alxsim::program
