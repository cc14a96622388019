'use strict';
// The objects of the Language Server Protocol as those of VS Code, and back.
const vscode = require('vscode');

const position = at => new vscode.Position(at.line, at.character);
const range = r => new vscode.Range(position(r.start), position(r.end));
const uri = text => vscode.Uri.parse(text);
const location = l =>
  l.targetUri
    ? new vscode.Location(uri(l.targetUri), range(l.targetSelectionRange))
    : new vscode.Location(uri(l.uri), range(l.range));
const locations = answer => (answer ? [].concat(answer).map(location) : undefined);
const textEdit = edit => new vscode.TextEdit(range(edit.range), edit.newText);
const textEdits = edits => (edits || []).map(textEdit);

/** Markdown of a hover or a documentation, which may be a plain text. */
function markdown(contents) {
  if (!contents) return undefined;
  if (typeof contents === 'string' || contents.kind === 'markdown')
    return new vscode.MarkdownString(contents.value === undefined ? contents : contents.value);
  return new vscode.MarkdownString().appendText(contents.value);
}

/** The messages of VS Code and the ones of the server that they show, which code actions are asked about. */
const originals = new WeakMap();

function diagnostic(d) {
  const out = new vscode.Diagnostic(range(d.range), d.message, d.severity === undefined ? 0 : d.severity - 1);
  out.source = d.source;
  out.code = d.codeDescription ? {value: d.code, target: uri(d.codeDescription.href)} : d.code;
  out.tags = d.tags;
  out.relatedInformation = (d.relatedInformation || []).map(
    info => new vscode.DiagnosticRelatedInformation(location(info.location), info.message),
  );
  originals.set(out, d);
  return out;
}

function workspaceEdit(edit) {
  const out = new vscode.WorkspaceEdit();
  for (const [file, edits] of Object.entries(edit.changes || {})) out.set(uri(file), textEdits(edits));
  for (const {textDocument, edits} of edit.documentChanges || []) out.set(uri(textDocument.uri), textEdits(edits));
  return out;
}

function codeAction(action) {
  const kind = action.kind && vscode.CodeActionKind.Empty.append(action.kind);
  const out = new vscode.CodeAction(action.title, kind);
  out.edit = action.edit && workspaceEdit(action.edit);
  out.diagnostics = action.diagnostics && action.diagnostics.map(diagnostic);
  out.isPreferred = action.isPreferred;
  return out;
}

function completionItem(item) {
  const out = new vscode.CompletionItem(
    item.labelDetails ? {label: item.label, ...item.labelDetails} : item.label,
    item.kind && item.kind - 1,
  );
  const edit = item.textEdit;
  const text = edit ? edit.newText : item.insertText === undefined ? item.label : item.insertText;
  out.insertText = item.insertTextFormat === 2 ? new vscode.SnippetString(text) : text;
  if (edit)
    out.range = edit.insert ? {inserting: range(edit.insert), replacing: range(edit.replace)} : range(edit.range);
  out.additionalTextEdits = item.additionalTextEdits && textEdits(item.additionalTextEdits);
  out.documentation = markdown(item.documentation);
  for (const name of ['detail', 'sortText', 'filterText', 'preselect', 'commitCharacters', 'tags'])
    if (item[name] !== undefined) out[name] = item[name];
  return out;
}

function completions(answer) {
  if (!answer) return undefined;
  const items = Array.isArray(answer) ? answer : answer.items;
  return new vscode.CompletionList(items.map(completionItem), !!answer.isIncomplete);
}

function symbol(s) {
  if (s.location) return new vscode.SymbolInformation(s.name, s.kind - 1, s.containerName || '', location(s.location));
  const out = new vscode.DocumentSymbol(s.name, s.detail || '', s.kind - 1, range(s.range), range(s.selectionRange));
  out.children = (s.children || []).map(symbol);
  return out;
}

function inlayHint(hint) {
  const label =
    typeof hint.label === 'string'
      ? hint.label
      : hint.label.map(part => {
          const out = new vscode.InlayHintLabelPart(part.value);
          out.tooltip = markdown(part.tooltip);
          out.location = part.location && location(part.location);
          return out;
        });
  const out = new vscode.InlayHint(position(hint.position), label, hint.kind);
  out.tooltip = markdown(hint.tooltip);
  out.paddingLeft = hint.paddingLeft;
  out.paddingRight = hint.paddingRight;
  return out;
}

const folding = f =>
  new vscode.FoldingRange(f.startLine, f.endLine, {comment: 1, imports: 2, region: 3}[f.kind]);

module.exports = {
  position, range, uri, locations, textEdits, markdown, diagnostic, originals, workspaceEdit, codeAction, completions,
  completionItem, symbol, inlayHint, folding,
};
