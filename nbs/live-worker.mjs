// Python in a worker: loads Pyodide, NumPy and gecmetrics_nb from live/ and runs cells in one namespace.
// The same file runs in Node, where a test holds the cells to their notebooks.

const SETUP = `
import ast, builtins, io, json, linecache, sys, time, types
from contextlib import redirect_stderr, redirect_stdout


def fresh():
    global page
    sys.modules["__main__"] = types.ModuleType("__main__")
    page = vars(sys.modules["__main__"])


fresh()


LIMIT = 20_000 # letters of an output that a page shows


def short(text):
    return text if len(text) <= LIMIT else f"{text[:LIMIT]}\\n... and {len(text) - LIMIT:,} letters more"


def pretty(value):
    "As notebooks show it: sets in order; what is longer than a line, an element a line"
    ends = {list: "[]", tuple: "()", set: "{}", dict: "{}"}.get(type(value))
    if not ends or not value: return repr(value)
    if isinstance(value, set):
        try: value = sorted(value)
        except TypeError: pass
    parts = [f"{k!r}: {pretty(v)}" for k, v in value.items()] if isinstance(value, dict) else list(map(pretty, value))
    comma = "," if len(value) == 1 and ends == "()" else ""
    line = f"{ends[0]}{', '.join(parts)}{comma}{ends[1]}"
    if len(line) < 80: return line
    return ends[0] + ",\\n ".join(part.replace("\\n", "\\n ") for part in parts) + comma + ends[1]


def shown(value):
    data = {}
    for kind, name in ("text/html", "_repr_html_"), ("text/markdown", "_repr_markdown_"):
        method = getattr(value, name, None) if not isinstance(value, type) else None
        made = method() if method else None
        if made is not None: data[kind] = made
    return {"text/plain": short(pretty(value)), **data}


class Printed(io.StringIO):
    "What a cell prints; the page is told of it while the cell runs, four times a second at most"

    def __init__(self, tell):
        super().__init__()
        self.tell, self.told = tell, time.monotonic()

    def write(self, text):
        done = super().write(text)
        if self.tell and time.monotonic() > self.told + .25:
            self.tell(short(self.getvalue()))
            self.told = time.monotonic()
        return done


def no_input(*words):
    raise EOFError("a page has no input: write the text into the code")


builtins.input = no_input


def line_of(error, name):
    if isinstance(error, SyntaxError) and error.filename == name: return error.lineno
    found, frame = None, error.__traceback__
    while frame:
        if frame.tb_frame.f_code.co_filename == name: found = frame.tb_lineno
        frame = frame.tb_next
    return found


def run_cell(source, name, tell=None):
    out, parts, said = Printed(tell), [], None
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    def flush():
        if out.getvalue(): parts.append(short(out.getvalue()))
        out.seek(0); out.truncate()
    def display(*values):
        flush()
        parts.extend(map(shown, values))
    page["display"] = display
    try:
        with redirect_stdout(out), redirect_stderr(out):
            tree = ast.parse(source, name)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), page)
            if last:
                value = eval(compile(ast.Expression(last.value), name, "eval"), page)
                if value is not None and not source.rstrip().endswith(";"): display(value)
    except BaseException as error:
        line = line_of(error, name)
        words = str(error).splitlines()
        message = error.msg if isinstance(error, SyntaxError) else words[0] if words else ""
        said = f"{f'line {line}: ' if line else ''}{type(error).__name__}: {message}".rstrip(": ")
    flush()
    return json.dumps({"parts": parts, "error": said})
`;

export async function start(folder, progress = () => {}) {
  progress("Python");
  const { loadPyodide } = await import(`${folder}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: folder.startsWith("file:") ? decodeURIComponent(new URL(folder).pathname) : folder, stdout: () => {}, stderr: () => {} });
  progress("NumPy and gecmetrics_nb");
  await python.loadPackage(["gecmetrics-nb"], { messageCallback: () => {} });
  await python.runPythonAsync(SETUP);
  const run = python.globals.get("run_cell");
  run("import gecmetrics_nb", "start");
  return { run: (source, name, tell) => JSON.parse(run(source, name, tell)), fresh: python.globals.get("fresh") };
}

if (typeof WorkerGlobalScope !== "undefined") {
  let python;
  self.onmessage = async ({ data }) => {
    try {
      if (data.start) {
        python = await start(new URL("live/", import.meta.url).href, (step) => self.postMessage({ step }));
        self.postMessage({ ready: true });
      } else self.postMessage({ id: data.id, ...python.run(data.source, data.name, (printed) => self.postMessage({ printed })) });
    } catch (error) { self.postMessage({ id: data.id, failed: String(error.message || error).split("\n")[0] }); }
  };
}
