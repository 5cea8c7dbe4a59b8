// Run in a lesson: each cell that can run in the page gets a button, and its code can be edited. Nothing is loaded before the first click.
"use strict";

(() => {
  const data = document.getElementById("live-cells");
  if (!data || !location.protocol.startsWith("http") || !window.Worker) return;
  const base = document.currentScript.src;

  // ---- the cells of the notebook, and where they stand in the page

  const codes = document.querySelectorAll(".cell-code pre > code");
  const cells = JSON.parse(data.textContent).map((cell, index) => ({ source: codes[cell.place]?.textContent, ...cell, index, done: false }));
  const seconds = (some) => some.reduce((sum, cell) => sum + (cell.seconds ?? 0), 0); // where a lesson says so
  const about = (...some) => seconds(some) ? `about ${seconds(some)} s` : "";
  for (const cell of cells) if ("place" in cell && cell.live && !cell.imports) furnish(cell, codes[cell.place]);

  // ---- a cell that is shown: its buttons, its code to edit, its output

  function button(words, kind, title, act) {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: words, className: `btn btn-sm ${kind}`, title });
    made.addEventListener("click", act);
    return made;
  }

  function furnish(cell, code) {
    const box = code.closest(".cell"), bar = Object.assign(document.createElement("div"), { className: "live-bar" });
    cell.code = code;
    cell.rendered = code.innerHTML;
    cell.text = code.textContent;
    const isLast = [...box.querySelectorAll(".cell-code pre > code")].pop() === code; // of those in one fold
    cell.outputs = isLast ? [...box.children].filter((part) => part.classList.contains("cell-output")) : [];
    cell.button = button("Run", "live-run", "Run this cell and what stands above it (Shift+Enter)", () => worker && cell.busy ? stop("Stopped.") : run(cell));
    cell.reset = button("Reset", "live-reset", "The code and its output as they were", () => reset(cell));
    cell.reset.hidden = true;
    cell.says = Object.assign(document.createElement("span"), { className: "live-says" });
    cell.says.setAttribute("role", "status");
    cell.says.textContent = about(cell);
    bar.append(cell.button, cell.reset, cell.says);
    (code.closest(".code-copy-outer-scaffold") || code.closest("div.sourceCode") || code.parentElement).after(bar);
    try { code.contentEditable = "plaintext-only"; } catch { return; } // a browser that would paste its own marks
    code.spellcheck = false;
    code.setAttribute("role", "textbox");
    code.setAttribute("aria-multiline", "true");
    code.setAttribute("aria-label", "Python code, to edit; Shift and Enter run it");
    code.addEventListener("input", () => { cell.done = false; cell.reset.hidden = false; });
    code.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); run(cell); }
      if (event.key === "Escape") code.blur();
    });
  }

  const edited = (cell) => cell.code && cell.code.textContent !== cell.text;
  const sourceOf = (cell) => edited(cell) ? cell.code.textContent : cell.run ?? cell.source; // "" where a page lacks all that the cell imports

  function reset(cell) {
    cell.code.innerHTML = cell.rendered;
    cell.made?.replaceWith(...cell.outputs);
    cell.made = null;
    cell.done = false;
    cell.reset.hidden = true;
    cell.says.textContent = about(cell);
  }

  function show(cell, answer) {
    const made = Object.assign(document.createElement("div"), { className: "cell-output live-output" });
    for (const part of answer.parts) made.append(element(part));
    if (answer.error) made.append(Object.assign(document.createElement("pre"), { className: "live-error", textContent: answer.error }));
    const old = cell.made ? [cell.made] : cell.outputs;
    if (old.length) { old[0].before(made); old.forEach((part) => part.remove()); } else cell.code.closest(".cell").append(made);
    cell.made = made;
    cell.reset.hidden = false;
    window.furnishExplorers?.(made);
    made.querySelectorAll("script").forEach((script) => { // a script that is put in as text does not run
      script.replaceWith(Object.assign(document.createElement("script"), { textContent: script.textContent }));
    });
  }

  function element(part) {
    const html = part["text/html"];
    if (html === undefined) {
      const pre = document.createElement("pre");
      pre.append(Object.assign(document.createElement("code"), { textContent: typeof part === "string" ? part.replace(/\n$/, "") : part["text/plain"] }));
      return pre;
    }
    const made = Object.assign(document.createElement("div"), { innerHTML: html });
    for (const table of made.querySelectorAll("table")) { // in a box that scrolls, as the page has it
      const box = Object.assign(document.createElement("div"), { className: "printed" });
      table.replaceWith(box);
      box.append(table);
    }
    return made;
  }

  // ---- Python, in a worker: started by the first click, stopped when a cell runs too long

  let worker = null, ready = null, waiting = new Map(), count = 0, queue = Promise.resolve(), step = () => {}, fail = () => {}, prints = () => {};

  function python() {
    if (ready) return ready;
    document.documentElement.dataset.live = "loading";
    ready = new Promise((done, failed) => {
      fail = failed;
      worker = new Worker(new URL("live-worker.mjs", base), { type: "module" });
      worker.onerror = (event) => stop(event.message || "Python could not be loaded.");
      worker.onmessage = ({ data }) => {
        if (data.step) step(data.step);
        else if (data.printed !== undefined) prints(data.printed);
        else if (data.ready) { document.documentElement.dataset.live = "ready"; done(); }
        else if (data.id === undefined) stop(data.failed);
        else { waiting.get(data.id).done(data); waiting.delete(data.id); }
      };
      worker.postMessage({ start: true });
    });
    return ready;
  }

  function stop(words) {
    worker?.terminate();
    worker = ready = null;
    delete document.documentElement.dataset.live;
    for (const cell of cells) cell.done = false;
    fail(new Error(words));
    for (const { failed } of waiting.values()) failed(new Error(words));
    waiting = new Map();
  }

  function ask(cell) {
    return new Promise((done, failed) => {
      waiting.set(++count, { done, failed });
      worker.postMessage({ id: count, source: sourceOf(cell), name: `cell ${cell.index + 1}` });
    });
  }

  addEventListener("pagehide", () => worker && stop("Stopped.")); // a page that is kept for "back" would keep its Python, 90 MB

  const run = (cell) => { queue = queue.then(() => attempt(cell)); };

  async function attempt(cell) {
    cell.busy = true;
    cell.button.textContent = "Stop";
    const began = performance.now();
    try {
      step = (name) => { cell.says.textContent = `Loading ${name} (once, 10 MB) ...`; };
      await python();
      const wanted = [...cells.slice(0, cell.index).filter((each) => each.live && !each.done), cell];
      for (const [i, one] of wanted.entries()) {
        const left = about(...wanted.slice(i)), where = one === cell ? "Running" : `Running what stands above: ${one.index + 1} of ${cell.index + 1}`;
        cell.says.textContent = `${[where, left].filter(Boolean).join(", ")} ...`;
        prints = (text) => { if (one === cell || edited(one)) show(one, { parts: [text] }); };
        const answer = await ask(one);
        if (answer.failed) throw new Error(answer.failed);
        one.done = !answer.error;
        if (one === cell || edited(one)) show(one, answer);
        if (answer.error && one !== cell) throw new Error(`A cell above does not run: ${answer.error}`);
      }
      cell.says.textContent = `${((performance.now() - began) / 1000).toFixed(1)} s`;
    } catch (error) { cell.says.textContent = error.message; }
    cell.busy = false;
    cell.button.textContent = "Run";
  }
})();
