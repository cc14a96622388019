#!/usr/bin/env python3
"""The bill of materials of a release, in SPDX 2.3: dplc and the Debian packages whose code is in the binary.

  tools/sbom.py VERSION SECONDS PACKAGE...    SECONDS since 1970 is the time of the commit
"""

import datetime
import json
import subprocess
import sys


def debian(package):
    version = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}", package], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return {
        "name": package,
        "SPDXID": "SPDXRef-" + package.replace("+", "-plus"),
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "externalRefs": [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"pkg:deb/debian/{package}@{version}?distro=bookworm",
            }
        ],
    }


def main(version, seconds, *packages):
    parts = [debian(one) for one in packages]
    own = {"name": "dplc", "SPDXID": "SPDXRef-dplc", "versionInfo": version, "downloadLocation": "NOASSERTION", "licenseDeclared": "Apache-2.0"}
    made = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-dplc")] + [("SPDXRef-dplc", "STATIC_LINK", one["SPDXID"]) for one in parts]
    json.dump(
        {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"dplc-{version}",
            "documentNamespace": f"https://dpl.invalid/sbom/dplc-{version}-{seconds}",
            "creationInfo": {"created": made, "creators": ["Tool: tools/sbom.py"]},
            "packages": [own, *parts],
            "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
        },
        sys.stdout,
        indent=1,
    )
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
