import { withHeader } from '../../../../domain/http/header-list.js';
import { parseAuthority, parseHost } from '../../../../domain/http/host.js';
import { normalisePath } from '../../../../domain/http/path-normalisation.js';
import { parseRequestTarget } from '../../../../domain/http/request-target.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import type { StageOf } from '../exchange.js';

const details = {
  malformed_request: 'The request target is not a valid path.',
  method_not_implemented: 'The gateway does not serve this method.',
  unsafe_path: 'The path contains %2f, %5c, %00 or a backslash.',
} as const;

/** Normalises the path and the host once, so that every later stage and the upstream see the same. */
export const resolveTarget =
  (problems: ProblemAnswerer): StageOf<'request', 'target' | 'forwarded'> =>
  (exchange) => {
    const { request } = exchange;
    const { headers, httpVersion, received } = request;
    const target = parseRequestTarget(request.target, request.method);
    if (!target.ok) return problems.answer(exchange, target.error, details[target.error]);
    const path = normalisePath(target.value.path);
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
