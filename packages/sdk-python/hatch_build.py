"""Refuses to pack the client without its generated part: such a package could be installed but not imported."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GeneratedPart(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not Path(self.root, "src", "offer_ads", "_generated", "__init__.py").is_file():
            raise RuntimeError(
                "src/offer_ads/_generated is missing: run `npm run build:python` in the repository, then install packages/sdk-python/dist/*.whl"
            )
