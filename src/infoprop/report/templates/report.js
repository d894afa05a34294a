"use strict";
(() => {
  // The same words as in the rows that stand in the page (see _words.py).
  const bits = (value) => {
    if (value === 0) return "0";
    if (Math.abs(value) >= 0.1) return value.toFixed(3);
    const exponent = Math.floor(Math.log10(Math.abs(value)));
    if (exponent >= -5) return value.toFixed(1 - exponent);
    return value.toExponential(1).replace(/e-(\d)$/, "e-0$1");
  };
  const percent = (ratio) => {
    if (ratio === 0 || ratio === 1) return `${100 * ratio}%`;
    return `${Math.abs(ratio) >= 1e-3 ? (100 * ratio).toFixed(1) : bits(100 * ratio)}%`;
  };

  const AROUND = 12;
  const ON_PAPER = 100;
  const LEAST_ROOM = 480;
  const source = document.getElementById("feature-data");
  const table = document.getElementById("features");
  if (source && table) showFeatures(JSON.parse(source.textContent), table);
  for (const button of document.querySelectorAll("button.copy")) offerCopy(button);

  function showFeatures(data, table) {
    const body = table.tBodies[0];
    const box = table.parentElement;
    const field = document.getElementById("filter");
    const found = document.getElementById("found");
    const count = data.names.length;
    const largest = Math.max(...data.bits.slice(0, 1), 0);
    const largestByClass = (data.classes || []).flat().reduce((most, value) => Math.max(most, value), 0);
    const lowered = data.names.map((name) => name.toLowerCase());
    const columns = listColumns(data);
    const headings = Array.from(table.tHead.rows[0].cells);
    let order = data.names.map((_, number) => number);
    let shown = order;
    let height = body.rows.length ? body.rows[0].getBoundingClientRect().height : 33;
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
    const rowOf = (number) => {
      const row = document.createElement("tr");
      if (data.chosen && !data.chosen[number]) row.className = "dropped";
      for (const column of columns) {
        const cell = document.createElement(column.isName ? "th" : "td");
        if (column.isName) cell.scope = "row";
        cell.className = column.style;
        cell.textContent = column.text(number);
        if (column.isName) cell.title = data.names[number];
        if (column.isMeter) cell.style.setProperty("--w", `${largest > 0 ? (100 * data.bits[number]) / largest : 0}%`);
        if (column.credits) cell.style.setProperty("--h", `${largestByClass > 0 ? Math.round((100 * column.credits[number]) / largestByClass) : 0}%`);
        row.append(cell);
      }
      return row;
    };
    const draw = (from, to) => {
      if (from === first && to === last) return;
      [first, last] = [from, to];
      const rows = shown.slice(from, to).map(rowOf);
      if (from > 0) rows.unshift(spacer(from * height));
      if (to < shown.length) rows.push(spacer((shown.length - to) * height));
      body.replaceChildren(...rows);
    };
    const drawWindow = () => {
      const top = Math.floor(box.scrollTop / height) - AROUND;
      const from = Math.max(0, top - (top % 2));
      // The box is as low as its rows while there are few of them.
      const room = Math.max(box.clientHeight, LEAST_ROOM);
      draw(from, Math.min(shown.length, from + Math.ceil(room / height) + 2 * AROUND));
    };
    const redraw = () => {
      first = -1;
      box.scrollTop = 0;
      table.setAttribute("aria-rowcount", shown.length + 1);
      found.textContent = shown.length === count ? "" : `${shown.length.toLocaleString("en")} of ${count.toLocaleString("en")}`;
      drawWindow();
    };
    const search = () => {
      const wanted = field.value.trim().toLowerCase();
      shown = wanted ? order.filter((number) => lowered[number].includes(wanted)) : order;
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

    const buttons = headings.map((heading, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sortBy(place));
      heading.append(button);
      return button;
    });
    headings[0].setAttribute("aria-sort", "ascending");
    if (count >= 12) {
      field.hidden = false;
      field.addEventListener("input", search);
    }
    box.addEventListener("scroll", drawWindow, { passive: true });
    addEventListener("resize", () => {
      const row = body.querySelector("tr:not(.space)");
      if (row) height = row.getBoundingClientRect().height || height;
      first = -1;
      drawWindow();
    });
    addEventListener("beforeprint", () => {
      // A heading with a button in it would not be repeated on every sheet.
      for (const heading of headings) heading.replaceChildren(heading.textContent);
      first = -1;
      body.replaceChildren(...shown.slice(0, ON_PAPER).map(rowOf));
    });
    addEventListener("afterprint", () => {
      headings.forEach((heading, place) => heading.replaceChildren(buttons[place]));
      first = -1;
      drawWindow();
    });
    redraw();
  }

  function listColumns(data) {
    const numbers = (keys) => ({ keys: () => keys, firstWay: "descending", style: "n" });
    const columns = [
      { keys: () => data.names.map((_, number) => number), firstWay: "ascending", style: "n", text: (number) => (number + 1).toLocaleString("en") },
      { keys: () => alphabetical(data.names), firstWay: "ascending", style: "name", isName: true, text: (number) => data.names[number] },
      { ...numbers(data.bits), style: "n meter", isMeter: true, text: (number) => bits(data.bits[number]) },
      { ...numbers(data.shares), text: (number) => percent(data.shares[number]) },
    ];
    if (data.chances) columns.push({ ...numbers(data.chances), firstWay: "ascending", text: (number) => data.chances[number].toFixed(3) });
    if (data.chosen) columns.push({ ...numbers(data.chosen), style: "", text: (number) => (data.chosen[number] ? "yes" : "") });
    if (data.strongest) {
      const places = () => {
        const ranks = alphabetical(data.labels);
        return data.strongest.map((label) => ranks[label]);
      };
      columns.push({ keys: places, firstWay: "ascending", style: "name", text: (number) => data.labels[data.strongest[number]] });
    }
    for (const credits of data.classes || []) columns.push({ ...numbers(credits), style: "n by", credits, text: (number) => bits(credits[number]) });
    return columns;
  }

  function alphabetical(names) {
    const { compare } = new Intl.Collator("en", { numeric: true });
    const ranks = new Array(names.length);
    names.map((_, number) => number).sort((a, b) => compare(names[a], names[b])).forEach((number, rank) => { ranks[number] = rank; });
    return ranks;
  }

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
})();
