// What the pages do beside showing text: search by words, lessons before the API; the current page in sight; contents on a phone.
"use strict";

// ---- search: the pages that hold the words of a question, rare words first. It takes the place of Quarto's fuzzy one,
// which looks for a question letter by letter: of 61 questions it answers 18, in .4 s each (tests/site/test_search.py has them).

const ASIDE = new Set("a an and are between can do does for from how i in is it my of or should the to what which with you".split(" "));
const ENDS = /(ances?|ants?|ing|ed|es|e|s)$/;
const ALSO = { // what one may type, and words of these pages that mean it
  significant: "significance", confidence: "interval", cite: "citation", compare: "comparison", bibtex: "cite", doi: "cite",
  tokenization: "tokens", tokenizer: "tokens", tokenise: "tokens", tokenize: "tokens", ci: "interval", pvalue: "significance",
  download: "registry", dataset: "sets", corpus: "corpora", licence: "license", license: "licence",
  fast: "speed", slow: "speed", human: "people", judges: "people", annotators: "annotator", graph: "plot", chart: "plot", figure: "plot",
  rl: "reward", reinforcement: "reward", reward: "train", training: "train", maxmatch: "m2", imeasure: "measure",
  custom: "own", pip: "install", ranking: "rank", kendall: "tau", llm: "language", chatgpt: "language", glue: "gleu", huggingface: "hugging",
  tk: "regions", td: "regions", ti: "regions", od: "regions", oi: "regions", ud: "regions", ui: "regions" };
