#!/usr/bin/env python3
"""Packs the VS Code extension: `python3 editors/vscode/package.py dpl.vsix`. The same files give the same bytes.

The version is that of CMakeLists.txt.
"""
import json
import os
import re
import sys
import zipfile
from xml.sax.saxutils import escape, quoteattr

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FILES = ["language-configuration.json", "syntaxes/dpl.tmLanguage.json", "extension.js", "providers.js", "convert.js",
         "connection.js"]
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".txt" ContentType="text/plain"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""


def manifest(package):
    """The description of the extension in the form of the marketplace."""
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={quoteattr(package["name"])} Version={quoteattr(package["version"])}
              Publisher={quoteattr(package["publisher"])}/>
    <DisplayName>{escape(package["displayName"])}</DisplayName>
    <Description xml:space="preserve">{escape(package["description"])}</Description>
    <Categories>{escape(",".join(package["categories"]))}</Categories>
    <License>extension/LICENSE.txt</License>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={quoteattr(package["engines"]["vscode"])}/>
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(out):
    package = json.loads(read(os.path.join(HERE, "package.json")))
    package["version"] = re.search(r"project\(dpl VERSION ([0-9.]+)", read(os.path.join(ROOT, "CMakeLists.txt")))[1]
    parts = {"extension.vsixmanifest": manifest(package), "[Content_Types].xml": TYPES,
             "extension/LICENSE.txt": read(os.path.join(ROOT, "LICENSE")),
             "extension/package.json": json.dumps(package, indent=2) + "\n"}
    parts.update({f"extension/{name}": read(os.path.join(HERE, name)) for name in FILES})
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: package.py OUT.vsix")
    main(sys.argv[1])
