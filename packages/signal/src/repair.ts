export type { TextVerdict } from './wire/competition.ts';
export { type CorpusCase, type CorpusOutcome, routeCorpusCase } from './wire/corpus-case.ts';
export { callsOf, type ShapedCall } from './wire/dialects/call-shape.ts';
export { type DialectContext, textCallsAt } from './wire/dialects/text-calls.ts';
export { decodeWantedContainers } from './wire/json/readings.ts';
export {
  type Decoded,
  type DecodedDeep,
  type DecodedLayer,
  type DecodedOpen,
  type DecodedValue,
  decodeRelaxed,
} from './wire/json/relaxed-json.ts';
export { closeTruncated, extractJson, isTruncatedJson } from './wire/mechanisms.ts';
export { repairEscapeDamage, undoEntityLayer, undoEscapeLayer } from './wire/repair.ts';
export { knownStrategies, resolveStrategies } from './wire/resolve-strategies.ts';
export {
  type RouteContract,
  type Routed,
  routeRejection,
  routeResponse,
  type WireCall,
  type WireLimits,
  type WireResponse,
} from './wire/router.ts';
export { failedGeneration } from './wire/strategies/failed-generation.ts';
export { jsonlLines } from './wire/strategies/jsonl-lines.ts';
export { scanText } from './wire/text/scan-text.ts';
export type { Candidate, Scan } from './wire/text/scanner.ts';
