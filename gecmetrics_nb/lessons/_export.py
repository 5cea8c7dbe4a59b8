"Several modules from one notebook: `export_procs` of pyproject.toml"
from pathlib import Path
import re

from fastcore.nbio import mk_cell
from nbdev.config import get_config
from nbdev.maker import ModuleMaker
from nbdev.process import Processor

EXPORTS = "export", "exports", "exporti"
PART = re.compile(r"#+( .*\n\n> .*)") # a heading, and below it what a module is about


def module_of(cell) -> str:
    "The module that a cell names, as in `#| export cli.gold`; empty where it names none"
    return next((cell.directives_[kind] for kind in EXPORTS if cell.directives_.get(kind)), "")


class Modules(Processor):
    "Write each module that cells name, whole: nbdev would add to it, as to one that another notebook has begun"
    folder = None # of the modules; None: the package

    def begin(self) -> None:
        folder, about = Path(self.folder or get_config().lib_path), ""
        modules: dict[str, list] = {}
        for cell in self.nb.cells:
            if part := PART.match(cell.source) if cell.cell_type == "markdown" else None: about = f"#{part[1]}"
            elif name := module_of(cell): modules.setdefault(name, [mk_cell(about, "markdown")]).append(cell)
        for name, (title, *code) in modules.items():
            public = [cell for cell in code if "exporti" not in cell.directives_]
            ModuleMaker(folder, name, self.nb.path_).make([title, *code], public, folder)
            for cell in code: cell.directives_["exportd"] = "" # which nbdev itself writes nowhere
