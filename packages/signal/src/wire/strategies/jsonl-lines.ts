import type { ResponseWireStrategy } from '@vouch/contracts';

const isContainerLine = (line: string): boolean => {
  const trimmed = line.trim();
  if (!trimmed.startsWith('{') && !trimmed.startsWith('[')) return false;
  try {
    JSON.parse(trimmed);
    return true;
  } catch {
    return false;
  }
};

/**
 * Reads a text of several JSON lines where one value was asked for. Offers every line; `prefer: 'last'` takes the last that passes instead of
 * failing as `ambiguous`, and is noted. Offers nothing unless every line that is not blank is a whole object or list, so that no part of a larger
 * value is ever offered.
 */
export function jsonlLines(options: { readonly prefer?: 'last' } = {}): ResponseWireStrategy {
  return {
    id: 'jsonl-lines',
    hook: 'response',
    candidates(content) {
      const lines = content.split('\n').filter((line) => line.trim() !== '');
      return lines.length > 1 && lines.every(isContainerLine) ? lines.map((line) => line.trim()) : [];
    },
    ...(options.prefer === undefined ? {} : { prefer: options.prefer }),
  };
}
