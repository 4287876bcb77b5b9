import { listedRow, type Pathology, type PathologyWire } from './pathology.ts';

const anthropic: readonly PathologyWire[] = ['anthropic-messages'];
const gemini: readonly PathologyWire[] = ['gemini'];

/** E1 to F14: rows of wires that the lab does not serve. They are listed so that the table is whole. */
export const otherWires: readonly Pathology[] = [
  listedRow('E1', 'signature-split', anthropic, 'value', 'the signature joined'),
  listedRow('E2', 'signature-only', anthropic, 'value', 'kept for replay, no visible reasoning'),
  listedRow('E3', 'redacted', anthropic, 'value', 'kept in place for replay'),
  listedRow('E4', 'interleaved', anthropic, 'tool_calls', 'order kept on replay'),
  listedRow('E5', 'tool-no-delta', anthropic, 'tool_calls', 'no arguments'),
  listedRow('E6', 'input-in-start', anthropic, 'tool_calls', 'the input of the start'),
  listedRow('E7', 'max_tokens-in-tool', anthropic, 'typed-failure', 'truncated; the call is not run'),
  listedRow('E8', 'refusal-200', anthropic, 'typed-failure', 'refused'),
  listedRow('E9', 'pause_turn', anthropic, 'typed-failure', 'resumable'),
  listedRow('E10', 'message_delta-usage-null', anthropic, 'value', 'the input of message_start'),
  listedRow('E11', 'unknown-block', anthropic, 'value', 'skipped, kept for replay'),
  listedRow('E12', 'no-event-line', anthropic, 'value', 'read by data.type'),
  listedRow('E13', 'index-gap', anthropic, 'value', 'tolerated'),
  listedRow('E14', 'missing-message_stop', anthropic, 'value', 'the stop reason was given'),
  listedRow('E15', 'forced-tool-400', anthropic, 'value', 'falls back, remembered'),
  listedRow('E16', 'budget-400', anthropic, 'value', 'switches the mode once, remembered'),
  listedRow('E17', 'sampling-400', anthropic, 'value', 'dropped with a warning, remembered'),
  listedRow('E18', 'ping-before-start, ping-inside-block', anthropic, 'value', 'ignored'),
  listedRow('E19', 'tool_use-start-without-input', anthropic, 'tool_calls', 'the ordinary form'),
  listedRow('F1', 'call-without-id', gemini, 'tool_calls', 'two made-up ids'),
  listedRow('F2', 'args-missing', gemini, 'tool_calls', 'no arguments'),
  listedRow('F3', 'prompt-blocked', gemini, 'typed-failure', 'refused'),
  listedRow('F4', 'malformed-call', gemini, 'tool_calls', 'recovered by a strict parser'),
  listedRow('F5', 'unexpected-tool-call', gemini, 'typed-failure', 'no output'),
  listedRow('F6', 'empty-stop', gemini, 'typed-failure', 'an empty response'),
  listedRow('F7', 'thoughts-eat-budget', gemini, 'typed-failure', 'truncated'),
  listedRow('F8', 'signature-on-empty-text', gemini, 'value', 'kept for replay'),
  listedRow('F9', 'missing-signature-400', gemini, 'typed-failure', 'never from own history'),
  listedRow('F10', 'crlf', gemini, 'value', 'the answer is untouched'),
  listedRow('F11', 'json-array-stream', gemini, 'value', 'read, or a configuration failure'),
  listedRow('F12', 'recitation', gemini, 'typed-failure', 'refused'),
  listedRow('F13', 'response-part-mixing', gemini, 'value', 'never sent'),
  listedRow('F14', 'mid-stream-503', gemini, 'typed-failure', 'overloaded'),
];
