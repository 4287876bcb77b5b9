import { type Lab, type LabModel, type LabRequest, reader, rules, startLab } from '@vouch/lab';
import { type CliIo, createPaint, exitCodes, takesEscapes } from '../terminal/cli-io.ts';
import { sinkOf } from '../terminal/text-sink.ts';
import { UsageError } from '../usage-error.ts';
import { catalogueJson, catalogueText } from './catalogue.ts';
import { createTally, requestFacts, requestLine, summaryLine } from './request-line.ts';
import { loadScript } from './script-file.ts';
import { type FaultSpec, type PathologySpec, readFaultSpec, readPathologySpec } from './specs.ts';

/** The options of `vouch lab`. */
export interface LabCommandOptions {
  readonly port: number;
  readonly model: 'reader' | 'rules' | 'script';
  readonly pathology?: readonly string[];
  readonly fault?: readonly string[];
  readonly seed: number;
  readonly apiKey?: string;
  readonly json?: boolean;
  readonly list?: boolean;
}

/** What the lab will do. */
interface LabPlan {
  readonly model: LabModel;
  readonly modelWords: string;
  readonly pathologies: readonly PathologySpec[];
  readonly faults: readonly FaultSpec[];
}

/** Runs the lab until the signal aborts, or until nobody reads the lines of `--json` any more. Throws `UsageError`. */
export async function runLab(file: string | undefined, options: LabCommandOptions, io: CliIo): Promise<number> {
  if (options.list) {
    if (file !== undefined) throw new UsageError(`the file ${file} has no use with --list`, 'vouch lab --list');
    await sinkOf(io.stdout).write(`${options.json ? catalogueJson() : catalogueText()}\n`);
    return exitCodes.fine;
  }
  const plan = await planOf(file, options, io.cwd);
  const tally = createTally();
  const paint = createPaint(takesEscapes(io, 'stderr'));
  const teller = createTeller(options.json ? io.stdout : io.stderr, options.json === true);
  const onRequest = (request: LabRequest): void => {
    tally.count(request);
    teller.tell(options.json ? JSON.stringify({ request: requestFacts(request) }) : requestLine(request, paint));
  };
  const lab = await start(plan, options, onRequest);
  try {
    await announce(lab, plan, options, io);
    await stopped(io.signal, teller.gone);
  } finally {
    await lab.close();
  }
  teller.tell(options.json ? JSON.stringify({ summary: tally.summary() }) : summaryLine(tally.summary()));
  await teller.flush();
  return exitCodes.fine;
}

const ownModels = {
  reader: () => ({
    model: reader(),
    modelWords: 'lab-reader answers: it copies labelled values and is not a language model.',
  }),
  rules: () => ({
    model: rules(),
    modelWords: 'lab-rules answers: it follows fixed rules and is not a language model.',
  }),
} as const;

async function planOf(file: string | undefined, options: LabCommandOptions, cwd: string): Promise<LabPlan> {
  const pathologies = (options.pathology ?? []).map(readPathologySpec);
  const faults = (options.fault ?? []).map(readFaultSpec);
  if (options.apiKey === '') throw new UsageError('--api-key is empty', 'give a key, or leave the option out');
  if (options.model !== 'script') {
    if (file !== undefined) throw new UsageError(`the file ${file} has no use without --model script`, `vouch lab --model script ${file}`);
    return { ...ownModels[options.model](), pathologies, faults };
  }
  if (file === undefined) throw new UsageError('--model script needs a file of replies', 'vouch lab --model script FILE');
  return { model: await loadScript(file, cwd), modelWords: `The replies come from ${file}.`, pathologies, faults };
}

