'use strict';
// A user of VS Code without a screen: node client_test.js EXTENSION EXAMPLE. EXTENSION is the folder of the installed
// extension, EXAMPLE a plan. Each check prints a line; the first that fails ends the test.
const assert = require('assert/strict');
const fs = require('fs');
const {api, editor} = require('./stub.js');

const [, , folder, example] = process.argv;
const {Range, Position} = api;
const text = fs.readFileSync(example, 'utf8');
const late = setTimeout(() => {
  console.error('no answer for 60 s');
  process.exit(1);
}, 60000);

const ask = (name, method, ...values) => {
  assert(editor.providers[name], `the extension has no provider ${name}`);
  return editor.providers[name].provider[method](...values, editor.token);
};
const whole = document => new Range(new Position(0, 0), document.positionAt(document.text.length));
const errors = list => list.filter(d => d.severity === 0);
const done = name => console.log(`ok ${name}`);

async function messageAndFix(document) {
  editor.replace(document, 'context = 8192tok', 'context = 8192 tok');
  const [message] = errors(await editor.messages(document, list => errors(list).length > 0));
  assert.equal(message.code.value || message.code, 'DPL0022');
  assert.equal(message.source, 'dplc');
  assert.match(message.message, /a space between a number and its unit/);
  assert.equal(message.range.start.line, document.find('8192 tok').line);
  done('a message appears at its place');

  const actions = await ask('CodeActions', 'provideCodeActions', document, message.range, {diagnostics: [message], triggerKind: 1});
  assert.equal(actions.length, 1, JSON.stringify(actions));
  assert.equal(actions[0].kind.value, 'quickfix');
  assert(actions[0].diagnostics.length === 1 && actions[0].title.length > 0);
  await api.workspace.applyEdit(actions[0].edit);
  assert.equal(document.text, text);
  await editor.messages(document, list => errors(list).length === 0);
  done('a code action repairs it, and the message goes');
}

async function hover(document) {
  const {contents, range} = await ask('Hover', 'provideHover', document, document.find('heads = 64'));
  assert.match(contents.value, /Number of query heads/);
  assert.equal(range.end.character - range.start.character, 'heads'.length);
  assert.equal(await ask('Hover', 'provideHover', document, document.find('// 512 sequences')), undefined);
  done('hover says what a field is');
}

async function definition(document) {
  const [place] = await ask('Definition', 'provideDefinition', document, document.find('dgx_h100 {'));
  assert.match(place.uri.fsPath, /clusters\.dpl$/);
  const line = fs.readFileSync(place.uri.fsPath, 'utf8').split('\n')[place.range.start.line];
  assert.match(line, /\bdgx_h100\b/);
  assert.equal(fs.statSync(place.uri.fsPath).mode & 0o222, 0, 'the library can be written');
  done('definition leads into the library, which is read-only');
}

async function rename(document) {
  const found = await ask('Reference', 'provideReferences', document, document.find('pod from'), {includeDeclaration: true});
  assert.equal(found.length, 3);
  const prepared = await ask('Rename', 'prepareRename', document, document.find('pod from'));
  assert.equal(prepared.placeholder || 'pod', 'pod');
  await assert.rejects(async () => {
    const answer = await ask('Rename', 'prepareRename', document, document.find('// 512 sequences'));
    assert.equal(answer, undefined);
  });
  const edit = await ask('Rename', 'provideRenameEdits', document, document.find('pod from'), 'machines');
  await api.workspace.applyEdit(edit);
  assert.equal(document.text, text.replace(/\bpod\b/g, 'machines'));
  assert.equal(document.text.match(/\bmachines\b/g).length, 3);
  const list = await editor.messages(document, () => true);
  assert.deepEqual(errors(list), []);
  const back = await ask('Rename', 'provideRenameEdits', document, document.find('machines from'), 'pod');
  await api.workspace.applyEdit(back);
  assert.equal(document.text, text);
  done('rename changes every use');
}

async function format(document) {
  editor.replace(document, '  heads = 64, kv_heads = 8', 'heads=64,kv_heads =8');
  const edits = await ask('DocumentFormattingEdit', 'provideDocumentFormattingEdits', document, {tabSize: 2, insertSpaces: true});
  assert(edits.length > 0);
  editor.change(document, edits);
  assert.equal(document.text, text);
  done('the document is formatted');
}

