import { signOnRequestMs } from './sign-on-request.js';

/** Sign-ons that may wait in one browser at a time. */
export const maximumWaitingSignOns = 8;

/** Cookies that one answer takes back: more would outgrow the header buffers of proxies in front. */
export const maximumTakenBack = 16;

/** Cookies of one request that are looked at. */
const maximumConsidered = 128;

const secretLength = 43;
const timePattern = /^[0-9a-z]{1,8}$/;
const handlePattern = /^[0-9a-f]{8}$/;

/** A cookie that binds a sign-on to its browser, without the part of the name that all of them share. */
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
 * The handles of the cookies to take back when one more sign-on begins in a browser: leftovers whose time is over,
 * and the oldest ones beyond the limit. At most `maximumTakenBack`, oldest first, each once. Handles that no cookie
 * of ours can have are ignored.
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
    .slice(0, maximumTakenBack)
    .map(([handle]) => handle);
};
