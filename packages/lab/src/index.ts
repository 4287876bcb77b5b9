export type { LabContent, LabLogprob, LabReply, LabUsage, RawReply } from './answer.ts';
export {
  CassetteError,
  type CassettePlayer,
  type CassetteRecorder,
  type RecordOptions,
  type RecordReport,
  type ReplayOptions,
  recordCassettes,
  replayCassettes,
} from './cassettes.ts';
export type { LabChatRequest, LabFormat, LabMessage, LabTool } from './chat-request.ts';
export type { Fault, FaultContext, FaultExpectation, FaultParameter } from './faults/fault.ts';
export { faultById, faults } from './faults.ts';
export { type Lab, type LabOptions, startLab } from './lab.ts';
export { reader, readerDescription } from './models/reader.ts';
export { replyFault } from './models/reply-fault.ts';
export { type RulesOptions, rules, rulesDescription } from './models/rules.ts';
export { type LabModel, type LabModelContext, scripted } from './models/scripted.ts';
export type { Apply, Pathology, PathologyContext, PathologyWire } from './pathologies/pathology.ts';
export { pathologies, pathologyById } from './pathologies.ts';
export type { LabRequest, LabRequestMatch } from './server/request-log.ts';
export type { LabDelays } from './server/write-reply.ts';
