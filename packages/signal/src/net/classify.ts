import type { ProviderCause } from '@vouch/contracts';
import type { ErrorBody } from './error-body.ts';

/** What an error means, and whether the same request may succeed later. */
export interface Classification {
  readonly cause: ProviderCause;
  readonly retryable: boolean;
}

const is = (cause: ProviderCause, retryable: boolean): Classification => ({ cause, retryable });

const contextWords = /^(?:context_length_exceeded|exceed_context_size_error|model_context_window_exceeded|context_window_exceeded)$/;
const contextText =
  /maximum context length|context[ _](?:length|window|size)[^.]{0,40}exceed|exceed[^.]{0,60}context[ _](?:length|window|size)|prompt is too long|input token count[^.]{0,60}exceeds|request too large|input is too long/i;
const authWords =
  /^(?:invalid_api_key|authentication_error|unauthenticated|unauthorized|api_key_invalid|permission_error|permission_denied|forbidden)$/;
const authText = /api[ _-]?key (?:not valid|is invalid|expired)|(?:invalid|incorrect|missing|no) (?:api[ _-]?key|key|token|credentials)/i;
const quotaWords =
  /^(?:insufficient_quota|billing_hard_limit_reached|billing_not_active|insufficient_balance|insufficient_credits|quota_exceeded|[a-z_]{0,60}spend_limit[a-z_]{0,60}|[a-z]{0,60}perday[a-z]{0,60}(?:-[a-z]{1,30})?)$/;
const quotaText = /insufficient (?:quota|balance|credits?|funds)/i;
const rateWords = /^(?:rate_limit_exceeded|rate_limit_error|rate_limit|too_many_requests|resource_exhausted)$/;
const overloadWords =
  /^(?:server_error|overloaded_error|overloaded|api_error|internal|internal_error|internal_server_error|unavailable|service_unavailable|timeout|timeout_error|deadline_exceeded|insufficient_system_resource|network_error|provider_unavailable)$/;
const invalidWords =
  /^(?:invalid_request_error|invalid_request|badrequesterror|bad_request|invalid_argument|failed_precondition|tool_use_failed|json_validate_failed|content_filter|content_policy_violation|unsupported_parameter|unsupported_value|invalid_prompt|bio_policy|data_residency_mismatch|(?:invalid|unsupported|empty)_[a-z0-9_]*image[a-z_]*|image_[a-z_]+|invalid_encrypted_content)$/;
const missingWords = /^(?:model_not_found|not_found|not_found_error|model_decommissioned)$/;

function byStatus(status: number): Classification {
  if (status === 401 || status === 403) return is('auth', false);
  // The balance is used up: waiting does not fill it.
  if (status === 402) return is('rate_limit', false);
  if (status === 429) return is('rate_limit', true);
  if (status === 408 || status === 409 || status === 425 || status === 498) return is('overloaded', true);
  if (status === 404 || status === 405 || status === 407 || (status >= 300 && status < 400)) return is('config', false);
  if (status === 501 || status === 505) return is('invalid_request', false);
  if (status >= 500) return is('overloaded', true);
  return is('invalid_request', false);
}

function byWords(body: ErrorBody): Classification | undefined {
  const some = (pattern: RegExp): boolean => body.words.some((word) => pattern.test(word));
  if (some(rateWords)) return is('rate_limit', true);
  if (some(invalidWords)) return is('invalid_request', false);
  if (some(missingWords)) return is('config', false);
  if (some(overloadWords)) return is('overloaded', true);
  return undefined;
}

/**
 * What an error answer means (SG-087). `status` is the HTTP status, or undefined and 2xx for an error inside a good answer: then the body's own
 * status decides, then its words; an unknown one counts as the server's fault, so it may be retried.
 */
export function classifyError(status: number | undefined, body: ErrorBody | undefined): Classification {
  const outer = status !== undefined && (status < 200 || status > 299) ? status : undefined;
  const effective = outer ?? body?.status;
  const some = (pattern: RegExp): boolean => body?.words.some((word) => pattern.test(word)) ?? false;
  const says = (pattern: RegExp): boolean => pattern.test((body?.message ?? '').slice(0, 2_000));
  if (some(contextWords)) return is('context_length', false);
  if (some(quotaWords) || (effective === 429 && says(quotaText))) return is('rate_limit', false);
  if (effective !== 429 && effective !== 401 && effective !== 403 && says(contextText)) return is('context_length', false);
  const client = effective === undefined || (effective >= 400 && effective < 500);
  if (client && effective !== 429 && (some(authWords) || says(authText))) return is('auth', false);
  if (effective === 404 && some(invalidWords) && !some(missingWords)) return is('config', false);
  if (effective !== undefined) return byStatus(effective);
  return (body === undefined ? undefined : byWords(body)) ?? is('overloaded', true);
}
