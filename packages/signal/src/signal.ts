// The package's entry facade over the client and the step.
export type { CallOptions } from './client/call.ts';
export type { ClientOptions } from './client/config.ts';
export type { CustomProviderConfig, SignalDescription } from './client/endpoint.ts';
export { createSignal, type Signal } from './client.ts';
export { type StepCall, type StepEnvironment, step, stepStream } from './step.ts';
