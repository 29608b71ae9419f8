// SPDX-License-Identifier: Apache-2.0
#include "topologies/derivation.h"

#include "base/input_error.h"
#include "base/memo.h"
#include "topologies/resources.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <sstream>

namespace alxsim::topologies {
namespace {

/// How far a figure that is printed somewhere may be from what it is derived from.
constexpr double printed_tolerance = 0.01;
constexpr const char* form = "numbers and values, multiplied and divided, like \"2 * clock_hz / "
                             "tpu_v3.clock_hz\"";

bool is_name(const std::string& text)
{
    const bool begins = !text.empty() && text.front() >= 'a' && text.front() <= 'z';
    return begins && std::all_of(text.begin(), text.end(), [](char letter) {
               return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                      letter == '_';
           });
}

[[noreturn]] void refuse_word(const std::string& word, const std::string& file,
                              const std::string& place)
{
    throw InputError(file, place, "found '" + word + "'; allowed: " + form);
}

DerivationFactor read_factor(const std::string& word, const std::string& file,
                             const std::string& place)
{
    DerivationFactor factor;
    const char* const end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, factor.number);
    if (error == std::errc() && rest == end) {
        return std::isfinite(factor.number) && factor.number > 0
                   ? factor
                   : (refuse_word(word, file, place), factor);
    }
    factor.number = 1;
    const std::size_t dot = word.find('.');
    factor.key = dot == std::string::npos ? word : word.substr(dot + 1);
    factor.chip = dot == std::string::npos ? "" : word.substr(0, dot);
    if (!is_name(factor.key) || (dot != std::string::npos && !is_name(factor.chip))) {
        refuse_word(word, file, place);
    }
    return factor;
}

/// An embedded preset's file, as it is; null for a name that none has. One for all threads, so
/// that references into it hold.
std::shared_ptr<const Json> embedded(const std::string& chip)
{
    static Memo<std::string, std::shared_ptr<const Json>> parsed;
    const std::string file = "presets/" + chip + ".json";
    const auto& entries = resources().entries();
    const bool known = std::any_of(entries.begin(), entries.end(),
                                   [&](const Resources::Entry& one) { return one.name == file; });
    const auto parse = [&] {
        return std::make_shared<const Json>(parse_json(resources().get(file), file));
    };
    return known ? parsed.get_once(chip, parse) : nullptr;
}

bool has_limits(const DerivedNumber& number)
{
    return number.low.is_number() && number.high.is_number();
}

std::string place_of(const std::string& chip, const std::string& key)
{
    return (chip.empty() ? "" : chip + ": ") + "/values/" + key;
}

/// Whole numbers stay whole where their product is.
Json like_factors(double product, bool whole)
{
    const bool stays = whole && product == std::floor(product) && std::abs(product) < 9e15;
    return stays ? Json(static_cast<std::int64_t>(product)) : Json(product);
}

} // namespace

std::string DerivationFactor::text() const
{
    if (key.empty()) {
        return Json(number).dump();
    }
    return (chip.empty() ? "" : chip + ".") + key;
}

std::vector<DerivationFactor> read_derivation(const std::string& text, const std::string& file,
                                              const std::string& place)
{
    std::vector<DerivationFactor> factors;
    std::istringstream words(text);
    std::string word;
    bool divides = false;
    while (words >> word) {
        factors.push_back(read_factor(word, file, place));
        factors.back().divides = divides;
        if (!(words >> word)) {
            return factors;
        }
        if (word != "*" && word != "/") {
            refuse_word(word, file, place);
        }
        divides = word == "/";
    }
    refuse_word(text, file, place);
}

