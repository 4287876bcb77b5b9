import type { FailureReason, Gate, Issue, LossGrade, SalvagedCall, StepToolCall, ToolDescriptor } from '@vouch/contracts';
import type { TextVerdict } from './competition.ts';
import { plainToolName } from './dialects/call-shape.ts';
import { isToolName, type TextContract } from './evaluate.ts';
import { sameValue } from './json/equality.ts';
import { decodeWantedContainers } from './json/readings.ts';
import { addNote, makeTrace, type Trace } from './report.ts';
import { routeText } from './route-text.ts';
import type { WireCall, WireResponse } from './router.ts';

/** One structured call after its arguments were read. */
interface ReadCall {
  readonly call: WireCall;
  readonly name: string;
  readonly role: 'declared' | 'exit' | 'undeclared';
  readonly verdict: TextVerdict;
  /** A declared tool's arguments: parsed, or the raw text where they do not parse. */
  readonly args: unknown;
}

const takeAll: Gate['validate'] = () => ({ ok: true });

/** Routes a turn that has structured calls (SG-060, SG-072). */
export function routeCalls(response: WireResponse, contract: TextContract): TextVerdict {
  const read = response.calls.map((call) => readCall(call, contract));
  const stopping = read.find((one) => stopsTurn(one));
  const cut = read.some((one) => isCut(one, read));
  if (cut) return cutTurn(read, contract);
  if (stopping !== undefined) return withCalls(stopping.verdict, read, contract);
  const declared = read.filter((one) => one.role === 'declared');
  if (declared.length > 0) return takeDeclared(declared, read, contract);
  return outputOfCalls(read, response, contract);
}

/** The declared name that a call means: as written, or without a namespace or leaked token. */
function meantName(name: string, contract: TextContract): string {
  if (contract.declared.has(name) || name === contract.exitTool) return name;
  const plain = plainToolName(name);
  return contract.declared.has(plain) || plain === contract.exitTool ? plain : name;
}

function readCall(call: WireCall, contract: TextContract): ReadCall {
  const name = meantName(call.name, contract);
  const isEmpty = call.argsText.trim() === '';
  const wasCut = contract.finish === 'length' || (contract.finish === 'unknown' && !contract.terminated);
  const role = roleOf(name, contract);
  if (isEmpty && (wasCut || role !== 'declared')) {
    const reason: FailureReason = wasCut ? 'truncated' : 'empty';
    const trace = makeTrace('', 'arguments');
    return {
      call,
      name,
      role,
      verdict: { kind: 'failed', reason, message: 'the call came without arguments', issues: [], trace },
      args: '',
    };
  }
  // A tool's arguments are an object: `null` says that there are none.
  const isNone = isEmpty || (role === 'declared' && call.argsText.trim() === 'null' && !takesNull(contract.declared.get(name)));
  const argsText = isNone ? '{}' : call.argsText;
  // Arguments hold no calls of their own: only the exit tool's name stays an envelope.
  const bare: TextContract = { ...contract, declared: new Map(), strategies: [] };
  const tool = contract.declared.get(name);
  if (tool === undefined || !isToolName(contract, name)) {
    return { call, name, role, verdict: routeText(argsText, 'arguments', bare), args: argsText };
  }
  const verdict = routeText(argsText, 'arguments', toolContract(bare, tool, tool.validate ?? takeAll));
  return { call, name, role, verdict, args: declaredArgs(verdict, argsText, bare, tool) };
}

const takesNull = (tool: ToolDescriptor | undefined): boolean => tool?.validate?.(null).ok === true;

function roleOf(name: string, contract: TextContract): ReadCall['role'] {
  if (isToolName(contract, name)) return 'declared';
  return name === contract.exitTool ? 'exit' : 'undeclared';
}

/** A cut tool call is never completed, so nothing lossy is taken for one. */
function toolContract(contract: TextContract, tool: ToolDescriptor, validate: Gate['validate']): TextContract {
  const gate: Gate = { jsonSchema: tool.jsonSchema, validate };
  const accept = contract.accept === 'exact' ? 'exact' : 'repaired';
  return { ...contract, gate, isEnvelope: () => false, accept, prose: 'refused', exitTool: undefined, undo: undefined };
}

