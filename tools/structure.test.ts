import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { modelRows } from '../packages/signal/src/registry/models.ts';
import { providerRows } from '../packages/signal/src/registry/providers.ts';
import { readSources, type Source, shippedSources } from './sources.mjs';
import {
  floatingTypes,
  fullFolders,
  growingFiles,
  innerIndexes,
  limits,
  longFiles,
  longFunctions,
  machineTraces,
  namesOfRows,
  starExports,
  strayProse,
  vendorNames,
} from './structure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const shipped = shippedSources(root);
const tools = readSources(root, 'tools', (path) => path.endsWith('.mjs'));
const names = namesOfRows(
  providerRows.map((row) => row.id),
  modelRows.map((row) => row.id),
);

const manifests = ['contracts', 'signal', 'lab', 'cli'].map((pkg) => ({
  pkg,
  manifest: JSON.parse(readFileSync(join(root, 'packages', pkg, 'package.json'), 'utf8')),
}));
const entries = manifests.flatMap(({ pkg, manifest }) =>
  Object.values(manifest.exports ?? {}).map(
    (target) => `packages/${pkg}/${(target as { '@vouch/source': string })['@vouch/source'].slice(2)}`,
  ),
);

const signalFile = (text: string, path = 'packages/signal/src/run/sample.ts'): readonly Source[] => [{ path, text }];

describe('size', () => {
  it('reports a file, a function and a folder over the limit, and none at it', () => {
    const lines = (count: number): string => 'export const a = 1;\n'.repeat(count);
    expect(longFiles(signalFile(lines(limits.linesOfFile)))).toEqual([]);
    expect(longFiles(signalFile(lines(limits.linesOfFile + 1)))).toEqual(['packages/signal/src/run/sample.ts has 401 lines; at most 400']);
    expect(growingFiles(signalFile(lines(limits.warnedLinesOfFile)))).toEqual([]);
    expect(growingFiles(signalFile(lines(limits.warnedLinesOfFile + 1)))).toEqual(['packages/signal/src/run/sample.ts (301 lines)']);
    const body = (count: number): string => `export function f() {\n${'f();\n'.repeat(count - 2)}}\n`;
    expect(longFunctions(signalFile(body(limits.linesOfFunction)))).toEqual([]);
    expect(longFunctions(signalFile(body(limits.linesOfFunction + 1)))).toEqual([
      'packages/signal/src/run/sample.ts:1 is a function of 61 lines; at most 60',
    ]);
    const folder = (count: number): readonly Source[] =>
      Array.from({ length: count }, (_, at) => ({ path: `packages/signal/src/net/${at}.ts`, text: '' }));
    expect(fullFolders(folder(limits.filesOfFolder))).toEqual([]);
    expect(fullFolders(folder(limits.filesOfFolder + 1))).toEqual(['packages/signal/src/net has 13 files; at most 12']);
  });

  it('every source file is within its limit', () => {
    expect(longFiles([...shipped, ...tools])).toEqual([]);
  });

  it('every function is within its limit', () => {
    expect(longFunctions([...shipped, ...tools])).toEqual([]);
  });

  it('every folder is within its limit', () => {
    expect(fullFolders(shipped)).toEqual([]);
  });
});

describe('types and surfaces', () => {
  it('[SG-008] reports a file that holds types only', () => {
    expect(
      floatingTypes(signalFile("import type { A } from './a.ts';\nexport interface B { readonly a: A }\nexport type { A };\n")),
    ).toHaveLength(1);
    expect(floatingTypes(signalFile('export interface B { readonly a: 1 }\nexport const b: B = { a: 1 };\n'))).toEqual([]);
    expect(floatingTypes(signalFile("export type { A } from '@vouch/contracts';\n"))).toEqual([]);
    expect(floatingTypes(signalFile('export interface B { readonly a: 1 }\n', 'packages/contracts/src/basics/b.ts'))).toEqual([]);
  });

  it('[SG-008] no file outside contracts holds types only, but the adapter port', () => {
    expect(floatingTypes(shipped)).toEqual([]);
  });

  it('reports `export *`, but not the one namespace that is public by design', () => {
    expect(starExports(signalFile("export * from './a.ts';\n"))).toHaveLength(1);
    expect(starExports(signalFile("export * as Everything from './a.ts';\n"))).toHaveLength(1);
    expect(starExports(signalFile("export * as Support from './support.ts';\nexport { a } from './a.ts';\n"))).toEqual([]);
  });

  it('no file exports everything of another', () => {
    expect(starExports(shipped)).toEqual([]);
  });

  it('no folder has an index.ts of its own, unless it is a public entry', () => {
    expect(innerIndexes(signalFile('', 'packages/signal/src/wire/index.ts'), entries)).toHaveLength(1);
    expect(innerIndexes(shipped, entries)).toEqual([]);
  });
});

