"Packaging: everything is said once, in settings.ini; setuptools reads it here."
from configparser import ConfigParser
from pathlib import Path
import re

from setuptools import find_packages, setup

cfg = ConfigParser(delimiters=["="])
cfg.read("settings.ini", encoding="utf-8")
cfg = cfg["DEFAULT"]

EXTRAS = {key.removesuffix("_requirements"): value.split() for key, value in cfg.items() if key.endswith("_requirements")}
STATUS = {"2": "Pre-Alpha", "3": "Alpha", "4": "Beta", "5": "Production/Stable"}
README = Path("README.md").read_text(encoding="utf-8")
for mark, view in ("!", "raw"), ("", "blob"): # pictures, then links: on the package index they lead to the repository
    README = re.sub(rf"(?<!!){mark}(\[[^]]*\]\()nbs/", rf"{mark}\1{cfg['git_url']}/{view}/{cfg['branch']}/nbs/", README)

setup(
    name=cfg["lib_name"],
    version=cfg["version"],
    description=cfg["description"],
    long_description=README,
    long_description_content_type="text/markdown",
    keywords=cfg["keywords"],
    license="Apache-2.0",
    author=cfg["author"],
    author_email=cfg["author_email"],
    classifiers=[
        f"Development Status :: {cfg['status']} - {STATUS[cfg['status']]}",
        f"Intended Audience :: {cfg['audience']}",
        f"Natural Language :: {cfg['language']}",
    ] + [f"Programming Language :: Python :: 3.{minor}" for minor in range(10, 15)],
    python_requires=">=" + cfg["min_python"],
    packages=find_packages(include=["gecmetrics_nb", "gecmetrics_nb.*"]),
    package_data={"gecmetrics_nb": cfg["package_data"].split()},
    install_requires=cfg["requirements"].split(),
    extras_require=EXTRAS,
    entry_points={
        "console_scripts": cfg["console_scripts"].split(),
        "nbdev": ["gecmetrics_nb=gecmetrics_nb._modidx:d"],
    },
)
