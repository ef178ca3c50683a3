"""Packages whose modules several threads may load at once, each another one first.

Whoever loads a module holds its lock and waits for that of its package. Would the package load that module itself, in
another thread, each would wait for the other, and Python ends one of them with an error. So a package loads no module
of its own, but for those below everything else; these are loaded one after the other before anything of the library.
"""

import subprocess
import sys

from import_graph import files, imported

BELOW = ("windtunnel.diagnostics", "windtunnel.model", "windtunnel.vocabulary")

ORDER = """
import sys
asked = []
class Asked:
    def find_spec(self, name, path=None, target=None):
        asked.append(name)
sys.meta_path.insert(0, Asked())
import windtunnel
windtunnel.NAME
print(*asked)
"""


def within(package: str) -> set[str]:
    """The modules of a package that its own ``__init__`` loads."""
    return {module for module in imported(package) if module.startswith(f"{package}.")}


def test_packages_load_no_module_of_their_own():
    packages = [module for module, file in files().items() if file.name == "__init__.py"]
    assert {package for package in packages if within(package)} <= {"windtunnel", *BELOW}


def test_what_is_below_everything_is_loaded_whole_before_the_library():
    """Two threads that name things of the library wait for each other at packages, holding no module of them."""
    program = ORDER.replace("NAME", "simulate")
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    asked = [name for name in done.stdout.split() if name.startswith("windtunnel.")]
    places = [asked.index(name) for name in (*BELOW, "windtunnel.api")]
    assert places == sorted(places)
    for package, begin, end in zip(BELOW, places, places[1:], strict=False):
        whole = {name for name in within(package) if name in asked}
        assert whole <= set(asked[begin:end]), package


def test_names_that_need_nothing_of_it_load_nothing_of_it():
    program = ORDER.replace("NAME", "WindtunnelError")
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert "windtunnel.model" not in done.stdout.split()
