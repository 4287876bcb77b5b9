import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bare, forbiddenArrows, packages, type Row, units, unlisted } from './layers.mjs';

interface Arrow {
  readonly from: string;
  readonly to: string;
}

const isFile = (unit: string): boolean => unit.endsWith('.ts');
/** The file of a unit that imports, and the one that is imported: in a folder two files, so that no planted arrow makes a circle. */
const importer = (pkg: string, unit: string): string => `packages/${pkg}/src/${isFile(unit) ? unit : `${unit}plant.ts`}`;
const target = (pkg: string, unit: string): string => `packages/${pkg}/src/${isFile(unit) ? unit : `${unit}target.ts`}`;
const relativeTo = (from: string, to: string): string => {
  const up = dirname(from)
    .split('/')
    .map(() => '..')
    .join('/');
  return `${up}/${to}`;
};

const rowsOf = (pkg: string): readonly (readonly [string, Row])[] => Object.entries(units[pkg] ?? {});
const key = ({ from, to }: Arrow): string => `${from} -> ${to}`;

/** Every arrow between two units of one package, and whether the table allows it. */
function arrowsInside(pkg: string): readonly (Arrow & { readonly allowed: boolean })[] {
  return rowsOf(pkg).flatMap(([unit, row]) =>
    rowsOf(pkg)
      .filter(([other]) => other !== unit)
      .map(([other]) => {
        const inTheSameFolder = !isFile(unit) && other.startsWith(unit);
        const listed = [...row.may, ...(row.typesOnly ?? [])].some(
          (allowed) => other === allowed || (!isFile(allowed) && other.startsWith(allowed)),
        );
        return { from: importer(pkg, unit), to: target(pkg, other), allowed: !row.nothing && (inTheSameFolder || listed) };
      }),
  );
}

const packageArrows = Object.keys(packages).flatMap((from) =>
  Object.keys(packages)
    .filter((to) => to !== from)
    .map((to) => ({
      from: `packages/${from}/src/packages.ts`,
      to: `packages/${to}/src/index.ts`,
      allowed: packages[from]?.includes(to) === true,
    })),
);

const root = mkdtempSync(join(tmpdir(), 'layers-'));
let reported: { rule: string; from: string; to: string }[] = [];

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function plantPackages(): void {
  mkdirSync(join(root, 'node_modules', '@vouch'), { recursive: true });
  for (const pkg of Object.keys(packages)) {
    const exports = { '.': { '@vouch/source': './src/index.ts', default: './dist/index.js' } };
    plant(`packages/${pkg}/package.json`, JSON.stringify({ name: `@vouch/${pkg}`, type: 'module', exports }));
    symlinkSync(join(root, 'packages', pkg), join(root, 'node_modules', '@vouch', pkg));
    plant(`packages/${pkg}/src/index.ts`, 'export type Planted = 1;\n');
    plant(
      `packages/${pkg}/src/packages.ts`,
      packageArrows
        .filter(({ from }) => from === `packages/${pkg}/src/packages.ts`)
        .map(({ to }) => `import type {} from '@vouch/${to.split('/')[1]}';\n`)
        .join(''),
    );
    const arrows = arrowsInside(pkg);
    for (const [unit] of rowsOf(pkg)) {
      if (!isFile(unit)) plant(target(pkg, unit), 'export type Planted = 1;\n');
      const from = importer(pkg, unit);
      const lines = arrows.filter((arrow) => arrow.from === from).map(({ to }) => `import type {} from '${relativeTo(from, to)}';\n`);
      plant(from, `${lines.join('')}export type Planted = 1;\n`);
    }
  }
}

const forbidden = (arrow: Arrow): readonly string[] => reported.filter((other) => key(other) === key(arrow)).map(({ rule }) => rule);

