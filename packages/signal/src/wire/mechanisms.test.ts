import { describe, expect, it } from 'vitest';
import { decodeWantedContainers } from './json/readings.ts';
import { objectSchema } from './json/test-support/ajv-gate.ts';
import { closeTruncated, extractJson, isTruncatedJson } from './mechanisms.ts';
import { repairEscapeDamage } from './repair.ts';

const cutInString = '{"room":{"id":"r-7","note":"late arr';
const cutInKey = '{"name":"book_room","arguments":{"room":7,"sl';

describe('extractJson', () => {
  it('[SG-062] [sig-P1] gives a clean object or array', () => {
    expect(extractJson('{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
    expect(extractJson('[1,2]')).toEqual({ ok: true, value: [1, 2] });
  });

  it('[sig-P2] takes the value out of a fence', () => {
    expect(extractJson('```json\n{"a":1}\n```')).toEqual({ ok: true, value: { a: 1 } });
  });

  it('[sig-P3] takes the value out of prose', () => {
    expect(extractJson('Here: {"a":1}. Done.')).toEqual({ ok: true, value: { a: 1 } });
  });

  it('[sig-P4] ignores invisible characters around the value', () => {
    expect(extractJson('\ufeff{"a":1}\u200b')).toEqual({ ok: true, value: { a: 1 } });
  });

  it('[sig-P5] takes an array out of prose', () => {
    expect(extractJson('rows: [1,2,3] as requested')).toEqual({ ok: true, value: [1, 2, 3] });
  });

  it('[sig-P6] gives nothing for prose and for a cut value', () => {
    expect(extractJson('no structure here').ok).toBe(false);
    expect(extractJson('{"a":1,"b":[1').ok).toBe(false);
  });

  it('[SG-064] gives nothing where two values differ', () => {
    expect(extractJson('{"a":1} {"a":2}').ok).toBe(false);
    expect(extractJson('{"a":1} {"a":1}')).toEqual({ ok: true, value: { a: 1 } });
  });
});

describe('repairEscapeDamage', () => {
  it("[sig-P7] offers a text in which \\' is a plain quote", () => {
    const texts = repairEscapeDamage('{"note":"it\\\'s fine"}');
    expect(texts.map((text) => JSON.parse(text))).toContainEqual({ note: "it's fine" });
  });

  it('[sig-P8] offers a text without the layer of escapes', () => {
    const texts = repairEscapeDamage('{\\"a\\": 1}');
    expect(texts.map((text) => JSON.parse(text))).toContainEqual({ a: 1 });
  });

  it('[sig-P9] offers nothing for undamaged text', () => {
    expect(repairEscapeDamage('{"a":"b\\n"}')).toEqual([]);
  });
});

describe('decoding strings where the schema wants a container', () => {
  const row = objectSchema({ from: { type: 'integer' } });

  it('[SG-062] [sig-P10] decodes a stringified object', () => {
    expect(decodeWantedContainers('{"from":9}', { jsonSchema: row })).toEqual({ from: 9 });
  });

  it('[sig-P11] leaves text in brackets and a number alone', () => {
    const gate = { jsonSchema: { type: 'array', items: { type: 'string' } } };
    expect(decodeWantedContainers('[draft] report', gate)).toBe('[draft] report');
    expect(decodeWantedContainers(7, gate)).toBe(7);
  });

  it('[sig-P12] decodes a nested array that came as one string', () => {
    const gate = { jsonSchema: objectSchema({ slots: { type: 'array', items: row } }) };
    expect(decodeWantedContainers({ slots: '[{"from":9}]' }, gate)).toEqual({ slots: [{ from: 9 }] });
  });

  it('[sig-P13] decodes a nested object that was stringified twice', () => {
    const gate = { jsonSchema: objectSchema({ row }) };
    expect(decodeWantedContainers({ row: JSON.stringify('{"from":9}') }, gate)).toEqual({ row: { from: 9 } });
  });

  it('[SG-071] [def-B5] leaves a string that the schema wants as text', () => {
    const gate = { jsonSchema: objectSchema({ code: { type: 'string' }, rows: { type: 'array' } }) };
    expect(decodeWantedContainers({ code: '[1,2]', rows: '[1,2]' }, gate)).toEqual({ code: '[1,2]', rows: [1, 2] });
  });
});

describe('closeTruncated and isTruncatedJson', () => {
  it('[SG-064] [sig-P14] keeps complete siblings and drops the torn string', () => {
    expect(closeTruncated(cutInString)).toEqual({ room: { id: 'r-7' } });
  });

  it('[sig-P15] keeps a call and its complete arguments, and drops the torn key', () => {
    expect(closeTruncated(cutInKey)).toEqual({ name: 'book_room', arguments: { room: 7 } });
  });

  it('[sig-P16] drops a key without a value', () => {
    expect(closeTruncated('{"a":1,"b":')).toEqual({ a: 1 });
    expect(closeTruncated('{"a":1,"b"')).toEqual({ a: 1 });
  });

  it('[sig-P17] drops a torn literal and a trailing comma', () => {
    expect(closeTruncated('[1, 2,')).toEqual([1, 2]);
    expect(closeTruncated('{"rows":[true, fal')).toEqual({ rows: [true] });
  });

  it('[SG-064] [def-X7] never keeps a number at the end', () => {
    expect(closeTruncated('{"a":[1, 2')).toEqual({ a: [1] });
    expect(closeTruncated('{"total":12')).toBeUndefined();
  });

  it('[sig-P19] gives nothing for complete JSON, prose, and a value with nothing complete in it', () => {
    for (const text of ['{"a":1}', 'prose', '{"a":{"b":{"c":']) expect(closeTruncated(text)).toBeUndefined();
  });

  it('[sig-P20] knows a cut value', () => {
    expect(isTruncatedJson(cutInString)).toBe(true);
    expect(isTruncatedJson(cutInKey)).toBe(true);
  });

  it('[sig-P21] does not take complete, prosaic or otherwise invalid text for cut', () => {
    for (const text of ['{"a":1}', 'prose', '{"a" 1}']) expect(isTruncatedJson(text)).toBe(false);
  });
});
