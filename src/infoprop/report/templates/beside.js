// Two runs beside each other, from what their report.json files say.
function runOf(report) {
  const after = report.retrained || report;
  if (!report.features || !Array.isArray(report.features.name) || typeof report.information !== "number") throw new Error("it is not a report of features");
  const table = after.features && after.features.name.length ? after.features : report.features;
  return {
    accuracy: after.accuracy,
    balanced_accuracy: after.balanced_accuracy,
    auc: report.auc,
    information: after.information,
    n_used: report.selected ? report.selected.length : report.n_features,
    n_judged: report.n_judged,
    names: table.name,
    bits: table.credit,
  };
}
function showBeside(place, one, other, [oneName, otherName]) {
  // Almost all is not all, as at the head of a page.
  const area = (value) => (value >= 0.9995 && value < 1 ? "> 0.999" : value.toFixed(3));
  const figures = [
    ["accuracy", "accuracy", percent],
    ["balanced accuracy", "balanced_accuracy", percent],
    ["AUC", "auc", area],
    ["bits", "information", bits],
    ["features", "n_used", whole],
    ["rows judged", "n_judged", whole],
  ].map(([name, field, text]) => [name, ...[one, other].map((run) => (typeof run[field] === "number" ? text(run[field]) : "–"))]);
  const [here, there] = [one, other].map((run) => new Map(run.names.map((name, number) => [name, run.bits[number]])));
  const gap = (name) => Math.abs((here.get(name) || 0) - (there.get(name) || 0));
  const names = [...new Set([...here.keys(), ...there.keys()])].sort((a, b) => gap(b) - gap(a));
  const both = names.filter((name) => here.has(name) && there.has(name)).length;
  const word = (map, name) => (map.has(name) ? bits(map.get(name)) : "–");
  const told = `Features, largest difference first: ${whole(both)} in both, ${whole(here.size - both)} only in ${oneName}, ${whole(there.size - both)} only in ${otherName}`;
  const tables = [
    ["Figures", ["", oneName, otherName], figures],
    [told, ["feature", `bits in ${oneName}`, `bits in ${otherName}`], names.slice(0, 200).map((name) => [name, word(here, name), word(there, name)])],
  ];
  place.replaceChildren();
  for (const [title, head, rows] of tables) {
    const line = (tag, cells) => make("tr", {}, ...cells.map((cell, number) => make(number || tag === "th" ? tag : "th", { class: number ? "n" : "name", scope: tag === "th" ? "col" : number ? false : "row" }, cell)));
    const table = make("table", { class: "beside" }, make("thead", {}, line("th", head)), make("tbody", {}, ...rows.map((row) => line("td", row))));
    const box = make("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": title }, table);
    place.append(make("div", { class: "tools" }, make("h3", {}, title)), box);
    offerTable(box, "compared", () => [head, ...rows]);
  }
}
