const token = document.querySelector("meta[name=token]").content;
const at = (id) => document.getElementById(id);
let table = null;

const post = async (address, body, isFile) => {
  const headers = { "x-infoprop-token": token };
  const answer = await fetch(address, { method: "POST", headers, body: isFile ? body : JSON.stringify(body) });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error || "The server refused.");
  return told;
};
const trying = async (place, work) => {
  place.textContent = "";
  try {
    await work();
  } catch (error) {
    place.textContent = error.message;
  }
};

// 1. A table, and what is in it.
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
  at("sizes").textContent = `${whole(told.n_rows)} rows, ${whole(told.n_columns)} columns to learn from; the classes are in “${told.target}”.`;
  at("target").placeholder = told.target || "";
  const findings = told.findings.map((one) => make("li", {}, make("strong", {}, `${one.severity}: `), `${one.columns.slice(0, 5).join(", ")}${one.columns.length ? ": " : ""}${one.seen} ${one.advice}`));
  at("findings").replaceChildren(...(findings.length ? findings : [make("li", {}, "Nothing to complain about.")]));
};
at("file").addEventListener("change", () => { if (at("file").files[0]) take(at("file").files[0]); });
addEventListener("dragover", (event) => { event.preventDefault(); at("drop").classList.add("over"); });
addEventListener("dragleave", () => at("drop").classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  at("drop").classList.remove("over");
  if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
});
at("target").addEventListener("change", () => trying(at("refused"), check));

// 2. What to do: each command has fields of its own.
const isShown = (field) => !field.closest("[data-for]").hidden;
const fit = () => {
  for (const part of document.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(at("command").value);
  const method = [at("method"), at("choice")].find(isShown);
  const chosen = method ? method.selectedOptions[0] : at("command").selectedOptions[0];
  const goes = (chosen.dataset.with || "").split(" ");
  for (const option of at("classifier").options) option.disabled = goes[0] !== "" && !goes.includes(option.value);
  if (at("classifier").selectedOptions[0].disabled) at("classifier").value = goes[0];
};
for (const id of ["command", "method", "choice"]) at(id).addEventListener("change", fit);
fit();
at("start").addEventListener("click", () => trying(at("refused"), async () => {
  const command = at("command").value;
  const asked = { table, target: at("target").value, command };
  const fields = { method: "method", choice: "method", shaper: "method", classifier: "classifier", size: "size", counts: "size" };
  for (const [id, name] of Object.entries(fields)) if (isShown(at(id)) && at(id).value) asked[name] = at(id).value;
  if (isShown(at("nested"))) asked.nested = at("nested").checked;
  if (command === "compare") asked.methods = Array.from(document.querySelectorAll("#contestants input:checked"), (one) => one.value);
  await post("/runs", asked);
}));

// 3. Runs, as the server tells of them. A row is drawn anew only if it changed, and keeps the focus.
const picked = [];
const rows = new Map();
const seconds = (value) => (value < 90 ? `${Math.round(value)} s` : value < 5400 ? `${Math.round(value / 60)} min` : `${(value / 3600).toFixed(1)} h`);
const figureOf = (text) => document.importNode(new DOMParser().parseFromString(text.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"'), "image/svg+xml").documentElement, true);
const progressOf = ({ title, done, total, left, best, curve }) => {
  const parts = [];
  if (title) parts.push(make("p", { class: "note" }, total ? `${title}: ${whole(done)} of ${whole(total)}${left === undefined ? "" : `, about ${seconds(left)} left`}` : `${title} …`));
  if (total) parts.push(make("progress", { max: total, value: done, "aria-label": title }));
  if (curve) parts.push(make("p", { class: "note best" }, best), make("figure", { class: "live" }, figureOf(curve)));
  return parts;
};
const rowOf = (run) => {
  const name = (run.status !== "running" && run.headline) || run.words.slice(0, 2).join(" ");
  const act = (what, word) => make("button", { type: "button", class: "small", "data-key": what, onclick: () => trying(at("failed"), () => post(`/runs/${run.id}/${what}`, {})) }, word);
  const parts = [make("p", {}, make("strong", { class: "name" }, name), " ", make("small", {}, `${run.begun}, ${run.status}${run.status === "stopped" && run.has_report ? " with the best so far" : ""}`)), make("p", { class: "note" }, make("code", {}, `infoprop ${run.words.join(" ")}`))];
  if (run.status === "running") parts.push(...progressOf(run.progress));
  if (["stopped", "failed"].includes(run.status) && run.remark && !run.has_report) parts.push(make("p", { class: "wrong" }, run.remark));
  const buttons = make("p", { class: "controls" });
  if (run.status === "running") buttons.append(act("stop", "stop"));
  if (["stopped", "failed"].includes(run.status)) buttons.append(act("resume", "go on"));
  if (run.has_report && run.status !== "running") {
    buttons.append(make("a", { href: `/runs/${run.id}/report.html`, target: "_blank", "data-key": "report" }, "report"), make("a", { href: `/runs/${run.id}/report.json`, download: `${run.id}.json`, "data-key": "numbers" }, "numbers (.json)"));
    if (run.words[0] !== "compare") {
      const box = make("input", { type: "checkbox", "data-key": "pick", onchange: () => pick(run, box.checked) });
      box.checked = picked.some((one) => one.id === run.id);
      buttons.append(make("label", {}, box, " set beside another"));
    }
  }
  return make("div", { class: "run-row", "data-run": run.id, "data-status": run.status }, ...parts, buttons);
};
const show = (runs) => {
  const focus = document.activeElement && document.activeElement.dataset.key;
  const owner = focus && document.activeElement.closest("[data-run]").dataset.run;
  const known = new Set(runs.map((run) => run.id));
  for (const id of rows.keys()) if (!known.has(id)) rows.delete(id);
  for (const run of runs) {
    const text = JSON.stringify(run);
    if (!rows.has(run.id) || rows.get(run.id).text !== text) {
      const row = rowOf(run);
      if (rows.has(run.id)) rows.get(run.id).row.replaceWith(row);
      rows.set(run.id, { text, row });
      const again = owner === run.id && row.querySelector(`[data-key="${focus}"]`);
      if (again) again.focus();
    }
  }
  const wanted = runs.map((run) => rows.get(run.id).row);
  if (wanted.some((row, place) => at("list").children[place] !== row) || at("list").children.length !== wanted.length) at("list").replaceChildren(...wanted);
  at("none").hidden = runs.length > 0;
};
new EventSource("/events").addEventListener("message", (event) => show(JSON.parse(event.data)));

// 4. Two runs beside each other, as a report does it.
const nameOf = (run) => `${run.words[0]} of ${run.begun}`;
const pick = (run, isIn) => {
  const place = picked.findIndex((one) => one.id === run.id);
  if (place >= 0) picked.splice(place, 1);
  if (isIn) picked.push(run);
  while (picked.length > 2) {
    const { row } = rows.get(picked.shift().id);
    row.querySelector("[data-key=pick]").checked = false;
  }
  at("beside").hidden = picked.length < 2;
  if (picked.length === 2) {
    trying(at("beside-words"), async () => {
      at("beside-tables").replaceChildren();
      const reports = await Promise.all(picked.map(async (one) => runOf(await (await fetch(`/runs/${one.id}/report.json`)).json())));
      showBeside(at("beside-tables"), ...reports, picked.map(nameOf));
    });
  }
};
