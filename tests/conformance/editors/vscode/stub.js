'use strict';
// The part of VS Code's API that the extension may use, without a screen: its classes, documents in memory, and the
// providers that were registered. A member that is not here throws, so that no misspelled one passes.
const fs = require('fs');
const path = require('path');
const {fileURLToPath, pathToFileURL} = require('url');

const strict = (name, members) =>
  new Proxy(members, {
    get(target, key) {
      if (typeof key === 'string' && !(key in target) && key !== 'then') throw new Error(`${name}.${key} is not in the stub`);
      return target[key];
    },
  });

class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = listener => {
      this.listeners.add(listener);
      return {dispose: () => this.listeners.delete(listener)};
    };
  }
  fire(value) {
    for (const listener of [...this.listeners]) listener(value);
  }
  dispose() {
    this.listeners.clear();
  }
}

class Position {
  constructor(line, character) {
    if (!(line >= 0 && character >= 0)) throw new Error(`illegal position ${line}:${character}`);
    Object.assign(this, {line, character});
  }
}

class Range {
  constructor(start, end) {
    if (!(start instanceof Position && end instanceof Position)) throw new Error('a range has two positions');
    Object.assign(this, {start, end});
  }
}

class Uri {
  static parse(text) {
    return new Uri(text);
  }
  static file(name) {
    return new Uri(pathToFileURL(name).href);
  }
  constructor(text) {
    this.text = text;
    this.scheme = text.slice(0, text.indexOf(':'));
  }
  get fsPath() {
    return fileURLToPath(this.text);
  }
  toString() {
    return this.text;
  }
}

/** A class whose constructor takes members of these names. */
const record = (...names) =>
  class {
    constructor(...values) {
      names.forEach((name, index) => (this[name] = values[index]));
    }
  };

class MarkdownString {
  constructor(value = '') {
    if (typeof value !== 'string') throw new Error('Markdown is a text');
    this.value = value;
  }
  appendText(text) {
    this.value += text;
    return this;
  }
}

