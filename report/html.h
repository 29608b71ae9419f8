// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/text/document.h"
#include "report/report.h"

#include <string>

namespace alxsim::report {

/// The report as one HTML page that needs no network: the data, Chart.js and our script are inside.
std::string html_page(const Report& report);
/// The same of what the page needs of it (PageData).
std::string html_page_of(const std::string& name, const std::string& data);

/// The same of a result of infer: curves before and after, what moved, what to measure.
std::string inferred_page(const Json& result, const std::string& title);

/// A document as a page without scripts, in the same colours.
std::string document_page(const Document& document, const std::string& title);

} // namespace alxsim::report
