// Which part may import which, as data, and the check that nothing else is imported. Run it: node tools/layers.mjs
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cruise } from 'dependency-cruiser';

/** @typedef {{ readonly may: readonly string[], readonly typesOnly?: readonly string[], readonly nothing?: true }} Row */

/** What a package may import besides itself. The lab is for the command line and for tests alone. */
export const packages = /** @type {Readonly<Record<string, readonly string[]>>} */ ({
  contracts: [],
  signal: ['contracts'],
  lab: ['contracts'],
  cli: ['contracts', 'signal', 'lab'],
});

/** Packages that run in browsers and bring nothing along: no built-in module, no dependency. */
export const bare = ['contracts', 'signal'];

const seenByStep = ['transport/', 'wire/', 'reasoning/', 'partial/', 'net/'];
const seenByClient = [...seenByStep, 'adapters/', 'registry/', 'step/', 'step.ts', 'run/', 'run.ts', 'count.ts'];

/**
 * What a folder or a file of a package may import besides itself and the packages above. Every folder and file under `src` has a row, and what a
 * row does not list is an error. A row of a file inside a folder replaces the folder's for that file. `typesOnly`: types may be imported, values not.
 * `nothing`: no import at all.
 */
export const units = /** @type {Readonly<Record<string, Readonly<Record<string, Row>>>>} */ ({
  contracts: {
    'basics/': { may: [] },
    'endpoint/': { may: ['basics/'] },
    'conversation/': { may: ['basics/', 'endpoint/', 'execution/', 'outcome/'] },
    'execution/': { may: ['basics/', 'conversation/'] },
    'outcome/': { may: ['basics/', 'endpoint/', 'conversation/'] },
    'index.ts': { may: ['basics/', 'endpoint/', 'conversation/', 'execution/', 'outcome/'] },
    'testing/': { may: ['basics/', 'endpoint/', 'conversation/', 'execution/', 'outcome/'] },
  },
  signal: {
    'net/': { may: [] },
    'adapters/': { may: ['net/', 'reasoning/'] },
    'registry/': { may: [] },
    'transport/': { may: [] },
    'wire/': { may: [] },
    'wire/scan.ts': { may: [], nothing: true },
    'wire/repair.ts': { may: [], nothing: true },
    'reasoning/': { may: [] },
    'partial/': { may: [] },
    'step/': { may: seenByStep, typesOnly: ['adapters/'] },
    'step.ts': { may: [...seenByStep, 'step/'], typesOnly: ['adapters/'] },
    'run/': { may: ['step/', 'step.ts', 'transport/', 'partial/'] },
    'run.ts': { may: ['run/', 'step/', 'step.ts', 'transport/', 'partial/'] },
    'client/': { may: seenByClient },
    'client.ts': { may: [...seenByClient, 'client/'] },
    // The public entries, and the names of the layers that point into them.
    'signal.ts': { may: ['client.ts', 'client/', 'step.ts'] },
    'registry.ts': { may: ['registry/'] },
    'types.ts': { may: [...seenByClient, 'client/', 'client.ts'] },
    'index.ts': { may: [...seenByClient, 'client/', 'client.ts', 'signal.ts', 'registry.ts', 'types.ts'] },
    'adapters.ts': { may: ['adapters/', 'net/', 'reasoning/'] },
    'net.ts': { may: ['net/'] },
    'repair.ts': { may: ['wire/'] },
    'partial.ts': { may: ['partial/'] },
    'count.ts': { may: ['step/'] },
  },
  lab: {
    'bounded-map.ts': { may: [] },
    'chat-request.ts': { may: [] },
    'cassettes/': { may: [] },
    'cassettes.ts': { may: ['cassettes/'] },
    'conforms.ts': { may: ['bounded-map.ts'] },
    'random.ts': { may: [] },
    'answer.ts': { may: ['chat-request.ts', 'random.ts'] },
    'reader/': { may: ['chat-request.ts'] },
    'rules/': { may: ['chat-request.ts', 'conforms.ts', 'reader/'] },
    'wires/': { may: ['answer.ts', 'chat-request.ts', 'conforms.ts', 'random.ts'] },
    'models/': { may: ['answer.ts', 'chat-request.ts', 'conforms.ts', 'random.ts', 'reader/', 'rules/'] },
    'pathologies/': { may: ['answer.ts', 'chat-request.ts', 'conforms.ts', 'random.ts', 'reader/', 'wires/'] },
    'pathologies.ts': { may: ['pathologies/'] },
    'faults/': { may: ['answer.ts', 'pathologies/', 'random.ts', 'wires/'] },
    'faults.ts': { may: ['faults/'] },
    'draw.ts': { may: ['answer.ts', 'chat-request.ts', 'faults/', 'pathologies/', 'random.ts'] },
    'server/': { may: ['answer.ts', 'wires/'] },
    'exchange.ts': {
      may: ['answer.ts', 'bounded-map.ts', 'chat-request.ts', 'draw.ts', 'faults/', 'models/', 'random.ts', 'server/', 'wires/'],
    },
    'lab.ts': { may: ['answer.ts', 'draw.ts', 'exchange.ts', 'faults/', 'faults.ts', 'models/', 'pathologies.ts', 'server/', 'wires/'] },
    'index.ts': {
      may: [
        'answer.ts',
        'cassettes.ts',
        'chat-request.ts',
        'faults/',
        'faults.ts',
        'lab.ts',
        'models/',
        'pathologies/',
        'pathologies.ts',
        'server/',
      ],
    },
  },
  cli: {
    'usage-error.ts': { may: [] },
    'number-options.ts': { may: [] },
    'own-version.ts': { may: [] },
    'terminal/': { may: [] },
    'documents/': { may: ['terminal/'] },
    'schema/': { may: ['terminal/', 'usage-error.ts'] },
    'journal/': { may: ['usage-error.ts'] },
    'report/': { may: ['terminal/', 'usage-error.ts'] },
    'model/': { may: ['report/', 'usage-error.ts'] },
    'watch/': { may: ['terminal/', 'usage-error.ts'] },
    'extract/': { may: ['documents/', 'journal/', 'model/', 'report/', 'schema/', 'terminal/', 'usage-error.ts', 'watch/'] },
    'route/': { may: ['schema/', 'terminal/', 'usage-error.ts'] },
    'demo/': { may: ['extract/', 'model/', 'schema/', 'terminal/', 'usage-error.ts'] },
    'lab/': { may: ['schema/', 'terminal/', 'usage-error.ts'] },
    'conformance/': { may: ['own-version.ts', 'report/', 'schema/', 'terminal/', 'usage-error.ts'] },
    'commands/': { may: ['conformance/', 'demo/', 'extract/', 'lab/', 'number-options.ts', 'route/', 'terminal/', 'usage-error.ts'] },
    'run-cli.ts': { may: ['commands/', 'own-version.ts', 'terminal/', 'usage-error.ts'] },
    'bin.ts': { may: ['run-cli.ts', 'terminal/'] },
  },
});

