// The explorer: one sentence under every metric, in the page. Edit a word, and regions, n-grams and scores follow.
//
// A second writing of the formulas of gecmetrics_nb, without a dependency; tests/test_explore.py holds it to the first.
// A ScoredSentence on a page carries its texts in `data-explore`; here it gets fields to write in.
"use strict";

// ---- text: the blanks of Python's str.split(), and characters as code points

const BLANKS = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const withoutBlanksAtTheEnd = (line) => line.replace(new RegExp(BLANKS.source + "$"), "");
const UNITS = {
  word: (line) => line.split(BLANKS).filter(Boolean),
  char: (line) => Array.from(withoutBlanksAtTheEnd(line)),
};

// ---- counts: n-grams, and the seven regions with what GLEU needs beside them

const least = Math.min, most = Math.max;
const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

function ngrams(tokens, order) {
  const grams = [];
  for (let i = 0; i + order <= tokens.length; i++) grams.push(tokens.slice(i, i + order).join("\0"));
  return grams;
}

function counted(grams) {
  const counts = new Map();
  for (const gram of grams) counts.set(gram, (counts.get(gram) || 0) + 1);
  return counts;
}

function regionCounts(s, r, h) { // of one n-gram
  const TK = least(s, r, h);
  const UD = least(s, h) - TK, TI = least(r, h) - TK, OD = least(s, r) - TK;
  return { TK, TI, UD, OD, TD: s - TK - OD - UD, OI: h - TK - TI - UD, UI: r - TK - TI - OD,
           UD0: r ? 0 : UD, RS: least(h, most(r - s, 0)), h, r };
}

function regionsOf(source, reference, hypothesis) { // Maps from n-grams to counts
  const total = regionCounts(0, 0, 0);
  for (const gram of new Set([...source.keys(), ...reference.keys(), ...hypothesis.keys()])) {
    const one = regionCounts(...[source, reference, hypothesis].map((side) => side.get(gram) || 0));
    for (const name in total) total[name] += one[name];
  }
  return total;
}

function unionOf(references) { // of Maps: an n-gram as often as the reference has it that has most of it
  const union = new Map();
  for (const reference of references)
    for (const [gram, count] of reference) union.set(gram, most(union.get(gram) || 0, count));
  return union;
}

function countsOf(texts, N) { // by order: against each reference, and against their union
  const orders = [];
  for (let n = 1; n <= N; n++) {
    const [source, hypothesis] = [texts.source, texts.hypothesis].map((tokens) => counted(ngrams(tokens, n)));
    const references = texts.references.map((tokens) => counted(ngrams(tokens, n)));
    orders.push({ each: references.map((reference) => regionsOf(source, reference, hypothesis)),
                  union: regionsOf(source, unionOf(references), hypothesis) });
  }
  return orders;
}

// ---- formulas

const ratio = (part, whole, empty) => whole ? part / whole : empty;
const geometricMean = (values) =>
  values.some((x) => x <= 0) ? 0 : Math.exp(sum(values.map(Math.log)) / values.length);
const brevityPenalty = (h, r) => h ? Math.exp(least(0, 1 - r / h)) : r ? 0 : 1;
const matches = (x) => x.TK + x.TI;

const LENSES = { // regions that a metric counts at one order: for the system, taken off, in the denominator alone
  "GLEU, code": { plus: ["TK", "TI"], minus: "UD0", rest: ["UD", "OI"] },
  "GLEU, paper": { plus: ["TK", "TI"], minus: "UD", rest: ["UD", "OI"] },
  "BLEU": { plus: ["TK", "TI"], rest: ["UD", "OI"] },
  "Google-GLEU": { plus: ["TK", "TI"], rest: ["UD", "OI", "OD", "UI"] },
  "GREEN, precision": { plus: ["TK", "TI", "TD"], rest: ["OD", "OI"] },
  "GREEN, recall": { plus: ["TK", "TI", "TD"], rest: ["UD", "UI"] },
};

function shareOf(name, x) { // {for, off, part, whole} of the counts at one order
  const { plus, minus, rest } = LENSES[name], total = (regions) => sum(regions.map((region) => x[region]));
  const parts = { for: total(plus), off: minus ? x[minus] : 0 };
  return { ...parts, part: most(parts.for - parts.off, 0), whole: name === "Google-GLEU" ? most(x.h, x.r) : total([...plus, ...rest]) };
}

function nearestLength(h, lengths, tie) { // of two equally near, the first or the shorter
  const away = (r) => Math.abs(r - h) * 2 + (tie === "shorter" && r > h ? 1 : 0);
  return lengths.reduce((best, r) => away(r) < away(best) ? r : best);
}

const overReferences = (settings, choose, score) =>
  choose(settings.texts.references.map((reference, i) => score(settings.counts.map((order) => order.each[i]), reference)));
const mean = (scores) => sum(scores) / scores.length;
const best = (scores) => scores.some(Number.isNaN) ? NaN : most(...scores);

const meanShare = (name, orders, empty) =>
  geometricMean(orders.map((x) => shareOf(name, x)).map(({ part, whole }) => ratio(part, whole, empty)));