async function completion(document) {
  editor.replace(document, 'schedule = interleaved_1f1b { chunks = 2 }', 'schedule = ');
  assert(editor.providers.CompletionItem, 'the extension has no provider CompletionItem');
  const {items} = await editor.providers.CompletionItem.provider.provideCompletionItems(
    document, document.find('schedule = ', true), editor.token, {triggerKind: 0});
  const item = items.find(i => (i.label.label || i.label) === 'interleaved_1f1b');
  assert(item, items.map(i => i.label.label || i.label).join(' '));
  assert(items.find(i => (i.label.label || i.label) === '1f1b'));
  editor.replace(document, 'schedule = ', 'schedule = interleaved_1f1b { chunks = 2 }');
  assert.equal(document.text, text);
  done('completion lists the schedules');
}

async function hints(document) {
  await editor.messages(document, list => errors(list).length === 0);
  const found = await ask('InlayHints', 'provideInlayHints', document, whole(document));
  const label = hint => (typeof hint.label === 'string' ? hint.label : hint.label.map(p => p.value).join(''));
  const figures = found.find(hint => /MFU/.test(label(hint)));
  assert(figures, found.map(label).join(', '));
  assert.equal(figures.position.line, document.find('layout dense3d').line);
  done('inlay hints show figures');
}

async function tokens(document) {
  const {data} = await ask('DocumentSemanticTokens', 'provideDocumentSemanticTokens', document);
  const legend = editor.providers.DocumentSemanticTokens.more[0];
  assert(data.length > 0 && data.length % 5 === 0);
  const words = [];
  for (let i = 0, line = 0, start = 0; i < data.length; i += 5) {
    const [down, right, length, type] = data.slice(i, i + 4);
    line += down;
    start = down ? right : start + right;
    words.push([document.text.split('\n')[line].slice(start, start + length), legend.tokenTypes[type]]);
  }
  assert(words.every(([word, type]) => word.length > 0 && type));
  assert(words.some(([word]) => word === 'heads'));
  done('semantic tokens cover words');
}

async function outline(document) {
  const symbols = await ask('DocumentSymbol', 'provideDocumentSymbols', document);
  const declared = ['llama70b', 'pod', 'dense3d'];
  assert.deepEqual(symbols.map(s => s.name).filter(name => declared.includes(name)), declared);
  done('the outline has the declarations');
}

async function folds(document) {
  const found = await ask('FoldingRange', 'provideFoldingRanges', document);
  assert(found.some(f => f.start === document.find('layout dense3d').line));
  done('the folds have the declarations');
}

// Each with the member of the server's capabilities that says it can.
const checks = [
  ['codeActionProvider', messageAndFix], ['hoverProvider', hover], ['definitionProvider', definition],
  ['completionProvider', completion], ['documentFormattingProvider', format], ['renameProvider', rename],
  ['inlayHintProvider', hints], ['semanticTokensProvider', tokens], ['documentSymbolProvider', outline],
  ['foldingRangeProvider', folds],
];
const offered = process.env.DPL_OFFERED.split(' ');

async function main() {
  const extension = editor.load(folder);
  const context = {subscriptions: []};
  await extension.activate(context);
  assert.deepEqual(editor.shown, []);
  assert(editor.commands.has(editor.extension.contributes.commands[0].command));
  const document = editor.open(example, text);
  assert.equal(document.languageId, 'dpl');
  assert.deepEqual(errors(await editor.messages(document, () => true)), []);
  done('a good file has no errors');
  for (const [capability, check] of checks) if (offered.includes(capability)) await check(document);

  editor.close(document);
  await extension.deactivate();
  assert.deepEqual(Object.keys(editor.providers), []);
  done('the server ends with the editor');

  editor.settings['dpl.path'] = '/nowhere/dplc';
  await extension.activate({subscriptions: []});
  assert.match(editor.shown[0].message, /`\/nowhere\/dplc` was not found/);
  done('a missing program is reported');

  editor.shown.length = 0;
  editor.settings['dpl.path'] = '/bin/false';
  await extension.activate({subscriptions: []});
  while (editor.shown.length === 0) await new Promise(resolve => setTimeout(resolve, 10));
  assert.deepEqual(editor.shown.map(each => each.message), ['`/bin/false lsp` ended several times: exit code 1.']);
  done('a program that always ends is reported once');
  clearTimeout(late);
}

main().catch(error => {
  console.error(error.stack);
  process.exit(1);
});
