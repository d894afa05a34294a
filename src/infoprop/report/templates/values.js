// Where the classes lie over the values of a feature: a bar for each bin, and the same numbers as a table.
const binned = embedded("bin-data");
const placeOfBins = new Map((binned ? binned.names : []).map((name, place) => [name, place]));
const BIN_ROW = 22;
const MOST_COLOURS = 8;
function showValues(name, strongest) {
  if (!binned) return [];
  if (!placeOfBins.has(name)) {
    return [make("p", { class: "note" }, "How the classes lie over its values is kept for the chosen features and the best others only, and for no groups of columns.")];
  }
  const place = placeOfBins.get(name);
  const { labels, styles } = binned;
  const bins = binned.bins[place];
  const rows = binned.counts[place].map((counts) => counts.reduce((sum, count) => sum + count, 0));
  const share = (bin, label) => (rows[bin] > 0 ? binned.counts[place][bin][label] / rows[bin] : 0);
  // More classes than colours: the one that the feature is worth the most for, against all others.
  const shown = labels.length <= MOST_COLOURS || strongest === null ? labels.map((_, label) => label) : [strongest];
  const legend = shown.map((label) => make("li", {}, make("i", { class: styles[label] }), make("span", { class: "name" }, labels[label])));
  const head = ["value", "rows", ...labels].map((word, column) => make("th", { scope: "col", class: column ? "n name" : "" }, word));
  const lines = bins.map((words, bin) => make("tr", {}, make("th", { scope: "row", class: "name" }, words), make("td", { class: "n" }, whole(rows[bin])), ...labels.map((_, label) => make("td", { class: "n" }, percent(share(bin, label))))));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...lines));
  return [
    make("p", { class: "note" }, shown.length < labels.length ? "Share of one class among the rows with each value; at the right, the number of rows" : "Shares of the classes among the rows with each value; at the right, the number of rows"),
    make("ul", { class: "legend" }, ...legend),
    drawBins(name, bins, rows, shown, share),
    make("details", {}, make("summary", {}, "numbers"), make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Classes over the values of ${name}` }, table)),
  ];
}
function drawBins(name, bins, rows, shown, share) {
  const [left, right] = [34, 84];
  const parts = bins.flatMap((words, bin) => {
    const y = bin * BIN_ROW;
    const short = words.length > 22 ? `${words.slice(0, 21)}…` : words;
    const told = shown.map((label) => `${binned.labels[label]} ${percent(share(bin, label))}`).join(", ");
    let at = left;
    const bars = shown.map((label) => {
      const width = (right - left) * share(bin, label);
      const bar = draw("rect", { class: binned.styles[label], x: `${at.toFixed(2)}%`, y: y + 3, width: `${width.toFixed(2)}%`, height: BIN_ROW - 6 });
      at += width;
      return bar;
    });
    return [
      draw("text", { class: "name", x: `${left - 2}%`, y: y + BIN_ROW / 2, "text-anchor": "end" }, short),
      draw("g", {}, draw("title", {}, `${words}: ${told}`), draw("rect", { class: "ground", x: `${left}%`, y: y + 3, width: `${right - left}%`, height: BIN_ROW - 6 }), ...bars),
      draw("text", { class: "value", x: "100%", y: y + BIN_ROW / 2, "text-anchor": "end" }, whole(rows[bin])),
    ];
  });
  const what = `Classes over the values of ${name}: ${bins.length} bins with the number of rows at the right; the numbers follow as a table`;
  return draw("svg", { class: "values", role: "img", width: "100%", height: bins.length * BIN_ROW, "font-size": 12 }, draw("title", {}, what), ...parts);
}
