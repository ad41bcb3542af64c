import type { LimitsConfiguration } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import {
  type BodySizeLimit,
  checkBodySize,
  checkRequestHead,
  checkTarget,
  parseContentLength,
} from '../../../../domain/gateway/limits/request-limits.js';
import { fieldTrait, type HeaderSummary, summaryOf, traitsOf } from '../../../../domain/http/field-traits.js';
import { allHeaders, noHeaders, withHeader } from '../../../../domain/http/header-list.js';
import { type EncodedSeparators, normalisePath } from '../../../../domain/http/path-normalisation.js';
import { isOverlongMethod, isUnservedMethod, maxMethodLength } from '../../../../domain/http/request-method.js';
import { parseAuthority, parseHost, parseRequestTarget } from '../../../../domain/http/request-target.js';
import type { GatewayMetrics } from '../../../ports/gateway/gateway-metrics.js';
import type { ClientRequest } from '../../../ports/gateway/http-exchange.js';
import { answerViolation, type ProblemAnswerer } from '../answer-problem.js';
import type { StageOf } from '../exchange.js';
import { MeteredBody } from '../metered-body.js';

/** Whether the gateway serves a version. Other versions have a different framing. */
const isServed = (httpVersion: string): boolean =>
  httpVersion === '1.1' || httpVersion === '2.0' || httpVersion === '1.0';

const knownLengths = ({ fields, lengthAt }: HeaderSummary): readonly string[] =>
  lengthAt < 0 ? noHeaders : [fields[lengthAt + 1] as string];

/** The reason why the framing of a request is ambiguous (RFC 9112, sections 6.1 to 6.3); null: it is not. */
const framingFault = (request: ClientRequest): string | null => {
  const { headers, httpVersion, wantsWebSocket } = request;
  const known = summaryOf(headers, request.received);
  const lengths = known === null ? allHeaders(headers, 'content-length') : knownLengths(known);
  if (!parseContentLength(lengths).ok) return 'Content-Length is repeated or not a number.';
  const hasCodings = (traitsOf(headers, request.received) & fieldTrait.transferEncoding) !== 0;
  const codings = hasCodings ? allHeaders(headers, 'transfer-encoding') : noHeaders;
  // The octets after such a request belong to the tunnel, so agents would never inspect them as a body.
  if (wantsWebSocket && (codings.length > 0 || (lengths[0] ?? '0') !== '0'))
    return 'A WebSocket request must not have a body.';
  if (codings.length === 0) return null;
  if (lengths.length > 0) return 'A request must not have both Content-Length and Transfer-Encoding.';
  if (httpVersion !== '1.1') return 'Transfer-Encoding requires HTTP/1.1.';
  if (codings.length > 1 || (codings[0] as string).toLowerCase() !== 'chunked') {
    return 'The only supported transfer coding is "chunked".';
  }
  return null;
};

/** Whether the request has an expectation other than `100-continue` (RFC 9110, section 10.1.1). */
const hasUnknownExpectation = ({ headers, received }: ClientRequest): boolean =>
  (traitsOf(headers, received) & fieldTrait.expect) !== 0 &&
  allHeaders(headers, 'expect').some((expectation) => expectation.toLowerCase() !== '100-continue');

const framingOrExpect = fieldTrait.contentLength | fieldTrait.transferEncoding | fieldTrait.expect;

const letterE = 0x65;

/** Whether the request has a framing field or an expectation. Most requests have neither. */
const hasFramingOrExpect = ({ headers, received }: ClientRequest): boolean => {
  const known = summaryOf(headers, received);
  if (known !== null) return (known.traits & framingOrExpect) !== 0;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    switch (name.length) {
      case 6:
        // Many names have this length.
        if ((name.charCodeAt(0) | 0x20) === letterE && name.toLowerCase() === 'expect') return true;
        break;
      case 14:
        if (name.toLowerCase() === 'content-length') return true;
        break;
      case 17:
        if (name.toLowerCase() === 'transfer-encoding') return true;
    }
  }
  return false;
};