function declaredArgs(verdict: TextVerdict, argsText: string, contract: TextContract, tool: ToolDescriptor): unknown {
  if (verdict.kind === 'output') {
    return tool.validate === undefined ? decodeWantedContainers(verdict.value, { jsonSchema: tool.jsonSchema }) : verdict.value;
  }
  // The arguments miss the tool's schema: they go to the tool as they are, which refuses them and is fed back.
  if (verdict.kind === 'failed' && verdict.reason === 'schema_mismatch') {
    const parsed = routeText(argsText, 'arguments', toolContract(contract, tool, takeAll));
    if (parsed.kind === 'output') return parsed.value;
  }
  return argsText;
}

function isCut(one: ReadCall, all: readonly ReadCall[]): boolean {
  const { verdict, role } = one;
  if (verdict.kind === 'failed' && verdict.reason === 'truncated') return true;
  if (verdict.kind !== 'output') return false;
  // Nothing closes a tool's arguments, and no lossy output stands beside calls that would run.
  const closed = verdict.rung.startsWith('close');
  return closed && (role === 'declared' || all.some((other) => other.role === 'declared'));
}

const stoppingReasons: ReadonlySet<FailureReason> = new Set(['lossy_value', 'unsafe_key', 'ambiguous', 'suspect_escape', 'limit_exceeded']);

/** Arguments that JavaScript cannot hold as they were meant must not reach a tool. */
function stopsTurn({ role, verdict }: ReadCall): boolean {
  return role === 'declared' && verdict.kind === 'failed' && stoppingReasons.has(verdict.reason);
}

const longestSalvage = 1 << 16;

function salvagedCalls(read: readonly ReadCall[], contract: TextContract): readonly SalvagedCall[] {
  return read.slice(0, 64).map(({ call, name, verdict, args }) => {
    const isWhole =
      !(verdict.kind === 'failed' && verdict.reason === 'truncated') && !(verdict.kind === 'output' && verdict.rung.startsWith('close'));
    const partial = verdict.kind === 'failed' ? (verdict.salvaged ?? null) : verdict.kind === 'output' ? verdict.value : null;
    const short = call.argsText.length <= longestSalvage;
    return {
      id: call.id === '' ? contract.newCallId() : call.id,
      name: name.slice(0, 64),
      args: !short ? null : isWhole && args !== call.argsText ? args : partial,
      argsText: short ? call.argsText : `${call.argsText.slice(0, 4_000)}… [${call.argsText.length - 4_000} more characters]`,
      complete: isWhole,
    };
  });
}

function cutTurn(read: readonly ReadCall[], contract: TextContract): TextVerdict {
  const cut = read.find((one) => one.verdict.kind === 'failed' && one.verdict.reason === 'truncated') ?? read[0];
  const trace = cut?.verdict.trace ?? makeTrace('', 'arguments');
  const salvaged = cut?.verdict.kind === 'failed' ? cut.verdict.salvaged : undefined;
  const message = `the call of ${(cut?.name ?? '').slice(0, 64)} was cut; no call of the turn was run`;
  const calls = salvagedCalls(read, contract);
  return {
    kind: 'failed',
    reason: 'truncated',
    message,
    issues: [],
    salvagedCalls: calls,
    trace,
    ...(salvaged === undefined ? {} : { salvaged }),
  };
}

function withCalls(verdict: TextVerdict, read: readonly ReadCall[], contract: TextContract): TextVerdict {
  return verdict.kind === 'failed' ? { ...verdict, salvagedCalls: salvagedCalls(read, contract) } : verdict;
}