const gleu = (name) => (settings) => overReferences(settings, mean, (orders, reference) =>
  brevityPenalty(settings.texts.hypothesis.length, reference.length) * meanShare(name, orders, 1));

function gleu2015({ texts, counts }) {
  const length = texts.hypothesis.length;
  if (!length && nearestLength(length, texts.references.map((r) => r.length), "first")) return 0;
  return geometricMean(counts.map(({ union: x }) => ratio(matches(x) + x.RS, x.h + x.TI + x.UI, 1)));
}

const googleGleu = (settings) => overReferences(settings, best, (orders) =>
  ratio(sum(orders.map(matches)), most(sum(orders.map((x) => x.h)), sum(orders.map((x) => x.r))), 0));

function bleu({ texts, counts }) {
  const length = texts.hypothesis.length;
  const nearest = nearestLength(length, texts.references.map((r) => r.length), "shorter");
  return brevityPenalty(length, nearest) * meanShare("BLEU", counts.map((order) => order.union), 0);
}

function greenOf(orders, beta) {
  const precision = meanShare("GREEN, precision", orders, 1), recall = meanShare("GREEN, recall", orders, 0);
  const alpha = 1 / (1 + beta * beta);
  return precision > 0 && recall > 0 ? 1 / (alpha / precision + (1 - alpha) / recall) : 0;
}

const green = (beta) => (settings) => overReferences(settings, best, (orders) => greenOf(orders, beta ?? settings.beta));
const greenUnion = ({ counts, beta }) => greenOf(counts.map((order) => order.union), beta);

// ---- METEOR: most lines, then fewest crossings, then fewest chunks

const LIMIT = 20000; // alignments that are tried; beyond, the page says nothing rather than something near

function placesOf(tokens) {
  const places = new Map();
  tokens.forEach((token, i) => places.set(token, [...(places.get(token) || []), i]));
  return places;
}

function subsets(list, size) { // in the order of the list
  if (!size) return [[]];
  if (list.length < size) return [];
  const [first, ...rest] = list;
  return [...subsets(rest, size - 1).map((some) => [first, ...some]), ...subsets(rest, size)];
}

function howMany(n, k) { // subsets of k of n
  let product = 1;
  for (let i = 1; i <= k; i++) product = product * (n - k + i) / i;
  return product;
}

function crossings(lines) {
  let count = 0;
  for (let a = 0; a < lines.length; a++)
    for (let b = a + 1; b < lines.length; b++)
      if ((lines[a][0] - lines[b][0]) * (lines[a][1] - lines[b][1]) < 0) count++;
  return count;
}

function chunks(lines) {
  const drawn = new Set(lines.map(String));
  return lines.filter(([i, j]) => !drawn.has(String([i - 1, j - 1]))).length;
}

function alignment(hypothesis, reference) { // {lines, pieces: how many chunks}, or null past LIMIT
  const there = placesOf(reference), sides = [];
  for (const [word, mine] of placesOf(hypothesis)) if (there.has(word)) sides.push([mine, there.get(word)]);
  const size = ([mine, other]) => howMany(most(mine.length, other.length), least(mine.length, other.length));
  if (sides.reduce((product, pair) => product * size(pair), 1) > LIMIT) return null;
  const options = sides.map(([mine, other]) => mine.length <= other.length
    ? subsets(other, mine.length).map((some) => mine.map((i, k) => [i, some[k]]))
    : subsets(mine, other.length).map((some) => some.map((i, k) => [i, other[k]])));
  let found = null;
  const draw = (k, lines) => {
    if (k < options.length) return options[k].forEach((more) => draw(k + 1, [...lines, ...more]));
    const price = [crossings(lines), chunks(lines)];
    if (!found || price[0] < found.price[0] || price[0] === found.price[0] && price[1] < found.price[1])
      found = { price, lines };
  };
  draw(0, []);
  return { lines: found.lines, pieces: found.price[1] };
}

function meteorParts(hypothesis, reference) { // of words; null past LIMIT
  const found = alignment(hypothesis, reference);
  if (!found) return null;
  const { lines, pieces } = found, m = lines.length;
  const precision = ratio(m, hypothesis.length, 0), recall = ratio(m, reference.length, 0);
  const mean = ratio(precision * recall, .9 * precision + .1 * recall, 0);
  const penalty = m ? .5 * (pieces / m) ** 3 : 0;
  return { lines, pieces, precision, recall, mean, penalty, score: mean * (1 - penalty) };
}

const meteor = (settings) => overReferences({ ...settings, texts: settings.words }, best, (_, reference) => {
  const parts = meteorParts(settings.words.hypothesis, reference);
  return parts ? parts.score : NaN;
});

function chunksOf(lines) { // the lines of each chunk
  const pieces = [];
  for (const [i, j] of [...lines].sort((a, b) => a[0] - b[0])) {
    const last = pieces.length ? pieces.at(-1).at(-1) : [];
    if (last[0] === i - 1 && last[1] === j - 1) pieces.at(-1).push([i, j]);
    else pieces.push([[i, j]]);
  }
  return pieces;
}

