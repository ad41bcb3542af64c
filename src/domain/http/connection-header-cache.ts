import { type Ok, ok, type Result } from '../shared/result.js';
import { ownText } from '../shared/utf8.js';
import type { CidrSet } from './cidr-set.js';
import { type ClientAddress, clientAddress } from './client-address.js';
import { formatForwardedElement } from './forwarded-element.js';
import { type HeaderList, lowerName, lowerNames, noHeaders } from './header-list.js';
import { parseAuthority, type RequestHost } from './host.js';
import type { OwnedHeaders } from './owned-headers.js';
import { RepeatedHeaderCache } from './repeated-header-cache.js';
import { type ResolvedTarget, TargetHeaderCache } from './target-header-cache.js';

/** Milliseconds. */
export interface DrainPace {
  /** Minimum idle time of a connection before the drain closes it. */
  readonly lingerMs: number;
  /** Interval between two checks of the connections. */
  readonly lookMs: number;
}

/** The first check of a drain closes connections that are idle since this time. Same clock as `nowMs`. */
export const firstIdleMoment = (nowMs: number, { lingerMs }: DrainPace): number => nowMs - 2 * lingerMs;

/**
 * The idle limit of the check after `lastMs`. It advances by at most two check intervals.
 * A process that was suspended has received no requests in the meantime. That pause does not count as idle
 * time.
 */
export const nextIdleMoment = (lastMs: number, nowMs: number, { lingerMs, lookMs }: DrainPace): number =>
  Math.min(nowMs - lingerMs, lastMs + 2 * lookMs);

/**
 * Maximum number of hosts to cache in turn. A connection with more hosts belongs to a proxy and would always
 * miss.
 */
const maxHosts = 8;

/** Address and scheme of a connection's peer. */
export interface PeerFacts {
  readonly peerAddress: string;
  readonly peerPort: number;
  /** Scheme between the peer and the gateway. */
  readonly scheme: 'http' | 'https';
}

/** Fields that come again, and what becomes of them as long as the rest of it stays the same. */
interface GoingOn {
  readonly headers: HeaderList;
  readonly owned: OwnedHeaders | null;
  readonly host: string | null;
  /** Those that go on, with all that the gateway puts to them; the last value belongs to one request. */
  readonly fields: HeaderList;
  /** The same fields with lower-case names; null until first used. */
  lower: HeaderList | null;
}

/** Fields, and what an answer of an agent made of them. */
interface Operated {
  readonly kept: HeaderList;
  readonly answer: object;
  readonly fields: HeaderList;
}

const nothingOperated: readonly Operated[] = [];

/** Maximum characters of a cached method and target. */
const maxTarget = 1_024;

/** Maximum characters of all cached fields. */
const maxOperated = 8_192;
/** Maximum number of cached results; usually one per agent of the route. */
const maxAnswers = 4;

const charactersOf = (fields: HeaderList): number => {
  let characters = 0;
  for (const text of fields) characters += text.length;
  return characters;
};

/** Whether `headers` begins with `first`, ignoring the last value of `first`. */
const beginsWith = (headers: HeaderList, first: HeaderList): boolean => {
  if (headers.length < first.length) return false;
  for (let at = 0; at + 1 < first.length; at += 1) if (headers[at] !== first[at]) return false;
  return true;
};

/**
 * Caches what requests of one connection have in common. It costs memory per connection, so it stays small.
 * Every cached value equals the result of the function that it replaces.
 */
export class ConnectionHeaderCache {
  /** The trusted proxies that applied when the cache was filled. */
  readonly trusted: CidrSet;
  /** The client of every request; null behind a trusted peer, where each request may have another client. */
  readonly client: ClientAddress | null;
  readonly #scheme: 'http' | 'https';
  /** Set by the first request. Many connections carry only one request, so caching starts with the second. */
  #isUsed = false;
  #hosts = 0;
  #host: Ok<RequestHost> | null = null;
  /** The value of the Host field. */
  #hostText = '';
  /** The Forwarded value for that host; null until first used. */
  #forwarded: string | null = null;
  #goingOn: GoingOn | null = null;
  /** Each of fields that go on, or that one of these answers has made. */
  #operated = nothingOperated;
  #operatedCharacters = 0;
  /** What the last request that came again asked for. */
  #target: TargetHeaderCache | null = null;
  #lastTarget = '';

  constructor({ peerAddress, peerPort, scheme }: PeerFacts, trusted: CidrSet) {
    const client = clientAddress({ peerAddress, peerPort, headers: noHeaders, trusted });
    this.trusted = trusted;
    this.client = client.peerTrusted ? null : client;
    this.#scheme = scheme;
  }

