// The rules on structure that no linter knows. Each takes sources and answers with what is wrong, one line a place; the tests run them over
// the repository, and over samples that break them.
import ts from 'typescript';
import { nodesOf, parse, placeOf } from './sources.mjs';

/** @typedef {import('./sources.mjs').Source} Source */

export const limits = { linesOfFile: 400, warnedLinesOfFile: 300, linesOfFunction: 60, filesOfFolder: 12 };

/** @param {string} text */
const linesOf = (text) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

/** @param {readonly Source[]} sources */
export function longFiles(sources) {
  return sources
    .filter(({ text }) => linesOf(text) > limits.linesOfFile)
    .map(({ path, text }) => `${path} has ${linesOf(text)} lines; at most ${limits.linesOfFile}`);
}

/** Files that near the limit: worth a split before it is forced. @param {readonly Source[]} sources */
export function growingFiles(sources) {
  return sources.filter(({ text }) => linesOf(text) > limits.warnedLinesOfFile).map(({ path, text }) => `${path} (${linesOf(text)} lines)`);
}

/** @param {readonly Source[]} sources */
export function longFunctions(sources) {
  return sources.flatMap((source) => {
    const file = parse(source);
    return [...nodesOf(file)].filter(ts.isFunctionLike).flatMap((node) => {
      const line = (/** @type {number} */ position) => file.getLineAndCharacterOfPosition(position).line;
      const lines = line(node.getEnd()) - line(node.getStart()) + 1;
      return lines > limits.linesOfFunction ? [`${placeOf(node)} is a function of ${lines} lines; at most ${limits.linesOfFunction}`] : [];
    });
  });
}

/** @param {readonly Source[]} sources */
export function fullFolders(sources) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { path } of sources) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > limits.filesOfFolder)
    .map(([folder, count]) => `${folder} has ${count} files; at most ${limits.filesOfFolder}`);
}

/** A file that declares types and nothing that runs. Contracts are such files; elsewhere a type lives beside the code that makes it. @param {readonly Source[]} sources */
export function floatingTypes(sources) {
  return sources
    .filter(({ path }) => !path.startsWith('packages/contracts/') && path !== 'packages/signal/src/adapters/adapter.ts')
    .filter((source) => {
      const statements = parse(source).statements.filter((statement) => !ts.isImportDeclaration(statement));
      const declares = statements.some((statement) => ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement));
      const isType = (/** @type {ts.Statement} */ statement) =>
        ts.isInterfaceDeclaration(statement) ||
        ts.isTypeAliasDeclaration(statement) ||
        (ts.isExportDeclaration(statement) && statement.isTypeOnly);
      return declares && statements.every(isType);
    })
    .map(({ path }) => `${path} holds types only: put them beside the code that makes them`);
}

/** `export *`, which makes a surface that nobody decided. `export * as Support` is the one that the design allows. @param {readonly Source[]} sources */
export function starExports(sources) {
  return sources.flatMap((source) =>
    parse(source)
      .statements.filter(ts.isExportDeclaration)
      .filter(
        ({ exportClause }) => exportClause === undefined || (ts.isNamespaceExport(exportClause) && exportClause.name.text !== 'Support'),
      )
      .map((node) => `${placeOf(node)} exports everything: name what is public`),
  );
}

/** An `index.ts` that is no public entry of its package. @param {readonly Source[]} sources @param {readonly string[]} entries paths of public entries */
export function innerIndexes(sources, entries) {
  return sources
    .filter(({ path }) => path.endsWith('/index.ts') && !entries.includes(path))
    .map(({ path }) => `${path} is no public entry: import the file`);
}

