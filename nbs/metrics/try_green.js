// The ranking of thirteen outputs by GREEN as beta moves, from scores that the lesson has computed; tests/site/test_site.py compares both.
(() => {
  const home = document.getElementById("try-green");
  const {names, people, betas, scores, r} = DATA; // scores: for each beta those of the systems, best possible 100
  const make = (parent, name, style = "", text = "") => {
    const node = document.createElement(name);
    node.style.cssText = style;
    node.textContent = text;
    return parent.appendChild(node);
  };
  home.textContent = "";
  const label = make(home, "label", "display: flex; gap: .6em; align-items: center; max-width: 26em");
  make(label, "b", "", "beta");
  const slider = make(label, "input", "flex: 1; min-width: 0");
  Object.assign(slider, {type: "range", min: 0, max: betas.length - 1, step: 1, value: betas.indexOf(2)});
  const said = make(home, "p", "margin: .4em 0");
  said.setAttribute("aria-live", "polite");
  const columns = "display: grid; grid-template-columns: 3em 1fr 5em 5em; gap: .8em; text-align: right; max-width: 26em";
  const head = make(home, "div", `${columns}; font-weight: bold`);
  for (const title of ["place", "system", "GREEN", "place, 2015"]) make(head, "span", title === "system" ? "text-align: left" : "", title);
  const table = make(home, "div", `position: relative; height: ${1.6 * names.length}em`);
  const rows = names.map((name, i) => {
    const mine = name === "INPUT";
    const row = make(table, "div", `${columns}; position: absolute; width: 100%; transition: top .3s; font-weight: ${mine ? "bold" : "normal"}`);
    const side = `text-align: left; padding-left: .4em; border-left: .3em solid var(--${mine ? "accent, #d55e00" : "source, #7f7f7f"})`;
    const [place, , score] = [make(row, "span"), make(row, "span", side, name), make(row, "span")];
    make(row, "span", "", people[i]);
    return {row, place, score};
  });
  const show = () => {
    const k = Number(slider.value);
    slider.setAttribute("aria-valuetext", `beta ${betas[k].toFixed(2)}`);
    const places = scores[k].map(one => 1 + scores[k].filter(other => other > one).length);
    rows.forEach(({row, place, score}, i) => {
      row.style.top = `${1.6 * (places[i] - 1)}em`;
      place.textContent = places[i];
      score.textContent = scores[k][i].toFixed(2);
    });
    const input = places[names.indexOf("INPUT")];
    said.textContent = `GREEN, beta ${betas[k].toFixed(2)}: INPUT on place ${input} of ${names.length}, r with the judges of 2015: ${r[k].toFixed(2).replace("-", "\u2212")}`;
  };
  slider.oninput = show;
  show();
})();
