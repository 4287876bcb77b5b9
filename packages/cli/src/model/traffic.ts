import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Clock } from '@vouch/contracts';
import type { CassettePlayer, CassetteRecorder } from '@vouch/lab';
import { providerRows } from '@vouch/signal';
import { UsageError } from '../usage-error.ts';
import { customKeyVariables, type Environment } from './model-choice.ts';

/** What requests and answers pass through on their way to the network and back. */
export interface Traffic {
  readonly fetch: typeof globalThis.fetch;
  /** Requests are answered from a directory: neither key nor network is needed. */
  readonly isReplayed: boolean;
  /** Ends a recording. Gives what a person must know of it, in sentences. */
  close(): Promise<readonly string[]>;
}

/** Directories; at most one of them. */
export interface TrafficOptions {
  /** Every exchange is written there. */
  readonly record?: string;
  /** Every answer comes from there. */
  readonly replay?: string;
}

/** The network as it is, recorded, or replayed. The lab is loaded only for the latter two. Throws `UsageError` for a directory that cannot be used. */
export async function openTraffic({ record, replay }: TrafficOptions, env: Environment, cwd: string, clock: Clock): Promise<Traffic> {
  if (record === undefined && replay === undefined)
    return { fetch: (input, init) => globalThis.fetch(input, init), isReplayed: false, close: async () => [] };
  const secrets = secretsIn(env);
  const lab = await import('@vouch/lab');
  try {
    if (replay !== undefined) {
      const directory = resolve(cwd, replay);
      await readdir(directory);
      return replayed(await lab.replayCassettes({ directory, secrets, clock }), replay);
    }
    return recorded(await lab.recordCassettes({ directory: resolve(cwd, record ?? ''), secrets, clock }));
  } catch (error) {
    const [option, directory] = replay === undefined ? ['--record', record] : ['--replay', replay];
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UsageError(`${option} ${directory}: there is no such directory`, 'record one first: --record DIR');
    throw new UsageError(`${option} ${directory}: ${error instanceof Error ? error.message : String(error)}`, 'give another directory');
  }
}

function recorded(recorder: CassetteRecorder): Traffic {
  return {
    fetch: recorder.fetch,
    isReplayed: false,
    async close() {
      const { skipped } = await recorder.done();
      const first = skipped[0];
      if (first === undefined) return [];
      return [
        `${skipped.length} ${skipped.length === 1 ? 'exchange was' : 'exchanges were'} not recorded: ${first.request}: ${first.reason}`,
      ];
    },
  };
}

function replayed(player: CassettePlayer, directory: string): Traffic {
  return {
    fetch: player.fetch,
    isReplayed: true,
    async close() {
      const unused = player.unused().length;
      return unused === 0 ? [] : [`${unused} of the recorded answers in ${directory} ${unused === 1 ? 'was' : 'were'} not asked for`];
    },
  };
}

/** A shorter key is a placeholder that local servers take, such as `test`: replaced in every body, it would garble them. */
const shortestKey = 8;

/** Keys that the environment holds for any provider: none of them may stand in a recording, wherever a server repeats it. */
function secretsIn(env: Environment): readonly string[] {
  const names = new Set([...customKeyVariables, ...providerRows.flatMap((row) => row.envKeys)]);
  return [...names].map((name) => env[name] ?? '').filter((key) => key.length >= shortestKey);
}
