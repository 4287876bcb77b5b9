export { type LinkedSignal, linkSignals, raceAbort } from './net/abort.ts';
export { createHttp, type Http, type HttpRequest, type HttpResponse, type HttpSettings } from './net/http.ts';
export { CallTimeoutError, type ErrorAnswer, type FaultContext, faultFromResponse, ProviderError } from './net/provider-error.ts';
export { type RetryNotice, type RetryOptions, retryStream } from './net/retry.ts';
export { type HeaderLookup, retryAfterMs } from './net/retry-after.ts';
export { createSseParser, type DecodeSseOptions, decodeSse, type SseEvent, type SseParser, type SseParserOptions } from './net/sse.ts';
