'use strict';
// The providers of VS Code for what a server says that it can do.
const vscode = require('vscode');
const convert = require('./convert');

const CANCELLED = [-32800, -32801, -32802]; // by the editor, by a newer text, by the server

const identifier = document => ({uri: document.uri.toString()});
const at = (document, position) => ({
  textDocument: identifier(document),
  position: {line: position.line, character: position.character},
});

/** Registers them and returns what to dispose. `connection` has `request`, and `hintsChanged` is an event. */
function register(connection, capabilities, selector, hintsChanged) {
  const ask = async (method, params, token, convertAnswer) => {
    try {
      const answer = await connection.request(`textDocument/${method}`, params, token);
      return answer ? convertAnswer(answer) : undefined;
    } catch (error) {
      if (CANCELLED.includes(error.code)) return undefined;
      throw error;
    }
  };
  const each = convertOne => answer => answer.map(convertOne);
  const has = name => capabilities[name] !== undefined && capabilities[name] !== false;
  const {languages} = vscode;
  const out = [];

  if (has('hoverProvider'))
    out.push(languages.registerHoverProvider(selector, {
      provideHover: (document, position, token) =>
        ask('hover', at(document, position), token, answer =>
          new vscode.Hover(convert.markdown(answer.contents), answer.range && convert.range(answer.range))),
    }));
  if (has('definitionProvider'))
    out.push(languages.registerDefinitionProvider(selector, {
      provideDefinition: (document, position, token) =>
        ask('definition', at(document, position), token, convert.locations),
    }));
  if (has('referencesProvider'))
    out.push(languages.registerReferenceProvider(selector, {
      provideReferences: (document, position, context, token) =>
        ask('references', {...at(document, position), context}, token, convert.locations),
    }));
  if (has('documentHighlightProvider'))
    out.push(languages.registerDocumentHighlightProvider(selector, {
      provideDocumentHighlights: (document, position, token) =>
        ask('documentHighlight', at(document, position), token, each(h =>
          new vscode.DocumentHighlight(convert.range(h.range), (h.kind || 1) - 1))),
    }));
  if (has('renameProvider')) out.push(languages.registerRenameProvider(selector, renames(ask, capabilities)));
  if (has('completionProvider'))
    out.push(languages.registerCompletionItemProvider(
      selector,
      {
        provideCompletionItems: (document, position, token, context) =>
          ask('completion', {
            ...at(document, position),
            context: {triggerKind: context.triggerKind + 1, triggerCharacter: context.triggerCharacter},
          }, token, convert.completions),
      },
      ...(capabilities.completionProvider.triggerCharacters || []),
    ));
  if (has('codeActionProvider'))
    out.push(languages.registerCodeActionsProvider(selector, {
      provideCodeActions: (document, range, context, token) =>
        ask('codeAction', {
          textDocument: identifier(document),
          range: {start: range.start, end: range.end},
          context: {
            diagnostics: context.diagnostics.map(d => convert.originals.get(d)).filter(Boolean),
            only: context.only && [context.only.value],
            triggerKind: context.triggerKind,
          },
        }, token, each(convert.codeAction)),
    }));
  if (has('documentFormattingProvider'))
    out.push(languages.registerDocumentFormattingEditProvider(selector, {
      provideDocumentFormattingEdits: (document, options, token) =>
        ask('formatting', {
          textDocument: identifier(document),
          options: {tabSize: options.tabSize, insertSpaces: options.insertSpaces},
        }, token, convert.textEdits),
    }));
  if (has('documentSymbolProvider'))
    out.push(languages.registerDocumentSymbolProvider(selector, {
      provideDocumentSymbols: (document, token) =>
        ask('documentSymbol', {textDocument: identifier(document)}, token, each(convert.symbol)),
    }));
  if (has('foldingRangeProvider'))
    out.push(languages.registerFoldingRangeProvider(selector, {
      provideFoldingRanges: (document, _, token) =>
        ask('foldingRange', {textDocument: identifier(document)}, token, each(convert.folding)),
    }));
  if (has('inlayHintProvider'))
    out.push(languages.registerInlayHintsProvider(selector, {
      onDidChangeInlayHints: hintsChanged,
      provideInlayHints: (document, range, token) =>
        ask('inlayHint', {
          textDocument: identifier(document),
          range: {start: range.start, end: range.end},
        }, token, each(convert.inlayHint)),
    }));
  if (has('semanticTokensProvider')) {
    const {legend} = capabilities.semanticTokensProvider;
    out.push(languages.registerDocumentSemanticTokensProvider(
      selector,
      {
        provideDocumentSemanticTokens: (document, token) =>
          ask('semanticTokens/full', {textDocument: identifier(document)}, token, answer =>
            new vscode.SemanticTokens(new Uint32Array(answer.data), answer.resultId)),
      },
      new vscode.SemanticTokensLegend(legend.tokenTypes, legend.tokenModifiers),
    ));
  }
  return out;
}

function renames(ask, capabilities) {
  const provider = {
    provideRenameEdits: (document, position, newName, token) =>
      ask('rename', {...at(document, position), newName}, token, convert.workspaceEdit),
  };
  if (capabilities.renameProvider.prepareProvider)
    provider.prepareRename = async (document, position, token) => {
      const answer = await ask('prepareRename', at(document, position), token, found => found);
      if (!answer) throw new Error('This name cannot be renamed.');
      if (!answer.range) return convert.range(answer);
      return {range: convert.range(answer.range), placeholder: answer.placeholder};
    };
  return provider;
}

module.exports = {register};
