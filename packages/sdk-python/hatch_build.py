"""Adds the generated part of the client when the package is built: without it the package could be installed but not imported."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

here = Path(__file__).resolve().parent
document = here.parent / "contracts" / "generated" / "openapi.json"
package = Path("offer_ads", "_generated")
# The same version as in requirements/tools.txt.
generator = "openapi-python-client==0.29.1"


def generate(document: Path, into: Path) -> None:
    """Fails on each warning: the generator warns where it leaves something of the document out."""
    options = ["--meta", "none", "--fail-on-warning", "--overwrite", "--config", str(here / "generator.yml")]
    paths = ["--path", str(document), "--output-path", str(into)]
    subprocess.run(
        [sys.executable, "-m", "openapi_python_client", "generate", *paths, *options], check=True, timeout=240
    )
    make_older(into)


def make_older(folder: Path) -> None:
    """The generator writes for Python 3.11. In 3.10 `fromisoformat` reads no Z, and `typing` has no `Self`."""
    changes = [
        (r"(datetime\.datetime\.fromisoformat\(.+)\)$", r'\1.replace("Z", "+00:00"))'),
        (
            r"\A(import ssl\n)from typing import Any, Self\n",
            r"from __future__ import annotations\n\n\1from typing import TYPE_CHECKING, Any\n\n"
            r"if TYPE_CHECKING:\n    from typing_extensions import Self\n",
        ),
    ]
    done = [0] * len(changes)
    for file in folder.rglob("*.py"):
        text = file.read_text("utf-8")
        for index, (found, instead) in enumerate(changes):
            text, count = re.subn(found, instead, text, flags=re.MULTILINE)
            done[index] += count
        file.write_text(text, "utf-8")
    if 0 in done:
        raise RuntimeError(f"{generator} writes other code now: change make_older")


class GeneratedPart(BuildHookInterface):  # type: ignore[type-arg]
    def is_generated(self) -> bool:
        """In the source archive it is."""
        return Path(self.root, "src", package, "__init__.py").is_file()

    def dependencies(self) -> list[str]:
        return [] if self.is_generated() else [generator]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.is_generated():
            return
        if sys.version_info < (3, 11):
            raise RuntimeError("to build offer-ads from the repository, Python 3.11 is needed: its wheel runs on 3.10")
        if version == "editable" or not document.is_file():
            raise RuntimeError(
                "offer_ads._generated is missing, without which the client cannot be imported. It is made from the OpenAPI document of "
                "the repository. In the repository run `npm run build:python`, and install packages/sdk-python/dist/*.whl"
            )
        # Removed at the end of the process, when the package is built.
        self.folder = tempfile.TemporaryDirectory()
        into = Path(self.folder.name) / "_generated"
        generate(document, into)
        build_data["force_include"][str(into)] = str(package if self.target_name == "wheel" else "src" / package)
