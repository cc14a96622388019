'use strict';
// Prints grammar.js as the JSON that `tree-sitter generate` makes of it: node grammar_json.js GRAMMAR.js. It knows the
// functions that our grammar uses, and any other is an error.
const rule = value => {
  if (typeof value === 'string') return {type: 'STRING', value};
  if (value instanceof RegExp) return {type: 'PATTERN', value: value.source};
  if (value && value.type) return value;
  throw new Error(`${value} is not a rule`);
};
const members = type => (...values) => ({type, members: values.map(rule)});
const content = type => value => ({type, content: rule(value)});
const weighted = type => (value, inside) => ({type, value, content: rule(inside)});

const symbols = new Proxy({}, {get: (_, name) => ({type: 'SYMBOL', name})});
const listed = list => (list ? list(symbols) : []);

Object.assign(globalThis, {
  seq: members('SEQ'),
  choice: members('CHOICE'),
  optional: value => ({type: 'CHOICE', members: [rule(value), {type: 'BLANK'}]}),
  repeat: content('REPEAT'),
  repeat1: content('REPEAT1'),
  prec: Object.assign(weighted('PREC'), {left: weighted('PREC_LEFT')}),
  token: Object.assign(content('TOKEN'), {immediate: content('IMMEDIATE_TOKEN')}),
  field: (name, value) => ({type: 'FIELD', name, content: rule(value)}),
  grammar: given => ({
    name: given.name,
    word: given.word(symbols).name,
    rules: Object.fromEntries(Object.entries(given.rules).map(([name, make]) => [name, rule(make(symbols))])),
    extras: listed(given.extras).map(rule),
    conflicts: listed(given.conflicts).map(group => group.map(each => each.name)),
    externals: listed(given.externals).map(rule),
    supertypes: listed(given.supertypes).map(each => each.name),
  }),
});

console.log(JSON.stringify(require(require('path').resolve(process.argv[2]))));
