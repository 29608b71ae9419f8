# SPDX-License-Identifier: Apache-2.0
"""Recipe of Spack. Not built by us where Spack is not; `spack dev-build alxsim@0.2.0` builds a checkout."""
from spack.package import *


class Alxsim(CMakePackage):
    """Simulator of TPU slices, in SystemC, that runs whole jobs on them."""

    license("Apache-2.0")
    version("0.2.0", tag="v0.2.0")

    variant("mpi", default=False, description="Runs over several machines (alxsim run --mpi)")
    variant("python", default=True, description="The module alxsim of Python")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("systemc@2.3.4: cxxstd=17")
    depends_on("boost", type="build")
    depends_on("bzip2")
    depends_on("cli11", type="build")
    depends_on("eigen@3.4", type="build")
    depends_on("intel-oneapi-tbb")
    depends_on("liburing")
    depends_on("metis")
    depends_on("mimalloc")
    depends_on("nlohmann-json@3.11:")
    depends_on("valijson", type="build")
    depends_on("xz")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("openmpi", when="+mpi")
    depends_on("python@3.9:", when="+python", type=("build", "run"))
    depends_on("py-pybind11@2.10:", when="+python", type="build")
    # Chart.js 3 (chart.min.js) is inlined into reports; Spack has none.
    resource(
        name="chart.js",
        url="file:///usr/share/javascript/chart.js/chart.min.js",
        expand=False,
        placement="chart",
    )

    def cmake_args(self):
        return [
            self.define("ALXSIM_BUILD_TESTS", False),
            self.define("CHART_JS_FILE", join_path(self.stage.source_path, "chart", "chart.min.js")),
            self.define_from_variant("ALXSIM_WITH_MPI", "mpi"),
            self.define_from_variant("ALXSIM_BUILD_PYTHON", "python"),
            self.define_from_variant("ALXSIM_REQUIRE_PYTHON", "python"),
        ]