// ---- I-measure: three texts in the cheapest columns, the class of each, and the improvement

const MOVES = [[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]]; // on a tie the first, from the last column back

function columnsOf(texts) { // words of the source, the hypothesis and the reference, null for a gap
  const [n, m, l] = texts.map((text) => text.length), costs = [0], moves = [], columns = [];
  const at = ([i, j, k]) => (i * (m + 1) + j) * (l + 1) + k, before = (ends, move) => ends.map((end, t) => end - move[t]);
  const column = (ends, move) => texts.map((text, t) => move[t] ? text[ends[t] - 1] : null);
  const cost = (a, b) => a === b ? 0 : a === null || b === null ? 2 : 3;
  for (let i = 0; i <= n; i++) for (let j = 0; j <= m; j++) for (let k = 0; k <= l; k++)
    for (const move of MOVES.filter(([a, b, c]) => a <= i && b <= j && c <= k)) {
      const here = at([i, j, k]), [s, h, r] = column([i, j, k], move);
      const whole = costs[at(before([i, j, k], move))] + cost(s, h) + cost(s, r) + cost(h, r);
      if (!(costs[here] <= whole)) [costs[here], moves[here]] = [whole, move];
    }
  for (let ends = [n, m, l]; most(...ends); ends = before(ends, moves[at(ends)])) columns.unshift(column(ends, moves[at(ends)]));
  return columns;
}

const classOf = ([s, h, r]) => h === r ? s === h ? "TN" : "TP" : s === r ? "FP" : s === h ? "FN" : "FPN";

function improvement(source, hypothesis, reference) { // columns and their classes, W, B of the source, I
  const columns = columnsOf([source, hypothesis, reference]), classes = columns.map(classOf), weights = { TP: 2, FP: 2, FPN: 1.5 };
  const W = ratio(sum(classes.map((name) => ({ TP: 2, TN: 1 })[name] || 0)), sum(classes.map((name) => weights[name] || 1)), 1);
  const B = hypothesis === source ? W : improvement(source, source, reference).W;
  return { columns, classes, W, B, I: W === B ? Number(W === 1) : W > B ? (W - B) / (1 - B) : W / B - 1 };
}

// ---- the list of metrics, by the names that Python gives them

const METRICS = {
  "GLEU, code": gleu("GLEU, code"), "GLEU, paper": gleu("GLEU, paper"), "GLEU, 2015": gleu2015,
  "Google-GLEU": googleGleu, "BLEU": bleu,
  "GREEN, beta 0.5": green(.5), "GREEN, beta 1": green(1), "GREEN, beta 2": green(2), "GREEN": green(), "GREEN, union": greenUnion,
  "METEOR": meteor,
};

function evaluate({ source, references, hypothesis, order = 4, unit = "word", beta = 1 }) {
  const cut = (by) => ({ source: by(source), references: references.map(by), hypothesis: by(hypothesis) });
  const texts = cut(UNITS[unit]), words = cut(UNITS.word), counts = countsOf(texts, order);
  const settings = { texts, words, counts, beta };
  const scores = Object.fromEntries(Object.entries(METRICS).map(([name, score]) => [name, score(settings)]));
  return { texts, counts, scores };
}

// ---- the region of every n-gram where it stands

const SIDES = { // the regions that a text holds
  source: ["TK", "UD", "OD", "TD"], reference: ["TK", "OD", "TI", "UI"], hypothesis: ["TK", "UD", "TI", "OI"],
};
const STAYS = { // the other texts, the one first in which an n-gram was kept
  source: ["hypothesis", "reference"], reference: ["source", "hypothesis"], hypothesis: ["source", "reference"],
};
const ALIGNED = 1 << 20; // pairs of words that differ, beyond which texts are not aligned
const VERDICTS = { TK: "kept", TD: "corrected", TI: "corrected", UD: "missed", UI: "missed", OD: "spoiled", OI: "spoiled" };

function linked(one, other) { // Map of places of equal words, as many as possible and without crossings
  const links = new Map(), shorter = least(one.length, other.length);
  let start = 0, end = 0;
  while (end < shorter && one.at(-1 - end) === other.at(-1 - end)) end++;
  while (start < shorter - end && one[start] === other[start]) start++;
  const [n, m] = [one, other].map((text) => text.length - start - end);
  if (n * m > ALIGNED) return links;
  for (let k = 0; k < start; k++) links.set(k, k);
  const choices = choicesOf(one.slice(start, start + n), other.slice(start, start + m));
  for (let i = 0, j = 0; i < n && j < m;) {
    const choice = choices[i * m + j];
    if (!choice) links.set(start + i, start + j);
    i += choice !== 1;
    j += choice !== 2;
  }
  for (let k = end; k > 0; k--) links.set(one.length - k, other.length - k);
  return links;
}