/** Words by which rows are known; those that are also words of English count only as a whole literal. */
const englishWords = new Set(['together', 'fireworks', 'perplexity']);
/** First words of names that say nothing by themselves. */
const plainWords = new Set(['meta']);
/** Names of wires and schema subsets, which are protocols and not vendors; the variable that servers of that wire share; a field of its responses. */
const protocolNames = /\bopenai[- ](chat|strict|compatible|dialect)\b|\bopenai_api_key\b|\bx_groq\b/g;
/** Some wires go by the name of their inventor. What names the wire, its dialect, its subset of schemas or its thinking is no vendor. */
const inventors = ['openai', 'anthropic', 'gemini', 'ollama'];
const wireIds = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ollama'];
const wireIdentifiers = new Set([...wireIds, ...inventors.flatMap((name) => [`${name}-dialect`, `${name}-thinking-handler`])]);
const wireLiterals = new Set([...wireIds, ...inventors, 'openai-strict']);
/** The files of one wire. */
const wireFiles = /^packages\/signal\/src\/(adapters|reasoning)\/(openai|anthropic|gemini|ollama)\b/;
/** The facts that hold a wire's name: to ask them is to ask for the protocol. */
const wireFacts = /\b(wire|adapter|subset|schemaSubset)$/;

/** The vendors and models that the rows name: ids, and the name without its version. @param {readonly string[]} providers @param {readonly string[]} models `provider/model` */
export function namesOfRows(providers, models) {
  const words = [...providers, ...models.flatMap((id) => id.split('/'))].flatMap((id) => [id, id.split('-')[0] ?? id]);
  return [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word.length > 2 && !plainWords.has(word));
}

/** @param {string} text @param {readonly string[]} names */
function nameIn(text, names) {
  const plain = text.toLowerCase().replace(protocolNames, '');
  return names.find((name) => {
    if (englishWords.has(name)) return plain === name;
    const at = plain.indexOf(name);
    if (at < 0) return false;
    return !/[a-z0-9]/.test(plain[at - 1] ?? '') && !/[a-z]/.test(plain[at + name.length] ?? '');
  });
}

/** Identifier words: `isGroqError` has `groq`. @param {string} identifier */
const wordsOf = (identifier) =>
  identifier
    .replace(/open[Aa][Ii]/g, 'openai')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();

const comparisons = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.InKeyword,
]);
const looksInto = /^(includes|startsWith|endsWith|indexOf|match|test|search)$/;

/** Something is decided by the literal: it is compared with, looked for, or a case of a switch. @param {ts.Node} node */
function decides(node) {
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) return comparisons.has(parent.operatorToken.kind);
  if (ts.isCallExpression(parent)) return ts.isPropertyAccessExpression(parent.expression) && looksInto.test(parent.expression.name.text);
  return ts.isCaseClause(parent);
}

/** The literal names a module. @param {ts.Node} node */
function isModuleName({ parent }) {
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return true;
  return ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword;
}

/** What is asked by comparing with the literal; undefined for another use of it. @param {ts.Node} node */
function asked(node) {
  const { parent } = node;
  if (ts.isCaseClause(parent)) return parent.parent.parent.expression.getText();
  if (!ts.isBinaryExpression(parent) || !comparisons.has(parent.operatorToken.kind)) return undefined;
  return (parent.left === node ? parent.right : parent.left).getText();
}

/** @param {ts.Node} node @param {string} path */
function wordsOfNode(node, path) {
  if (ts.isIdentifier(node)) {
    const words = wordsOf(node.text);
    if (wireIdentifiers.has(words)) return '';
    return wireFiles.test(path) ? words.replace(/\b(openai|anthropic|gemini|ollama)\b/g, '') : words;
  }
  const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
  if (!isText) return '';
  // A shape or an id of the wire's own, such as that of what it carries.
  const ofWire = wireLiterals.has(node.text) || (wireFiles.test(path) && /^(openai|anthropic|gemini|ollama)(-[a-z]+)+$/.test(node.text));
  const question = asked(node);
  return ofWire && (question === undefined ? !decides(node) : wireFacts.test(question)) ? '' : node.text;
}

/**
 * Code that names a vendor or a model outside the registry: literals and identifiers, not comments. The command line may name a row, as every
 * user of the library does, and may decide nothing by it; the lab is made of what services send.
 * @param {readonly Source[]} sources
 * @param {readonly string[]} names
 */
