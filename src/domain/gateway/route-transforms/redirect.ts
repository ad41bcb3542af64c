import { parseAuthority } from '../../http/request-target.js';
import { utf8ByteString } from '../../shared/byte-string.js';
import { err, ok, type Result } from '../../shared/result.js';
import { nginxVariable } from './nginx-variable.js';
import {
  hasPlaceholders,
  type PlaceholderName,
  type PlaceholderTemplate,
  type PlaceholderValues,
  parseTemplate,
  renderTemplate,
} from './placeholder-template.js';

/** The statuses of a redirect (RFC 9110, section 15.4). */
export const redirectStatuses = [301, 302, 303, 307, 308] as const;
export type RedirectStatus = (typeof redirectStatuses)[number];

/** A redirect of a route. */
export interface RedirectRule {
  readonly to: RedirectTarget;
  readonly status: RedirectStatus;
}

/** Where a redirect leads, parsed when the configuration loads. */
export interface RedirectTarget {
  /** As written. */
  readonly text: string;
  /** `https://`, `http://`, `//` for the scheme of the request, or empty for a path at the same origin. */
  readonly scheme: '' | '//' | 'http://' | 'https://';
  /** Host and port; null: the origin of the request. Only literals and `{host}`. */
  readonly authority: PlaceholderTemplate | null;
  /** Path, query and fragment. */
  readonly rest: PlaceholderTemplate;
}

/** Why a target is refused, and what to write. */
export interface RedirectFault {
  readonly message: string;
  readonly suggestion: string | null;
}

type Part = PlaceholderTemplate['parts'][number];

/** Characters of a URI (RFC 3986, section 2). A percent sign begins an escape. */
const uriText = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;

/** These values begin with exactly one slash. */
const isPath = (part: Part | undefined): boolean =>
  typeof part === 'object' && (part.placeholder === 'path' || part.placeholder === 'path_query');

const fault = (message: string, suggestion: string | null = null): Result<never, RedirectFault> =>
  err({ message, suggestion });

const schemeOf = (text: string): RedirectTarget['scheme'] | null => {
  const lower = text.slice(0, 8).toLowerCase();
  if (lower.startsWith('https://')) return 'https://';
  if (lower.startsWith('http://')) return 'http://';
  if (lower.startsWith('//')) return '//';
  return lower.startsWith('/') ? '' : null;
};

/** Splits the parts behind a scheme at the first character of the path, query or fragment. */
const splitAuthority = (
  parts: readonly Part[],
): Result<{ readonly authority: readonly Part[]; readonly rest: readonly Part[] }, RedirectFault> => {
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'string') {
      const end = part.search(/[/?#]/);
      if (end < 0) continue;
      const before = part.slice(0, end);
      const authority = [...parts.slice(0, index), ...(before === '' ? [] : [before])];
      return ok({ authority, rest: [part.slice(end), ...parts.slice(index + 1)] });
    }
    if (isPath(part)) return ok({ authority: parts.slice(0, index), rest: parts.slice(index) });
    if (part.placeholder !== 'host') {
      return fault(
        `must not have {${part.placeholder}} before the path: only text and {host} may choose the host`,
        'write "https://{host}{path_query}"',
      );
    }
  }
  return ok({ authority: parts, rest: [] });
};

const isAuthority = (text: string): boolean => !text.endsWith(':') && parseAuthority(text).ok;

/** Whether a rendered path could begin with two slashes, which browsers read as the beginning of a host. */
const doublesSlash = (rest: readonly Part[]): boolean => rest[0] === '/' && isPath(rest[1]);

/**
 * Parses `to` of a redirect. Before the path only literals and `{host}` are allowed, so that no other part of a request
 * can choose the host (CWE-601).
 */
export const parseRedirectTarget = (text: string): Result<RedirectTarget, RedirectFault> => {
  const template = parseTemplate(text);
  if (!template.ok) return fault(`is not a template: ${template.error}`, 'use {host}, {path}, {query} or {path_query}');
  const variable = nginxVariable(text);
  if (variable !== null) {
    return fault('contains a variable of nginx', `write ${variable.placeholder} for ${variable.name}`);
  }
  const { parts } = template.value;
  if (parts.some((part) => typeof part === 'string' && !uriText.test(part))) {
    return fault(
      'has a character that a URL must not have',
      'write it percent-encoded, such as %20 for a space and %5C for a backslash',
    );
  }
  const [first, ...others] = parts;
  if (isPath(first)) return ok({ text, scheme: '', authority: null, rest: { parts } });
  const scheme = typeof first === 'string' ? schemeOf(first) : null;
  if (scheme === null || typeof first !== 'string') {
    return fault('must begin with https://, http:// or /', 'write "https://{host}{path_query}"');
  }
  if (scheme === '') {
    if (!doublesSlash(parts)) return ok({ text, scheme, authority: null, rest: { parts } });
    return fault('would begin with //, which names a host', 'delete the first /: the path has its own');
  }
  const behind = first.slice(scheme.length);
  const split = splitAuthority(behind === '' ? others : [behind, ...others]);
  if (!split.ok) return split;
  const authority = { parts: split.value.authority };
  const example = renderTemplate(authority, { ...noValues, host: 'host.example' });
  if (!isAuthority(example)) return fault('has no valid host', 'write a host name, with a port if it is not the usual');
  return ok({ text, scheme, authority, rest: { parts: split.value.rest } });
};

const noValues: PlaceholderValues = {
  client_ip: '',
  host: '',
  method: '',
  path: '',
  query: '',
  path_query: '',
  scheme: '',
  correlation_id: '',
  user_id: '',
  route: '',
  upstream: '',
};

const isUnreserved = (character: string): boolean => /[A-Za-z0-9\-._~]/.test(character);

/** Percent-encodes everything but unreserved characters (RFC 3986, section 2.3). Header values are octets already. */
const encodeComponent = (text: string): string =>
  Array.from(/^[\x00-\xff]*$/.test(text) ? text : utf8ByteString(text), (octet) =>
    isUnreserved(octet) ? octet : `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');

/** Values that are parts of a URL already. */
const urlParts: ReadonlySet<PlaceholderName> = new Set(['host', 'path', 'query', 'path_query', 'scheme']);

const renderRest = ({ parts }: PlaceholderTemplate, values: PlaceholderValues): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const value = renderTemplate({ parts: [part] }, values);
      return urlParts.has(part.placeholder) ? value : encodeComponent(value);
    })
    .join('');

/** `//host` and `/\host` name another host (WHATWG URL, section 4.4), so one slash begins a path. */
const withOneSlash = (path: string): string => path.replace(/^[/\\]+/, '/');

/**
 * The Location of a redirect. Null: it needs the host of the request, which has none or one that does not fit.
 */
export const renderedRedirect = (
  { scheme, authority, rest }: RedirectTarget,
  values: PlaceholderValues,
): string | null => {
  const path = renderRest(rest, values);
  if (authority === null) return withOneSlash(path);
  if (values.host === '' && hasPlaceholders(authority)) return null;
  const host = renderTemplate(authority, values);
  return isAuthority(host) ? `${scheme}${host}${path}` : null;
};