/** @param {string} text */
const literally = (text) => text.replace(/[.+*?^$()[\]{}|\\]/g, '\\$&');
/** @param {string} pkg @param {string} unit */
const at = (pkg, unit = '') => `^packages/${pkg}/src/${literally(unit)}${unit.endsWith('.ts') ? '$' : ''}`;
/** @param {string} name @param {object} from @param {object} to */
const forbid = (name, from, to) => ({ name, severity: /** @type {const} */ ('error'), from, to });

/** @param {string} pkg @param {string} unit @param {Row} row @param {readonly string[]} all */
function rulesOfUnit(pkg, unit, row, all) {
  const name = `${pkg}/${unit}`;
  if (row.nothing) return [forbid(name, { path: at(pkg, unit) }, {})];
  const exceptions = all.filter((other) => other !== unit && other.startsWith(unit)).map((other) => at(pkg, other));
  const from = { path: at(pkg, unit), pathNot: exceptions };
  const typesOnly = (row.typesOnly ?? []).map((other) => at(pkg, other));
  const rules = [forbid(name, from, { path: at(pkg), pathNot: [at(pkg, unit), ...row.may.map((other) => at(pkg, other)), ...typesOnly] })];
  if (typesOnly.length > 0) rules.push(forbid(`${name} types only`, from, { path: typesOnly, dependencyTypesNot: ['type-only'] }));
  return rules;
}

