import type { JsonValue } from '../basics/json.ts';
import type { JsonSchema } from '../basics/json-schema.ts';
import type { MaybePromise } from '../basics/maybe-promise.ts';
import type { OperationContext } from '../execution/execution.ts';
import type { Gate, SchemaAdapter } from '../outcome/schema.ts';

/** What a model is told of a tool. */
export interface ToolDescriptor {
  /** At most 64 of `[A-Za-z0-9_-]`, unique in a request. */
  readonly name: string;
  readonly description: string;
  readonly jsonSchema: JsonSchema;
  /** Gates calls written as text, and types XML parameters (SG-068). Without it such calls are taken as they are, and noted. */
  readonly validate?: Gate['validate'];
}

/** Which tool the model may or must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** A tool of an application: declared, authorized, executed, checked, receipted (AC-030, AC-031). */
export interface ToolDefinition<Input, Output, App> {
  readonly id: string;
  readonly kind: string;
  readonly description: string;
  readonly inputSchema: SchemaAdapter<Input>;
  /** Returning approves; throwing rejects; any other completion value is a `TypeError`, never an approval. */
  authorize(input: Input, context: OperationContext<App>): MaybePromise<void>;
  execute(input: Input, context: OperationContext<App>): MaybePromise<unknown>;
  parseOutput(value: unknown): Output;
  /** The tool changes the world outside. Default false. */
  readonly sideEffects?: boolean;
  /** Asks the world what became of a call whose process died; `unknown` leaves its receipt `uncertain`. */
  reconcile?(idempotencyKey: string, context: OperationContext<App>): MaybePromise<ToolReconciliation>;
}

/** What `reconcile` found. */
export type ToolReconciliation =
  | { readonly status: 'done'; readonly value: JsonValue }
  | { readonly status: 'not-done' }
  | { readonly status: 'unknown' };
