// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/presets.h"

#include <algorithm>
#include <stdexcept>

namespace alxsim::transformer {
namespace {

/// 50,257 tokens padded to 50,304.
ModelSize gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t sequence)
{
    ModelSize size{layers, hidden, heads, 50304, sequence};
    size.padding = 47;
    return size;
}

/// Norms by root mean squares, rotary positions, gated MLPs, a head of its own, no biases.
ModelSize llama(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t kv_heads,
                std::int64_t mlp_width, std::int64_t vocabulary, std::int64_t sequence)
{
    ModelSize size{layers, hidden, heads, vocabulary, sequence};
    size.kv_heads = kv_heads;
    size.mlp_width = mlp_width;
    size.gated = true;
    size.activation = Activation::silu;
    size.norm = NormKind::rms;
    size.positions = Positions::rotary;
    size.biases = Biases::none;
    size.tied = false;
    return size;
}

ModelSize turning(ModelSize size, double rope_theta)
{
    size.rope_theta = rope_theta;
    return size;
}

ModelSize with_experts(ModelSize size, const Experts& experts)
{
    size.experts = experts;
    size.mlp_width = 0;
    return size;
}

/// Mistral 7B: tokens attend to 4,096 before them.
ModelSize mistral()
{
    ModelSize size = llama(32, 4096, 32, 8, 14336, 32000, 8192);
    size.window = 4096;
    return size;
}

ModelSize qwen1()
{
    ModelSize size = turning(llama(80, 8192, 64, 64, 24576, 152064, 2048), 1e6);
    size.biases = Biases::qkv;
    return size;
}

ModelSize qwen3(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t width)
{
    ModelSize size = turning(llama(layers, hidden, heads, 4, 0, 151936, 4096), 1e6);
    size.head_size = 128;
    size.qk_norm = true;
    return with_experts(size, {128, 8, width});
}

} // namespace

const std::vector<Preset>& presets()
{
    static const char* const radford =
        "Radford et al. 2019, table 2; parameters as the released weights have them";
    static const char* const llama2 =
        "Touvron et al. 2023 (arXiv 2307.09288), released config.json";
    static const char* const llama3 = "Dubey et al. 2024 (arXiv 2407.21783), table 3, released "
                                      "config.json";
    static const char* const qwen3_report = "Yang et al. 2025 (arXiv 2505.09388), tables 1 and 2, "
                                            "released config.json; sequences of its first stage";
    static const std::vector<Preset> all{
        {"gpt2-small", gpt(12, 768, 12, 1024), 124'439'808, radford},
        {"gpt2-medium", gpt(24, 1024, 16, 1024), 354'823'168, radford},
        {"gpt2-large", gpt(36, 1280, 20, 1024), 774'030'080, radford},
        {"gpt2-xl", gpt(48, 1600, 25, 1024), 1'557'611'200, radford},
        {"gpt3-175b", gpt(96, 12288, 96, 2048), 174'604'000'000,
         "Brown et al. 2020 (arXiv 2005.14165), table 2.1: 174,604 million in table D.1"},
        {"llama2-7b", llama(32, 4096, 32, 32, 11008, 32000, 4096), 6'738'415'616, llama2},
        {"llama2-13b", llama(40, 5120, 40, 40, 13824, 32000, 4096), 13'015'864'320, llama2},
        {"llama2-70b", llama(80, 8192, 64, 8, 28672, 32000, 4096), 68'976'648'192, llama2},
        {"llama3-8b", turning(llama(32, 4096, 32, 8, 14336, 128256, 8192), 5e5), 8'030'261'248,
         llama3},
        {"llama3-70b", turning(llama(80, 8192, 64, 8, 28672, 128256, 8192), 5e5), 70'553'706'496,
         llama3},
        {"llama3-405b", turning(llama(126, 16384, 128, 8, 53248, 128256, 8192), 5e5),
         405'853'388'800, llama3},
        {"mistral-7b", mistral(), 7'241'732'096,
         "Jiang et al. 2023 (arXiv 2310.06825), table 1, released config.json"},
        {"mixtral-8x7b",
         with_experts(turning(llama(32, 4096, 32, 8, 0, 32000, 4096), 1e6), {8, 2, 14336}),
         46'702'792'704,
         "Jiang et al. 2024 (arXiv 2401.04088), table 1, released config.json; sequences assumed"},
        {"qwen1.5-72b", qwen1(), 72'287'920'128,
         "Bai et al. 2023 (arXiv 2309.16609), released config.json; sequences assumed"},
        {"qwen3-30b-a3b", qwen3(48, 2048, 32, 768), 30'532'122'624, qwen3_report},
        {"qwen3-235b-a22b", qwen3(94, 4096, 64, 1536), 235'093'634'560, qwen3_report},
    };
    return all;
}

std::vector<std::string> preset_names()
{
    std::vector<std::string> names;
    for (const Preset& preset : presets()) {
        names.emplace_back(preset.name);
    }
    return names;
}

const Preset& preset_of(const std::string& name)
{
    const auto found = std::find_if(presets().begin(), presets().end(),
                                    [&](const Preset& one) { return one.name == name; });
    if (found == presets().end()) {
        throw std::logic_error("no model is called " + name);
    }
    return *found;
}

} // namespace alxsim::transformer
