// SPDX-License-Identifier: Apache-2.0
#include "browser.h"
#include "driver_process.h"
#include "tests/http_client.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace alxsim::testing {
namespace {

/// Name of an element's identity in the protocol's JSON.
constexpr const char* element_key = "element-6066-11e4-a52e-4f735466cecf";

Json capabilities(const std::string& downloads)
{
    const Json arguments = {
        "--headless=new",
        "--no-sandbox", // it has none where tests run as root or in a container
        "--disable-gpu",     "--disable-dev-shm-usage",         "--no-first-run",
        "--no-proxy-server", "--disable-background-networking", "--disable-component-update"};
    const Json options = {{"args", arguments},
                          {"prefs", {{"download.default_directory", downloads}}}};
    return {{"capabilities",
             {{"alwaysMatch",
               {{"browserName", "chrome"},
                {"goog:chromeOptions", options},
                {"goog:loggingPrefs", {{"browser", "ALL"}}}}}}}};
}

std::string from_base64(const std::string& text)
{
    static const std::string digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (char c : text) {
        const std::size_t digit = digits.find(c);
        if (digit == std::string::npos) {
            break; // padding
        }
        bits = (bits << 6 | static_cast<unsigned>(digit)) & 0xFFFFFF;
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>(bits >> count & 0xFF);
        }
    }
    return bytes;
}

} // namespace

struct Browser::Driver {
    DriverProcess process;
    HttpClient client{process.port()};
    std::string session; // path of the session's commands
};

std::string Browser::missing()
{
    for (const char* program : {"chromium", "chromedriver"}) {
        if (!in_path(program)) {
            return std::string(program) +
                   " is not installed (Debian's packages chromium and chromium-driver)";
        }
    }
    return "";
}

Browser::Browser() : driver_(std::make_unique<Driver>())
{
    std::filesystem::create_directory(downloads());
    const Json session = command("POST", "/session", capabilities(downloads()));
    driver_->session = "/session/" + session.at("sessionId").get<std::string>();
}

Browser::~Browser()
{
    driver_->client.ask("DELETE", driver_->session); // ends the browser
}

Json Browser::command(const std::string& method, const std::string& path, const Json& body)
{
    const std::string where = driver_->session + path;
    const HttpAnswer answer =
        method == "GET" ? driver_->client.get(where) : driver_->client.post(where, body.dump());
    if (!answer) {
        throw std::runtime_error("chromedriver does not answer " + where);
    }
    Json value = Json::parse(answer.body).at("value");
    if (answer.status != 200) {
        throw std::runtime_error(value.at("error").get<std::string>() + ": " +
                                 value.at("message").get<std::string>());
    }
    return value;
}

Json Browser::devtools(const std::string& method, const Json& parameters)
{
    return command("POST", "/goog/cdp/execute", {{"cmd", method}, {"params", parameters}});
}

void Browser::go(const std::string& url)
{
    command("POST", "/url", {{"url", url}});
}

std::string Browser::title()
{
    return command("GET", "/title");
}

void Browser::resize(int width, int height)
{
    devtools("Emulation.setDeviceMetricsOverride",
             {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

std::string Browser::element(const std::string& selector)
{
    const Json found =
        command("POST", "/element", {{"using", "css selector"}, {"value", selector}});
    return "/element/" + found.at(element_key).get<std::string>();
}

void Browser::click(const std::string& selector)
{
    command("POST", element(selector) + "/click");
}

std::string Browser::text(const std::string& selector)
{
    return command("GET", element(selector) + "/text");
}

std::string Browser::property(const std::string& selector, const std::string& name)
{
    const Json value = command("GET", element(selector) + "/property/" + name);
    return value.is_string() ? value.get<std::string>() : value.dump();
}

void Browser::type(const std::string& selector, const std::string& keys)
{
    command("POST", element(selector) + "/value", {{"text", keys}});
}

void Browser::press(const std::string& key)
{
    const Json actions = {{{"type", "keyDown"}, {"value", key}},
                          {{"type", "keyUp"}, {"value", key}}};
    const Json keyboard = {{"type", "key"}, {"id", "keyboard"}, {"actions", actions}};
    command("POST", "/actions", {{"actions", Json::array({keyboard})}});
}

Json Browser::run(const std::string& script, const Json& arguments)
{
    return command("POST", "/execute/sync", {{"script", script}, {"args", arguments}});
}

Json Browser::wait_for(const std::string& script, double seconds)
{
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (true) {
        Json value = run(script);
        const bool is_false = value.is_null() || value == false || value == 0 || value == "";
        if (!is_false) {
            return value;
        }
        if (Clock::now() > end) {
            throw std::runtime_error("not so after " + std::to_string(seconds) + " s: " + script);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

void Browser::screenshot(const std::string& path, bool whole_page)
{
    const Json picture = devtools("Page.captureScreenshot",
                                  {{"format", "png"}, {"captureBeyondViewport", whole_page}});
    std::ofstream(path, std::ios::binary) << from_base64(picture.at("data").get<std::string>());
}

std::vector<std::string> Browser::errors()
{
    std::vector<std::string> messages;
    for (const Json& entry : command("POST", "/se/log", {{"type", "browser"}})) {
        if (entry.at("level") == "SEVERE") {
            messages.push_back(entry.at("message").get<std::string>());
        }
    }
    return messages;
}

std::string Browser::downloads() const
{
    return driver_->process.folder().path("downloads");
}

} // namespace alxsim::testing
