"use strict";
(() => {
  const field = document.getElementById("filter");
  const rows = Array.from(document.querySelectorAll("#features tbody tr"));
  if (!field || rows.length < 12) return;
  field.hidden = false;
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.children[1].textContent.toLowerCase().includes(wanted);
  });
})();
