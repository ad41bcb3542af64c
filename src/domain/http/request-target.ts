import { err, ok, type Result } from '../shared/result.js';
import { isUnservedMethod } from './request-method.js';

/** A parsed request-target. */
export interface RequestTarget {
  /** The received path, not normalised; `*` for the server itself (OPTIONS only). */
  readonly path: string;
  /** The text after the first `?`; null if there is none. */
  readonly query: string | null;
  /** Host and port of an absolute-form target, which replace Host; null in other forms. */
  readonly authority: string | null;
}

/** The target and host of a request, as used for routing, authorization and forwarding. */
export interface ResolvedTarget {
  /** Normalised. */
  readonly path: string;
  /** The text after `?`; null if there is none. */
  readonly query: string | null;
  /** Lower case, without port; null for an HTTP/1.0 request without Host. */
  readonly host: string | null;
  /** The forwarded Host value. */
  readonly authority: string;
}

export type RequestTargetError = 'malformed_request' | 'method_not_implemented';

const hash = 0x23;
const slash = 0x2f;
const firstVisible = 0x21;
const lastVisible = 0x7e;

const isVisibleWithoutFragment = (target: string): boolean => {
  for (let index = 0; index < target.length; index += 1) {
    const code = target.charCodeAt(index);
    if (code < firstVisible || code > lastVisible || code === hash) return false;
  }
  return true;
};

const split = (text: string, authority: string | null): RequestTarget => {
  const mark = text.indexOf('?');
  if (mark < 0) return { path: text, query: null, authority };
  return { path: text.slice(0, mark), query: text.slice(mark + 1), authority };
};

/** Offset after `http://` or `https://`, in any case, or -1. */
const schemeEnd = (target: string): number => {
  const head = target.slice(0, 8).toLowerCase();
  if (head.startsWith('http://')) return 7;
  return head === 'https://' ? 8 : -1;
};

const absoluteForm = (target: string, method: string): Result<RequestTarget, RequestTargetError> => {
  const start = schemeEnd(target);
  if (start < 0) return err('malformed_request');
  let end = start;
  while (end < target.length && target[end] !== '/' && target[end] !== '?') end += 1;
  if (end === start) return err('malformed_request');
  const authority = target.slice(start, end);
  const rest = target.slice(end);
  // An OPTIONS without path and query asks for the server itself (RFC 9112, section 3.2.4).
  if (rest === '') return ok({ path: method === 'OPTIONS' ? '*' : '/', query: null, authority });
  return ok(split(rest.startsWith('/') ? rest : `/${rest}`, authority));
};

/**
 * Parses a request-target (RFC 9112, section 3.2): origin-form, absolute-form with http or https, and `*` for
 * OPTIONS. CONNECT and TRACE are `method_not_implemented`. Every other form is malformed, as are fragments,
 * white space, control characters and octets beyond ASCII.
 */
export const parseRequestTarget = (target: string, method: string): Result<RequestTarget, RequestTargetError> => {
  if (isUnservedMethod(method)) return err('method_not_implemented');
  if (!isVisibleWithoutFragment(target)) return err('malformed_request');
  if (target.charCodeAt(0) === slash) return ok(split(target, null));
  if (target === '*')
    return method === 'OPTIONS' ? ok({ path: '*', query: null, authority: null }) : err('malformed_request');
  return absoluteForm(target, method);
};
