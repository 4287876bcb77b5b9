import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every public entry of the packages that run in browsers, as source. */
const entries = ['contracts', 'signal'].flatMap((pkg) => {
  const manifest: { readonly exports: Record<string, { readonly '@vouch/source': string }> } = JSON.parse(
    readFileSync(join(root, 'packages', pkg, 'package.json'), 'utf8'),
  );
  return Object.entries(manifest.exports).map(([key, target]) => ({
    name: `@vouch/${pkg}${key.slice(1)}`,
    path: join('packages', pkg, target['@vouch/source']),
  }));
});

async function bundle(
  contents: string,
): Promise<{ readonly errors: readonly string[]; readonly metafile?: Metafile; readonly code: string }> {
  try {
    const { metafile, outputFiles } = await build({
      stdin: { contents, resolveDir: root, loader: 'ts' },
      bundle: true,
      write: false,
      metafile: true,
      platform: 'browser',
      format: 'esm',
      conditions: ['@vouch/source'],
      logLevel: 'silent',
    });
    return { errors: [], metafile, code: outputFiles[0]?.text ?? '' };
  } catch (error) {
    return { errors: (error as { readonly errors: readonly { readonly text: string }[] }).errors.map(({ text }) => text), code: '' };
  }
}

const importsOf = (metafile: Metafile): readonly string[] =>
  Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path));

describe('a bundle for browsers', () => {
  it('[SG-004] fails on a built-in module, so that the check below can fail', async () => {
    expect((await bundle("import 'node:fs'; export const a = 1;")).errors).toHaveLength(1);
  });

  for (const { name, path } of entries) {
    it(`[SG-004] ${name} bundles with no built-in module and no package but our own`, async () => {
      expect(existsSync(join(root, path))).toBe(true);
      const { errors, metafile, code } = await bundle(`export * from './${path}';`);
      expect(errors).toEqual([]);
      const imports = importsOf(metafile as Metafile);
      expect(imports.filter((id) => id.startsWith('node:') || builtinModules.includes(id))).toEqual([]);
      expect(Object.keys((metafile as Metafile).inputs).filter((id) => id.includes('node_modules'))).toEqual([]);
      expect(code).not.toMatch(/(?<![.\w])require\(/);
    });
  }

  it('a client without a thinking handler carries none', async () => {
    const index = entries.find(({ name }) => name === '@vouch/signal')?.path;
    const { metafile, code } = await bundle(`export * from './${index}';`);
    expect(Object.keys((metafile as Metafile).inputs).filter((id) => id.includes('reasoning/handlers/'))).toEqual([]);
    expect(code).not.toMatch(/\bnormalize\(raw\)/);
    const thinking = entries.find(({ name }) => name === '@vouch/signal/thinking')?.path;
    expect((await bundle(`export * from './${thinking}';`)).code).toMatch(/\bnormalize\(raw\)/);
  });
});
