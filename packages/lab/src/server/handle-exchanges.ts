import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IdSource } from '@vouch/contracts';
import type { RawReply } from '../answer.ts';
import type { OpenExchanges } from './open-exchanges.ts';
import { type LabRequest, type LabRequestEntry, maskedHeaders, type RequestLog } from './request-log.ts';
import { type LabDelays, writeReply } from './write-reply.ts';

/** What every exchange goes through. */
export interface ExchangeSettings {
  readonly log: RequestLog;
  readonly exchanges: OpenExchanges;
  readonly ids: IdSource;
  readonly delays: LabDelays;
  readonly keepAlive: boolean;
  readonly now: () => number;
  readonly onRequest: ((request: LabRequest) => void) | undefined;
  /** Aborted when the lab closes. */
  readonly closing: AbortSignal;
  /** Writes what it learns into the entry. */
  replyTo(request: IncomingMessage, entry: LabRequestEntry): Promise<RawReply>;
  /** What is said when a reply cannot be sent, such as one with a line end in a header. */
  unsendable(error: unknown): RawReply;
}

/** Logs, answers and closes each exchange. */
export function exchangeHandler(settings: ExchangeSettings): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void handle(settings, request, response);
  };
}

async function handle(settings: ExchangeSettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { delays, keepAlive, now, closing } = settings;
  // Requests that are refused before their body is read have no seed of their own.
  const entry = openEntry(request, settings.ids('req'));
  settings.log.add(entry);
  const began = now();
  let reply: RawReply | undefined;
  settings.exchanges.begin(request.socket, response, () => {
    const endedHere = response.writableEnded || closing.aborted || (reply !== undefined && closesItself(reply));
    entry.clientClosedEarly ||= !endedHere;
    entry.durationMs = now() - began;
    settings.onRequest?.({ ...entry });
  });
  const send = (sent: RawReply): Promise<void> => {
    reply = sent;
    entry.status = sent.status;
    response.sendDate = false;
    // A body that does not end must not announce its close: clients take the end of such a connection for the end of the body.
    response.shouldKeepAlive = keepAlive || sent.ending !== 'end';
    return writeReply(response, { ...sent, headers: { 'x-request-id': entry.id, ...sent.headers } }, delays, closing);
  };
  try {
    await send(await settings.replyTo(request, entry));
  } catch (error) {
    if (response.headersSent) return void response.destroy();
    // The head that failed has left its words behind.
    response.statusMessage = '';
    await send(settings.unsendable(error));
  }
}

function openEntry(request: IncomingMessage, id: string): LabRequestEntry {
  return {
    id,
    method: request.method ?? '',
    path: withoutKeys(request.url ?? ''),
    wire: undefined,
    model: undefined,
    headers: maskedHeaders(request.headers),
    body: undefined,
    applied: [],
    modelError: undefined,
    fault: undefined,
    status: 0,
    clientClosedEarly: false,
    durationMs: undefined,
  };
}

/** Some wires take the key in the query. */
function withoutKeys(path: string): string {
  return path.replaceAll(/([?&](?:key|api[-_]?key|access_token)=)[^&]*/gi, '$1***');
}

/** The lab itself ends the connection. */
function closesItself({ ending, framing, status }: RawReply): boolean {
  return ending === 'reset' || ending === 'cut' || (ending === 'end' && (framing === 'bytes' || status === 0));
}
