import type { HeaderOperation } from '../../domain/agent-protocol/messages.js';
import type { SamlOptions } from '../../domain/configuration/saml-options.js';
import { cookieValues, setCookie } from '../../domain/http/cookies.js';
import type { HeaderList } from '../../domain/http/header-list.js';
import { urlParts } from '../../domain/http/url-parts.js';
import { signOnRequestMs } from '../../domain/saml/sign-on/new-sign-on-request.js';

/** Cookies of one name that are looked at; browsers send several only where others have set them too. */
const lookedAt = 4;
const shownHandleDigits = 8;

/** What the names of the cookies begin with that bind sign-ons to browsers. */
export const bindingCookiePrefix = (sessionCookie: string): string => `${sessionCookie}_signon_`;

/** The cookies of single sign-on: of the session, and one for each sign-on under way. */
export class SignOnCookies {
  readonly #options: Pick<SamlOptions, 'cookie'>;
  /** The path that browsers post to, which something before the gateway may change on the way. */
  readonly #postedPath: string;

  constructor(options: Pick<SamlOptions, 'cookie' | 'acsUrl'>) {
    this.#options = options;
    this.#postedPath = urlParts(options.acsUrl).path;
  }

  /** The ids of sessions that a request shows, each once. */
  sessionIds(headers: HeaderList): readonly string[] {
    return distinct(cookieValues(headers, this.#options.cookie.name));
  }

  /** The browser keeps it as long as there is a session. */
  setSession(sessionId: string, lifeMs: number): HeaderOperation {
    return this.#session(sessionId, Math.ceil(lifeMs / 1000));
  }

  clearSession(): HeaderOperation {
    return this.#session('', 0);
  }

  /** The secret that the browser shows for a sign-on; null: none, or several, of which one has not been given by us. */
  binding(headers: HeaderList, handleHash: string): string | null {
    const shown = distinct(cookieValues(headers, this.#bindingName(handleHash)));
    return shown.length === 1 ? (shown[0] as string) : null;
  }

  setBinding(handleHash: string, secret: string): HeaderOperation {
    return this.#binding(handleHash, secret, signOnRequestMs / 1000);
  }

  clearBinding(handleHash: string): HeaderOperation {
    return this.#binding(handleHash, '', 0);
  }

  #bindingName(handleHash: string): string {
    return bindingCookiePrefix(this.#options.cookie.name) + handleHash.slice(0, shownHandleDigits);
  }

  #session(value: string, maxAgeSecs: number): HeaderOperation {
    const { name, secure, httpOnly, sameSite } = this.#options.cookie;
    return added(setCookie({ name, value, path: '/', secure, httpOnly, sameSite, maxAgeSecs }));
  }

  /** The response comes from another site, so the cookie has to come with it: SameSite None, which browsers take with Secure alone. */
  #binding(handleHash: string, value: string, maxAgeSecs: number): HeaderOperation {
    const name = this.#bindingName(handleHash);
    const path = this.#postedPath;
    return added(setCookie({ name, value, path, secure: true, httpOnly: true, sameSite: 'None', maxAgeSecs }));
  }
}

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)].slice(0, lookedAt);

const added = (value: string): HeaderOperation => ({ kind: 'add', name: 'Set-Cookie', value });
