type Work = { readonly text: string } | { readonly value: unknown };

/**
 * JSON with the members of every object in the order of their names, so that equal values give equal texts. Members that are `undefined` or
 * functions are left out, as in `JSON.stringify`. Iterative: depth is no concern.
 */
export function stableJson(root: unknown): string {
  const pieces: string[] = [];
  const work: Work[] = [{ value: root }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if ('text' in next) pieces.push(next.text);
    else write(next.value, pieces, work);
  }
  return pieces.join('');
}

const hasJson = (value: unknown): boolean => value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';

function write(value: unknown, pieces: string[], work: Work[]): void {
  if (typeof value !== 'object' || value === null) {
    pieces.push(typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null'));
    return;
  }
  const later: Work[] = [];
  if (Array.isArray(value)) {
    pieces.push('[');
    for (const [index, item] of value.entries()) later.push({ text: index === 0 ? '' : ',' }, { value: item });
    later.push({ text: ']' });
  } else {
    const members = Object.entries(value).filter(([, member]) => hasJson(member));
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    pieces.push('{');
    for (const [index, [key, member]] of members.entries()) {
      later.push({ text: `${index === 0 ? '' : ','}${JSON.stringify(key)}:` }, { value: member });
    }
    later.push({ text: '}' });
  }
  for (let index = later.length - 1; index >= 0; index -= 1) work.push(later[index] as Work);
}