export function vendorNames(sources, names) {
  return sources
    .filter(({ path }) => !path.startsWith('packages/signal/src/registry/') && !path.startsWith('packages/lab/'))
    .flatMap((source) =>
      [...nodesOf(parse(source))].flatMap((node) => {
        if (node.parent === undefined || isModuleName(node)) return [];
        if (source.path.startsWith('packages/cli/') && !decides(node)) return [];
        const name = nameIn(wordsOfNode(node, source.path), names);
        return name === undefined ? [] : [`${placeOf(node)} names "${name}": ask for a capability or a dialect fact`];
      }),
    );
}

const wordsOfProse = 8;
/** Their sentences say why a reading or a schema was not taken: they reach evidence and `why`, and no request. The wire reads responses alone. */
const explains = /^packages\/signal\/src\/(wire\/|transport\/(resolve\.ts|fit\/|accept\/))/;
const makesMessages = /(failure|error|fault|issue|notes?|reason|why|message|unviable|refuse)$/i;
const holdsMessages = new Set(['message', 'expected', 'note', 'why', 'hint']);

/** The literal is part of a message to a caller: thrown, constructed, or handed to what makes failures. @param {ts.Node} node */
function isMessage(node) {
  for (let here = node.parent; here !== undefined; here = here.parent) {
    if (ts.isThrowStatement(here) || ts.isNewExpression(here)) return true;
    if (ts.isCallExpression(here)) {
      if (here.expression.kind === ts.SyntaxKind.SuperKeyword) return true;
      const callee = ts.isPropertyAccessExpression(here.expression) ? here.expression.name.text : here.expression.getText();
      const owner = ts.isPropertyAccessExpression(here.expression) ? here.expression.expression.getText() : '';
      if (makesMessages.test(callee) || makesMessages.test(owner)) return true;
    }
    if (ts.isPropertyAssignment(here) && holdsMessages.has(here.name.getText())) return true;
    if (ts.isVariableDeclaration(here) && makesMessages.test(here.name.getText())) return true;
    if (ts.isFunctionLike(here) && here.name !== undefined && makesMessages.test(here.name.getText())) return true;
  }
  return false;
}

/** Text that could be meant for a model, outside the one file of prompts. @param {readonly Source[]} sources */
export function strayProse(sources) {
  return sources
    .filter(
      ({ path }) =>
        path.startsWith('packages/signal/src/') &&
        path !== 'packages/signal/src/transport/protocol.ts' &&
        !explains.test(path) &&
        !path.endsWith('.cases.ts'),
    )
    .flatMap((source) =>
      [...nodesOf(parse(source))].flatMap((node) => {
        const text = ts.isStringLiteralLike(node) ? node.text : ts.isTemplateExpression(node) ? node.getText() : '';
        if (text.split(/\s+/).filter((word) => /[A-Za-z]{2}/.test(word)).length < wordsOfProse || isMessage(node)) return [];
        return [`${placeOf(node)} holds prose: prompt text belongs to transport/protocol.ts`];
      }),
    );
}

/** A path of somebody's machine, and a package that would be fetched from an unusual place. @param {readonly Source[]} sources */
export function machineTraces(sources) {
  // Spelled in pieces, so that this file does not report itself.
  const homes = new RegExp(`(^|[\\s"'\`(=:])/(${['home', 'Users', 'root', 'work'].join('|')})/[\\w.-]+`, 'm');
  return sources.flatMap(({ path, text }) => {
    const home = homes.exec(text);
    const odd = path.endsWith('package-lock.json')
      ? [
          ...text.matchAll(
            /"resolved": "(?!https:\/\/registry\.npmjs\.org\/|(?:packages\/[\w-]+|tests\/[\w-]+|bench)",\s*"link": true)([^"]+)"/g,
          ),
        ]
      : [];
    return [
      ...(home === null ? [] : [`${path}: ${home[0].trim()} is a path of one machine`]),
      ...odd.map((match) => `${path}: ${match[1]} is no usual place to fetch from`),
    ];
  });
}
