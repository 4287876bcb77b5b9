import { expect, it } from 'vitest';
import { routeResponse } from '../../src/wire/router.ts';
import { runProperty } from './property.ts';
import { deliverByStream } from './stream.ts';

const seed = Number(process.env.VOUCH_PROPERTY_SEED ?? 65_066);
const runs = Number(process.env.VOUCH_PROPERTY_STREAM_RUNS ?? 4_000);

it(`[SG-065] any chunking: cases sent as bytes of the chat wire come out as they do from the text (seed ${seed})`, {
  timeout: 120_000,
}, async () => {
  const counts = await runProperty({ runs, seed, route: routeResponse, deliver: deliverByStream });
  expect(counts.streamed).toBe(runs / 4);
  expect(counts.wrong).toEqual([]);
});
