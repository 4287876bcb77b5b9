import type { IncomingMessage } from 'node:http';

/** Bytes of a request body; a longer one is a 413. */
export const mostBodyBytes: number = 8 * 1024 * 1024;

/** Bytes that are read and dropped past the limit, so that the client can read the 413 instead of a reset. */
const mostDrainedBytes = 64 * 1024 * 1024;

/** The body's bytes; `too-long` past the limit, `aborted` when the client went before the end. */
export function readBody(request: IncomingMessage): Promise<Uint8Array | 'too-long' | 'aborted'> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.byteLength;
      if (length <= mostBodyBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve('too-long');
        if (length > mostDrainedBytes) request.destroy();
      }
    });
    request.on('end', () => resolve(length > mostBodyBytes ? 'too-long' : Buffer.concat(chunks)));
    request.on('error', () => resolve('aborted'));
    request.on('close', () => resolve('aborted'));
  });
}
