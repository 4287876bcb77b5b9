import { type Clock, makeFailure, totalUsage, type Usage, unknownUsage } from '@vouch/contracts';
import { canReadAgain, type DocumentText, readDocument } from '../documents/read-document.ts';
import { isUnanswered } from '../journal/journal-line.ts';
import { documentNote, type Tally } from '../report/tally.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { KeyOf } from './document-key.ts';
import type { Doom } from './doom.ts';
import type { EndpointPause } from './endpoint-pause.ts';
import { type Ask, type DocumentLine, type DocumentOutcome, extractDocument, failedLine, type KeyedDocument } from './extract-document.ts';
import { putBack, runInOrder } from './in-order.ts';
import type { Output } from './output.ts';
import { createPatience, isBusy, type Patience } from './patience.ts';

/** What the documents of a run share. */
export interface DocumentsRun {
  /** As every line names the model. */
  readonly model: string;
  readonly concurrency: number;
  /** Documents that failed in an earlier run are asked about again, also those whose failure is their own. */
  readonly retryFailed: boolean;
  readonly io: Pick<CliIo, 'stdin' | 'cwd'>;
  readonly signal: AbortSignal;
  readonly keyOf: KeyOf;
  readonly ask: Ask;
  readonly output: Output;
  readonly doom: Doom;
  readonly tally: Tally;
  readonly pause: Pick<EndpointPause, 'wait' | 'untilMs'>;
  readonly clock: Clock;
  /** A document is done; its line is written when its turn comes. */
  readonly worked: (line: DocumentLine) => void;
  /** Before the line of a document is written. */
  readonly finishing: (line: DocumentLine) => void;
  /** After it was written. */
  readonly finished: (line: DocumentLine) => Promise<void>;
  /** A document that an earlier run did. */
  readonly skipped: () => void;
  /** Ends the requests that are under way: the lines are read no more, or cannot be written. */
  readonly stop: () => void;
}

/** A document that has its line, or needs none: done before, or left by an interruption. */
type Work = DocumentOutcome | 'resumed' | 'aborted';

/** What is kept of documents that were put back. */
interface PutBackNotes {
  /** Of those that cannot be read again. */
  readonly texts: Map<string, DocumentText>;
  /** Tokens of the rounds so far, where any were counted. */
  readonly usages: Map<string, Usage>;
}

/**
 * Works through the documents, each read when its turn comes. Where the output keeps lines, each is written when its document is done; else in the
 * order of the documents. Of what was written nothing is held.
 */
export async function runDocuments(files: readonly string[], run: DocumentsRun): Promise<void> {
  const { concurrency, signal, output } = run;
  const patience = createPatience(run.clock);
  const notes: PutBackNotes = { texts: new Map(), usages: new Map() };
  const workOn = async (path: string): Promise<Work | typeof putBack> => {
    const work = await workOnDocument(path, run, patience, notes);
    if (work === 'resumed') run.skipped();
    else if (work !== 'aborted' && work !== putBack) run.worked(work.line);
    return work;
  };
  if (!output.keeps) {
    await runInOrder(files, { concurrency, signal }, workOn, (work) => deliver(work, run));
    return;
  }
  const finish = async (path: string): Promise<typeof putBack | undefined> => {
    const work = await workOn(path);
    if (work === putBack) return putBack;
    await deliver(work, run);
    return undefined;
  };
  await runInOrder(files, { concurrency, signal, ahead: files.length }, finish, async () => undefined);
}

