import type { JsonPointer } from '../basics/json.ts';
import type { ToolChoice, ToolDescriptor } from '../conversation/tool.ts';
import type { ResponseFormat } from './step.ts';

/** The channel that carries the output: an exit tool, the provider's grammar, or the message content (SG-050). */
export type TransportName = 'respond' | 'native' | 'emit';

/** What fitting a schema to a wire changed, as data that the wire side undoes (SG-053). */
export interface FitUndo {
  /** The root was wrapped in an object under this key. */
  readonly rootKey?: string;
  /** Pointers into the caller's own JSON Schema of property schemas that were made nullable and required; a null there, where the schema refuses null, means absent. */
  readonly madeNullable: readonly JsonPointer[];
}

/** How a request will carry its output, and why (SG-050). */
export interface ResolvedTransport {
  readonly transport: TransportName;
  /** One sentence per consideration, in the order they were weighed. */
  readonly why: readonly string[];
  readonly responseFormat?: ResponseFormat;
  readonly respondTool?: ToolDescriptor;
  /** How much of the contract the exit tool's parameters state. */
  readonly respondDetail?: 'full' | 'loose' | 'permissive';
  readonly outputTool?: string;
  readonly toolChoice?: ToolChoice;
  /** The schema itself must ride the prompt. */
  readonly injectSchemaDoc: boolean;
  readonly envelope?: FitUndo;
  /** Keywords that the sent schema lost, by pointer; the gate still enforces them. */
  readonly dropped: readonly { readonly pointer: JsonPointer; readonly keyword: string }[];
}