describe('names and prose', () => {
  it('[SG-002] reports a vendor or a model in code, and not in a protocol name, a comment or a longer word', () => {
    const reported = (line: string): number => vendorNames(signalFile(line), names).length;
    expect(reported("export const a = (url: string) => url.includes('groq.com');")).toBe(1);
    expect(reported("export const a = (model: string) => model.startsWith('gpt-4o');")).toBe(1);
    expect(reported('export const b = (url: string) => `https://api.mistral.ai/$' + '{url}`;')).toBe(1);
    expect(reported('export const isGroqError = 1;')).toBe(1);
    expect(reported("export const c = 'together';")).toBe(1);
    expect(reported("export const c = 'these two stand together';")).toBe(0);
    expect(reported("export const d = { adapter: 'openai-chat', subset: 'openai-strict' };")).toBe(0);
    expect(reported("export const c = { meta: 'meta' };")).toBe(0);
    expect(reported("import { openAi } from './openai-chat.ts';")).toBe(1);
    expect(reported("import { openAiChat } from './openai-chat.ts';")).toBe(0);
    expect(reported("import { chat } from './openai-chat.ts';")).toBe(0);
    expect(reported('// groq sends it twice\nexport const e = 1;')).toBe(0);
    expect(vendorNames(signalFile("export const a = 'groq';", 'packages/signal/src/registry/providers/hosts.ts'), names)).toEqual([]);
    expect(vendorNames(signalFile("import { openAi } from '../dialects.ts';", 'packages/signal/src/registry/models/a.ts'), names)).toEqual(
      [],
    );
  });

  it('[SG-002] takes the name of a wire for no vendor, where the wire is meant and nowhere else', () => {
    const reported = (line: string, path?: string): number => vendorNames(signalFile(line, path), names).length;
    expect(reported("export const a = (dialect: { wire: string }) => dialect.wire === 'ollama';")).toBe(0);
    expect(reported("export const a = { subset: 'anthropic', adapter: 'gemini', ollama: 1 };")).toBe(0);
    expect(reported("export const AnthropicThinkingHandler = { id: 'anthropic' };")).toBe(0);
    expect(reported("export const openaiResponses = () => import('./openai-responses.ts');")).toBe(0);
    expect(reported("export const a = (provider: string) => provider === 'ollama';")).toBe(1);
    expect(reported("export const a = (id: string) => { switch (id) { case 'anthropic': return 1; } };")).toBe(1);
    expect(reported("export const a = (model: string) => model.startsWith('gemini');")).toBe(1);
    expect(reported("export const a = 'https://ollama.com';")).toBe(1);
    expect(reported("export const a = 'anthropic/claude-opus-5';")).toBe(1);
    expect(reported('export const isAnthropicError = 1;')).toBe(1);
    const own = 'packages/signal/src/adapters/anthropic-messages/reader.ts';
    expect(reported("export const isAnthropicError = 'anthropic-thinking';", own)).toBe(0);
    expect(reported("export const a = (url: string) => url.includes('anthropic.com');", own)).toBe(1);
    expect(reported("export const a = (model: string) => model.startsWith('claude');", own)).toBe(1);
  });

  it('[SG-002] lets the command line name a row, and decide nothing by it', () => {
    const reported = (line: string): number => vendorNames(signalFile(line, 'packages/cli/src/demo/sample.ts'), names).length;
    expect(reported("export const slot = { like: 'groq' };")).toBe(0);
    expect(reported("export const a = (id: string) => id === 'groq';")).toBe(1);
    expect(reported("export const a = (url: string) => url.includes('groq.com');")).toBe(1);
    expect(reported("export const a = (id: string) => { switch (id) { case 'mistral': return 1; } };")).toBe(1);
  });

  it('[SG-002] takes the names from the rows, so that a new row is looked for from the day it stands there', () => {
    expect(namesOfRows(['acme-cloud'], ['acme-cloud/zephyr-9'])).toEqual(['acme-cloud', 'acme', 'zephyr-9', 'zephyr']);
    for (const name of ['groq', 'mistral', 'deepseek', 'gpt-4o', 'qwen']) expect(names).toContain(name);
  });

  it('[SG-002] no code outside the registry names a vendor or a model', () => {
    expect(vendorNames(shipped, names)).toEqual([]);
  });

  it('[SG-001] reports text that could be meant for a model, and not messages to callers', () => {
    const prose = 'Answer with one JSON value and nothing around it please';
    const reported = (text: string): number => strayProse(signalFile(text)).length;
    expect(reported(`export const prompt = '${prose}';`)).toBe(1);
    expect(reported(`export const prompt = (schema: string) => \`${prose} $\{schema}\`;`)).toBe(1);
    expect(reported(`export const prompt = 'Answer with JSON';`)).toBe(0);
    expect(reported(`export const a = () => { throw new Error('${prose}'); };`)).toBe(0);
    expect(reported(`export const a = () => makeFailure('empty', { message: '${prose}' });`)).toBe(0);
    expect(reported(`/** ${prose} */\nexport const a = 1;`)).toBe(0);
    expect(strayProse(signalFile(`export const a = '${prose}';`, 'packages/signal/src/transport/protocol.ts'))).toEqual([]);
  });

  it('[SG-001] all prompt prose stands in transport/protocol.ts', () => {
    expect(strayProse(shipped)).toEqual([]);
  });
});

