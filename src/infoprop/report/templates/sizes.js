// The slider over the sizes of an elimination.
const sizes = showSizes(embedded("path-data"), document.getElementById("sizes"));
function showSizes(data, panel) {
  if (!data || !panel) return null;
  const figure = document.querySelector("#path svg.path");
  const slider = document.getElementById("size");
  const mark = figure.querySelector(".moving");
  mark.style.display = "inline";
  const names = data.names || views.get("").data.names;
  const placeOf = new Map(data.order.map((feature, place) => [names[feature], place]));
  const fill = (id, words) => { document.getElementById(id).textContent = words; };
  const show = () => {
    const stop = Number(slider.value);
    const size = data.sizes[stop];
    const noun = size === 1 ? "feature" : "features";
    const words = `${whole(size)} ${noun}: ${bits(data.bits[stop])} bits, ${percent(data.accuracy[stop])} right`;
    slider.setAttribute("aria-valuetext", words);
    for (const part of [mark.firstChild, mark.lastChild]) for (const end of ["x1", "x2", "cx"]) part.setAttribute(end, `${data.x[stop]}%`);
    mark.lastChild.setAttribute("cy", data.y[stop]);
    fill("size-features", `${whole(size)}${size === data.chosen ? " (chosen)" : ""}`);
    fill("size-bits", `${bits(data.bits[stop])} ± ${bits(data.errors[stop])}`);
    fill("size-accuracy", percent(data.accuracy[stop]));
    fill("size-bounds", `${percent(data.lower[stop])} to ${percent(data.upper[stop])}`);
    const listed = data.order.slice(0, Math.min(size, 500)).map((feature) => names[feature]);
    const rest = size > 500 ? `, and ${whole(size - 500)} more` : "";
    fill("size-names", listed.join(", ") + rest);
    showConfusion(data.tables && data.tables[data.table[stop]]);
  };
  const showConfusion = (counts) => {
    const place = document.getElementById("size-confusion");
    if (!counts) return;
    const n = data.labels.length;
    const isTurned = n > 6 && data.labels.some((label) => label.length > 3);
    const head = make("tr", {}, make("th", { scope: "col" }, "true \\ said"), ...data.labels.map((label) => make("th", { scope: "col", class: isTurned ? "n turned" : "n", title: label }, make("span", { class: "name" }, label))));
    const rows = data.labels.map((label, true_) => {
      const row = counts.slice(true_ * n, true_ * n + n);
      const all = row.reduce((sum, value) => sum + value, 0);
      const cells = row.map((value, said) => {
        const cell = make("td", { class: `n cell ${said === true_ ? "right" : "wrong"}` }, value === 0 && n > 6 ? "·" : whole(value));
        if (value > 0) cell.style.setProperty("--h", `${Math.round((100 * value) / all)}%`);
        return cell;
      });
      return make("tr", {}, make("th", { scope: "row", class: "name", title: label }, label), ...cells);
    });
    place.replaceChildren(make("table", { class: `matrix${n > 6 ? " dense" : ""}`, style: `--classes:${n}` }, make("thead", {}, head), make("tbody", {}, ...rows)));
  };
  const nearest = (event) => {
    const frame = figure.getBoundingClientRect();
    const across = (100 * (event.clientX - frame.left)) / frame.width;
    let best = 0;
    data.x.forEach((x, stop) => { if (Math.abs(x - across) < Math.abs(data.x[best] - across)) best = stop; });
    return best;
  };
  const tip = make("div", { class: "tip", hidden: true });
  figure.parentElement.append(tip);
  figure.addEventListener("pointermove", (event) => {
    const stop = nearest(event);
    tip.textContent = `${whole(data.sizes[stop])}: ${bits(data.bits[stop])} ± ${bits(data.errors[stop])} bits, ${percent(data.accuracy[stop])} right`;
    tip.hidden = false;
    tip.style.left = `${Math.min(data.x[stop], 70)}%`;
  });
  figure.addEventListener("pointerleave", () => { tip.hidden = true; });
  figure.addEventListener("click", (event) => {
    slider.value = nearest(event);
    show();
  });
  slider.max = data.sizes.length - 1;
  slider.value = Math.max(0, data.sizes.indexOf(data.chosen));
  slider.addEventListener("input", show);
  document.getElementById("size-csv").addEventListener("click", () => {
    const size = data.sizes[Number(slider.value)];
    saveTable(`features-${size}`, [["feature"], ...data.order.slice(0, size).map((feature) => [names[feature]])]);
  });
  panel.hidden = false;
  show();
  return {
    fellAt: (name) => {
      const place = placeOf.get(name);
      if (!placeOf.has(name)) return null;
      return place < data.n_kept ? "never dropped" : `dropped when ${whole(place + 1)} were left`;
    },
  };
}
