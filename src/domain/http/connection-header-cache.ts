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
  /** How long a connection has to have been idle. */
  readonly lingerMs: number;
  /** Between two looks at the connections. */
  readonly lookMs: number;
}

/** Since when a connection has to have been idle to be ended with the first look of a drain; by the clock of `nowMs`. */
export const firstIdleMoment = (nowMs: number, { lingerMs }: DrainPace): number => nowMs - 2 * lingerMs;

/**
 * Since when, with the look that follows one of `lastMs`: it goes on by two looks at most. Where the machine or the process
 * stood still in between, or right before the drain, nobody could be heard: that is no silence of clients, whose requests
 * are on their way, and is not counted as such.
 */
export const nextIdleMoment = (lastMs: number, nowMs: number, { lingerMs, lookMs }: DrainPace): number =>
  Math.min(nowMs - lingerMs, lastMs + 2 * lookMs);

/** Hosts that are remembered one after the other; a connection that asks for more is that of a proxy, and asks for ever others. */
const maxHosts = 8;

/** What is said of the peer of a connection by the connection itself. */
export interface PeerFacts {
  readonly peerAddress: string;
  readonly peerPort: number;
  /** What it speaks to the gateway. */
  readonly scheme: 'http' | 'https';
}

/** Fields that come again, and what becomes of them as long as the rest of it stays the same. */
interface GoingOn {
  readonly headers: HeaderList;
  readonly owned: OwnedHeaders | null;
  readonly host: string | null;
  /** Those that go on, with all that the gateway puts to them; the last value belongs to one request. */
  readonly fields: HeaderList;
  /** The same with their names in lower case; null until they are asked for. */
  lower: HeaderList | null;
}

/** Fields, and what an answer of an agent made of them. */
interface Operated {
  readonly kept: HeaderList;
  readonly answer: object;
  readonly fields: HeaderList;
}

const nothingOperated: readonly Operated[] = [];

/** Characters of a method and a target; longer ones are not kept for a connection that may not ask for them again. */
const maxTarget = 1_024;

/** Characters of fields, together; more are not kept for a connection that may not ask again. */
const maxOperated = 8_192;
/** Answers to requests that are alike: mostly one of each agent of a route. */
const maxAnswers = 4;

const charactersOf = (fields: HeaderList): number => {
  let characters = 0;
  for (const text of fields) characters += text.length;
  return characters;
};

/** Whether it begins with these fields, but for the last value. */
const beginsWith = (headers: HeaderList, first: HeaderList): boolean => {
  if (headers.length < first.length) return false;
  for (let at = 0; at + 1 < first.length; at += 1) if (headers[at] !== first[at]) return false;
  return true;
};

/**
 * What requests of one connection have in common, found out once: it costs memory per connection, so it is little. All of it is what
 * the functions it asks would say.
 */
export class ConnectionHeaderCache {
  /** Whose forwarding fields were believed when it was found out. */
  readonly trusted: CidrSet;
  /** The client of every request; null where the peer is trusted, and each request may name another. */
  readonly client: ClientAddress | null;
  readonly #scheme: 'http' | 'https';
  /** A request has come: many connections have one, for which nothing is worth to be remembered. */
  #isUsed = false;
  #hosts = 0;
  #host: Ok<RequestHost> | null = null;
  /** As it stood in the field. */
  #hostText = '';
  /** Forwarded of a request for that host; null until it is asked for. */
  #forwarded: string | null = null;
  #goingOn: GoingOn | null = null;
  /** Each of fields that go on, or that one of these answers has made. */
  #operated = nothingOperated;
  #operatedCharacters = 0;
  /** What the last request that came again asked for. */
  #target: TargetHeaderCache | null = null;
  /** The target of the last request. */
  #lastTarget = '';

  constructor({ peerAddress, peerPort, scheme }: PeerFacts, trusted: CidrSet) {
    const client = clientAddress({ peerAddress, peerPort, headers: noHeaders, trusted });
    this.trusted = trusted;
    this.client = client.peerTrusted ? null : client;
    this.#scheme = scheme;
  }

  /** What `parseAuthority` says of the Host of a request. */
  authority(text: string, isKept = false): Result<RequestHost, 'invalid_host'> {
    if (this.#host !== null && this.#hostText === text) {
      // The next time it is told at a glance.
      if (isKept) this.#hostText = text;
      return this.#host;
    }
    const parsed = parseAuthority(text);
    const isFirst = !this.#isUsed;
    this.#isUsed = true;
    if (isFirst || !parsed.ok || this.#hosts === maxHosts) return parsed;
    // INVARIANT: what is remembered is no part of the head that it came in, which may be long.
    const { host, port, original } = parsed.value;
    this.#hostText = ownText(original);
    this.#host = ok({ host: ownText(host), port, original: this.#hostText });
    this.#hosts += 1;
    this.#forwarded = null;
    return this.#host;
  }

  /** The value of Forwarded (RFC 7239) for a request of the untrusted peer; null where the host is not the one that is remembered. */
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

  /** What was remembered of the very list, with the same names that the client may not send and the same Host; null: nothing. */
  goingOn(headers: HeaderList, owned: OwnedHeaders | null, host: string | null): HeaderList | null {
    const known = this.#goingOn;
    return known !== null && known.headers === headers && known.owned === owned && known.host === host
      ? known.fields
      : null;
  }

  /** What an answer makes of fields that are alike; null where it is not the one that was remembered, or they are not. */
  operated({ fields, kept, at }: RepeatedHeaderCache, answer: object): RepeatedHeaderCache | null {
    for (const known of this.#operated) {
      if (known.kept === kept && known.answer === answer)
        return RepeatedHeaderCache.of(known.fields, at, fields[at] as string);
    }
    return null;
  }

  /**
   * Remembers what an answer made of fields, if it has left the value where it is that differs.
   * INVARIANT: what it makes of them depends on no value of a field, and nobody changes an answer or a list once it is made.
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
    // No request is like those before any more.
    this.#forgetOperated();
  }

  #forgetOperated(): void {
    this.#operated = nothingOperated;
    this.#operatedCharacters = 0;
  }
}
