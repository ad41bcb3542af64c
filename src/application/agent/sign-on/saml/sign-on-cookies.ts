import type { SamlOptions } from '../../../../domain/agent/configuration/saml-options.js';
import { surplusBindingCookies } from '../../../../domain/agent/sign-on/binding-cookies.js';
import { signOnRequestMs } from '../../../../domain/agent/sign-on/sign-on-request.js';
import type { HeaderOperation } from '../../../../domain/agent-protocol/messages.js';
import { cookiesWithPrefix, cookieValues, hasCookie, setCookie } from '../../../../domain/http/cookies.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import { isSessionId } from '../../sessions/session-id.js';

/** Sessions of one request that are looked at; browsers show several only where others have set cookies too. */
const lookedAt = 4;
/** Sessions that one sign-out ends, at most: each is an order to the store. */
const endedAtOnce = 16;
const shownHandleDigits = 8;

/** What browsers read in the name of a cookie, in any case (RFC 6265bis, section 4.1.3). */
const namePrefix = /^__(?:Host|Secure)-/i;

/**
 * What the names of the cookies begin with that bind sign-ons to browsers. Browsers take such a name from this very
 * host alone, so no other host of the domain can plant one.
 */
export const bindingCookiePrefix = (sessionCookie: string): string =>
  `__Host-${sessionCookie.replace(namePrefix, '')}_signon_`;

/** The cookies of single sign-on: of the session, and one for each sign-on under way. */
export class SignOnCookies {
  readonly #options: SamlOptions['cookie'];
  readonly #bindingPrefix: string;

  constructor({ cookie }: Pick<SamlOptions, 'cookie'>) {
    this.#options = cookie;
    this.#bindingPrefix = bindingCookiePrefix(cookie.name);
  }

  /** The ids of sessions that a request shows, each once, a few of them; what cannot be one is none. */
  sessionIds(headers: HeaderList): readonly string[] {
    return this.#shownIds(headers).slice(0, lookedAt);
  }

  /** The same, all of them; null: they are too many. */
  allSessionIds(headers: HeaderList): readonly string[] | null {
    const ids = this.#shownIds(headers);
    return ids.length > endedAtOnce ? null : ids;
  }

  /** The browser keeps it as long as there is a session. */
  setSession(sessionId: string, lifeMs: number): HeaderOperation {
    return this.#session(sessionId, Math.ceil(lifeMs / 1000));
  }

  clearSession(): HeaderOperation {
    return this.#session('', 0);
  }

  /** Whether the browser shows a cookie of any sign-on, by its name alone: without one it can end none. */
  hasBinding(headers: HeaderList): boolean {
    return hasCookie(headers, (name) => name.startsWith(this.#bindingPrefix));
  }

  /** The secret that the browser shows for a sign-on; null: none, or several, of which one has not been given by us. */
  binding(headers: HeaderList, handleHash: string): string | null {
    const shown = distinct(cookieValues(headers, this.#bindingName(handleHash)));
    return shown.length === 1 ? (shown[0] as string) : null;
  }

  setBinding(handleHash: string, value: string): HeaderOperation {
    return this.#binding(handleHash, value, signOnRequestMs / 1000);
  }

  clearBinding(handleHash: string): HeaderOperation {
    return this.#binding(handleHash, '', 0);
  }

  /** Takes back a binding cookie that the browser shows; nothing where it shows none. */
  clearShownBinding(headers: HeaderList, handleHash: string): readonly HeaderOperation[] {
    const name = this.#bindingName(handleHash);
    return hasCookie(headers, (shown) => shown === name) ? [this.clearBinding(handleHash)] : [];
  }

  /** Takes back what a browser has too many of when one more sign-on begins in it. */
  clearSurplusBindings(headers: HeaderList, nowMs: number): readonly HeaderOperation[] {
    const shown = cookiesWithPrefix(headers, this.#bindingPrefix).map(({ name, value }) => ({
      handle: name.slice(this.#bindingPrefix.length),
      value,
    }));
    return surplusBindingCookies(shown, nowMs).map((handle) => this.clearBinding(handle));
  }

  #shownIds(headers: HeaderList): readonly string[] {
    return distinct(cookieValues(headers, this.#options.name).filter(isSessionId));
  }

  #bindingName(handleHash: string): string {
    return this.#bindingPrefix + handleHash.slice(0, shownHandleDigits);
  }

  #session(value: string, maxAgeSecs: number): HeaderOperation {
    const { name, secure, httpOnly, sameSite } = this.#options;
    return added(setCookie({ name, value, secure, httpOnly, sameSite, maxAgeSecs }));
  }

  /**
   * The response comes from another site, so the cookie has to come with it: SameSite None, which browsers take with
   * Secure alone.
   */
  #binding(handleHash: string, value: string, maxAgeSecs: number): HeaderOperation {
    const name = this.#bindingName(handleHash);
    return added(setCookie({ name, value, secure: true, httpOnly: true, sameSite: 'None', maxAgeSecs }));
  }
}

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)];

const added = (value: string): HeaderOperation => ({ kind: 'add', name: 'Set-Cookie', value });
