export {
  compatibleDialect,
  defaultDialects,
  generateContentDialect,
  messagesDialect,
  ollamaDialect,
  openAiDialect,
  responsesDialect,
  translatedResponsesDialect,
} from './registry/dialects.ts';
export { describeRow, joinCapabilities, modelRow, providerRow, type RowDescription } from './registry/join.ts';
export { type ModelRow, unmeasuredModel } from './registry/model-row.ts';
export { modelRows } from './registry/models.ts';
export {
  type ChatProviderRow,
  type DecisionProviderRow,
  type ProviderRow,
  type RowProvenance,
  unmeasuredEndpoint,
} from './registry/provider-row.ts';
export { providerRows } from './registry/providers.ts';
