import { signOnRequestMs } from './sign-on-request.js';

/** Maximum pending sign-ons per browser. */
export const maximumWaitingSignOns = 8;

/** Maximum cookies that one answer clears: more would exceed the header buffers of proxies. */
export const maximumClearedCookies = 16;

/** Maximum cookies of a request that are read. */
const maximumConsidered = 128;

const secretLength = 43;
const timePattern = /^[0-9a-z]{1,8}$/;
const handlePattern = /^[0-9a-f]{8}$/;

/** A cookie that binds a sign-on to its browser, without the common prefix of its name. */
export interface BindingCookie {
  /** The first eight digits of the handle's hash. */
  readonly handle: string;
  readonly value: string;
}

/**
 * The value of a binding cookie: a secret of 43 characters, then the second of its creation in base 36. Cookie
 * headers carry no creation time, and their order is no promise (RFC 6265, section 4.2.2).
 */
export const bindingCookieValue = (secret: string, nowMs: number): string =>
  secret + Math.floor(nowMs / 1000).toString(36);

/** The second in which a cookie was set; 0 if its value has none. */
const createdSecond = ({ value }: BindingCookie): number => {
  const time = value.slice(secretLength);
  return timePattern.test(time) ? Number.parseInt(time, 36) : 0;
};

/**
 * The handles of the cookies to clear when another sign-on begins: expired ones, and the oldest beyond the limit. At
 * most `maximumClearedCookies`, oldest first, without duplicates. Ignores malformed handles.
 */
export const surplusBindingCookies = (shown: readonly BindingCookie[], nowMs: number): readonly string[] => {
  const created = new Map<string, number>();
  for (const cookie of shown) {
    if (created.size >= maximumConsidered) break;
    if (handlePattern.test(cookie.handle) && !created.has(cookie.handle)) {
      created.set(cookie.handle, createdSecond(cookie));
    }
  }
  const oldestFirst = [...created].sort(([, left], [, right]) => left - right);
  const mayStay = oldestFirst.length - (maximumWaitingSignOns - 1);
  return oldestFirst
    .filter(([, second], index) => index < mayStay || second * 1000 + signOnRequestMs <= nowMs)
    .slice(0, maximumClearedCookies)
    .map(([handle]) => handle);
};
