"A package offers names of its modules, and loads a module when one of its names is first used"
from importlib import import_module
import sys


def offer(
    spec,   # `__spec__` of the package, in whose file a line names a module: `from .module import Name as Name`
) -> tuple: # `__all__`, `__getattr__` and `__dir__` of the package
    "Importing the package costs nothing; a name costs what its module needs"
    lines = spec.loader.get_data(spec.origin).decode().splitlines()
    imports = [line.split() for line in lines if line.startswith("    from .")]
    home = {name: module for _, module, _, *names in imports for name in names[::3]}

    def load(name):
        if name not in home: raise AttributeError(f"module {spec.name!r} has no attribute {name!r}")
        if home[name] == ".": return import_module(f".{name}", spec.name)
        value = getattr(import_module(home[name], spec.name), name)
        setattr(sys.modules[spec.name], name, value) # Python asks for it once
        return value

    # with a star come neither modules, one of which is named io, nor __version__
    public = [name for name in home if home[name] != "." and not name.startswith("_")]
    return public, load, lambda: sorted(home)
