"""The version of the package, which is that of CMakeLists.txt."""

__version__ = "0.2.0"