async function workOnDocument(path: string, run: DocumentsRun, patience: Patience, notes: PutBackNotes): Promise<Work | typeof putBack> {
  const { signal, output, model } = run;
  const document = notes.texts.get(path) ?? (await readDocument(path, { ...run.io, signal }));
  if (!document.ok) {
    if (document.reason === 'aborted') return 'aborted';
    const failure = makeFailure(document.reason, {
      message: `The document was not read: ${document.message}`,
      evidence: { note: documentNote },
    });
    return { line: { path, failure, model, usage: unknownUsage }, sent: false };
  }
  const keyed = { path, text: document.text, key: run.keyOf(document.text) };
  const earlier = output.find(path);
  if (earlier?.key === keyed.key && (earlier.hasValue || !(run.retryFailed || earlier.isUnanswered))) {
    run.tally.resume(earlier.hasValue);
    return 'resumed';
  }
  try {
    const work = await askPatiently(keyed, run, patience, notes.usages);
    if (work !== putBack) notes.texts.delete(path);
    else if (!(await canReadAgain(path, run.io.cwd))) notes.texts.set(path, document);
    return work;
  } catch (error) {
    // The waits end by it.
    if (signal.aborted) return 'aborted';
    throw error;
  }
}

/** Asks once. A document that finds the provider busy is put back, not failed, as long as there is patience. */
async function askPatiently(
  document: KeyedDocument,
  run: DocumentsRun,
  patience: Patience,
  usages: Map<string, Usage>,
): Promise<Work | typeof putBack> {
  const { signal, model, doom, pause } = run;
  await patience.rest(signal);
  await pause.wait(signal);
  const round = patience.round();
  const hopeless = doom.verdict();
  if (hopeless !== undefined) return unsent(failedLine(document.path, hopeless, model), usages);
  const outcome = await extractDocument(document, model, run.ask);
  const { failure } = outcome.line;
  if (failure?.kind === 'aborted') return 'aborted';
  if (failure === undefined || !isBusy(failure)) {
    patience.answered();
    doom.watch(failure);
    return withEarlier(outcome, usages);
  }
  if (!patience.allowsAnother(round, pause.untilMs() !== undefined)) {
    doom.giveUp(failure);
    return withEarlier(outcome, usages);
  }
  run.tally.retry();
  const earlier = usages.get(document.path);
  const counted = failure.evidence.attempts.map(({ usage }) => usage).filter(({ totalTokens }) => totalTokens > 0);
  if (counted.length > 0) usages.set(document.path, totalUsage(earlier === undefined ? counted : [earlier, ...counted]));
  return putBack;
}

/** An outcome with the tokens of the rounds before it: a correction that found the provider busy came after an answer that was paid for. */
function withEarlier({ line, sent }: DocumentOutcome, usages: Map<string, Usage>): DocumentOutcome {
  const earlier = usages.get(line.path);
  if (earlier === undefined) return { line, sent };
  usages.delete(line.path);
  const { usage } = line;
  // A round that was refused at once has counted nothing, which makes what was counted no guess.
  return { line: { ...line, usage: usage.totalTokens === 0 && !usage.reported ? earlier : totalUsage([earlier, usage]) }, sent };
}

/** Not sent now; but a round before may have been answered. */
function unsent(line: DocumentLine, usages: Map<string, Usage>): DocumentOutcome {
  const sent = usages.has(line.path);
  return withEarlier({ line, sent }, usages);
}

async function deliver(work: Work, run: DocumentsRun): Promise<void> {
  const { output } = run;
  if (work === 'resumed' || work === 'aborted' || output.isClosed()) return;
  const { line, sent } = work;
  run.tally.add({ ...(line.failure === undefined ? {} : { failure: line.failure }), usage: line.usage, sent });
  run.finishing(line);
  // What was never asked, or never answered, takes no value away.
  const isAnswered = line.key !== undefined && !isUnanswered(line.failure);
  if (isAnswered || output.find(line.path)?.hasValue !== true) await write(line, run);
  if (output.isClosed()) run.stop();
  await run.finished(line);
}

/** Answers that cannot be written are not waited for. */
async function write(line: DocumentLine, { output, stop }: DocumentsRun): Promise<void> {
  try {
    await output.write(line);
  } catch (error) {
    stop();
    throw error;
  }
}
