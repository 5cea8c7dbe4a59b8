// What the pages do beside showing text: search by words, lessons before the API; the current page in sight; contents on a phone.
"use strict";

// ---- search: the pages that hold the words of a question, rare words first. It takes the place of smalldocs' fuzzy one.

const ASIDE = new Set("a an and are between can do does for from how i in is it my of or should the to what which with you".split(" "));
const ENDS = /(ances?|ants?|ing|ed|es|s)$/;
const ALSO = { significant: "significance", confidence: "interval", cite: "citation", compare: "comparison" };
const splitWords = (text) => (text || "").toLowerCase().match(/[\p{L}\p{N}²]+/gu) || [];
const stemOf = (word) => word.length > 4 ? word.replace(ENDS, "") : word;

class TokenSearch { // with the calls of Fuse that smalldocs makes
  constructor(index) {
    this.pages = index.map((item) => ({ item, isApi: item.href.startsWith("api/"), isFunction: /^[a-z0-9]+_\w+/.test(item.section || ""),
      title: splitWords(item.title), section: splitWords(item.section), text: splitWords(item.text) }));
  }

  static pairs(words) { return words.slice(1).map((word, i) => `${words[i]} ${word}`); }

  static found(words, token) { // how often, a mere beginning counting less
    let count = 0;
    for (const word of words) count += word === token ? 1 : word.startsWith(token) ? .6 : 0;
    return count;
  }

  tokens(question) {
    const all = splitWords(question), kept = all.filter((word) => !ASIDE.has(word));
    return (kept.length ? kept : all).map(stemOf);
  }

  search(question, { limit = 20 } = {}) {
    const tokens = this.tokens(question), asked = TokenSearch.pairs(splitWords(question));
    const tables = this.pages.map((page) => tokens.map((token) => this.weigh(page, token)));
    const rarity = tokens.map((_, i) => Math.log(1 + this.pages.length / Math.max(1, tables.filter((row) => row[i]).length)));
    const score = (row, page) => {
      const met = row.filter(Boolean).length / tokens.length;
      const sum = row.reduce((total, weight, i) => total + weight * rarity[i], 0);
      const said = [page.title, page.section].flatMap(TokenSearch.pairs); // two words of the question side by side in a heading
      const bonus = 1 + .6 * Math.min(2, asked.filter((pair) => said.includes(pair)).length);
      return sum * bonus * met ** 3 * (page.isApi ? .5 : page.isFunction ? .75 : 1) * (page.item.section ? 1 : 1.15);
    };
    return this.pages.map((page, i) => ({ item: page.item, score: score(tables[i], page) }))
      .filter((hit) => hit.score > 0).sort((a, b) => b.score - a.score).slice(0, limit);
  }

  weigh(page, token) {
    const one = (word) => 8 * Math.min(1, TokenSearch.found(page.title, word)) + 6 * Math.min(1, TokenSearch.found(page.section, word))
      + Math.min(3, TokenSearch.found(page.text, word)) / (1 + Math.log(1 + page.text.length / 100));
    const other = Object.entries(ALSO).find(([word]) => stemOf(word) === token);
    return Math.max(one(token), other ? .9 * one(stemOf(other[1])) : 0);
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

  // what scrolls in its own box can be reached with the keyboard, and only while it scrolls
  const boxes = document.querySelectorAll("main :is(.printed, .sd-table, .picture-box, .formula, .cell-output-display, pre, table)");
  const reach = (box) => box.toggleAttribute("tabindex", false) || box.scrollWidth > box.clientWidth + 1 && box.setAttribute("tabindex", "0");
  const seen = new ResizeObserver((all) => all.forEach(({ target }) => reach(target)));
  boxes.forEach((box) => seen.observe(box));

  const opens = document.querySelector(".navbar-toggler.quarto-btn-toggle");
  opens?.addEventListener("click", () => opens.setAttribute("aria-expanded", String(menu.classList.contains("show"))));

  // landmarks that stand more than once have names; buttons that open a section are no landmarks
  document.querySelectorAll("#quarto-sidebar a[role=navigation]").forEach((button) => button.setAttribute("role", "button"));
  const named = { ".navbar": "The site", "#quarto-sidebar": "All pages", "#TOC": "On this page", ".quarto-secondary-nav": "Where this page is", ".toc-actions": "This page on GitHub" };
  for (const [place, name] of Object.entries(named)) document.querySelector(place)?.setAttribute("aria-label", name);
  document.querySelector(".toc-actions")?.setAttribute("role", "complementary");
}
