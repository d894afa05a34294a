const AROUND = 12;
const ON_PAPER = 100;
const LEAST_HEIGHT = 480;
const views = new Map();
for (const table of document.querySelectorAll("table.features")) {
  const key = table.id.slice(0, -"features".length);
  views.set(key, showFeatures(embedded(`${key}feature-data`), table, key));
}
for (const table of document.querySelectorAll("main table:not(.features)")) {
  const box = table.closest(".scroll") || table;
  const name = (box.getAttribute("aria-label") || "table").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  offerTable(box, name, () => Array.from(table.rows, (row) => Array.from(row.cells, (cell) => cell.textContent.trim())));
}
for (const list of document.querySelectorAll("ul.names")) {
  offerTable(list, "chosen-features", () => [["feature"], ...Array.from(list.children, (one) => [one.textContent])]);
}

function showFeatures(data, table, key) {
  const body = table.tBodies[0];
  const box = table.parentElement;
  const field = document.getElementById(`${key}filter`);
  const found = document.getElementById(`${key}found`);
  const controls = document.getElementById(`${key}controls`);
  const count = data.names.length;
  const largest = Math.max(...data.bits.slice(0, 1), 0);
  const largestByClass = (data.classes || []).flat().reduce((most, value) => Math.max(most, value), 0);
  const lowered = data.names.map((name) => name.toLowerCase());
  const columns = listColumns(data);
  const headings = Array.from(table.tHead.rows[0].cells);
  const labels = headings.map((heading) => heading.textContent);
  const pinned = new Set();
  const hidden = new Set();
  let order = data.names.map((_, number) => number);
  let shown = order;
  let height = (body.rows.length && body.rows[0].getBoundingClientRect().height) || 33;
  let first = -1;
  let last = -1;

  const spacer = (pixels) => {
    const row = document.createElement("tr");
    row.className = "space";
    row.setAttribute("aria-hidden", "true");
    row.insertCell().colSpan = columns.length;
    row.cells[0].style.height = `${pixels}px`;
    return row;
  };
  const rowOf = (number, isPaper) => {
    const row = document.createElement("tr");
    if (data.chosen && !data.chosen[number]) row.className = "dropped";
    if (pinned.has(number)) row.classList.add("pinned");
    for (const column of columns) {
      const cell = document.createElement(column.isName ? "th" : "td");
      cell.className = column.style;
      if (column.isName) {
        cell.scope = "row";
        cell.title = data.names[number];
        const open = make("button", { type: "button", class: "link", "data-number": number }, column.text(number));
        cell.append(isPaper ? column.text(number) : open);
      } else {
        cell.textContent = column.text(number);
        if (column.isLong) cell.title = cell.textContent;
      }
      if (column.isMeter) cell.style.setProperty("--w", `${largest > 0 ? (100 * data.bits[number]) / largest : 0}%`);
      if (column.credits) cell.style.setProperty("--h", `${largestByClass > 0 ? Math.round((100 * column.credits[number]) / largestByClass) : 0}%`);
      row.append(cell);
    }
    return row;
  };
  const draw = (from, to) => {
    if (from === first && to === last) return;
    [first, last] = [from, to];
    const rows = shown.slice(from, to).map((number) => rowOf(number));
    if (from > 0) rows.unshift(spacer(from * height));
    if (to < shown.length) rows.push(spacer((shown.length - to) * height));
    body.replaceChildren(...rows);
  };
  const drawWindow = () => {
    const top = Math.floor(box.scrollTop / height) - AROUND;
    const from = Math.max(0, top - (top % 2));
    // The box is as low as its rows while there are few of them.
    const visible = Math.max(box.clientHeight, LEAST_HEIGHT);
    draw(from, Math.min(shown.length, from + Math.ceil(visible / height) + 2 * AROUND));
  };
  const redraw = () => {
    first = -1;
    box.scrollTop = 0;
    table.setAttribute("aria-rowcount", shown.length + 1);
    found.textContent = shown.length === count ? "" : `${whole(shown.length)} of ${whole(count)}`;
    drawWindow();
  };
  const isOnly = controls && data.chosen ? make("input", { type: "checkbox", id: `${key}only` }) : null;
  const search = () => {
    const wanted = field.value.trim().toLowerCase();
    const stays = (number) =>
      !hidden.has(number) && (!wanted || lowered[number].includes(wanted)) && (!isOnly || !isOnly.checked || data.chosen[number]);
    const found = order.filter(stays);
    shown = pinned.size ? [...found.filter((number) => pinned.has(number)), ...found.filter((number) => !pinned.has(number))] : found;
    redraw();
  };
  const sortBy = (place) => {
    const heading = headings[place];
    const before = heading.getAttribute("aria-sort");
    const opposite = { ascending: "descending", descending: "ascending" };
    const way = opposite[before] || columns[place].firstWay;
    for (const other of headings) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", way);
    const keys = (columns[place].known ||= columns[place].keys());
    const sign = way === "ascending" ? 1 : -1;
    // Of equals the better one first, whichever way.
    order = data.names.map((_, number) => number).sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
    search();
  };
  const unhide = make("button", { type: "button", class: "small", hidden: true, onclick: () => { hidden.clear(); changed(); } }, "show hidden");
  const changed = () => {
    unhide.hidden = hidden.size === 0;
    unhide.textContent = `show ${hidden.size} hidden`;
    rearrangeBars();
    search();
  };
  const rearrangeBars = () => {
    const figure = box.parentElement.querySelector("svg.bars");
    if (!figure) return;
    const rows = Array.from(figure.querySelectorAll("g[data-rank]")).sort((a, b) => a.dataset.rank - b.dataset.rank);
    const numberOf = (row) => Number(row.dataset.rank) - 1;
    const staying = rows.filter((row) => !hidden.has(numberOf(row)));
    const step = Number(figure.dataset.row);
    for (const row of rows) row.style.display = hidden.has(numberOf(row)) ? "none" : "";
    [...staying.filter((row) => pinned.has(numberOf(row))), ...staying.filter((row) => !pinned.has(numberOf(row)))]
      .forEach((row, place) => row.setAttribute("transform", `translate(0 ${place * step})`));
    figure.setAttribute("height", Math.max(1, staying.length) * step);
  };

  const buttons = headings.map((heading, place) => {
    const button = make("button", { type: "button", onclick: () => sortBy(place) }, ...heading.childNodes);
    heading.append(button);
    return button;
  });
  headings[0].setAttribute("aria-sort", "ascending");
  if (count >= 12) {
    field.hidden = false;
    field.addEventListener("input", search);
  }
  if (isOnly) {
    isOnly.addEventListener("change", search);
    controls.append(make("label", { for: isOnly.id }, isOnly, " chosen only"));
  }
  controls.append(unhide);
  offerTable(box, key ? "chosen-features" : "features", () => [labels, ...shown.map((number) => columns.map((column) => (column.raw || column.text)(number)))]);
  body.addEventListener("click", (event) => {
    const open = event.target.closest("button.link");
    if (open) openFeature(view, Number(open.dataset.number), open);
  });
  box.addEventListener("scroll", drawWindow, { passive: true });
  const measure = () => {
    const row = body.querySelector("tr:not(.space)");
    if (row) height = row.getBoundingClientRect().height || height;
    first = -1;
    drawWindow();
  };
  addEventListener("resize", measure);
  const details = table.closest("details");
  if (details) details.addEventListener("toggle", measure);
  addEventListener("beforeprint", () => {
    // A heading with a button in it would not be repeated on every sheet.
    for (const heading of headings) heading.replaceChildren(heading.textContent);
    first = -1;
    body.replaceChildren(...shown.slice(0, ON_PAPER).map((number) => rowOf(number, true)));
  });
  addEventListener("afterprint", () => {
    headings.forEach((heading, place) => heading.replaceChildren(buttons[place]));
    first = -1;
    drawWindow();
  });
  const view = { key, data, pinned, hidden, changed, table, classes: data.classes ? labels.slice(-data.classes.length) : [] };
  redraw();
  return view;
}

