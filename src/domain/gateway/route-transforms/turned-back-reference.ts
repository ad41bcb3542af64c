import { normalisePath } from '../../http/path-normalisation.js';
import { parseAuthority } from '../../http/request-target.js';
import type { PathTurnBack } from './path-turn-back.js';
import type { UpstreamAuthorities } from './upstream-authorities.js';

/** The request whose response is turned back. */
export interface TurnedBackRequest {
  /** The client's path, normalised. */
  readonly path: string;
  /** The path that the upstream got. */
  readonly forwardedPath: string;
  /** The scheme that the client uses. */
  readonly scheme: 'http' | 'https';
  /** The host and port that the client uses; null: unknown. */
  readonly authority: string | null;
  /** The Host that the gateway received; null: none. */
  readonly receivedAuthority: string | null;
}

/** What a route changes, and so what is turned back. */
export interface TurnBackRules {
  /** Null: paths do not change, or cannot be turned back. */
  readonly path: PathTurnBack | null;
  readonly names: UpstreamAuthorities;
}

/** The components of a URI reference (RFC 3986, appendix B). Query and fragment are one. */
interface UriReference {
  /** In lower case, without colon; null: none. */
  readonly scheme: string | null;
  /** Null: none. */
  readonly authority: string | null;
  readonly path: string;
  readonly rest: string;
}

const referenceForm = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#\\]*))?([^?#]*)([\s\S]*)$/;

const parseReference = (text: string): UriReference | null => {
  const parts = referenceForm.exec(text);
  if (parts === null) return null;
  return {
    scheme: parts[1]?.toLowerCase() ?? null,
    authority: parts[2] ?? null,
    path: parts[3] ?? '',
    rest: parts[4] ?? '',
  };
};

const dotSegments = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** A path that browsers read as the name of a host. They drop tabs first (WHATWG URL, section 4.4). */
const hostLike = /^[/\\]\t*[/\\][/\\\t]*/;

/** Turns back an absolute path. One with dot segments is resolved first, because they could leave a new prefix. */
const turnedPath = (path: string, rules: TurnBackRules, request: TurnedBackRequest): string => {
  if (rules.path === null) return path;
  const resolved = dotSegments.test(path) ? normalisePath(path, 'keep') : null;
  if (resolved?.ok === false) return path;
  const turned = rules.path.path(resolved?.value ?? path, request.path);
  return turned === path ? path : turned.replace(hostLike, '/');
};

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** Turns back a relative path, which the client would resolve against its own path. */
const turnedRelativePath = (path: string, rules: TurnBackRules, request: TurnedBackRequest): string => {
  if (rules.path === null) return path;
  const meant = normalisePath(folderOf(request.forwardedPath) + path, 'keep');
  const understood = normalisePath(folderOf(request.path) + path, 'keep');
  if (!meant.ok) return path;
  const turned = rules.path.path(meant.value, request.path);
  return understood.ok && understood.value === turned ? path : turned;
};

/** The authority in lower case, without the default port of the scheme. */
const comparable = (authority: string, scheme: string): string => {
  const lower = authority.toLowerCase();
  const standard = scheme === 'https' ? ':443' : ':80';
  return lower.endsWith(standard) ? lower.slice(0, -standard.length) : lower;
};

const hostOf = (authority: string | null): string | null => {
  const parsed = authority === null ? null : parseAuthority(authority);
  return parsed?.ok === true ? parsed.value.host : null;
};

/** Whether a URL has the client's own host. The upstream learns it from Host and X-Forwarded-Host. */
const isOfClient = (authority: string, scheme: string, request: TurnedBackRequest): boolean =>
  [request.authority, request.receivedAuthority].some(
    (own) => own !== null && comparable(own, scheme) === comparable(authority, scheme),
  );

/** Whether a URL has a name of the upstream, or the client's host with the port of a target, as nginx writes it. */
const isOfUpstream = (authority: string, scheme: string, rules: TurnBackRules, request: TurnedBackRequest): boolean => {
  const { authorities, ports } = rules.names;
  if (authorities.has(authority.toLowerCase()) || authorities.has(comparable(authority, scheme))) return true;
  const host = hostOf(request.receivedAuthority);
  return host !== null && ports.some((port) => authority.toLowerCase() === `${host}:${port}`);
};

/**
 * The reference for the client: the path turned back, and the client's scheme and host in place of a name of the
 * upstream. References to other hosts and in other schemes stay. A reference with `https` and the client's host keeps
 * its scheme.
 */
export const turnedBackReference = (text: string, rules: TurnBackRules, request: TurnedBackRequest): string => {
  const reference = parseReference(text);
  if (reference === null) return text;
  const { authority, path, rest } = reference;
  if (authority === null) {
    if (reference.scheme !== null || path === '') return text;
    const turn = path.startsWith('/') ? turnedPath : turnedRelativePath;
    return turn(path, rules, request) + rest;
  }
  const scheme = reference.scheme ?? request.scheme;
  if (scheme !== 'http' && scheme !== 'https') return text;
  if (authority === '' || (path !== '' && !path.startsWith('/'))) return text;
  const turned = turnedPath(path === '' ? '/' : path, rules, request);
  const shown = path === '' && turned === '/' ? '' : turned;
  if (isOfClient(authority, scheme, request)) {
    const own = reference.scheme === null ? '' : `${scheme === 'https' ? scheme : request.scheme}:`;
    return `${own}//${authority}${shown}${rest}`;
  }
  if (!isOfUpstream(authority, scheme, rules, request)) return text;
  if (request.authority === null) return turned.replace(hostLike, '/') + rest;
  return `${request.scheme}://${request.authority}${shown}${rest}`;
};
