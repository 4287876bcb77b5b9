// One run of `vouch extract` in a process of its own.
import { spawn } from 'node:child_process';

/**
 * @typedef {object} Child
 * @property {(signal: 'SIGKILL' | 'SIGINT') => void} kill
 * @property {Promise<{ code: number | null, signal: string | null, stderr: string }>} ended
 */

/**
 * Starts the command; it is killed when `signal` aborts.
 * @param {readonly string[]} command
 * @param {readonly string[]} argv
 * @param {string} cwd
 * @param {AbortSignal} signal
 * @returns {Child}
 */
export function start(command, argv, cwd, signal) {
  const [executable = process.execPath, ...before] = command;
  const child = spawn(executable, [...before, ...argv], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const onAbort = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', onAbort, { once: true });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr = `${stderr}${text}`.slice(-20_000);
  });
  return {
    kill: (name) => void child.kill(name),
    ended: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killedBy) => {
        signal.removeEventListener('abort', onAbort);
        resolve({ code, signal: killedBy, stderr });
      });
    }),
  };
}