function listColumns(data) {
  const numbers = (keys) => ({ keys: () => keys, firstWay: "descending", style: "n", raw: (number) => keys[number] });
  const share = (number) => (data.total > 0 ? data.bits[number] / data.total : 0);
  const columns = [
    { keys: () => data.names.map((_, number) => number), firstWay: "ascending", style: "n", raw: (number) => number + 1, text: (number) => whole(number + 1) },
    { keys: () => alphabetical(data.names), firstWay: "ascending", style: "name", isName: true, text: (number) => data.names[number] },
    { ...numbers(data.bits), style: "n meter", isMeter: true, text: (number) => bits(data.bits[number]) },
  ];
  if (data.lows) {
    const text = (number) => (data.lows[number] === null ? "" : `${bits(data.lows[number])} to ${bits(data.highs[number])}`);
    columns.push({ ...numbers(data.lows), raw: text, style: "", text });
  }
  columns.push({ ...numbers(data.bits), raw: share, text: (number) => percent(share(number)) });
  if (data.chances) columns.push({ ...numbers(data.chances), firstWay: "ascending", text: (number) => bits(data.chances[number]) });
  if (data.rates) {
    const text = (number) => (data.rates[number] === null ? "kept" : bits(data.rates[number]));
    columns.push({ ...numbers(data.rates), raw: text, firstWay: "ascending", text });
  }
  if (data.chosen) columns.push({ ...numbers(data.chosen), raw: null, style: "", text: (number) => (data.chosen[number] ? "yes" : "") });
  if (data.strongest) {
    const places = () => {
      const ranks = alphabetical(data.labels);
      return data.strongest.map((label) => ranks[label]);
    };
    columns.push({ keys: places, firstWay: "ascending", style: "name", isLong: true, text: (number) => data.labels[data.strongest[number]] });
  }
  for (const credits of data.classes || []) columns.push({ ...numbers(credits), style: "n by", credits, text: (number) => bits(credits[number]) });
  return columns;
}

// Places in the alphabet, numbers inside names by their size. A key for each name and the plain order of texts: a
// collator would take four times as long and freeze a table of 20,000 rows.
function alphabetical(names) {
  const keys = names.map((name, number) => `${name.normalize("NFKD").toLowerCase().replaceAll(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, "").padStart(16, "0"))}\u0000${number}`);
  const ranks = new Array(names.length);
  keys.slice().sort().forEach((key, rank) => { ranks[Number(key.slice(key.lastIndexOf("\u0000") + 1))] = rank; });
  return ranks;
}

for (const button of document.querySelectorAll("button.copy")) offerCopy(button);
function offerCopy(button) {
  const code = document.getElementById(button.dataset.of);
  button.hidden = false;
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(code);
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "copied";
    } catch {
      button.textContent = "selected";
    }
  });
}