function takeDeclared(declared: readonly ReadCall[], read: readonly ReadCall[], contract: TextContract): TextVerdict {
  const trace: Trace = makeTrace('', 'arguments');
  const [only] = declared;
  if (declared.length === 1 && only?.verdict.kind === 'output') trace.edits.push(...only.verdict.trace.edits);
  let loss: LossGrade = 'none';
  for (const one of read) {
    if (one.role !== 'declared') {
      const kind = one.role === 'exit' ? 'the output tool' : 'which is not declared';
      addNote(trace, `dropped a call of ${one.name.slice(0, 64)} (${kind}): declared calls win`);
    } else if (one.verdict.kind === 'output' && one.verdict.loss !== 'none') {
      loss = one.verdict.loss === 'reencoded' ? 'reencoded' : loss === 'none' ? 'noise' : loss;
      addNote(trace, `the arguments of ${one.name} were read by ${one.verdict.rung}`);
    } else if (one.verdict.kind === 'failed') {
      addNote(trace, `the arguments of ${one.name} are passed on as they are: ${one.verdict.reason}`);
    }
    for (const note of one.verdict.trace.notes) addNote(trace, note);
  }
  const calls: StepToolCall[] = declared.map(({ call, name, args }) => ({
    id: call.id === '' ? contract.newCallId() : call.id,
    name,
    args,
    argsText: call.argsText,
  }));
  return { kind: 'calls', calls, loss, trace };
}

type Output = Extract<TextVerdict, { kind: 'output' }>;

/** No declared tool was called: the output is in the arguments of the exit tool, of a pseudo tool, or in the content. */
function outputOfCalls(read: readonly ReadCall[], response: WireResponse, contract: TextContract): TextVerdict {
  const outputs = (role: ReadCall['role']): readonly { readonly one: ReadCall; readonly output: Output }[] =>
    read.flatMap((one) => (one.role === role && one.verdict.kind === 'output' ? [{ one, output: one.verdict }] : []));
  const exits = outputs('exit');
  if (exits.length > 0)
    return oneOf(
      exits.map(({ output }) => output),
      [],
    );
  const content = response.content.trim() === '' ? undefined : routeText(response.content, 'content', { ...contract, declared: new Map() });
  const pseudo = outputs('undeclared');
  const notes = pseudo.map(({ one }) => `the call names ${one.name.slice(0, 64)}, which is not declared; its arguments meet the contract`);
  const fromContent = content?.kind === 'output' ? [content] : [];
  const dropped =
    fromContent.length === 0
      ? []
      : read.filter((one) => one.verdict.kind === 'failed').map((one) => `dropped a call of ${one.name.slice(0, 64)}`);
  if (pseudo.length + fromContent.length > 0) return oneOf([...pseudo.map(({ output }) => output), ...fromContent], [...notes, ...dropped]);
  return failureOfCalls(read, contract);
}

function oneOf(outputs: readonly Output[], notes: readonly string[]): TextVerdict {
  const [first] = outputs as readonly [Output, ...Output[]];
  if (outputs.some((other) => !sameValue(other.value, first.value))) {
    const message = `${outputs.length} readings of the turn pass the schema and differ`;
    return { kind: 'failed', reason: 'ambiguous', message, issues: [], trace: first.trace };
  }
  for (const note of notes) addNote(first.trace, note);
  return first;
}

function failureOfCalls(read: readonly ReadCall[], contract: TextContract): TextVerdict {
  const names = [...new Set(read.map((one) => one.name.slice(0, 64)))].slice(0, 8).join(', ');
  const attempt = read.find((one) => one.role === 'exit') ?? read[0];
  const verdict = attempt?.verdict;
  const undeclared = read.some((one) => one.role === 'undeclared');
  const issues: readonly Issue[] = verdict?.kind === 'failed' ? verdict.issues : [];
  const reason: FailureReason = contract.gate === undefined ? 'no_candidate' : verdict?.kind === 'failed' ? verdict.reason : 'no_candidate';
  const what = undeclared ? `the turn calls ${names}, not all of which is declared` : `the call of ${names} carried no valid output`;
  const detail = verdict?.kind === 'failed' ? `: ${verdict.message}` : '';
  return { kind: 'failed', reason, message: `${what}${detail}`, issues, trace: verdict?.trace ?? makeTrace('', 'arguments') };
}
