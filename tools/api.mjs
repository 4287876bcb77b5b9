// The public surface of every package entry as a report in api/. Fails when it is not the one committed; --write replaces the reports.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const root = fileURLToPath(new URL('..', import.meta.url));
const write = process.argv.includes('--write');

/** Every public entry: a package's name, the export's key, and its declarations. */
function entries() {
  return readdirSync(join(root, 'packages')).flatMap((folder) => {
    const manifestPath = join(root, 'packages', folder, 'package.json');
    if (!existsSync(manifestPath)) return [];
    const { exports = {} } = JSON.parse(readFileSync(manifestPath, 'utf8'));
    return Object.entries(exports).flatMap(([key, target]) =>
      typeof target === 'object' && target !== null && 'types' in target
        ? [
            {
              folder,
              manifestPath,
              report: key === '.' ? folder : `${folder}.${key.slice(2).replaceAll('/', '.')}`,
              types: String(target.types),
            },
          ]
        : [],
    );
  });
}

/** @param {ReturnType<typeof entries>[number]} entry */
function check({ folder, manifestPath, report, types }) {
  const packageRoot = join(root, 'packages', folder);
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: packageRoot,
      mainEntryPointFilePath: join(packageRoot, types),
      compiler: { tsconfigFilePath: join(packageRoot, 'tsconfig.json') },
      apiReport: {
        enabled: true,
        reportFileName: `${report}.api.md`,
        reportFolder: join(root, 'api'),
        reportTempFolder: join(root, '.api-temp'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        // Release tags and TSDoc's own grammar are not used here.
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.None },
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.None },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: manifestPath,
  });
  const result = Extractor.invoke(config, {
    localBuild: write,
    showVerboseMessages: false,
    messageCallback(message) {
      // The comparison is reported below, in one line.
      if (message.logLevel !== ExtractorLogLevel.Error) message.handled = true;
    },
  });
  return { changed: result.apiReportChanged, errors: result.errorCount };
}

mkdirSync(join(root, 'api'), { recursive: true });
const all = entries();
const wanted = new Set(all.map(({ report }) => `${report}.api.md`));
const problems = [];
for (const stray of readdirSync(join(root, 'api')).filter((name) => name.endsWith('.api.md') && !wanted.has(name))) {
  if (write) rmSync(join(root, 'api', stray));
  else problems.push(`api/${stray} belongs to no entry`);
}
for (const entry of all) {
  const { changed, errors } = check(entry);
  if (errors > 0) problems.push(`${entry.report}: ${errors} errors`);
  if (changed && !write) problems.push(`api/${entry.report}.api.md changed`);
  if (changed && write) console.log(`api/${entry.report}.api.md rewritten`);
}
if (problems.length > 0) {
  console.log(problems.join('\n'));
  console.log('If the change of the public surface is meant: npm run api:update, and commit the report with it.');
  process.exit(1);
}
console.log(`${all.length} public entries as committed`);