describe('what is committed', () => {
  const committed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && /\.(ts|mjs|js|json|jsonl|md|txt|yml|yaml|sh)$|^\.ci\//.test(path));

  it('reports a path of one machine and a package from an odd place', () => {
    const home = `/${'home'}/somebody/project`;
    expect(machineTraces([{ path: 'a.md', text: `see ${home}` }])).toHaveLength(1);
    expect(machineTraces([{ path: 'a.md', text: `/${'work'}/project` }])).toHaveLength(1);
    expect(machineTraces([{ path: 'a.md', text: 'see https://example.com/home/page and ./work/a' }])).toEqual([]);
    const lock = (from: string): readonly Source[] => [{ path: 'package-lock.json', text: `"resolved": "${from}"` }];
    expect(machineTraces(lock('http://mirror.example/a.tgz'))).toHaveLength(1);
    expect(machineTraces(lock('https://registry.npmjs.org/a/-/a-1.0.0.tgz'))).toEqual([]);
    const link = (to: string): readonly Source[] => [{ path: 'package-lock.json', text: `"resolved": "${to}",\n      "link": true` }];
    for (const folder of ['packages/signal', 'tests/counterparties', 'bench']) expect(machineTraces(link(folder))).toEqual([]);
    expect(machineTraces(lock('packages/signal'))).toHaveLength(1);
    expect(machineTraces(link('../elsewhere'))).toHaveLength(1);
  });

  it('holds no path of one machine and no package from an odd place', () => {
    const files = committed.flatMap((path): readonly Source[] => {
      try {
        return [{ path, text: readFileSync(join(root, path), 'utf8') }];
      } catch {
        return []; // listed, but just deleted
      }
    });
    expect(files.length).toBeGreaterThan(0);
    expect(machineTraces(files)).toEqual([]);
  });
});

describe('dependencies', () => {
  it('[SG-004] contracts and signal bring nothing along: each other alone, and peers only where optional', () => {
    for (const { pkg, manifest } of manifests.filter(({ pkg }) => ['contracts', 'signal'].includes(pkg))) {
      expect(
        Object.keys(manifest.dependencies ?? {}).filter((name) => !name.startsWith('@vouch/')),
        pkg,
      ).toEqual([]);
      expect(manifest.optionalDependencies ?? {}, pkg).toEqual({});
      for (const peer of Object.keys(manifest.peerDependencies ?? {}))
        expect(manifest.peerDependenciesMeta?.[peer]?.optional, peer).toBe(true);
    }
  });
});
