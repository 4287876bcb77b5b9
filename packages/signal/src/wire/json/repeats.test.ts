import { describe, expect, it } from 'vitest';
import { undoEntityLayer, undoEscapeLayer, undoOpenLayer } from '../repair.ts';
import { decodeRelaxed } from './relaxed-json.ts';

describe('many of one kind', () => {
  it('[SG-062] a key that is repeated ten thousand times leaves a bounded number of notes', () => {
    const text = `{${'"a":1,'.repeat(10_000)}"a":1}`;
    const reading = decodeRelaxed(text, 0, text.length);
    if (reading.kind !== 'value') throw new Error(reading.kind);
    expect(reading.value).toEqual({ a: 1 });
    expect(reading.notes.length).toBeGreaterThan(0);
    expect(reading.notes.length).toBeLessThan(1_000);
    expect(reading.findings.length).toBeLessThan(1_000);
  });

  it('a layer is undone exactly once, runs without a mark as they stand', () => {
    const value = { text: `${'plain '.repeat(50)}"quoted" \\ & &amp; 🦀\n`, list: ['', '&quot;'] };
    const text = JSON.stringify(value);
    const escaped = JSON.stringify(text).slice(1, -1);
    expect(undoEscapeLayer(`${escaped} talk`, 0, escaped.length + 5)).toEqual({ text, end: escaped.length });
    const entities = text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    expect(undoEntityLayer(`x${entities} talk`, 1, entities.length + 6)).toEqual({ text, end: entities.length + 1 });
    const cut = escaped.slice(0, escaped.lastIndexOf('\\') + 1);
    expect(undoEscapeLayer(cut, 0, cut.length)).toBe('open');
    expect(text.startsWith(undoOpenLayer(cut, 0, cut.length, 'escapes'))).toBe(true);
  });

  it('a layer around raw control characters is undone too, and one that is not whole is none', () => {
    const span = '{\\"a\\":\n\t\\"b\\\\n\\u00e9\\"}';
    expect(undoEscapeLayer(span, 0, span.length)).toEqual({ text: '{"a":\n\t"b\\né"}', end: span.length });
    expect(undoEscapeLayer('{\\"a\\":\\x and so on, far from the end}', 0, 42)).toBeUndefined();
    expect(undoEscapeLayer('{\\"a\\": "b"}', 0, 13)).toBeUndefined();
  });

  it('an entity that another one spells is left as it is', () => {
    const span = '{&quot;a&quot;:&#34;&amp;quot; &#38;quot; &#x26;#34; &lt;&QUOT;&#x22;}';
    expect(undoEntityLayer(span, 0, span.length)).toEqual({ text: '{"a":"&quot; &quot; &#34; <&QUOT;"}', end: span.length });
    expect(undoEntityLayer('{&quot;a&quot;:&#9999999;}', 0, 26)).toBeUndefined();
  });
});
