import { readFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { type LabModel, type LabReply, replyFault, scripted } from '@vouch/lab';
import { importModule, reasonOf, scriptEndings } from '../schema/schema-file.ts';
import { UsageError } from '../usage-error.ts';

const hint = 'give a .json array or a .jsonl file of replies, or a module that exports an array or a function as default or `replies`';

/** Reads the replies of `--model script FILE`. A module is run: it is the caller's own code. Throws `UsageError`, with the line or the place in the array. */
export async function loadScript(path: string, cwd: string): Promise<LabModel> {
  const file = resolve(cwd, path);
  const ending = extname(file).toLowerCase();
  try {
    if (scriptEndings.has(ending)) return fromModule(await importModule(file, ending), path);
    const text = (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
    return scripted(ending === '.jsonl' || ending === '.ndjson' ? fromLines(text, path) : fromArray(parse(text, path), path));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read the script ${path}: ${reasonOf(error)}`, hint);
  }
}

function parse(text: string, subject: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${subject} is not JSON: ${reasonOf(error)}`, hint);
  }
}

function fromLines(text: string, path: string): readonly LabReply[] {
  const replies = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const subject = `line ${index + 1} of ${path}`;
    return [checked(parse(line, subject), subject)];
  });
  return someOf(replies, path);
}

function fromArray(value: unknown, path: string): readonly LabReply[] {
  if (!Array.isArray(value)) throw new UsageError(`${path} holds no array of replies`, hint);
  const replies = value.map((reply: unknown, index) => checked(reply, `reply ${index} of ${path}`));
  return someOf(replies, path);
}

function someOf(replies: readonly LabReply[], path: string): readonly LabReply[] {
  if (replies.length === 0) throw new UsageError(`${path} holds no reply`, hint);
  return replies;
}

function checked(value: unknown, subject: string): LabReply {
  const fault = replyFault(value);
  if (fault !== undefined) throw new UsageError(`${subject} is no reply: ${fault}`, 'see: vouch lab --help');
  return value as LabReply;
}

function fromModule(exports: Readonly<Record<string, unknown>>, path: string): LabModel {
  const value = exports.default ?? exports.replies;
  if (typeof value === 'function') return scripted(value as Extract<Parameters<typeof scripted>[0], (...args: never) => unknown>);
  if (Array.isArray(value)) return scripted(fromArray(value, path));
  const names = Object.keys(exports).slice(0, 8).join(', ') || 'nothing';
  throw new UsageError(`the module ${path} exports neither an array nor a function as default or \`replies\`, but ${names}`, hint);
}
