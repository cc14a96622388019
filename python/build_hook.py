"""Builds dplc for the wheel. `DPLC=path/to/dplc` takes a binary that is built already."""

import os
import shutil
import subprocess
import zipfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The binary is linked statically and needs no C library: it runs with glibc and with musl.
TAG = "py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64"


class DplcHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":
            return  # the package finds `$DPLC` or the dplc of PATH
        binary = os.environ.get("DPLC") or self.built()
        packed = os.path.join(self.root, "build", "python", "dplc")
        os.makedirs(os.path.dirname(packed), exist_ok=True)
        if shutil.which("strip"):
            subprocess.run(["strip", "-o", packed, binary], check=True)
        else:
            shutil.copy(binary, packed)
        os.chmod(packed, 0o755)
        build_data["force_include"][packed] = "dpl/bin/dplc"
        build_data["pure_python"] = False
        build_data["tag"] = TAG

    def finalize(self, version, build_data, artifact_path):
        """Compresses the wheel as far as deflate can, which hatchling does not; its contents stay."""
        if not artifact_path.endswith(".whl") or version == "editable":
            return
        smaller = artifact_path + ".smaller"
        with zipfile.ZipFile(artifact_path) as wheel, zipfile.ZipFile(smaller, "w") as out:
            for entry in wheel.infolist():
                out.writestr(entry, wheel.read(entry), zipfile.ZIP_DEFLATED, compresslevel=9)
        os.replace(smaller, artifact_path)

    def built(self):
        """The binary of the preset `release`."""
        missing = subprocess.run(
            [os.path.join(self.root, "tools", "setup"), "--missing"], stdout=subprocess.PIPE, text=True, check=False
        ).stdout.split()
        if missing:
            raise SystemExit(
                "dplc is built from source, and these Debian packages are missing: "
                + " ".join(missing)
                + f"\n`tools/setup` of {self.root} installs them; then run pip again"
            )
        if not shutil.which("cmake"):
            raise SystemExit("dplc is built from source and needs CMake and the packages that tools/setup lists")
        subprocess.run(["cmake", "--workflow", "--preset", "release"], cwd=self.root, check=True)
        return os.path.join(self.root, "build", "release", "dplc")
