import type { Clock, Usage } from '@vouch/contracts';

/** What a progress line is made of beside the documents. */
export interface ProgressOptions {
  readonly clock: Clock;
  /** The end of the endpoint's pause, in milliseconds since the epoch. Default: there is none. */
  readonly pausedUntilMs?: () => number | undefined;
  /** What the run has cost, for people. Default, and undefined: no money is shown. */
  readonly money?: () => string | undefined;
}

/** One document that is done. */
export interface DocumentDone {
  readonly succeeded: boolean;
  readonly usage: Usage;
}

/** A run in one line. */
export interface ProgressLine {
  tick(done: DocumentDone): void;
  /** Documents that an earlier run did: they count as done, but not into the pace. */
  skip(count: number): void;
  /** At most `columns` wide; what matters least is left out first: the bar, tokens, pace, money. */
  text(columns: number): string;
}

// The pace is that of the last documents: at most so many, in at most so long.
const paceDocuments = 200;
const paceWindowMs = 5 * 60_000;
// Before this much was seen, a pace or a time left would be a guess.
const fewestDocuments = 5;
const shortestWindowMs = 5_000;

const separator = ' · ';
const longestBar = 30;
const shortestBar = 10;

/** A line for `total` documents, none done yet. */
export function createProgressLine(total: number, options: ProgressOptions): ProgressLine {
  const pace = createPace(options.clock);
  const tokens = createTokens();
  let done = 0;
  let failed = 0;
  return {
    tick({ succeeded, usage }) {
      done += 1;
      if (!succeeded) failed += 1;
      pace.tick();
      tokens.add(usage);
    },
    skip(count) {
      done += count;
    },
    text(columns) {
      const perMs = pace.perMs();
      const until = options.pausedUntilMs?.();
      const left = total - done;
      const segments: Segment[] = [
        { text: `${done}/${total} documents`, short: `${done}/${total}`, rank: 0 },
        { text: `${failed} failed`, rank: failed > 0 ? 1 : 4 },
        { text: perMs === undefined ? '' : paceText(perMs), rank: 5 },
        { text: tokens.text(), rank: 6 },
        { text: options.money?.() ?? '', rank: 3 },
        { text: perMs === undefined || left <= 0 ? '' : `about ${durationText(left / perMs)} left`, rank: 2 },
        { text: until === undefined ? '' : `paused for ${durationText(until - options.clock.now())}`, rank: 1 },
      ];
      return fitted(segments, total === 0 ? 1 : done / total, columns);
    },
  };
}

interface Segment {
  /** Empty: not shown. */
  readonly text: string;
  /** Used when not everything fits. */
  readonly short?: string;
  /** The highest is left out first. */
  readonly rank: number;
}

function fitted(segments: readonly Segment[], share: number, columns: number): string {
  const joined = (shown: readonly Segment[], isShort: boolean): string =>
    shown.map(({ text, short }) => (isShort ? (short ?? text) : text)).join(separator);
  let shown = segments.filter(({ text }) => text !== '');
  const whole = joined(shown, false);
  const barColumns = Math.min(longestBar, columns - whole.length - 1);
  if (barColumns >= shortestBar) {
    const full = Math.round(Math.min(1, Math.max(0, share)) * barColumns);
    return `${'='.repeat(full)}${'-'.repeat(barColumns - full)} ${whole}`;
  }
  if (whole.length <= columns) return whole;
  for (;;) {
    const text = joined(shown, true);
    if (text.length <= columns || shown.length === 0) return text;
    if (shown.length === 1) return text.slice(0, Math.max(0, columns));
    const last = Math.max(...shown.map(({ rank }) => rank));
    shown = shown.filter(({ rank }) => rank !== last);
  }
}

function createPace(clock: Clock): { readonly tick: () => void; readonly perMs: () => number | undefined } {
  const times: number[] = [];
  let windowStart = clock.now();
  const drop = (): void => {
    const oldest = clock.now() - paceWindowMs;
    while (times.length > paceDocuments || (times[0] !== undefined && times[0] < oldest)) windowStart = times.shift() ?? windowStart;
    windowStart = Math.max(windowStart, oldest);
  };
  return {
    tick() {
      times.push(clock.now());
      drop();
    },
    perMs() {
      drop();
      const windowMs = clock.now() - windowStart;
      return times.length < fewestDocuments || windowMs < shortestWindowMs ? undefined : times.length / windowMs;
    },
  };
}

function paceText(perMs: number): string {
  const perMinute = perMs * 60_000;
  return `${perMinute >= 10 ? Math.round(perMinute) : perMinute.toFixed(1)}/min`;
}

/** What providers reported and what was estimated are never added together (SG-036). */
function createTokens(): { readonly add: (usage: Usage) => void; readonly text: () => string } {
  const reported = { input: 0, output: 0 };
  const estimated = { input: 0, output: 0 };
  return {
    add({ reported: isReported, inputTokens, outputTokens }) {
      const sum = isReported ? reported : estimated;
      sum.input += inputTokens;
      sum.output += outputTokens;
    },
    text() {
      const { input, output } = reported.input + reported.output > 0 ? reported : estimated;
      if (input + output === 0) return '';
      const isExact = estimated.input + estimated.output === 0;
      return `${isExact ? '' : 'about '}${countText(input)} tokens in, ${countText(output)} out`;
    },
  };
}

/** A count in at most four characters and its unit. */
function countText(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${count < 99_950 ? (count / 1_000).toFixed(1) : Math.round(count / 1_000)}k`;
  return `${count < 99_950_000 ? (count / 1_000_000).toFixed(1) : Math.round(count / 1_000_000)}M`;
}

/** A time to wait for people, rounded up, in its two largest units. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}
