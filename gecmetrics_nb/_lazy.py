"A package offers names of its modules, and loads a module when one of its names is first used"
from importlib import import_module


def offer(
    package, # its dotted name
    homes,   # {module of the package: the names that it gives, parted by blanks}
) -> tuple:  # `__all__`, `__getattr__` and `__dir__` of the package
    "Importing the package costs nothing; a name costs what its module needs"
    home = {name: module for module, names in homes.items() for name in names.split()}

    def load(name):
        if name in home: return getattr(import_module(f"{package}.{home[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return list(home), load, lambda: sorted(home)