function choicesOf(one, other) { // of each pair of words: 0 links them, 1 passes over that of the other text, 2 over that of this one
  const m = other.length, choices = new Uint8Array(one.length * m);
  let below = new Int32Array(m + 1);
  for (let i = one.length - 1; i >= 0; i--) {
    const row = below.slice();
    for (let j = m - 1, right = 0; j >= 0; j--) {
      const link = one[i] === other[j] ? 1 + below[j + 1] : -1, down = below[j];
      if (link < most(right, down)) choices[i * m + j] = right >= down ? 1 : 2;
      right = row[j] = most(link, right, down);
    }
    below = row;
  }
  return choices;
}

function fates(texts, order) { // {role: pairs of an n-gram and its region}; of equal ones those that were kept come first
  const grams = Object.fromEntries(Object.entries(texts).map(([role, tokens]) => [role, ngrams(tokens, order)]));
  const counts = Object.fromEntries(Object.entries(grams).map(([role, some]) => [role, counted(some)]));
  const roles = Object.keys(SIDES), known = {};
  const links = (one, other) => known[one + other] ??= roles.indexOf(one) < roles.indexOf(other)
    ? linked(texts[one], texts[other]) : new Map([...links(other, one)].map(([i, j]) => [j, i]));
  const stays = (one, other, i) => {
    const found = links(one, other);
    for (let k = 0; k < order; k++) if (!found.has(i) || found.get(i + k) !== found.get(i) + k) return false;
    return true;
  };
  const placed = (role) => {
    const places = placesOf(grams[role]), found = [];
    for (const [gram, equal] of places) {
      const x = regionCounts(...roles.map((side) => counts[side].get(gram) || 0));
      const regions = SIDES[role].flatMap((region) => Array(x[region]).fill(region));
      const rank = (i) => STAYS[role].reduce((sum, other) => 2 * sum + !stays(role, other, i), 0);
      const sorted = new Set(regions).size > 1 ? equal.map((i) => [rank(i), i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, i]) => i) : equal;
      sorted.forEach((i, k) => { found[i] = [gram, regions[k]]; });
    }
    return found;
  };
  return Object.fromEntries(roles.map((role) => [role, placed(role)]));
}

function signsOf(texts, name, order) { // triples of an n-gram, the text that it is shown from, and how a metric counts it: + − ·
  const { plus, minus, rest } = LENSES[name], there = new Set(ngrams(texts.reference, order)), all = fates(texts, order);
  const isTaken = (gram, region) => region === "UD" && (minus === "UD" || minus === "UD0" && !there.has(gram));
  const sign = (gram, region) => plus.includes(region) ? "+" : isTaken(gram, region) ? "−" : "·";
  const shown = { hypothesis: SIDES.hypothesis, source: ["TD", "OD"], reference: ["UI"] }; // each region once
  return Object.entries(shown).flatMap(([role, regions]) => all[role]
    .filter(([, region]) => regions.includes(region) && [...plus, ...rest].includes(region))
    .map(([gram, region]) => [gram, role, sign(gram, region)]));
}

const BETA = 2; // of GREEN, as the lessons advise

// ---- the sentences stand after the # of the address, so that a link works from disk, too

