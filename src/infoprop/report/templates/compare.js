// A second report.json, dropped on the page or chosen, set beside this one. Nothing leaves the page.
showComparison(document.getElementById("beside"), embedded("own-data"));
function showComparison(section, own) {
  if (!section || !own) return;
  const words = document.getElementById("beside-words");
  const place = document.getElementById("beside-tables");
  const read = async (file) => {
    try {
      const other = JSON.parse(await file.text());
      if (!Array.isArray(other.features) || typeof other.information !== "number") throw new Error("it is not a report");
      compare(other);
      words.textContent = `Compared with ${file.name}.`;
    } catch (error) {
      place.replaceChildren();
      words.textContent = `${file.name} cannot be compared: ${error.message}`;
    }
  };
  const compare = (other) => {
    const after = other.retrained || other;
    const figures = [
      ["accuracy", own.accuracy, after.accuracy, percent],
      ["balanced accuracy", own.balanced_accuracy, after.balanced_accuracy, percent],
      ["bits", own.information, after.information, bits],
      ["features", own.n_used, other.selected ? other.selected.length : other.n_features, whole],
      ["rows judged", own.n_judged, other.n_judged, whole],
    ];
    const worth = new Map((after.features && after.features.length ? after.features : other.features).map((feature) => [feature.name, feature.credit]));
    const mine = new Map(own.features.map(([name, credit]) => [name, credit]));
    const names = [...new Set([...mine.keys(), ...worth.keys()])];
    const gap = (name) => Math.abs((mine.get(name) || 0) - (worth.get(name) || 0));
    names.sort((a, b) => gap(b) - gap(a));
    const word = (map, name) => (map.has(name) ? bits(map.get(name)) : "–");
    const both = names.filter((name) => mine.has(name) && worth.has(name)).length;
    const tables = [
      ["Figures", ["", "this page", "the other"], figures.map(([name, a, b, text]) => [name, text(a), typeof b === "number" ? text(b) : "–"])],
      [`Features, largest difference first: ${whole(both)} in both, ${whole(mine.size - both)} only here, ${whole(worth.size - both)} only there`, ["feature", "bits here", "bits there"], names.slice(0, 200).map((name) => [name, word(mine, name), word(worth, name)])],
    ];
    place.replaceChildren();
    for (const [title, head, rows] of tables) {
      const line = (tag, cells) => make("tr", {}, ...cells.map((cell, number) => make(number || tag === "th" ? tag : "th", { class: number ? "n" : "name", scope: tag === "th" ? "col" : number ? false : "row" }, cell)));
      const table = make("table", {}, make("thead", {}, line("th", head)), make("tbody", {}, ...rows.map((row) => line("td", row))));
      const box = make("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": title }, table);
      place.append(make("div", { class: "tools" }, make("h3", {}, title)), box);
      offerTable(box, "compared", () => [head, ...rows]);
    }
  };
  section.hidden = false;
  const field = document.getElementById("other");
  field.addEventListener("change", () => { if (field.files[0]) read(field.files[0]); });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (file) {
      read(file);
      section.scrollIntoView();
    }
  });
}
