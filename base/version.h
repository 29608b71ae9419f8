// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The version of the library, for `#if`: CMakeLists.txt reads it here. Within one minor version
/// programs that compile go on compiling (docs/embedding.md).
#define ALXSIM_VERSION_MAJOR 0
#define ALXSIM_VERSION_MINOR 2
#define ALXSIM_VERSION_PATCH 0