beforeAll(async () => {
  plantPackages();
  plant('packages/signal/src/wire/builtin.ts', "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n");
  plant('packages/cli/src/builtin.ts', "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;\n");
  plant('node_modules/somebody/package.json', JSON.stringify({ name: 'somebody', main: 'index.js' }));
  plant('node_modules/somebody/index.js', 'module.exports = {};\n');
  plant('packages/contracts/src/basics/dependency.ts', "import type {} from 'somebody';\n");
  plant('packages/signal/src/step/values.ts', "import { sent } from '../adapters/values.ts';\nexport const again = sent;\n");
  plant('packages/signal/src/adapters/values.ts', 'export const sent = 1;\n');
  plant('packages/signal/src/net/by-path.ts', "import type {} from '../../../contracts/src/index.ts';\n");
  plant('packages/signal/src/net/nowhere.ts', "import type {} from './nothing-here.ts';\n");
  plant('packages/signal/src/net/circle-a.ts', "import { b } from './circle-b.ts';\nexport const a = () => b;\n");
  plant('packages/signal/src/net/circle-b.ts', "import { a } from './circle-a.ts';\nexport const b = () => a;\n");
  plant('packages/signal/src/net/types-a.ts', "import type { B } from './types-b.ts';\nexport type A = B | 1;\n");
  plant('packages/signal/src/net/types-b.ts', "import type { A } from './types-a.ts';\nexport type B = A[];\n");
  plant('packages/signal/src/wire/any.test.ts', "import type {} from '../transport/target.ts';\n");
  plant('packages/signal/src/unheard-of/file.ts', 'export type Planted = 1;\n');
  plant('packages/signal/src/wire/scan.ts', "import type {} from '@vouch/contracts';\n");
  reported = await forbiddenArrows(root);
}, 120_000);

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('the arrow table', () => {
  for (const pkg of Object.keys(units)) {
    it(`[SG-001] reports every forbidden arrow inside ${pkg}, and none of the allowed ones`, () => {
      const arrows = arrowsInside(pkg).filter(({ from }) => from !== 'packages/signal/src/wire/scan.ts');
      const flagged = arrows.filter((arrow) => forbidden(arrow).some((rule) => rule.startsWith(`${pkg}/`)));
      expect(flagged.map(key)).toEqual(arrows.filter(({ allowed }) => !allowed).map(key));
    });
  }

  it('[SG-001] reports every forbidden arrow between packages, and none of the allowed ones', () => {
    const flagged = packageArrows.filter((arrow) => forbidden(arrow).some((rule) => rule.startsWith('package ')));
    expect(flagged.map(key)).toEqual(packageArrows.filter(({ allowed }) => !allowed).map(key));
    expect(packageArrows.filter(({ allowed }) => allowed).length).toBeGreaterThan(0);
  });

  it('[SG-001] keeps the two sides of the seam apart, and adapters from both, whatever the table says', () => {
    const between = (from: string, to: string): Arrow => ({ from: importer('signal', from), to: target('signal', to) });
    for (const [from, to] of [
      ['wire/', 'transport/'],
      ['transport/', 'wire/'],
      ['adapters/', 'wire/'],
      ['adapters/', 'transport/'],
      ['adapters/', 'registry/'],
      ['registry/', 'adapters/'],
      ['step.ts', 'registry/'],
      ['run.ts', 'wire/'],
      ['run.ts', 'adapters/'],
    ] as const)
      expect(forbidden(between(from, to)), `${from} -> ${to}`).not.toEqual([]);
    for (const pkg of ['contracts', 'signal']) {
      const arrow = { from: `packages/${pkg}/src/packages.ts`, to: 'packages/lab/src/index.ts' };
      expect(forbidden(arrow)).not.toEqual([]);
    }
  });

  it('[SG-001] lets a file that may import nothing import nothing, contracts included', () => {
    expect(forbidden({ from: 'packages/signal/src/wire/scan.ts', to: 'packages/contracts/src/index.ts' })).toContain('signal/wire/scan.ts');
  });

  it('[SG-001] lets step see types of adapters and no value', () => {
    expect(forbidden({ from: 'packages/signal/src/step/values.ts', to: 'packages/signal/src/adapters/values.ts' })).toContain(
      'signal/step/ types only',
    );
    expect(forbidden({ from: importer('signal', 'step/'), to: target('signal', 'adapters/') })).toEqual([]);
  });

  it('[SG-004] reports a built-in module and a dependency in a package that runs everywhere, and only there', () => {
    expect(bare).toEqual(['contracts', 'signal']);
    expect(forbidden({ from: 'packages/signal/src/wire/builtin.ts', to: 'fs' })).toContain('bare package');
    expect(reported.filter(({ from }) => from === 'packages/contracts/src/basics/dependency.ts').map(({ rule }) => rule)).toContain(
      'bare package',
    );
    expect(reported.filter(({ from }) => from === 'packages/cli/src/builtin.ts')).toEqual([]);
  });

  it('[SG-001] reports a path into another package, an import of nothing, and a circle of values but not of types', () => {
    const rules = (file: string): readonly string[] =>
      reported.filter(({ from }) => from === `packages/signal/src/net/${file}`).map(({ rule }) => rule);
    expect(rules('by-path.ts')).toEqual(['packages go by name']);
    expect(rules('nowhere.ts')).toContain('resolves');
    expect(rules('circle-a.ts')).toContain('no value cycle');
    expect(rules('types-a.ts')).toEqual([]);
  });

  it('[SG-001] leaves tests free', () => {
    expect(reported.filter(({ from }) => from.endsWith('.test.ts'))).toEqual([]);
  });

  it('[SG-001] reports a folder and a file without a row, and a row without its place', () => {
    expect(unlisted(root)).toContain('signal/src/unheard-of/ has no row');
    expect(unlisted(root)).toContain('signal/src/packages.ts has no row');
    expect(unlisted(root)).not.toContain('signal/src/wire/ has no row');
    expect(unlisted(root).filter((problem) => problem.startsWith('the row'))).toEqual([]);
    rmSync(join(root, 'packages/signal/src/run.ts'));
    expect(unlisted(root)).toContain('the row signal/src/run.ts has no such place');
  });
});

describe('this repository', () => {
  const here = fileURLToPath(new URL('..', import.meta.url));

  it('[SG-001] has no forbidden arrow', async () => {
    expect(await forbiddenArrows(here)).toEqual([]);
  }, 120_000);

  it('[SG-001] has a row for every folder and file of its packages', () => {
    expect(unlisted(here)).toEqual([]);
  });
});
