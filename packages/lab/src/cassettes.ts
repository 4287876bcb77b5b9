export { CassetteError } from './cassettes/cassette.ts';
export { type CassetteRecorder, type RecordOptions, type RecordReport, recordCassettes } from './cassettes/record.ts';
export { type CassettePlayer, type ReplayOptions, replayCassettes } from './cassettes/replay.ts';
