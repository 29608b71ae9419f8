// SPDX-License-Identifier: Apache-2.0
#include "experiments/processes/hbm_rates_file.h"

#include "base/json_fields.h"
#include "base/mix64.h"
#include "experiments/version.h"

#include <fstream>
#include <sstream>

namespace alxsim::experiments {
namespace {

std::string checksum_of(const std::string& text)
{
    std::uint64_t sum = 0;
    for (const char c : text) {
        sum = mix64(sum ^ static_cast<unsigned char>(c));
    }
    return std::to_string(sum);
}

} // namespace

void write_hbm_rates(const std::string& path, const model::HbmRateShares& shares)
{
    Json rates = Json::array();
    for (const auto& [key, share] : shares) {
        rates.push_back({{"of", key}, {"share", share}});
    }
    const std::string text =
        Json{{"version", version}, {"commit", commit}, {"rates", std::move(rates)}}.dump();
    write_file_atomically(path, checksum_of(text) + "\n" + text);
}

model::HbmRateShares read_hbm_rates(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string checksum;
    std::ostringstream rest;
    if (!std::getline(file, checksum) || !(rest << file.rdbuf())) {
        return {};
    }
    const std::string text = rest.str();
    if (checksum != checksum_of(text)) {
        return {};
    }
    const Json document = Json::parse(text);
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
        model::tell_hbm_rates(read_hbm_rates(path_));
        saved_ = model::known_hbm_rates().size();
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
