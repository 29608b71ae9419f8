// SPDX-License-Identifier: Apache-2.0
#include "experiments/runs/files/hbm_rates_file.h"

#include "base/file_output.h"
#include "base/json_fields.h"
#include "experiments/runs/files/checked_text.h"
#include "experiments/version.h"

#include <fstream>
#include <optional>
#include <sstream>

namespace alxsim::experiments {
void write_hbm_rates(const std::string& path, const model::HbmRateShares& shares)
{
    Json rates = Json::array();
    for (const auto& [key, share] : shares) {
        rates.push_back({{"of", key}, {"share", share}});
    }
    const std::string text =
        Json{{"version", version}, {"commit", commit}, {"rates", std::move(rates)}}.dump();
    write_file_atomically(path, with_checksum(text), OnDisk::later);
}

model::HbmRateShares read_hbm_rates(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    const std::optional<std::string> text = checked_text(bytes.str());
    if (!text) {
        return {};
    }
    const Json document = parse_written_json(*text);
    if (document.at("version") != version || document.at("commit") != commit) {
        return {};
    }
    model::HbmRateShares shares;
    for (const Json& rate : document.at("rates")) {
        shares.emplace(rate.at("of").get<model::HbmRateKey>(), rate.at("share").get<double>());
    }
    return shares;
}

HbmRatesFile::HbmRatesFile(std::string path) : path_(std::move(path))
{
    if (!path_.empty()) {
        const model::HbmRateShares told = read_hbm_rates(path_);
        model::tell_hbm_rates(told);
        saved_ = told.size();
    }
}

void HbmRatesFile::save()
{
    if (path_.empty() || model::known_hbm_rates().size() == saved_) {
        return;
    }
    model::tell_hbm_rates(read_hbm_rates(path_)); // what others have added meanwhile stays
    const model::HbmRateShares known = model::known_hbm_rates();
    saved_ = known.size();
    try {
        write_hbm_rates(path_, known);
    } catch (const std::exception&) { // a full disk, say: others measure anew
    }
}

} // namespace alxsim::experiments