  /** Parses a Host value as `parseAuthority` does, with a cache. */
  authority(text: string, isKept = false): Result<RequestHost, 'invalid_host'> {
    if (this.#host !== null && this.#hostText === text) {
      // Keeping the same string makes the next comparison cheap.
      if (isKept) this.#hostText = text;
      return this.#host;
    }
    const parsed = parseAuthority(text);
    const isFirst = !this.#isUsed;
    this.#isUsed = true;
    if (isFirst || !parsed.ok || this.#hosts === maxHosts) return parsed;
    // INVARIANT: cached text is a copy. A slice would keep the whole request head in memory.
    const { host, port, original } = parsed.value;
    this.#hostText = ownText(original);
    this.#host = ok({ host: ownText(host), port, original: this.#hostText });
    this.#hosts += 1;
    this.#forwarded = null;
    return this.#host;
  }

  /** The Forwarded value (RFC 7239) for a request of the untrusted peer; null if the host is not cached. */
  forwarded(host: string | null): string | null {
    if (this.#host === null || this.client === null || host !== this.#host.value.original) return null;
    if (this.#forwarded === null) {
      const element = { for: this.client.address, proto: this.#scheme, host: this.#host.value.original };
      this.#forwarded = ownText(formatForwardedElement(element));
    }
    return this.#forwarded;
  }

  /** What was remembered of a request with this very list of fields; null: nothing. */
  knownTarget(method: string, target: string, headers: HeaderList): TargetHeaderCache | null {
    const known = this.#target;
    return known?.isOf(method, target, headers) ? known : null;
  }

  /**
   * Remembers it, in the place of another one, if the request before has asked for the same.
   *
   * @param headers of a list that comes again
   */
  rememberTarget(
    method: string,
    target: string,
    headers: HeaderList,
    resolved: ResolvedTarget,
  ): TargetHeaderCache | null {
    if (method.length + target.length > maxTarget) return null;
    const isAgain = this.#lastTarget === target;
    this.#lastTarget = target;
    if (!isAgain) return null;
    this.#target = new TargetHeaderCache(method, target, headers, resolved);
    return this.#target;
  }

  /**
   * What was remembered of the very list, with the same names that the client may not send and the same Host; null:
   * nothing.
   */
  goingOn(headers: HeaderList, owned: OwnedHeaders | null, host: string | null): HeaderList | null {
    const known = this.#goingOn;
    return known !== null && known.headers === headers && known.owned === owned && known.host === host
      ? known.fields
      : null;
  }

  /** The cached result of applying an agent's answer to repeated fields; null on a miss. */
  operated({ fields, kept, at }: RepeatedHeaderCache, answer: object): RepeatedHeaderCache | null {
    for (const known of this.#operated) {
      if (known.kept === kept && known.answer === answer)
        return RepeatedHeaderCache.of(known.fields, at, fields[at] as string);
    }
    return null;
  }

  /**
   * Remembers what an answer made of fields, if it has left the value where it is that differs. INVARIANT: what it
   * makes of them depends on no value of a field, and nobody changes an answer or a list once it is made.
   */
  rememberOperated({ fields, kept, at }: RepeatedHeaderCache, answer: object, operated: HeaderList): void {
    const hasStayed = operated[at] === fields[at] && operated[at - 1] === fields[at - 1];
    const characters = charactersOf(operated);
    if (!hasStayed || characters > maxOperated) return;
    const isFull = this.#operated.length === maxAnswers || this.#operatedCharacters + characters > maxOperated;
    if (isFull) this.#forgetOperated();
    this.#operated = [...this.#operated, { kept, answer, fields: operated }];
    this.#operatedCharacters += characters;
  }

  /**
   * What `lowerNames` says of a list: most of it is known where it begins with what was remembered.
   *
   * @param alike what is known of this list, or of another one
   */
  lowerNames(headers: HeaderList, alike: RepeatedHeaderCache | null = null): HeaderList {
    const known = this.#goingOn;
    if (known === null) return lowerNames(headers);
    const isLike = alike !== null && alike.fields === headers && alike.kept === known.fields;
    if (!isLike && !beginsWith(headers, known.fields)) return lowerNames(headers);
    known.lower ??= lowerNames(known.fields);
    const lower = known.lower.slice();
    const last = lower.length - 1;
    lower[last] = headers[last] as string;
    for (let at = lower.length; at + 1 < headers.length; at += 2) {
      lower.push(lowerName(headers[at] as string), headers[at + 1] as string);
    }
    return lower;
  }

  /** Remembers it of a list that comes again: in the place of another one. */
  rememberGoingOn(headers: HeaderList, owned: OwnedHeaders | null, host: string | null, fields: HeaderList): void {
    this.#goingOn = { headers, owned, host, fields, lower: null };
    // The cached results belong to the previous list.
    this.#forgetOperated();
  }

  #forgetOperated(): void {
    this.#operated = nothingOperated;
    this.#operatedCharacters = 0;
  }
}
