"""The recipe of ocr for Spack. Its archive is made by `make dist` and stands in the current folder, or in a mirror."""

import os

from spack.package import *


class Ocr(MakefilePackage):
    """A runtime for the Open Community Runtime (OCR) on CPU cores and OpenCL devices."""

    url = f"file://{os.getcwd()}/ocr-0.1.0.tar.gz"
    manual_download = True

    license("MIT OR Apache-2.0", checked_by="the authors")

    # An archive is that of a commit, so its checksum cannot stand in a file of that commit: use --no-checksum.
    version("0.1.0")

    variant("opencl", default=True, description="Run kernels: the OpenCL loader, which is loaded when a program starts")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("gmake", type="build")
    depends_on("rust@1.88:", type="build")
    # bindgen reads the headers with libclang.
    depends_on("llvm+clang", type="build")
    depends_on("opencl-icd-loader", type="run", when="+opencl")

    def setup_build_environment(self, env):
        """Crates are kept with the build, and libclang is found."""
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo"))
        env.set("LIBCLANG_PATH", self.spec["llvm"].prefix.lib)

    def build(self, spec, prefix):
        """The libraries, the command and the examples."""
        make()

    def install(self, spec, prefix):
        """What has been built."""
        make("install-files", f"PREFIX={prefix}")

    def setup_run_environment(self, env):
        """The loader is opened by its name."""
        if self.spec.satisfies("+opencl"):
            env.prepend_path("LD_LIBRARY_PATH", self.spec["opencl-icd-loader"].prefix.lib)
