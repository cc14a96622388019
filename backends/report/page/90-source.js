// The source text with line numbers and the compiler's messages, and the text screen of the command.

const sources = new Map();

function messageNode(message) {
  const where = message.range ? `${message.range.file}:${message.range.start.line}:${message.range.start.column}` : "";
  return el("div", { class: "message small " + message.severity }, el("div", {}, el("b", { class: message.severity === "error" ? "bad" : null }, sentence(message.severity)), ` ${message.code || ""}: ${message.message} `, where ? place(where) : null),
    message.help ? el("div", { class: "soft" }, "Help: " + message.help) : null,
    (message.notes || []).map(n => el("div", { class: "soft" }, n.message, " ", n.range ? place(`${n.range.file}:${n.range.start.line}`) : null)));
}

/// The text with a number before each line; lines with a message are marked.
function sourceText(file) {
  const lines = file.text.replace(/\n$/, "").split("\n"), wide = String(lines.length).length;
  const marked = new Set((page.data.diagnostics || []).filter(d => d.range && d.range.file === file.path).map(d => d.range.start.line));
  const pre = el("pre"), chosen = { line: 0 };
  const write = () => {
    pre.replaceChildren();
    let plainText = "";
    const flush = () => { if (plainText) pre.append(plainText); plainText = ""; };
    lines.forEach((text, i) => {
      const number = String(i + 1).padStart(wide) + "  ";
      if (!marked.has(i + 1) && chosen.line !== i + 1) { plainText += number + text + "\n"; return; }
      flush();
      pre.append(el("span", { class: chosen.line === i + 1 ? "here" : null }, number, marked.has(i + 1) ? el("mark", {}, text) : text), "\n");
    });
    flush();
  };
  write();
  const box = el("div", { class: "source", tabindex: "0", role: "region", "aria-label": shortFile(file.path) }, pre);
  sources.set(file.path, line => {
    chosen.line = line;
    write();
    const height = pre.scrollHeight / lines.length;
    box.scrollTop = Math.max(0, height * (line - 6));
    box.scrollIntoView({ block: "center" });
    box.focus({ preventScroll: true });
  });
  return box;
}

function showSource(path, line) {
  if (sources.has(path)) sources.get(path)(line);
}

section("source", "Source", () => true, root => {
  const data = page.data, messages = data.diagnostics || [];
  if (messages.length) add(root, messages.slice(0, 20).map(messageNode));
  if (messages.length > 20) root.append(unfold(`${messages.length - 20} more messages`, () => messages.slice(20).map(messageNode)));
  for (const file of data.source || [])
    add(root, [el("h3", { class: "anywhere" }, shortFile(file.path)), file.text === null || file.text === undefined ? el("p", { class: "soft" }, "The file is too long for this page.") : sourceText(file)]);
  if (data.screen) root.append(el("div", { class: "controls" }, unfold("The answer as text", () => el("pre", { class: "screen", tabindex: "0" }, data.screen))));
});