const Json& Derivations::entry_of(const std::string& chip, const std::string& key) const
{
    // Embedded files are remembered for good: a reference into one holds.
    const std::shared_ptr<const Json> other = chip.empty() ? nullptr : embedded(chip);
    const std::string asked = under_way_.empty() ? "" : under_way_.back();
    if (!chip.empty() && other == nullptr) {
        throw InputError(file_, asked,
                         "is derived from a value of '" + chip +
                             "'; allowed: the chips of `alxsim chips`");
    }
    const Json& values = chip.empty() ? values_ : other->at("values");
    if (!values.contains(key)) {
        throw InputError(file_, asked,
                         "is derived from '" + key + "', which " +
                             (chip.empty() ? "this preset" : chip) + " does not have");
    }
    return values.at(key);
}

DerivedNumber Derivations::number(const std::string& chip, const std::string& key) const
{
    const Json& entry = entry_of(chip, key);
    const std::string place = place_of(chip, key);
    if (std::find(under_way_.begin(), under_way_.end(), place) != under_way_.end()) {
        throw InputError(file_, place, "is derived from itself");
    }
    const std::string asked = under_way_.empty() ? place : under_way_.back();
    const Json value = entry.value("value", Json());
    if (!entry.contains("derived_from") && !value.is_number()) {
        throw InputError(file_, asked,
                         "is derived from '" + key + "', which is no number but " + value.dump());
    }
    under_way_.push_back(place); // limits may be derived, too
    DerivedNumber result;
    if (entry.contains("derived_from")) {
        result = derived(chip, key, entry);
    } else {
        result = {value, limit(entry.value("low", Json()), chip, place, value),
                  limit(entry.value("high", Json()), chip, place, value)};
    }
    under_way_.pop_back();
    return result;
}

DerivedNumber Derivations::derived(const std::string& chip, const std::string& key,
                                   const Json& entry) const
{
    const std::string place = place_of(chip, key);
    const Product from = product(entry.at("derived_from").get<std::string>(), chip, place, nullptr);
    const Json value = entry.value("value", like_factors(from.number, from.whole));
    if (std::abs(value.get<double>() - from.number) > printed_tolerance * from.number) {
        throw InputError(file_, place + "/value",
                         "found " + value.dump() + ", but by derived_from it is " +
                             Json(from.number).dump() + "; allowed: within 1 % of that");
    }
    DerivedNumber result{value, Json(), Json()};
    if (has_limits(from.reference)) {
        const double of = from.reference.value.get<double>();
        const double scale = of == 0 ? 1 : value.get<double>() / of;
        result.low = like_factors(from.reference.low.get<double>() * scale, from.whole);
        result.high = like_factors(from.reference.high.get<double>() * scale, from.whole);
    }
    if (entry.contains("low")) {
        result.low = limit(entry.at("low"), chip, place, value);
    }
    if (entry.contains("high")) {
        result.high = limit(entry.at("high"), chip, place, value);
    }
    return result;
}

Derivations::Product Derivations::product(const std::string& text, const std::string& chip,
                                          const std::string& place, const Json* own) const
{
    Product result;
    for (const DerivationFactor& factor : read_derivation(text, file_, place)) {
        const bool is_own = own != nullptr && factor.chip.empty() && factor.key == "value";
        const DerivedNumber input =
            is_own               ? DerivedNumber{*own, Json(), Json()}
            : factor.key.empty() ? DerivedNumber{Json(factor.number), Json(), Json()}
                                 : number(factor.chip.empty() ? chip : factor.chip, factor.key);
        const double one = input.value.get<double>();
        result.number = factor.divides ? result.number / one : result.number * one;
        result.whole = result.whole && (factor.key.empty() ? one == std::floor(one)
                                                           : input.value.is_number_integer());
        if (!factor.chip.empty() && !factor.divides && !has_limits(result.reference)) {
            result.reference = input;
        }
    }
    return result;
}

Json Derivations::limit(const Json& written, const std::string& chip, const std::string& place,
                        const Json& value) const
{
    if (!written.is_string()) {
        return written;
    }
    const Product from = product(written.get<std::string>(), chip, place, &value);
    return like_factors(from.number, from.whole);
}

} // namespace alxsim::topologies
