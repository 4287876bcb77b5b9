export { type CatalogItem, type CatalogPort, catalogCases } from './catalog-cases.ts';
export { type ChatProviderPort, type ChatScenario, chatProviderCases } from './chat-provider-cases.ts';
export { type ManualClock, manualClock } from './manual-clock.ts';
export type { PortCase } from './port-case.ts';
export { type SchemaAdapterPort, schemaAdapterCases } from './schema-adapter-cases.ts';
export { type ScriptedAnswer, type ScriptedItem, type ScriptedModel, type ScriptedModelOptions, scriptedModel } from './scripted-model.ts';
