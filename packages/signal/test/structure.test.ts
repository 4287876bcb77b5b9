import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../src', import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('.test') && !path.includes('test-support/'))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(root, path), 'utf8') }));

const callersOf = (name: string): string[] =>
  sources.filter(({ text }) => new RegExp(`(?<!function )\\b${name}\\(`).test(text)).map(({ path }) => path);

it('[SG-008] outside wire itself, one place calls the router', () => {
  const outside = (path: string): boolean => !path.startsWith('wire/');
  expect(callersOf('routeResponse').filter(outside)).toEqual(['step/conclude.ts']);
  expect(callersOf('routeRejection').filter(outside)).toEqual(['step/conclude.ts']);
});

it('[SG-008] [SG-080] one place runs a model call, and one loop runs steps', () => {
  expect(callersOf('adapter\\.send')).toEqual(['step.ts']);
  expect(callersOf('conclude')).toEqual(['step.ts']);
  expect(callersOf('stepStream').sort()).toEqual(['client.ts', 'step.ts']);
  expect(callersOf('stepLists').sort()).toEqual(['run.ts', 'step.ts']);
  // Whole or streamed, a run is this one generator.
  expect(callersOf('loop')).toEqual(['run.ts']);
  expect(callersOf('runStream')).toEqual(['client.ts']);
});
