import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';

/** A process of a machine, told from a later one with the same id where the system says when it started. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Linux: the boot's id and the clock ticks from boot to start, from /proc. Absent elsewhere. */
  readonly start?: string;
}

/** This process. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const start = await startOf(process.pid);
  return { pid: process.pid, host: hostname(), ...(start === undefined || start === 'gone' ? {} : { start }) };
}

/** Whether the process still runs. One of another machine cannot be seen from here and counts as running. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  if (identity.host !== hostname()) return true;
  const start = await startOf(identity.pid);
  if (start === 'gone') return false;
  return start === undefined || identity.start === undefined ? answersSignals(identity.pid) : start === identity.start;
}

/** When a process started; `gone` when there is none, or only its exit code waits for its parent; undefined where /proc does not say. */
async function startOf(pid: number): Promise<string | 'gone' | undefined> {
  let boot: string;
  try {
    boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  } catch {
    return undefined;
  }
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses, and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X') return 'gone';
    return ticks === undefined ? undefined : `${boot}:${ticks}`;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // A /proc that hides other users' processes looks the same, so the signal decides.
    return (code === 'ENOENT' || code === 'ESRCH') && !answersSignals(pid) ? 'gone' : undefined;
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
