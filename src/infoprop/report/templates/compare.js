// A second report.json, dropped on the page or chosen, set beside this one. Nothing leaves the page.
showComparison(document.getElementById("beside"), embedded("own-data"));
function showComparison(section, figures) {
  if (!section || !figures) return;
  const shown = (views.get("chosen-") || views.get("") || { data: { names: [], bits: [] } }).data;
  const own = { ...figures, names: shown.names, bits: shown.bits };
  const words = document.getElementById("beside-words");
  const place = document.getElementById("beside-tables");
  const read = async (file) => {
    try {
      showBeside(place, own, runOf(JSON.parse(await file.text())), ["this page", "the other"]);
      words.textContent = `Compared with ${file.name}.`;
    } catch (error) {
      place.replaceChildren();
      words.textContent = `${file.name} cannot be compared: ${error.message}`;
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
