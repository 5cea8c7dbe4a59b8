// pytest in Pyodide under Node: the Python of the pages, whose NumPy has indices of 32 bits; it has no processes and no threads.
// usage: node tools/pyodide_tests.mjs PYODIDE PACKAGES PROJECT [what pytest is told]
// PYODIDE is a folder that tools/live.py wrote; PACKAGES has pytest and Hypothesis, in pure Python; noxfile.py calls this
import { realpathSync } from "node:fs";

const [pyodide, packages, project, ...told] = process.argv.slice(2);
const folder = `${realpathSync(pyodide)}/`;
const { loadPyodide } = await import(`${folder}pyodide.mjs`);
const python = await loadPyodide({ indexURL: folder });
for (const [path, place] of [[packages, "/packages"], [project, "/project"]]) {
  python.FS.mkdirTree(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: realpathSync(path) }, place);
}
await python.loadPackage(["numpy"], { messageCallback: () => {} });
const run = python.runPython(`
import os, sys

def run(*told):
    sys.path[:0] = ["/packages", "/project"]
    sys.dont_write_bytecode = True
    os.chdir("/project")
    import numpy, pytest
    print(f"Python {sys.version.split()[0]}, NumPy {numpy.__version__}, indices of {numpy.dtype(numpy.intp)}")
    return int(pytest.main(["-p", "no:cacheprovider", *told]))

run`);
process.exit(run(...told));
