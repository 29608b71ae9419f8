// SPDX-License-Identifier: Apache-2.0
#include "model/graph/name.h"

#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace alxsim::model {
namespace {

/// All texts of the process.
const std::string* kept_by_all(std::string_view text)
{
    static std::mutex mutex;
    static std::unordered_map<std::string_view, std::unique_ptr<const std::string>> texts;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = texts.find(text);
    if (found != texts.end()) {
        return found->second.get();
    }
    auto copy = std::make_unique<const std::string>(text);
    const std::string_view key = *copy;
    return texts.emplace(key, std::move(copy)).first->second.get();
}

} // namespace

const std::string* Name::kept(std::string_view text)
{
    thread_local std::unordered_map<std::string_view, const std::string*> known;
    const auto found = known.find(text);
    if (found != known.end()) {
        return found->second;
    }
    const std::string* const one = kept_by_all(text);
    known.emplace(*one, one);
    return one;
}

/// Mostly a literal that came before, recognized by its address.
Name::Name(const char* text)
{
    struct Recent {
        const char* address = nullptr;
        const std::string* text = nullptr;
    };
    constexpr int bits = 10;
    thread_local std::array<Recent, std::size_t{1} << bits> recent;
    const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(text) * 0x9e3779b97f4a7c15;
    Recent& entry = recent[hash >> (64 - bits)];
    if (entry.address != text || *entry.text != text) {
        entry = {text, kept(text)};
    }
    text_ = entry.text;
}

} // namespace alxsim::model