const splitWords = (text) => (text || "").toLowerCase().replace(/\b(?:cli|terminal|shell)\b/g, "command line").replace(/\b(?:dataframes?|pandas)\b/g, "data frame").replace(/['’]s\b/g, "").match(/[\p{L}\p{N}²]+/gu) || [];
const stems = new Map();
const stemOf = (word) => {
  if (!stems.has(word)) stems.set(word, word.length > 4 ? word.replace(ENDS, "") : word);
  return stems.get(word);
};

class TokenSearch { // with the calls of Fuse that Quarto makes
  constructor(index = []) {
    this.pages = [];
    this.also = new Map(Object.entries(ALSO).map(([word, other]) => [stemOf(word), stemOf(other)]));
    index.forEach((item) => this.add(item));
  }

  add(item) {
    const isFunction = /^_?[a-z0-9]+_\w+/.test(item.section || ""), title = splitWords(item.title);
    const section = isFunction ? [] : splitWords(item.section), text = splitWords(isFunction ? `${item.section} ${item.text}` : item.text);
    const place = item.href.replace(/(^|\/)\d\d_/g, "$1"); // without the number of a lesson
    this.pages.push({ item, place, title, section, isFunction, isApi: place.startsWith("api/"),
      isTable: /^reproduce|_appendix|^about\/cite/.test(place), length: text.length, counts: [title, section, text].map(TokenSearch.counted) });
    this.met = null; // what was known of all pages
  }

  remove(isGone) { this.pages = this.pages.filter(({ item }) => !isGone(item)); this.met = null; }

  prepare() {
    this.words = [...new Set(this.pages.flatMap((page) => page.counts.flatMap((counts) => [...counts.keys()])))];
    this.names = [...new Set(this.pages.filter((page) => !page.isApi).flatMap((page) => [...page.title, ...page.section]).map(stemOf))];
    this.met = new Map(); // of a token: the words it is found in, a mere beginning counting less
  }

  static counted(words) {
    const counts = new Map();
    for (const word of words) counts.set(word, (counts.get(word) || 0) + 1);
    return counts;
  }

  static pairs(words) { return words.slice(1).map((word, i) => `${stemOf(words[i])} ${stemOf(word)}`); }

  like(token) {
    if (!this.met.has(token))
      this.met.set(token, this.words.filter((word) => word.startsWith(token)).map((word) => [word, word === token || stemOf(word) === token ? 1 : .6]));
    return this.met.get(token);
  }

  tokens(question) {
    const all = splitWords(question), kept = all.filter((word) => !ASIDE.has(word));
    return (kept.length ? kept : all).map(stemOf);
  }

  search(question, { limit = 20 } = {}) { // lessons, then the API, unless it is asked for
    if (!this.met) this.prepare();
    const all = this.tokens(question), wanted = all.filter((token) => token !== "api"), forApi = wanted.length < all.length;
    const tokens = (wanted.length ? wanted : all).map((token) => this.like(token).length || this.also.has(token) ? token : this.nearest(token));
    const asked = TokenSearch.pairs(splitWords(question)), typed = question.toLowerCase();
    const tables = this.pages.map((page) => tokens.map((token) => this.weigh(page, token)));
    const rarity = tokens.map((_, i) => Math.log(1 + this.pages.length / Math.max(1, tables.filter((row) => row[i]).length)));
    const score = (row, page) => {
      const met = row.filter(Boolean).length / tokens.length;
      const sum = row.reduce((total, weight, i) => total + weight * rarity[i], 0);
      const said = [page.title, page.section].flatMap(TokenSearch.pairs); // two words of the question side by side in a heading
      const bonus = 1 + 1.4 * Math.min(2, asked.filter((pair) => said.includes(pair)).length);
      return sum * bonus * met ** 3 * (!page.isFunction ? 1 : typed.includes(page.item.section.toLowerCase()) ? 20 : .3) * (page.isTable ? .7 : 1) * (page.place.startsWith("metrics/") ? 1.1 : 1) * this.called(page, tokens);
    };
    const hits = this.pages.map((page, i) => ({ page, item: page.item, score: score(tables[i], page) })).filter((hit) => hit.score > 0).sort((a, b) => b.score - a.score);
    const api = hits.filter((hit) => hit.page.isApi).map((hit) => ({ ...hit, item: { ...hit.item, title: `API: ${hit.item.title}` } }));
    const lessons = hits.filter((hit) => !hit.page.isApi), few = Math.min(Math.floor(limit / 4), api.length);
    return (forApi ? [...api, ...lessons] : [...lessons.slice(0, limit - few), ...api]).slice(0, limit);
  }

  called(page, tokens) { // how much of a page's name, or of a heading's, the question is
    const share = (words) => {
      const own = words.filter((word) => !ASIDE.has(word)), isOne = (token) => own.some((word) => [token, this.also.get(token)].includes(stemOf(word)));
      const named = tokens.filter(isOne).length;
      return named === tokens.length ? named / Math.max(1, own.length) : 0;
    };
    if (!page.item.section) return 1.15 + 4 * share(page.title);
    return 1 + (page.place.startsWith("start/words") ? 6 : .5) * share(page.section);
  }

  nearest(token) { // a word of the headings, where nothing has this one: gelu, metoer
    let best = token, least = token.length > 5 ? 3 : 2;
    for (const word of this.names) {
      if (word.length < 3 || Math.abs(word.length - token.length) >= least) continue;
      const edits = TokenSearch.distance(word, token);
      if (edits < least) [best, least] = [word, edits];
    }
    return best;
  }

  static distance(a, b) { // letters put in, left out, exchanged; two neighbours that changed places are one
    const d = Array.from({ length: a.length + 1 }, (_, i) => [i]);
    for (let j = 1; j <= b.length; j++) d[0][j] = j;
    for (let i = 1; i <= a.length; i++)
      for (let j = 1; j <= b.length; j++) {
        d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
      }
    return d[a.length][b.length];
  }

  weigh(page, token) {
    const one = (word) => {
      const [title, section, text] = page.counts.map((counts) => this.like(word).reduce((sum, [met, weight]) => sum + weight * (counts.get(met) || 0), 0));
      return 8 * Math.min(1, title) + 6 * Math.min(1, section) + Math.min(3, text) / (1 + Math.log(1 + page.length / 100));
    };
    const other = this.also.get(token);
    return Math.max(one(token), other ? .9 * one(other) : 0);
  }
}

if (typeof module !== "undefined") module.exports = { TokenSearch };

// ---- the page

if (typeof document !== "undefined") {
  window.Fuse = TokenSearch;
  const menu = document.querySelector("#quarto-sidebar"), current = menu?.querySelector("a.active");
  if (current) // the menu alone: scrollIntoView would move the page, too
    menu.scrollTop += current.getBoundingClientRect().top - menu.getBoundingClientRect().top - menu.clientHeight / 2;
  document.querySelector(".quarto-color-scheme-toggle")?.setAttribute("aria-label", "Light or dark page");
  document.querySelectorAll("i[role=img]:not([aria-label])").forEach((icon) => icon.setAttribute("aria-hidden", "true"));

  const main = document.querySelector("main"), contents = document.querySelector("#TOC ul");
  if (main) {
    main.id ||= "quarto-document-content";
    const skip = Object.assign(document.createElement("a"), { href: `#${main.id}`, className: "skip-link", textContent: "Skip to the text" });
    document.body.prepend(skip);
  }
  if (main && contents && !document.querySelector(".contents-on-top")) { // narrow pages have no margin for the contents: they stand at the top, folded
    const details = Object.assign(document.createElement("details"), { className: "contents-on-top" });
    const copy = contents.cloneNode(true);
    copy.querySelectorAll("[id]").forEach((link) => link.removeAttribute("id"));
    details.append(Object.assign(document.createElement("summary"), { textContent: "On this page" }), copy);
    (main.querySelector("#title-block-header") || main.firstElementChild).after(details);
  }

  const margin = document.querySelector("#quarto-margin-sidebar"), names = document.querySelector("#TOC");
  if (margin && names) new MutationObserver(() => { // long contents follow the reader
    const at = [...names.querySelectorAll("a.active")].at(-1)?.getBoundingClientRect(), box = margin.getBoundingClientRect();
    if (at && (at.top < box.top || at.bottom > box.bottom)) margin.scrollTop += at.top - box.top - box.height / 2;
  }).observe(names, { attributes: true, attributeFilter: ["class"], subtree: true });

  // what is above the place that an address names may grow when it is laid out: the page stays there until the reader moves
  const stay = (asked) => {
    if (!main || !asked) return;
    const watch = new ResizeObserver(() => asked.scrollIntoView()), leave = () => watch.disconnect();
    watch.observe(main);
    for (const move of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(move, leave, { once: true, passive: true });
    setTimeout(leave, 3000);
  };
  stay(document.querySelector(location.hash.startsWith("#explore&") ? "[data-explore]" : ":target"));
  addEventListener("hashchange", (event) => {
    event.stopImmediatePropagation(); // Quarto's script would scroll back by the height of the bars, which styles.css keeps free
    stay(document.querySelector(":target"));
  }, true);

  // what scrolls in its own box can be reached with the keyboard, and only while it scrolls
  const boxes = document.querySelectorAll("main :is(.printed, .picture-box, .formula, .cell-output-display, pre, table)");
  const reach = (box) => box.toggleAttribute("tabindex", false) || box.scrollWidth > box.clientWidth + 1 && box.setAttribute("tabindex", "0");
  const seen = new ResizeObserver((all) => all.forEach(({ target }) => reach(target)));
  boxes.forEach((box) => seen.observe(box));

  // a link to a word shows what the word means while it is pointed at or has the focus; Esc closes it
  const card = Object.assign(document.createElement("div"), { className: "word-card", id: "word-card", role: "tooltip", hidden: true });
  let words = null, asked = null, closing = 0; // the page of all words, fetched once; the link that is shown
  const close = () => { card.hidden = true; asked?.removeAttribute("aria-describedby"); asked = null; };
  const leave = () => { closing = setTimeout(close, 200); }; // so that the pointer has time to reach the card
  const show = async (link) => {
    clearTimeout(closing);
    if (link === asked) return;
    close();
    asked = link;
    words ??= fetch(link.href).then((answer) => answer.text()).then((text) => new DOMParser().parseFromString(text, "text/html"));
    const meaning = (await words.catch(() => null))?.getElementById(link.hash.slice(1))?.querySelector("p");
    if (!meaning || link !== asked) return;
    card.replaceChildren(document.importNode(meaning, true));
    card.querySelectorAll("a").forEach((inner) => inner.replaceWith(...inner.childNodes));
    const at = link.getClientRects()[0];
    card.hidden = false;
    card.style.left = `${scrollX + Math.max(8, Math.min(at.left, innerWidth - card.offsetWidth - 24))}px`;
    card.style.top = `${scrollY + at.bottom + 4}px`;
    link.setAttribute("aria-describedby", card.id);
  };
  document.body.append(card);
  card.addEventListener("pointerenter", () => clearTimeout(closing));
  card.addEventListener("pointerleave", leave);
  addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  for (const link of document.querySelectorAll("main a[href*='words.html#']")) {
    link.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") show(link); });
    link.addEventListener("focus", () => show(link));
    link.addEventListener("pointerleave", leave);
    link.addEventListener("blur", leave);
  }

  document.querySelector(".navbar-toggler[role=menu]")?.removeAttribute("role"); // it is a button

  // a section of the menu is opened with the keyboard, too: by its name, since the arrow beside it says the same
  for (const opener of document.querySelectorAll("#quarto-sidebar [data-bs-toggle]")) {
    const isArrow = opener.matches(".sidebar-item-toggle");
    opener.setAttribute("role", "button");
    opener.setAttribute("tabindex", isArrow ? "-1" : "0");
    if (isArrow) opener.setAttribute("aria-hidden", "true");
    opener.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      opener.click();
    });
  }

  // landmarks that stand more than once have names
  const named = { ".navbar": "The site", "#quarto-sidebar": "All pages", "#TOC": "On this page", ".quarto-secondary-nav": "Where this page is", ".toc-actions": "This page on GitHub", ".aa-DetachedSearchButton": "Search", ".aa-Autocomplete": "Search" };
  for (const [place, name] of Object.entries(named)) document.querySelector(place)?.setAttribute("aria-label", name);
  document.querySelector(".toc-actions")?.setAttribute("role", "complementary");
}