function fromLink(hash) { // what it says of the state; a setting that is not one of ours is as if it were not there
  const link = new URLSearchParams(hash.replace(/^#explore&/, ""));
  if (!hash.startsWith("#explore&") || !link.has("source")) return {};
  const order = Math.round(Number.parseFloat(link.get("order"))) || 4;
  const beta = Number.parseFloat(link.get("beta")), unit = link.get("unit"), lens = link.get("lens");
  return { source: link.get("source"), references: link.getAll("reference"), hypothesis: link.get("hypothesis") || "",
           order: least(9, most(1, order)), unit: Object.hasOwn(UNITS, unit) ? unit : "word",
           beta: beta >= 0 && beta <= 4 ? beta : BETA, lens: Object.hasOwn(LENSES, lens) ? lens : "GLEU, code" };
}

if (typeof module !== "undefined") module.exports = { LENSES, METRICS, chunksOf, evaluate, fates, fromLink, improvement, meteorParts, shareOf, signsOf };

// ---- the page

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function button(text, act, more = {}) {
  const made = element("button", { type: "button", class: "btn btn-sm btn-outline-secondary", ...more }, text);
  made.addEventListener("click", act);
  return made;
}

function barRow(name, says, share, kind = "", before = null) { // three parts of a grid: a name, a number, a bar, on it what the share was
  const bar = element("span", { class: `explore-bar ${kind}` }), track = element("span", { class: "explore-track" }, bar);
  bar.style.width = `${100 * share}%`;
  if (before !== null) {
    const tick = element("span", { class: "explore-tick", title: "as it was" });
    tick.style.left = `${100 * before}%`;
    track.append(tick);
  }
  return [element("span", {}, name), element("output", {}, says), track];
}

function sentenceField(id, value, set) { // as high as its sentence
  const field = element("textarea", { id, rows: 1, class: "form-control form-control-sm", spellcheck: "false", autocomplete: "off" }, value);
  const fit = () => { if (!CSS.supports("field-sizing", "content")) field.rows = 1 + Math.floor(field.value.length / 40); };
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  field.addEventListener("input", () => { fit(); set(field.value.replace(/\n/g, " ")); });
  fit();
  return field;
}

const PRESETS = { // each shows a surprise of the lessons
  "as it was": (begin) => begin,
  "do nothing": (now) => ({ ...now, hypothesis: now.source }),
  "copy the reference": (now) => ({ ...now, hypothesis: now.references[0] }),
  "banana": (now) => ({ ...now, hypothesis: bananas(now.source, now.references[0]) }),
  "one word": (now) => ({ ...now, hypothesis: UNITS.word(now.references[0])[0] || "" }),
  "two the": (now) => ({ ...now, order: 1, source: "He go to the school in the morning .",
                         references: ["He goes to school in the morning ."],
                         hypothesis: "He goes to the school in the morning ." }),
  "an empty line": (now) => ({ ...now, hypothesis: "" }),
};

function bananas(source, reference) { // every word of the source that has to go becomes a banana
  const wanted = counted(UNITS.word(reference));
  const isWanted = (word) => { const left = wanted.get(word) || 0; wanted.set(word, left - 1); return left > 0; };
  return UNITS.word(source).map((word) => isWanted(word) ? word : "banana").join(" ");
}

const MARKS = { // of n-grams in the ribbon, and what they mean
  "+": "+ for the system", "−": "− taken off", "·": "· in the denominator alone",
  source: "struck through: taken out of the source", reference: "underlined: in the reference alone",
};

function toLink(state) {
  const link = new URLSearchParams({ source: state.source, hypothesis: state.hypothesis, order: state.order,
                                     unit: state.unit, beta: state.beta, lens: state.lens });
  for (const reference of state.references) link.append("reference", reference);
  return location.href.replace(/#.*/, "") + "#explore&" + link;
}

function explorer(box, number) {
  const given = JSON.parse(box.dataset.explore), { brief } = box.dataset; // "scores": fields, four surprises, bars and words
  const regions = brief === "regions", metrics = given.metrics ?? []; // in the place of bars what becomes of each word
  const begin = { unit: "word", beta: BETA, lens: "GLEU, code", order: given.order, source: given.source, references: [given.reference],
                  hypothesis: given.hypothesis };
  let state = { ...begin, ...(number === 0 ? fromLink(location.hash) : {}) };
  if (!state.references.length) state.references = [""];
  const atFirst = brief ? evaluate(begin).scores : null; // a tick on each bar
  let against = 0; // the reference that words are compared with in the picture
  const parts = Object.fromEntries(["presets", "fields", "settings", "scores", "words", "ribbon", "regions"]
    .map((name) => [name, element("div", { class: `explore-${name}` })]));
  parts.words.setAttribute("aria-live", "polite");
  const few = [parts.presets, parts.fields, ...(regions ? [parts.words, parts.regions] : [parts.scores, parts.words])];
  box.replaceChildren(...(brief ? few : Object.values(parts)));
  box.classList.add("explore");

  function showPresets() {
    const set = (change) => () => { state = { ...state, ...change(change === PRESETS["as it was"] ? begin : state) }; against = 0; showFields(); update(); };
    parts.presets.append(...Object.entries(PRESETS).slice(0, brief ? 4 : Infinity).map(([name, change]) => button(name, set(change))));
    if (brief) return;
    const copy = button("copy a link", async () => {
      history.replaceState(null, "", toLink(state));
      try { await navigator.clipboard.writeText(toLink(state)); copy.textContent = "copied"; }
      catch { copy.textContent = "it is in the address bar"; }
      setTimeout(() => { copy.textContent = "copy a link"; }, 2000);
    });
    parts.presets.append(copy);
  }

  function field(role, name, value, set) {
    const id = `explore-${number}-${name.replace(/ /g, "-")}`;
    const input = sentenceField(id, value, (text) => { set(text); update(); });
    return element("div", { class: "explore-field" }, element("label", { for: id, class: `explore-${role}` }, name), input);
  }

  function showFields() {
    const several = state.references.length > 1;
    const references = state.references.map((text, i) => {
      const line = field("reference", several ? `reference ${i + 1}` : "reference", text, (value) => { state.references = state.references.with(i, value); });
      if (several) line.append(
        button("show", () => { against = i; update(); }, { "aria-label": `show the words beside reference ${i + 1}` }),
        button("×", () => { state.references = state.references.toSpliced(i, 1); against = 0; showFields(); update(); }, { "aria-label": `remove reference ${i + 1}` }));
      return line;
    });
    parts.fields.replaceChildren(
      field("source", "source", state.source, (value) => { state.source = value; }), ...references,
      field("hypothesis", "hypothesis", state.hypothesis, (value) => { state.hypothesis = value; }));
    if (brief) return;
    parts.fields.append(
      button("add a reference", () => { state.references = [...state.references, state.references.at(-1)]; showFields(); update(); }));
    parts.settings.replaceChildren(slider("order", 1, most(9, given.order), 1), slider("beta", 0, 4, .1),
      choice("unit", "unit", { word: "words", char: "characters" }),
      choice("lens", "n-grams counted by", Object.fromEntries(Object.keys(LENSES).map((name) => [name, name]))));
  }

  function slider(name, min, max, step) {
    const id = `explore-${number}-${name}`, says = element("output", { for: id }, String(state[name]));
    const input = element("input", { id, type: "range", min, max, step, value: state[name] });
    input.addEventListener("input", () => { state[name] = Number(input.value); says.textContent = input.value; update(); });
    return element("label", { for: id }, name === "beta" ? "beta of GREEN " : "order ", input, says);
  }

  function choice(name, words, options) {
    const select = element("select", { class: "form-select form-select-sm" },
      ...Object.entries(options).map(([value, text]) => element("option", { value }, text)));
    select.value = state[name];
    select.addEventListener("change", () => { state[name] = select.value; update(); });
    return element("label", {}, `${words} `, select);
  }

  const shown = (gram) => state.unit === "word" ? gram.replaceAll("\0", " ") : gram.replaceAll("\0", "").replaceAll(" ", "␣");
  const chip = ([gram, region]) => element("span", { class: `explore-chip explore-${VERDICTS[region]}`, title: VERDICTS[region] },
    element("span", {}, shown(gram)), ...(brief && !regions ? [] : [element("small", {}, region)]));
  const row = (head, role, ...cells) => element("div", { class: "explore-row" }, element("b", { class: `explore-${role}` }, head), element("div", {}, ...cells));

  function update() {
    const { texts, counts, scores } = evaluate(state);
    const three = { source: texts.source, reference: texts.references[against], hypothesis: texts.hypothesis };
    const roles = Object.entries(fates(three, 1)).filter(([role]) => !brief || regions || role === "hypothesis");
    parts.words.replaceChildren(...roles.map(([role, grams]) => row(role, role, ...grams.map((pair) => chip(pair)))));
    if (!brief) parts.ribbon.replaceChildren(...ribbon(three, counts.map((order) => order.each[against])));
    const greens = state.references.length > 1 ? ["GREEN", "GREEN, union"] : ["GREEN"];
    const others = metrics.filter((name) => name.split(",")[0] !== "GREEN");
    const names = others.length < metrics.length ? [...others, ...greens] : others;
    parts.scores.replaceChildren(...names.flatMap((name) => score(name, scores[name])));
    parts.regions.replaceChildren(table(counts.map((order) => order.each[against])));
  }

  function ribbon(three, orders) {
    const marks = new Set();
    const shown = orders.slice(0, 4).map((x, i) => {
      const { for: plus, off, part, whole } = shareOf(state.lens, x), signs = signsOf(three, state.lens, i + 1);
      const taken = off ? `${plus} − ${off} = ${plus - off}${off > plus ? ", so 0" : ""}` : part;
      for (const [, role, sign] of signs) marks.add(role).add(sign);
      return row(`order ${i + 1}`, "hypothesis", ...signs.map(counter), element("small", {}, `${taken} of ${whole}`));
    });
    const says = Object.entries(MARKS).filter(([mark]) => marks.has(mark)).map(([, means]) => means);
    const penalty = brevityPenalty(three.hypothesis.length, three.reference.length).toFixed(3), name = state.lens;
    const ends = name === "Google-GLEU" ? "the sum of these numerators, over the larger sum of n-grams: of the hypothesis, or of the reference"
      : name.startsWith("GREEN") ? "the geometric mean of these shares; a mean of precision and recall, weighed by beta, is the score"
      : `brevity penalty ${penalty} times the geometric mean of these shares`;
    return [element("p", {}, says.join("; ")), ...shown, element("p", {}, `${name}: ${ends}`)];
  }

  function counter([gram, role, sign]) {
    const kind = { "+": "for", "−": "off", "·": "idle" }[sign], tag = { source: "s", reference: "u" }[role] || "span";
    return element("span", { class: `explore-chip explore-${kind}` }, element("span", {}, `${sign} `, element(tag, {}, shown(gram))));
  }

  function score(name, value) {
    const title = name.replace("GREEN", `GREEN, beta ${state.beta}`);
    const says = value === undefined ? "not in this page's script" : Number.isNaN(value) ? "too many alignments" : (100 * value).toFixed(2);
    return barRow(title, says, least(1, value || 0), "", atFirst && least(1, atFirst[name] || 0));
  }

  function table(orders) {
    const columns = ["TK", "TD", "TI", "OD", "OI", "UD", "UI"];
    const line = (tag, cells) => element("tr", {}, ...cells.map((cell) => element(tag, {}, String(cell))));
    return element("table", { class: "table table-sm", tabindex: 0 }, element("caption", {}, orders.length > 1 ? "n-grams in each region, by order" : `${state.unit}s in each region`),
      element("thead", {}, line("th", ["order", ...columns])),
      element("tbody", {}, ...orders.map((x, i) => line("td", [i + 1, ...columns.map((name) => x[name])]))));
  }

  showPresets();
  showFields();
  update();
}

// ---- METEOR drawn: two columns of words, a box for each chunk; the words of the hypothesis can be moved

const ROW = 24, TOP = 22; // of a word, and of the heads of the columns

function drawn(tag, attributes = {}, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

function chunkShape(lines) { // a box on either side and the band between
  const [i, j] = lines[0], [k, l] = lines.at(-1), top = (row) => TOP + ROW * row + 2, bottom = (row) => TOP + ROW * row + 22;
  return drawn("path", { class: "align-chunk", d: `M2 ${top(i)}H130L190 ${top(j)}H318V${bottom(l)}H190L130 ${bottom(k)}H2Z` });
}

function aligner(box, number) {
  const presets = JSON.parse(box.dataset.align); // {name: {hypothesis, reference}}
  let { hypothesis, reference } = Object.values(presets)[0], held = null; // held: the row of the word that is dragged
  const id = `align-${number}`, picture = drawn("svg", { role: "group", "aria-label": "words of the hypothesis and the reference; a box holds each chunk" });
  const says = element("div", { class: "align-says", "aria-live": "polite" }), buttons = element("div", { class: "explore-presets" });
  const input = sentenceField(id, hypothesis, (text) => { hypothesis = text; show(true); });
  const label = element("label", { for: id, class: "explore-hypothesis" }, "hypothesis");
  const words = () => UNITS.word(hypothesis);
  box.replaceChildren(buttons, element("div", { class: "explore-field" }, label, input), element("div", { class: "align" }, picture, says));
  box.classList.add("explore");
  for (const [name, texts] of Object.entries(presets)) buttons.append(button(name, () => { ({ hypothesis, reference } = texts); show(); }));

  function move(from, to) {
    const now = words();
    if (to < 0 || to >= now.length) return from;
    now.splice(to, 0, ...now.splice(from, 1));
    hypothesis = now.join(" ");
    show();
    return to;
  }

  function word(text, row, role) {
    const left = role === "hypothesis";
    const made = drawn("text", { class: `explore-${role}`, x: left ? 124 : 196, y: TOP + ROW * row + 16, "text-anchor": left ? "end" : "start" }, text);
    if (!left) return made;
    Object.entries({ tabindex: 0, role: "button", "aria-label": `${text}: arrow keys move it` }).forEach(([name, value]) => made.setAttribute(name, value));
    made.classList.add("align-word");
    made.addEventListener("pointerdown", (event) => { held = row; picture.setPointerCapture(event.pointerId); event.preventDefault(); });
    made.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const at = move(row, row + step);
      picture.querySelectorAll(".align-word")[at].focus();
    });
    return made;
  }

  picture.addEventListener("pointermove", (event) => {
    if (held === null) return;
    const place = picture.getBoundingClientRect(), scale = picture.viewBox.baseVal.height / place.height;
    const row = Math.floor(((event.clientY - place.top) * scale - TOP) / ROW), last = words().length - 1;
    if (row !== held) held = move(held, most(0, least(last, row)));
  });
  for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => { held = null; });

  function show(typed = false) {
    const mine = words(), other = UNITS.word(reference), parts = meteorParts(mine, other);
    if (!typed) input.value = hypothesis;
    const height = TOP + ROW * most(1, most(mine.length, other.length)) + 4, lines = parts ? parts.lines : [];
    picture.setAttribute("viewBox", `0 0 320 ${height}`);
    picture.replaceChildren(
      drawn("text", { class: "explore-hypothesis align-head", x: 124, y: 14, "text-anchor": "end" }, "hypothesis"),
      drawn("text", { class: "explore-reference align-head", x: 196, y: 14 }, "reference"),
      ...chunksOf(lines).map(chunkShape),
      ...lines.map(([i, j]) => drawn("line", { class: "align-line", x1: 130, y1: TOP + ROW * i + 12, x2: 190, y2: TOP + ROW * j + 12 })),
      ...mine.map((text, row) => word(text, row, "hypothesis")), ...other.map((text, row) => word(text, row, "reference")));
    const all = parts && { ...parts, m: lines.length };
    const rows = all ? [[`precision, ${all.m} of ${mine.length} words`, all.precision], [`recall, ${all.m} of ${other.length} words`, all.recall],
                        ["F, weighted mean", all.mean], [`penalty, ${all.pieces} chunks for ${all.m} matches`, all.penalty],
                        ["METEOR = F × (1 − penalty)", all.score]] : [["too many alignments", NaN]];
    says.replaceChildren(...rows.flatMap(([name, value]) => [element("span", {}, name), element("output", {}, Number.isNaN(value) ? "" : value.toFixed(4))]));
  }

  show();
}

function columnBoxes(box, number) { // I-measure drawn: a box for each column of the three texts
  const { source, reference, presets } = JSON.parse(box.dataset.columns), id = `columns-${number}`; // presets: {name: hypothesis}
  const boxes = element("div", { class: "explore-columns" }), says = element("p", { "aria-live": "polite" });
  const input = sentenceField(id, Object.values(presets)[0], show), shown = (word) => element("span", {}, word ?? "\u2013");
  const names = element("b", {}, ...["source", "hypothesis", "reference"].map((role) => element("span", { class: `explore-${role}` }, role)));
  function show(hypothesis) {
    const { columns, classes, W, B, I } = improvement(...[source, hypothesis, reference].map(UNITS.word));
    boxes.replaceChildren(names, ...columns.map((words, c) => element("span", { class: classes[c] }, ...words.map(shown), element("small", {}, classes[c]))));
    says.textContent = `W ${W.toFixed(4)}, B ${B.toFixed(4)}: I = ${I.toFixed(4)}`.replace("-", "\u2212");
  }
  const buttons = Object.entries(presets).map(([name, text]) => button(name, () => { input.value = text; show(text); }));
  const field = element("div", { class: "explore-field" }, element("label", { for: id, class: "explore-hypothesis" }, "hypothesis"), input);
  box.replaceChildren(element("div", { class: "explore-presets" }, ...buttons), field, boxes, says);
  input.maxLength = 300; // letters, as the time grows with words
  show(input.value);
}

// ---- a board: the systems in their order by what is chosen

function board(box) {
  const { systems, what, choices, most: many, scores, marked } = JSON.parse(box.dataset.board); // scores: {"0 1": points of the systems}, by numbers of choices
  const rows = element("div", { class: "explore-scores", "aria-live": "polite" }), says = element("p");
  let chosen = Array.from({ length: many }, (_, i) => i);

  function choose(i) { // the last ones; one stays
    if (!chosen.includes(i)) chosen = [...chosen, i].slice(-many);
    else if (chosen.length > 1) chosen = chosen.filter((other) => other !== i);
    show();
  }

  const buttons = choices.map((name, i) => button(name, () => choose(i)));

  function show() {
    buttons.forEach((made, i) => made.setAttribute("aria-pressed", chosen.includes(i)));
    const points = scores[[...chosen].sort((a, b) => a - b).join(" ")], places = systems.map((_, h) => h).sort((a, b) => points[b] - points[a]);
    const low = Math.floor(least(...points)) - 1, high = most(...points);
    const row = (h) => barRow(systems[h], points[h].toFixed(2), (points[h] - low) / (high - low), marked.includes(systems[h]) ? "board-marked" : "");
    rows.replaceChildren(...places.flatMap(row));
    const [first, second] = marked.map((name) => systems.indexOf(name));
    const found = `${marked.join(" \u2212 ")}: ${(points[first] - points[second]).toFixed(2).replace("-", "\u2212")}`;
    says.textContent = `${found}. Bars begin at ${low} points. At most ${many} ${what}.`;
  }

  box.replaceChildren(element("div", { class: "explore-presets" }, `${what}:`, ...buttons), rows, says);
  box.classList.add("explore");
  show();
}

// ---- which of two outputs is better? the reader says it, then the metrics

function judge(box) {
  const cases = JSON.parse(box.dataset.judge); // source, outputs: two, prefer: the metrics that prefer the first, the second, neither
  const says = element("p", { "aria-live": "polite" }), said = (who, names) => names.length ? `${who}: ${names.join(", ")}. ` : "";
  const taken = new Map(); // from a case to the output that the reader took
  let at = 0;

  function agreed() { // how often each metric agreed with the reader, once all cases are judged
    if (taken.size < cases.length) return "";
    const often = counted([...taken].flatMap(([k, mine]) => cases[k].prefer[mine]));
    const who = (times) => [...often].filter((one) => one[1] === times).map((one) => one[0]).join(", ");
    return [...new Set(often.values())].sort((a, b) => b - a).map((times) => ` Agreed with you ${times} of ${cases.length}: ${who(times)}.`).join("");
  }

  function show() {
    const { source, reference, outputs, prefer } = cases[at];
    const choices = outputs.map((text, i) => button(text, () => choose(i), { "aria-pressed": false }));
    const choose = (mine) => {
      choices.forEach((made, i) => made.setAttribute("aria-pressed", i === mine));
      taken.set(at, mine);
      says.replaceChildren(said("Like you", prefer[mine]) + said("The other one", prefer[1 - mine]) + said("Tied", prefer[2]) + `They compare with the reference: ${reference}`, element("b", {}, agreed()));
    };
    says.textContent = "";
    box.replaceChildren(element("p", {}, "A learner wrote: ", element("em", {}, source), " Which is better?"), element("div", { class: "judge-outputs" }, ...choices), says,
      button("another sentence", () => { at = (at + 1) % cases.length; show(); }));
  }

  box.classList.add("explore");
  show();
}

if (typeof document !== "undefined") {
  let explorers = 0, aligners = 0;
  window.furnishExplorers = (part) => { // of the page, and of what a cell shows anew
    part.querySelectorAll("[data-explore]").forEach((box) => explorer(box, explorers++));
    part.querySelectorAll("[data-align]").forEach((box) => aligner(box, aligners++));
    part.querySelectorAll("[data-columns]").forEach(columnBoxes);
    part.querySelectorAll("[data-board]").forEach(board);
    part.querySelectorAll("[data-judge]").forEach(judge);
  };
  window.furnishExplorers(document);
}
