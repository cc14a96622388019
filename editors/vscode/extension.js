'use strict';
// Starts `dplc lsp`, and tells it of the texts of the editor. It needs nothing but VS Code's own API.
const vscode = require('vscode');
const {Connection} = require('./connection');
const convert = require('./convert');
const providers = require('./providers');

const SELECTOR = [{language: 'dpl', scheme: 'file'}, {language: 'dpl', scheme: 'untitled'}];
const MOST_STARTS = 4; // in WINDOW milliseconds; a server that ends more often stays ended
const WINDOW = 180000;

const CAPABILITIES = {
  general: {positionEncodings: ['utf-16']},
  workspace: {
    workspaceEdit: {documentChanges: true},
    didChangeWatchedFiles: {dynamicRegistration: false},
    inlayHint: {refreshSupport: true},
    semanticTokens: {refreshSupport: false},
    workspaceFolders: true,
  },
  textDocument: {
    synchronization: {didSave: true},
    publishDiagnostics: {relatedInformation: true, versionSupport: true, codeDescriptionSupport: true},
    hover: {contentFormat: ['markdown']},
    completion: {
      completionItem: {snippetSupport: true, documentationFormat: ['markdown'], labelDetailsSupport: true},
      contextSupport: true,
    },
    codeAction: {
      codeActionLiteralSupport: {codeActionKind: {valueSet: ['', 'quickfix', 'refactor', 'source']}},
      isPreferredSupport: true,
    },
    documentSymbol: {hierarchicalDocumentSymbolSupport: true},
    rename: {prepareSupport: true},
    inlayHint: {},
    foldingRange: {lineFoldingOnly: true},
    semanticTokens: {
      requests: {full: true},
      formats: ['relative'],
      tokenTypes: ['namespace', 'type', 'class', 'parameter', 'variable', 'property', 'enumMember', 'function',
                   'keyword', 'comment', 'string', 'number', 'operator'],
      tokenModifiers: ['declaration', 'readonly', 'defaultLibrary'],
    },
  },
};

/** One server, from its start to its end. */
class Client {
  constructor(diagnostics, hintsChanged) {
    this.diagnostics = diagnostics;
    this.hintsChanged = hintsChanged;
    this.disposables = [];
    this.starts = [];
  }

  async start() {
    this.starts = [...this.starts, Date.now()].filter(time => time > Date.now() - WINDOW);
    const command = vscode.workspace.getConfiguration('dpl').get('path');
    const connection = new Connection(command, ['lsp'], this.handlers(), reason => this.ended(command, reason));
    this.connection = connection;
    let answer;
    try {
      answer = await connection.request('initialize', {
        processId: process.pid,
        clientInfo: {name: 'Visual Studio Code', version: vscode.version},
        rootUri: null,
        workspaceFolders: (vscode.workspace.workspaceFolders || []).map(f => ({uri: f.uri.toString(), name: f.name})),
        capabilities: CAPABILITIES,
      });
    } catch {
      return; // the end of the process is reported by `ended`
    }
    connection.notify('initialized', {});
    this.follow();
    const mine = providers.register(connection, answer.capabilities, SELECTOR, this.hintsChanged.event);
    this.disposables.push(...mine);
  }

  /** Sends the texts that are open, and each change from now on. */
  follow() {
    const {workspace} = vscode;
    const ours = document => vscode.languages.match(SELECTOR, document) > 0;
    const send = (method, document, more) =>
      ours(document) &&
      this.connection.notify(`textDocument/${method}`, {textDocument: {uri: document.uri.toString()}, ...more});
    const open = document =>
      send('didOpen', document, {
        textDocument: {
          uri: document.uri.toString(),
          languageId: 'dpl',
          version: document.version,
          text: document.getText(),
        },
      });
    const watcher = workspace.createFileSystemWatcher('**/*.dpl');
    const changed = type => uri =>
      this.connection.notify('workspace/didChangeWatchedFiles', {changes: [{uri: uri.toString(), type}]});
    this.disposables.push(
      watcher,
      watcher.onDidCreate(changed(1)),
      watcher.onDidChange(changed(2)),
      watcher.onDidDelete(changed(3)),
      workspace.onDidOpenTextDocument(open),
      workspace.onDidCloseTextDocument(document => send('didClose', document)),
      workspace.onDidSaveTextDocument(document => send('didSave', document)),
      workspace.onDidChangeTextDocument(({document, contentChanges}) => {
        if (contentChanges.length === 0) return; // only whether the text is saved has changed
        send('didChange', document, {
          textDocument: {uri: document.uri.toString(), version: document.version},
          contentChanges: contentChanges.map(({range, text}) => ({range: {start: range.start, end: range.end}, text})),
        });
      }),
    );
    workspace.textDocuments.forEach(open);
  }

  handlers() {
    const show = ({type, message}) => {
      if (type === 1) vscode.window.showErrorMessage(message);
      else if (type === 2) vscode.window.showWarningMessage(message);
      else vscode.window.showInformationMessage(message);
    };
    return {
      'textDocument/publishDiagnostics': ({uri, diagnostics}) =>
        this.diagnostics.set(convert.uri(uri), diagnostics.map(convert.diagnostic)),
      'workspace/inlayHint/refresh': () => this.hintsChanged.fire(),
      'workspace/applyEdit': async ({edit}) =>
        ({applied: await vscode.workspace.applyEdit(convert.workspaceEdit(edit))}),
      'window/showMessage': show,
      'window/logMessage': () => {},
    };
  }

  ended(command, reason) {
    this.release();
    if (/ENOENT|EACCES/.test(reason))
      vscode.window.showErrorMessage(
        `The program \`${command}\` was not found. Install dplc, or set \`dpl.path\` to its path.`);
    else if (this.starts.length < MOST_STARTS) this.start();
    else vscode.window.showErrorMessage(`\`${command} lsp\` ended several times: ${reason}.`);
  }

  release() {
    this.disposables.forEach(each => each.dispose());
    this.disposables = [];
    this.diagnostics.clear();
  }

  async stop() {
    if (this.connection) await this.connection.close();
    this.release();
  }
}

let client;

exports.activate = async context => {
  const diagnostics = vscode.languages.createDiagnosticCollection('dpl');
  const hintsChanged = new vscode.EventEmitter();
  client = new Client(diagnostics, hintsChanged);
  const restart = async () => {
    await client.stop();
    client.starts = [];
    await client.start();
  };
  context.subscriptions.push(
    diagnostics,
    hintsChanged,
    vscode.commands.registerCommand('dpl.restart', restart),
    vscode.workspace.onDidChangeConfiguration(event => event.affectsConfiguration('dpl.path') && restart()),
  );
  await client.start();
};

exports.deactivate = () => client && client.stop();