/** The table as rules of dependency-cruiser. */
export function layerRules() {
  return [
    ...Object.entries(packages).map(([pkg, may]) =>
      forbid(
        `package ${pkg}`,
        { path: at(pkg) },
        { path: '^packages/[^/]+/(?!node_modules/)', pathNot: [pkg, ...may].map((other) => at(other)) },
      ),
    ),
    ...Object.entries(units).flatMap(([pkg, rows]) =>
      Object.entries(rows).flatMap(([unit, row]) => rulesOfUnit(pkg, unit, row, Object.keys(rows))),
    ),
    forbid('bare package', { path: bare.map((pkg) => at(pkg)) }, { pathNot: ['^packages/', '^\\.'] }),
    forbid(
      'packages go by name',
      { path: '^packages/([^/]+)/src/' },
      { path: '^packages/', pathNot: '^packages/$1/', dependencyTypes: ['local'] },
    ),
    forbid('no value cycle', {}, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    forbid('resolves', { path: '^packages/' }, { couldNotResolve: true }),
  ];
}

/** @param {string} root */
export function packagesWithSources(root) {
  return Object.keys(packages).filter((pkg) => existsSync(join(root, 'packages', pkg, 'src')));
}

/**
 * Arrows that the table does not allow, in the packages under `root`.
 * @param {string} root
 * @returns {Promise<{ rule: string, from: string, to: string }[]>}
 */
export async function forbiddenArrows(root) {
  const { output } = await cruise(
    packagesWithSources(root).map((pkg) => `packages/${pkg}/src`),
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: layerRules() },
      tsPreCompilationDeps: true,
      exclude: { path: '(^|/)(dist|node_modules/\\.)|\\.(test|test-d|property)\\.ts$|/test-support/' },
      doNotFollow: { path: 'node_modules' },
    },
    {
      exportsFields: ['exports'],
      conditionNames: ['@vouch/source', 'import', 'types', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  );
  if (typeof output === 'string') throw new Error(output);
  return output.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }));
}

/**
 * Folders and files under `src` that have no row, and rows that have no folder or file.
 * @param {string} root
 */
export function unlisted(root) {
  /** @type {string[]} */
  const problems = [];
  for (const entry of readdirSync(join(root, 'packages'), { withFileTypes: true }))
    if (entry.isDirectory() && !Object.hasOwn(packages, entry.name)) problems.push(`package ${entry.name} has no row`);
  for (const pkg of packagesWithSources(root)) {
    for (const unit of Object.keys(units[pkg] ?? {}))
      if (!existsSync(join(root, 'packages', pkg, 'src', unit))) problems.push(`the row ${pkg}/src/${unit} has no such place`);
    for (const entry of readdirSync(join(root, 'packages', pkg, 'src'), { withFileTypes: true })) {
      const unit = entry.isDirectory() ? `${entry.name}/` : entry.name;
      if (/\.(test|test-d|property)\.ts$/.test(unit) || unit === 'test-support/') continue;
      if (!Object.hasOwn(units[pkg] ?? {}, unit)) problems.push(`${pkg}/src/${unit} has no row`);
    }
  }
  return problems;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const arrows = await forbiddenArrows(root);
  const rows = unlisted(root);
  for (const { rule, from, to } of arrows) console.log(`forbidden: ${from} -> ${to}  (${rule})`);
  for (const problem of rows) console.log(`${problem}: add it to tools/layers.mjs`);
  if (arrows.length + rows.length > 0) process.exit(1);
  console.log(`${Object.values(units).flatMap(Object.keys).length} rows hold`);
}