async function start(plan: LabPlan, options: LabCommandOptions, onRequest: (request: LabRequest) => void): Promise<Lab> {
  const { port, seed, apiKey } = options;
  const { model, pathologies, faults } = plan;
  try {
    return await startLab({ port, seed, model, pathologies, faults, onRequest, ...(apiKey === undefined ? {} : { apiKey }) });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | undefined)?.code;
    if (code === 'EADDRINUSE') throw new UsageError(`the port ${port} is taken`, 'choose another with --port N; --port 0 takes a free one');
    if (code === 'EACCES') throw new UsageError(`the port ${port} may not be used`, 'choose one of 1024 or more');
    throw error;
  }
}

async function announce(lab: Lab, plan: LabPlan, options: LabCommandOptions, io: CliIo): Promise<void> {
  const { pathologies, faults, model } = plan;
  const name = model.modelId ?? 'lab-scripted';
  if (options.json) {
    const listening = {
      baseUrl: lab.baseUrl,
      model: name,
      seed: options.seed,
      needsKey: options.apiKey !== undefined,
      pathologies,
      faults,
    };
    await sinkOf(io.stdout).write(`${JSON.stringify({ listening })}\n`);
    return;
  }
  const key = options.apiKey === undefined ? 'any' : 'THE_KEY';
  await sinkOf(io.stdout).write(`${lab.baseUrl}\n`);
  await sinkOf(io.stderr).write(
    [
      'vouch lab listens on this machine only. Point a client at it:',
      `  OPENAI_BASE_URL=${lab.baseUrl} OPENAI_API_KEY=${key} your-program`,
      `  createSignal({ baseUrl: '${lab.baseUrl}', model: '${name}'${options.apiKey === undefined ? '' : ", apiKey: '…'"} })`,
      plan.modelWords,
      ...spoilLines(plan),
      `Seed ${options.seed}. Ctrl-C ends it.`,
      '',
    ].join('\n'),
  );
}

/** What will be spoiled, and how a rate is meant: of several, each gets its turn only where those before it were not drawn. */
function spoilLines({ pathologies, faults }: LabPlan): readonly string[] {
  if (pathologies.length + faults.length === 0) return ['Nothing is spoiled; see: vouch lab --list'];
  const lines = (kind: string, names: readonly string[]): readonly string[] => (names.length === 0 ? [] : [`${kind}: ${names.join(', ')}`]);
  return [
    ...lines(
      'Pathologies',
      pathologies.map(({ id, rate }) => `${id} on ${percent(rate)}`),
    ),
    ...lines(
      'Faults',
      faults.map(({ id, rate, parameter }) => `${id}${parameter === undefined ? '' : `=${parameter}`} on ${percent(rate)}`),
    ),
    'That is of the requests that it fits; at most one of a kind shows on a request.',
    ...(pathologies.length > 1 || faults.length > 1
      ? ['Of several, in a drawn order, each takes its share of what those before it left.']
      : []),
  ];
}

const percent = (rate: number): string => (rate === 1 ? 'all' : `${Number((rate * 100).toFixed(4))} %`);

/** Writes lines in order, without making the lab wait. */
interface Teller {
  tell(line: string): void;
  /** Rejects when a line could not be written; aborts `gone` before. */
  flush(): Promise<void>;
  /** Aborted when writing has no use any more. */
  readonly gone: AbortSignal;
}

function createTeller(stream: CliIo['stdout'], endsWithReader: boolean): Teller {
  const sink = sinkOf(stream);
  const gone = new AbortController();
  let failure: unknown;
  let written: Promise<void> = Promise.resolve();
  const write = async (line: string): Promise<void> => {
    try {
      await sink.write(`${line}\n`);
      if (endsWithReader && sink.isClosed()) gone.abort();
    } catch (error) {
      failure = error;
      gone.abort();
    }
  };
  return {
    tell(line) {
      written = written.then(() => write(line));
    },
    async flush() {
      await written;
      if (failure !== undefined) throw failure;
    },
    gone: gone.signal,
  };
}

function stopped(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const any = AbortSignal.any([...signals]);
    if (any.aborted) resolve();
    else any.addEventListener('abort', () => resolve(), { once: true });
  });
}
