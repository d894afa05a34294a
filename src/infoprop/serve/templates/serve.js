"use strict";
(() => {
  const token = document.querySelector("meta[name=token]").content;
  const at = (id) => document.getElementById(id);
  let table = null;

  // Words are never markup.
  const make = (tag, attributes = {}, ...children) => {
    const one = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) one.addEventListener(name.slice(2), value);
      else one.setAttribute(name, value);
    }
    one.append(...children);
    return one;
  };
  const post = async (address, body, isFile) => {
    const headers = { "x-infoprop-token": token };
    const answer = await fetch(address, { method: "POST", headers, body: isFile ? body : JSON.stringify(body) });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.error || "The server refused.");
    return told;
  };

  const take = async (file) => {
    at("told").textContent = `Reading ${file.name} …`;
    try {
      const taken = await post(`/tables?name=${encodeURIComponent(file.name)}`, file, true);
      table = taken.table;
      at("target").value = "";
      await check();
      at("told").textContent = file.name;
      at("ask").hidden = false;
    } catch (error) {
      at("told").textContent = error.message;
    }
  };
  const check = async () => {
    const told = await post("/check", { table, target: at("target").value });
    at("checked").hidden = false;
    at("sizes").textContent = `${told.n_rows.toLocaleString("en")} rows, ${told.n_columns.toLocaleString("en")} columns to learn from; the classes are in “${told.target}”.`;
    at("target").placeholder = told.target || "";
    const findings = told.findings.map((one) => make("li", {}, make("strong", {}, `${one.severity}: `), `${one.columns.slice(0, 5).join(", ")}${one.columns.length ? ": " : ""}${one.seen} ${one.advice}`));
    at("findings").replaceChildren(...(findings.length ? findings : [make("li", {}, "Nothing to complain about.")]));
  };
  at("file").addEventListener("change", () => { if (at("file").files[0]) take(at("file").files[0]); });
  const drop = at("drop");
  addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  addEventListener("dragleave", () => drop.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
  at("target").addEventListener("change", async () => {
    try {
      await check();
      at("refused").textContent = "";
    } catch (error) {
      at("refused").textContent = error.message;
    }
  });
  const fit = () => {
    const method = at("method");
    const goes = method.selectedOptions[0].dataset.with.split(" ");
    for (const option of at("classifier").options) option.disabled = goes[0] !== "" && !goes.includes(option.value);
    if (at("classifier").selectedOptions[0].disabled) at("classifier").value = goes[0];
    at("size").disabled = at("nested").disabled = method.value === "none";
    if (method.value === "backward" && !at("size").value) at("size").value = "auto";
  };
  at("method").addEventListener("change", fit);
  fit();
  at("start").addEventListener("click", async () => {
    at("refused").textContent = "";
    const hasChoice = at("method").value !== "none";
    const asked = { table, target: at("target").value, method: at("method").value, classifier: at("classifier").value };
    if (hasChoice) Object.assign(asked, { size: at("size").value, nested: at("nested").checked });
    try {
      await post("/runs", asked);
    } catch (error) {
      at("refused").textContent = error.message;
    }
  });

  const seconds = (value) => (value < 90 ? `${Math.round(value)} s` : `${Math.round(value / 60)} min`);
  const rowOf = (run) => {
    const act = (what) => make("button", { type: "button", class: "small", onclick: () => post(`/runs/${run.id}/${what}`, {}) }, what);
    const parts = [make("p", {}, make("strong", {}, run.headline || run.status), " ", make("small", {}, `${run.begun}, ${run.status}`)), make("p", { class: "note" }, make("code", {}, `infoprop ${run.words.join(" ")}`))];
    const last = run.progress[run.progress.length - 1];
    if (run.status === "running" && last) {
      const same = run.progress.filter((one) => one.title === last.title && one.total === last.total);
      const begun = same[0];
      const pace = last.done > begun.done ? (last.at - begun.at) / (last.done - begun.done) : 0;
      const left = pace ? `, about ${seconds(pace * (last.total - last.done))} left` : "";
      parts.push(make("p", { class: "note" }, `${last.title}: ${last.done} of ${last.total}${left}`), make("progress", { max: last.total, value: last.done, "aria-label": last.title }));
    }
    if (run.status === "stopped" && run.remark) parts.push(make("p", { class: "wrong" }, run.remark));
    const buttons = make("p", { class: "controls" });
    if (run.status === "running") buttons.append(act("stop"));
    if (run.status === "stopped") buttons.append(act("resume"));
    if (run.status === "done") buttons.append(make("a", { href: `/runs/${run.id}/report.html`, target: "_blank" }, "report"), make("a", { href: `/runs/${run.id}/report.json`, download: `${run.id}.json` }, "numbers (.json, to compare)"));
    parts.push(buttons);
    return make("div", { class: "run-row", "data-run": run.id, "data-status": run.status }, ...parts);
  };
  new EventSource("/events").addEventListener("message", (event) => {
    const runs = JSON.parse(event.data);
    at("none").hidden = runs.length > 0;
    at("list").replaceChildren(...runs.map(rowOf));
  });
})();
