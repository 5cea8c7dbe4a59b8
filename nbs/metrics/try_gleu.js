// GLEU of one sentence as you type: what the lesson computes, for a reader without Python; tests/test_site.py compares both.
(() => {
  const home = document.getElementById("try-gleu");
  const examples = EXAMPLES;
  const make = (parent, name, style = "", text = "") => {
    const node = document.createElement(name);
    node.style.cssText = style;
    node.textContent = text;
    return parent.appendChild(node);
  };
  const words = text => text.split(/\s+/).filter(word => word);
  const grams = (tokens, n) => tokens.slice(n - 1).map((_, i) => tokens.slice(i, i + n).join(" "));
  const counted = list => list.reduce((count, gram) => count.set(gram, (count.get(gram) || 0) + 1), new Map());
  // one order: the points of each n-gram of the hypothesis, in its place, and their sums
  const order = (source, reference, hypothesis, n) => {
    const list = grams(hypothesis, n), seen = new Map();
    const [S, R, H] = [grams(source, n), grams(reference, n), list].map(counted);
    const points = list.map(gram => {
      const [s, r, h, k] = [S.get(gram) || 0, R.get(gram) || 0, H.get(gram), seen.get(gram) || 0];
      const match = Math.min(r, h), kept = Math.max(Math.min(s, h) - r, 0);
      seen.set(gram, k + 1);
      return k < match ? "+" : k < match + kept ? (r ? "(\u2212)" : "\u2212") : "";
    });
    const count = (...signs) => points.filter(sign => signs.includes(sign)).length;
    const match = count("+"), paper = count("\u2212", "(\u2212)"), program = count("\u2212");
    return {list, points, match, paper, program, total: list.length};
  };
  const score = (orders, numerator, empty, hypothesis, reference) => {
    const shares = orders.map(o => o.total ? Math.max(numerator(o), 0) / o.total : empty);
    const long = hypothesis.length, wanted = reference.length;
    const brevity = long ? Math.min(1, Math.exp(1 - wanted / long)) : wanted ? 0 : 1;
    return 100 * brevity * Math.pow(shares.reduce((a, b) => a * b), 1 / shares.length);
  };
  const colour = {"+": "var(--reference, #009e73)", "\u2212": "var(--accent, #d55e00)", "(\u2212)": "var(--accent, #d55e00)", "": "var(--source, #7f7f7f)"};
  const shade = {"+": 55, "\u2212": 75, "(\u2212)": 30, "": 15};
  home.textContent = "";
  const buttons = make(home, "div", "display: flex; flex-wrap: wrap; gap: .4em; margin-bottom: .6em");
  const fields = ["source", "reference", "hypothesis"].map(name => {
    const label = make(home, "label", "display: grid; grid-template-columns: 6em 1fr; margin: .2em 0; font-weight: bold");
    make(label, "span", `color: var(--${name})`, name);
    const field = make(label, "input", "min-width: 0; font: inherit; font-weight: normal; color: inherit; background: transparent; border: 1px solid var(--source, #7f7f7f); border-radius: 3px; padding: .1em .4em");
    field.name = name;
    field.oninput = () => show();
    return field;
  });
  const table = make(home, "div", "display: grid; grid-template-columns: auto 1fr auto auto; gap: 3px .6em; align-items: end; margin: .8em 0; font-size: .85em");
  const result = make(home, "div", "display: grid; grid-template-columns: auto auto 1fr; gap: 0 .8em; align-items: center");
  result.setAttribute("aria-live", "polite");
  const ribbon = (cells, first, wide, size) => {
    const row = make(table, "div", `display: grid; grid-template-columns: repeat(${2 * wide}, 1fr); font-size: ${size}`);
    cells.forEach((cell, i) => {
      const box = make(row, "span", `grid-column: ${2 * i + first} / span 2; margin: 0 1px; text-align: center; overflow: hidden; ${cell.style}`, cell.text);
      box.title = cell.title;
    });
  };
  const show = () => {
    const [source, reference, hypothesis] = fields.map(field => words(field.value));
    const orders = [1, 2, 3, 4].map(n => order(source, reference, hypothesis, n));
    table.textContent = result.textContent = "";
    make(table, "span");
    ribbon(hypothesis.map(word => ({text: word, title: word, style: "writing-mode: vertical-rl; transform: rotate(180deg); justify-self: center; max-height: 7em"})), 1, hypothesis.length || 1, "1em");
    for (const head of ["paper", "program"]) make(table, "b", "", head);
    orders.forEach((o, i) => {
      make(table, "span", "", i + 1);
      ribbon(o.points.map((sign, k) => ({text: sign || "\u00a0", title: o.list[k], style: `background: color-mix(in srgb, ${colour[sign]} ${shade[sign]}%, transparent)`})), i + 1, hypothesis.length || 1, ".9em");
      make(table, "span", "white-space: nowrap", `${o.match - o.paper}/${o.total}`);
      make(table, "span", "white-space: nowrap", `${Math.max(o.match - o.program, 0)}/${o.total}`);
    });
    // a numerator, and the share of an order without n-grams
    const formulas = {"GLEU, paper": [o => o.match - o.paper, 1], "GLEU, program": [o => Math.max(o.match - o.program, 0), 1], "BLEU": [o => o.match, 0]};
    for (const [name, [numerator, empty]] of Object.entries(formulas)) {
      const value = score(orders, numerator, empty, hypothesis, reference);
      make(result, "span", "", name);
      make(result, "b", "text-align: right", value.toFixed(2));
      make(result, "span", `height: .7em; width: ${value.toFixed(2)}%; background: var(--hypothesis, #0072b2)`);
    }
  };
  for (const [name, texts] of Object.entries(examples)) {
    const button = make(buttons, "button", "font: inherit; font-size: .85em; color: inherit; background: transparent; border: 1px solid var(--source, #7f7f7f); border-radius: 3px", name);
    button.type = "button";
    button.onclick = () => { fields.forEach((field, i) => { field.value = texts[i]; }); show(); };
  }
  buttons.firstChild.click();
})();