class CodeActionKind {
  constructor(value) {
    this.value = value;
  }
  append(part) {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
}
CodeActionKind.Empty = new CodeActionKind('');

class WorkspaceEdit {
  constructor() {
    this.parts = new Map();
  }
  set(uri, edits) {
    if (!(uri instanceof Uri)) throw new Error('an edit belongs to an address');
    this.parts.set(uri.toString(), edits);
  }
  entries() {
    return [...this.parts];
  }
}

class TextDocument {
  constructor(uri, languageId, text) {
    Object.assign(this, {uri, languageId, text, version: 1, isDirty: false});
  }
  getText() {
    return this.text;
  }
  offsetAt({line, character}) {
    let offset = 0;
    for (; line > 0; --line) offset = this.text.indexOf('\n', offset) + 1;
    return offset + character;
  }
  positionAt(offset) {
    const before = this.text.slice(0, offset).split('\n');
    return new Position(before.length - 1, before[before.length - 1].length);
  }
  /** The position before, or after, the only place of a text. */
  find(text, after = false) {
    const at = this.text.indexOf(text);
    if (at < 0 || this.text.indexOf(text, at + 1) >= 0) throw new Error(`\`${text}\` is not there once`);
    return this.positionAt(at + (after ? text.length : 0));
  }
}

const documents = [];
const events = {
  open: new EventEmitter(), close: new EventEmitter(), save: new EventEmitter(), change: new EventEmitter(),
  configuration: new EventEmitter(), created: new EventEmitter(), changed: new EventEmitter(), deleted: new EventEmitter(),
  diagnostics: new EventEmitter(),
};
const settings = {};
const shown = []; // the messages to the user
const commands = new Map();
const providers = {};
const diagnostics = new Map(); // by address

const register = name => (selector, provider, ...more) => {
  providers[name] = {provider, more};
  return {dispose: () => delete providers[name]};
};

const languages = strict('languages', {
  match: (selector, document) =>
    selector.some(s => s.language === document.languageId && s.scheme === document.uri.scheme) ? 10 : 0,
  createDiagnosticCollection: () => ({
    set(uri, list) {
      diagnostics.set(uri.toString(), list);
      events.diagnostics.fire(uri);
    },
    clear: () => diagnostics.clear(),
    dispose: () => diagnostics.clear(),
  }),
  ...Object.fromEntries(
    ['Hover', 'Definition', 'Reference', 'Rename', 'CompletionItem', 'CodeActions', 'DocumentFormattingEdit',
     'DocumentHighlight', 'DocumentSymbol', 'FoldingRange', 'InlayHints', 'DocumentSemanticTokens']
      .map(name => [`register${name}Provider`, register(name)]),
  ),
});

async function applyEdit(edit) {
  for (const [uri, edits] of edit.entries()) {
    const document = documents.find(d => d.uri.toString() === uri);
    if (!document) throw new Error(`${uri} is not open`);
    editor.change(document, edits);
  }
  return true;
}

const workspace = strict('workspace', {
  textDocuments: documents,
  workspaceFolders: undefined,
  applyEdit,
  getConfiguration: section => ({
    get(key) {
      const {properties} = editor.extension.contributes.configuration;
      const name = `${section}.${key}`;
      if (!(name in properties)) throw new Error(`package.json has no setting ${name}`);
      return name in settings ? settings[name] : properties[name].default;
    },
  }),
  createFileSystemWatcher: () => ({
    onDidCreate: events.created.event,
    onDidChange: events.changed.event,
    onDidDelete: events.deleted.event,
    dispose() {},
  }),
  onDidOpenTextDocument: events.open.event,
  onDidCloseTextDocument: events.close.event,
  onDidSaveTextDocument: events.save.event,
  onDidChangeTextDocument: events.change.event,
  onDidChangeConfiguration: events.configuration.event,
});

const show = kind => message => shown.push({kind, message});

const api = strict('vscode', {
  version: '1.75.0',
  EventEmitter, Position, Range, Uri, MarkdownString, CodeActionKind, WorkspaceEdit,
  Location: record('uri', 'range'),
  TextEdit: record('range', 'newText'),
  Hover: record('contents', 'range'),
  Diagnostic: record('range', 'message', 'severity'),
  DiagnosticRelatedInformation: record('location', 'message'),
  CodeAction: record('title', 'kind'),
  CompletionItem: record('label', 'kind'),
  CompletionList: record('items', 'isIncomplete'),
  SnippetString: record('value'),
  DocumentHighlight: record('range', 'kind'),
  DocumentSymbol: record('name', 'detail', 'kind', 'range', 'selectionRange'),
  SymbolInformation: record('name', 'kind', 'containerName', 'location'),
  FoldingRange: record('start', 'end', 'kind'),
  InlayHint: record('position', 'label', 'kind'),
  InlayHintLabelPart: record('value'),
  SemanticTokens: record('data', 'resultId'),
  SemanticTokensLegend: record('tokenTypes', 'tokenModifiers'),
  languages,
  workspace,
  window: strict('window', {
    showErrorMessage: show('error'),
    showWarningMessage: show('warning'),
    showInformationMessage: show('information'),
  }),
  commands: strict('commands', {
    registerCommand(name, action) {
      commands.set(name, action);
      return {dispose: () => commands.delete(name)};
    },
  }),
});

/** What a user does, for tests. */
const editor = {
  shown, settings, diagnostics, providers, commands, events, documents,
  token: {isCancellationRequested: false, onCancellationRequested: () => ({dispose() {}})},

  /** The installed extension, by the folder that VS Code has unpacked it to. */
  load(folder) {
    this.extension = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const Module = require('module');
    const load = Module._load;
    Module._load = (request, ...more) => (request === 'vscode' ? api : load(request, ...more));
    return require(path.join(folder, this.extension.main));
  },

  open(name, text) {
    const language = this.extension.contributes.languages.find(l => l.extensions.some(e => name.endsWith(e)));
    const document = new TextDocument(Uri.file(name), language ? language.id : 'plaintext', text);
    documents.push(document);
    events.open.fire(document);
    return document;
  },

  close(document) {
    documents.splice(documents.indexOf(document), 1);
    events.close.fire(document);
  },

  /** Edits of one text, the last place first, as VS Code reports them. */
  change(document, edits) {
    const changes = edits
      .map(({range, newText}) => ({range, text: newText, at: document.offsetAt(range.start), end: document.offsetAt(range.end)}))
      .sort((a, b) => b.at - a.at);
    for (const {at, end, text} of changes) document.text = document.text.slice(0, at) + text + document.text.slice(end);
    ++document.version;
    events.change.fire({document, contentChanges: changes.map(({range, text}) => ({range, text}))});
  },

  /** Replaces the only place of a text. */
  replace(document, from, to) {
    this.change(document, [{range: new Range(document.find(from), document.find(from, true)), newText: to}]);
  },

  /** The messages of a document as soon as `wanted` says so. */
  async messages(document, wanted) {
    for (;;) {
      const list = diagnostics.get(document.uri.toString());
      if (list && wanted(list)) return list;
      await new Promise(resolve => {
        const listener = events.diagnostics.event(() => {
          listener.dispose();
          resolve();
        });
      });
    }
  },
};

module.exports = {api, editor};
