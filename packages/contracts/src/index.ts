export { assertNever } from './basics/assert-never.ts';
export { type BoundedText, boundMessage, boundText, previewValue, textLimits } from './basics/bounded-text.ts';
export { type Clock, systemClock } from './basics/clock.ts';
export { type IdSource, randomIds, sequentialIds } from './basics/ids.ts';
export { childPointer, isJsonObject, type JsonObject, type JsonPointer, type JsonValue, pointerKeys } from './basics/json.ts';
export { type JsonSchema, namedTypes, resolveReference, schemaAt } from './basics/json-schema.ts';
export { lazyField } from './basics/lazy-field.ts';
export { isThenable, type MaybePromise, requireSynchronous } from './basics/maybe-promise.ts';
export { sha256 } from './basics/sha256.ts';
export { thrownMessage } from './basics/thrown-message.ts';
export type { ChatProvider, ChatRequest, LLMProvider } from './conversation/chat-provider.ts';
export {
  type Carry,
  type ContentPart,
  type ImageSource,
  type Message,
  type MessageInput,
  type MessagePart,
  type MessageRole,
  type Origin,
  type PartBase,
  type Trust,
  textOf,
} from './conversation/message.ts';
export type {
  BlockKind,
  CallMetadata,
  FinishReason,
  FunctionCallDelta,
  ModelPart,
  TokenLogprob,
  WithheldPart,
} from './conversation/part.ts';
export {
  type ThinkingBlock,
  type ThinkingHandler,
  type ThinkingOptions,
  UnsupportedThinkingError,
  type UnsupportedThinkingReason,
} from './conversation/thinking.ts';
export { type MessageDefaults, toMessages } from './conversation/to-message.ts';
export type { ToolChoice, ToolDefinition, ToolDescriptor, ToolReconciliation } from './conversation/tool.ts';
export {
  type AssembledCall,
  createToolCallAssembler,
  type ToolCallAnomaly,
  type ToolCallAnomalyKind,
  type ToolCallAssembler,
  type ToolCallAssemblerOptions,
  type ToolCallFragment,
  ToolCallProtocolError,
} from './conversation/tool-call-assembler.ts';
export { totalUsage, type Usage, unknownUsage } from './conversation/usage.ts';
export {
  type Capabilities,
  type EndpointCapabilities,
  type Fact,
  type ModelCapabilities,
  type ReasoningEffort,
  reasoningEfforts,
  type ThinkingMode,
} from './endpoint/capabilities.ts';
export type {
  ChatDialect,
  ChatWireId,
  EndpointDialect,
  GenerateContentDialect,
  MessagesDialect,
  OllamaDialect,
  ResponsesDialect,
  ThinkingShape,
  ToolChoiceDialect,
  WireDialect,
} from './endpoint/endpoint-dialect.ts';
export type { ModelFacts } from './endpoint/model-facts.ts';
export type { Budget, BudgetExcess, BudgetName, RemainingBudget } from './execution/budget.ts';
export type { Catalog } from './execution/catalog.ts';
export type { BuiltContext, ContextFragment, ContextPlan, FragmentChange, FragmentLifetime, FragmentUsage } from './execution/context.ts';
export type {
  DiagnosticScope,
  Execution,
  ExecutionContext,
  ExecutionOptions,
  ModelCallPlan,
  ModelCallScope,
  OperationContext,
  ReceiptLog,
} from './execution/execution.ts';
export type { Invocation, InvocationOutcome } from './execution/receipt.ts';
export type { RequestItem, TraceEvent, TraceItem } from './execution/trace.ts';
export {
  type AttemptEvidence,
  type AttemptSource,
  type Failure,
  type FailureCode,
  type FailureEvidence,
  type FailureKind,
  type FailureReason,
  failureCodes,
  failureReasons,
  type Issue,
  type ProviderCause,
  type ProviderFault,
  type SalvagedCall,
} from './outcome/failure.ts';
export type { SignalMeta, SignalResult, StreamEvent, ToolCallRecord, TryResult } from './outcome/run.ts';
export type { Gate, OutputSchema, SchemaAdapter, Validation } from './outcome/schema.ts';
export { configurationError, type FailureParts, makeFailure, SignalError } from './outcome/signal-error.ts';
export type {
  ResponseFormat,
  SignalOptions,
  StepOutcome,
  StepOutput,
  StepRequest,
  StepResult,
  StepStreamEvent,
  StepToolCall,
} from './outcome/step.ts';
export type { FitUndo, ResolvedTransport, TransportName } from './outcome/transport.ts';
export type { AcceptPolicy, CandidateReport, Edit, LossGrade, WireReport } from './outcome/wire-report.ts';
export type { ErrorWireStrategy, ProviderErrorView, Rejection, ResponseWireStrategy, WireStrategy } from './outcome/wire-strategy.ts';
