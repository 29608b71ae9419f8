// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_document.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace alxsim {

/// Values for places of a JSON document, by JSON pointer, each place once, in the order in which
/// they came: what a sweep, a plan or a what-if sets in a study.
class Settings {
public:
    using Entry = std::pair<std::string, Json>;

    Settings() = default;
    Settings(std::initializer_list<Entry> entries);
    /// Reads an object, pointer -> value.
    static Settings of(const Json& object);

    /// A place that is set already keeps its place in the order.
    void set(const std::string& pointer, Json value);
    void set(const Settings& others);
    bool erase(const std::string& pointer);
    /// Null where the place is not set.
    const Json* find(const std::string& pointer) const;
    bool contains(const std::string& pointer) const { return find(pointer) != nullptr; }

    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
    std::vector<Entry>::const_iterator end() const { return entries_.end(); }
    bool operator==(const Settings& other) const { return entries_ == other.entries_; }
    bool operator!=(const Settings& other) const { return !(*this == other); }

    /// The object, pointer -> value.
    Json to_json() const;
    /// Sets them in a document, making the objects on the way. Throws InputError, naming `file`,
    /// for what is no JSON pointer or leads through a value.
    void apply_to(Json& document, const std::string& file) const;

private:
    std::vector<Entry> entries_;
};

} // namespace alxsim
