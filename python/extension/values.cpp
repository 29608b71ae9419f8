// SPDX-License-Identifier: Apache-2.0
#include "python/extension/values.h"

#include <cstdint>
#include <string>

namespace py = pybind11;

namespace alxsim::python {
namespace {

constexpr int deepest = 256; // as parse_json() has it

Json number_of_object(const py::handle& object)
{
    if (PyIndex_Check(object.ptr()) != 0) {
        const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
        if (!number) {
            throw py::error_already_set();
        }
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
        if (overflow == 0) {
            return static_cast<std::int64_t>(value);
        }
        return number.cast<double>();
    }
    const double value = PyFloat_AsDouble(object.ptr());
    if (PyErr_Occurred() != nullptr) {
        throw py::error_already_set();
    }
    return value;
}

Json json_of_object(const py::handle& object, int depth)
{
    if (depth > deepest) {
        throw py::value_error("found more than 256 lists and dicts inside one another");
    }
    if (object.is_none()) {
        return nullptr;
    }
    if (PyBool_Check(object.ptr())) {
        return object.cast<bool>();
    }
    if (py::isinstance<py::str>(object)) {
        return object.cast<std::string>();
    }
    if (py::isinstance<py::dict>(object)) {
        Json json = Json::object();
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(object)) {
            json[py::str(key).cast<std::string>()] = json_of_object(value, depth + 1);
        }
        return json;
    }
    if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
        Json json = Json::array();
        for (const py::handle value : object) {
            json.push_back(json_of_object(value, depth + 1));
        }
        return json;
    }
    if (py::hasattr(object, "tolist")) { // arrays and numbers of NumPy
        return json_of_object(object.attr("tolist")(), depth + 1);
    }
    if (PyFloat_Check(object.ptr()) || PyNumber_Check(object.ptr()) != 0) {
        return number_of_object(object);
    }
    throw py::type_error("found " + py::repr(object).cast<std::string>() +
                         "; allowed: dict, list, str, numbers, bool and None");
}

} // namespace

Json json_of_object(const py::handle& object)
{
    return json_of_object(object, 0);
}

py::object object_of_json(const Json& json)
{
    switch (json.type()) {
    case Json::value_t::object: {
        py::dict dict;
        for (const auto& [key, value] : json.items()) {
            dict[py::str(key)] = object_of_json(value);
        }
        return dict;
    }
    case Json::value_t::array: {
        py::list list(json.size());
        for (std::size_t i = 0; i < json.size(); ++i) {
            list[i] = object_of_json(json.at(i));
        }
        return list;
    }
    case Json::value_t::string:
        return py::str(json.get_ref<const std::string&>());
    case Json::value_t::boolean:
        return py::bool_(json.get<bool>());
    case Json::value_t::number_integer:
        return py::int_(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
        return py::int_(json.get<std::uint64_t>());
    case Json::value_t::number_float:
        return py::float_(json.get<double>());
    default:
        return py::none();
    }
}

} // namespace alxsim::python