/**
 * Refuses heads that exceed a limit, and heads with an ambiguous meaning.
 *
 * @param methods the methods that are served although they are longer than `maxMethodLength`
 */
export const checkRequest =
  (
    limits: LimitsConfiguration,
    methods: ReadonlySet<string>,
    problems: ProblemAnswerer,
    metrics: GatewayMetrics,
  ): StageOf<'request'> =>
  (exchange) => {
    const { request } = exchange;
    const violation = checkTarget(request.target) ?? checkRequestHead(request.headers, limits, request.received);
    if (violation) return answerViolation(exchange, violation, problems, metrics);
    if (isUnservedMethod(request.method)) {
      return problems.answer(exchange, 'method_not_implemented', `The gateway does not serve ${request.method}.`);
    }
    if (isOverlongMethod(request.method, methods)) {
      const detail = `A method of more than ${maxMethodLength} characters is served only if a route names it.`;
      return problems.answer(exchange, 'method_not_implemented', detail);
    }
    if (!isServed(request.httpVersion)) {
      const detail = 'The gateway serves only HTTP/2, 1.1 and 1.0.';
      return problems.answer(exchange, 'malformed_request', detail);
    }
    if (!hasFramingOrExpect(request)) return 'continue';
    const framing = framingFault(request);
    if (framing !== null) return problems.answer(exchange, 'malformed_request', framing);
    if (hasUnknownExpectation(request)) {
      return problems.answer(exchange, 'expectation_failed', 'The only supported expectation is "100-continue".');
    }
    return 'continue';
  };

const details = {
  malformed_request: 'The request target is not a valid path.',
  method_not_implemented: 'The gateway does not serve this method.',
  unsafe_path: 'The path contains %2f, %5c, %00 or a backslash.',
} as const;

/**
 * Normalises the path and the host once, so that every later stage and the upstream see the same.
 *
 * @param separators `keep`: a route may get encoded separators; `chooseRoute` refuses them on the others
 */
export const resolveTarget =
  (problems: ProblemAnswerer, separators: EncodedSeparators): StageOf<'request', 'target' | 'forwarded'> =>
  (exchange) => {
    const { request } = exchange;
    const { headers, httpVersion, received } = request;
    const target = parseRequestTarget(request.target, request.method);
    if (!target.ok) return problems.answer(exchange, target.error, details[target.error]);
    const path = normalisePath(target.value.path, separators);
    if (!path.ok) return problems.answer(exchange, path.error, details[path.error]);
    const field = parseHost(headers, httpVersion, received);
    if (!field.ok)
      return problems.answer(exchange, 'invalid_host', 'The request must have exactly one valid Host header.');
    // RFC 9112, section 3.2.2: the authority of an absolute target replaces the Host field.
    const named = target.value.authority === null ? field : parseAuthority(target.value.authority);
    if (!named.ok) return problems.answer(exchange, 'invalid_host', 'The host of the request target is invalid.');
    exchange.target = {
      path: path.value,
      query: target.value.query,
      host: named.value?.host ?? null,
      authority: named.value?.original ?? '',
    };
    if (named !== field)
      exchange.forwarded.headers = withHeader(exchange.forwarded.headers, 'Host', exchange.target.authority);
    return 'continue';
  };

/** Refuses a body whose declared length exceeds the limit. Counts every other body while it is read. */
export const limitBody =
  (
    limit: BodySizeLimit,
    problems: ProblemAnswerer,
    metrics: GatewayMetrics,
  ): StageOf<'request', 'body' | 'forwarded'> =>
  (exchange) => {
    const { body } = exchange.request;
    if (body === null) return 'continue';
    const violation = body.declaredLength === null ? null : checkBodySize(body.declaredLength, limit);
    if (violation) return answerViolation(exchange, violation, problems, metrics);
    exchange.body = new MeteredBody(body, limit.octets);
    exchange.forwarded.body = exchange.body;
    return 'continue';
  };
