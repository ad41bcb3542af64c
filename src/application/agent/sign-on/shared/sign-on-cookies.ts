import type { SessionCookieOptions } from '../../../../domain/agent/configuration/sessions-options.js';
import type { Session } from '../../../../domain/agent/sessions/session.js';
import { surplusBindingCookies } from '../../../../domain/agent/sign-on/binding-cookies.js';
import { type FormOwner, keptFormMs } from '../../../../domain/agent/sign-on/kept-form.js';
import { signOnRequestMs } from '../../../../domain/agent/sign-on/sign-on-request.js';
import type { HeaderOperation } from '../../../../domain/agent-protocol/messages.js';
import { cookiesWithPrefix, cookieValues, hasCookie, setCookie } from '../../../../domain/http/cookies.js';
import type { HeaderList } from '../../../../domain/http/header-list.js';
import { isSessionId } from '../../sessions/session-id.js';

/** Maximum session cookies that a request may use. Several occur only if other applications of the domain set them. */
const lookedAt = 4;
/** Maximum sessions that one sign-out ends: each needs a call to the store. */
const endedAtOnce = 16;
const shownHandleDigits = 8;

/** Name prefixes to which browsers give meaning, case-insensitively (RFC 6265bis, section 4.1.3). */
const namePrefix = /^__(?:Host|Secure)-/i;

/**
 * The name prefix of the cookies that bind sign-ons to browsers. Browsers accept `__Host-` names only from this host,
 * so no other host of the domain can plant one.
 */
export const bindingCookiePrefix = (sessionCookie: string): string =>
  `__Host-${sessionCookie.replace(namePrefix, '')}_signon_`;

/** Marks the user of a session in a cookie beside that of the session. */
export type OwnerMark = (sessionId: string, owner: FormOwner) => string;

/** What the cookies of a new session need of it. */
type CookieSession = FormOwner & Pick<Session, 'createdMs' | 'expiresMs'>;

const markPattern = /^[0-9a-f]{64}$/;

/**
 * The cookies of sign-ons: the session, one per pending sign-on, and one for a kept form. All ways to sign on share
 * them.
 */
export class SignOnCookies {
  readonly #options: SessionCookieOptions;
  readonly #sessionNames: ReadonlySet<string>;
  readonly #bindingPrefix: string;
  readonly #formName: string;
  readonly #ownerName: string;
  readonly #ownerMark: OwnerMark | null;

  /** @param ownerMark null: no forms are kept */
  constructor(options: SessionCookieOptions, ownerMark: OwnerMark | null = null) {
    this.#options = options;
    this.#ownerMark = ownerMark;
    this.#formName = `__Host-${options.name.replace(namePrefix, '')}_form`;
    this.#ownerName = `${options.name}_user`;
    this.#sessionNames = new Set([options.name, ...options.formerNames]);
    this.#bindingPrefix = bindingCookiePrefix(options.name);
  }

  /** Whether browsers withhold the session cookie after a redirect from another site. */
  get isStrict(): boolean {
    return this.#options.sameSite === 'Strict';
  }

  /** Whether a cookie of this name belongs to sign-ons. */
  owns(name: string): boolean {
    if (this.#sessionNames.has(name) || name.startsWith(this.#bindingPrefix)) return true;
    return this.#ownerMark !== null && (name === this.#formName || name === this.#ownerName);
  }

  /** The distinct well-formed session ids of a request, at most four. */
  sessionIds(headers: HeaderList): readonly string[] {
    return this.#shownIds(headers).slice(0, lookedAt);
  }

  /** All distinct well-formed session ids of a request; null: more than 16. */
  allSessionIds(headers: HeaderList): readonly string[] | null {
    const ids = this.#shownIds(headers);
    return ids.length > endedAtOnce ? null : ids;
  }

  /** The session id if the request has one session cookie alone; null: none, several, or a malformed one. */
  onlySessionId(headers: HeaderList): string | null {
    for (const name of this.#sessionNames) {
      const values = cookieValues(headers, name);
      if (values.length === 0) continue;
      return values.length === 1 && isSessionId(values[0] as string) ? (values[0] as string) : null;
    }
    return null;
  }

  /** Sets the session cookie for the lifetime of the session, and clears the former ones of the request. */
  setSession(headers: HeaderList, sessionId: string, session: CookieSession): readonly HeaderOperation[] {
    const lifeSecs = Math.ceil((session.expiresMs - session.createdMs) / 1000);
    const mark = this.#ownerMark?.(sessionId, session);
    const owner = mark === undefined ? [] : [this.#session(mark, lifeSecs, this.#ownerName)];
    return [this.#session(sessionId, lifeSecs), ...owner, ...this.#clearFormer(headers)];
  }

  /** The mark of the user of the shown session; null if there is none, or several. */
  ownerMark(headers: HeaderList): string | null {
    const shown = cookieValues(headers, this.#ownerName);
    return shown.length === 1 && markPattern.test(shown[0] as string) ? (shown[0] as string) : null;
  }

  /** The secret of the kept form of this browser; null if there is none, or several. */
  keptForm(headers: HeaderList): string | null {
    const shown = cookieValues(headers, this.#formName);
    return shown.length === 1 && isSessionId(shown[0] as string) ? (shown[0] as string) : null;
  }

  setKeptForm(secret: string): HeaderOperation {
    return this.#keptForm(secret, keptFormMs / 1000);
  }

  clearKeptForm(): HeaderOperation {
    return this.#keptForm('', 0);
  }

  /** Clears the session cookie, the former ones of the request, and those of a kept form. */
  clearSession(headers: HeaderList): readonly HeaderOperation[] {
    const { name, domain } = this.#options;
    const isTwice = cookieValues(headers, name).length > 1;
    // A cookie of this host alone, from before there was a domain, would stay.
    const ofHost = isTwice && domain !== null ? [this.#clear(name)] : [];
    const shows = (name: string) => hasCookie(headers, (shown) => shown === name);
    const owner = this.#ownerMark !== null && shows(this.#ownerName) ? [this.#session('', 0, this.#ownerName)] : [];
    const form = this.#ownerMark !== null && shows(this.#formName) ? [this.clearKeptForm()] : [];
    return [this.#session('', 0), ...ofHost, ...this.#clearFormer(headers), ...owner, ...form];
  }

  /** Whether the request has any binding cookie, by name. Without one it cannot complete a sign-on. */
  hasBinding(headers: HeaderList): boolean {
    return hasCookie(headers, (name) => name.startsWith(this.#bindingPrefix));
  }

  /**
   * The binding secret of a sign-on; null if there is none, or if there are several, because someone planted one.
   */
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

  /** Clears a binding cookie if the request has it. */
  clearShownBinding(headers: HeaderList, handleHash: string): readonly HeaderOperation[] {
    const name = this.#bindingName(handleHash);
    return hasCookie(headers, (shown) => shown === name) ? [this.clearBinding(handleHash)] : [];
  }

  /** Clears surplus binding cookies when another sign-on begins. */
  clearSurplusBindings(headers: HeaderList, nowMs: number): readonly HeaderOperation[] {
    const shown = cookiesWithPrefix(headers, this.#bindingPrefix).map(({ name, value }) => ({
      handle: name.slice(this.#bindingPrefix.length),
      value,
    }));
    return surplusBindingCookies(shown, nowMs).map((handle) => this.clearBinding(handle));
  }

  #shownIds(headers: HeaderList): readonly string[] {
    return distinct([...this.#sessionNames].flatMap((name) => cookieValues(headers, name)).filter(isSessionId));
  }

  #bindingName(handleHash: string): string {
    return this.#bindingPrefix + handleHash.slice(0, shownHandleDigits);
  }

  #session(value: string, maxAgeSecs: number, name = this.#options.name): HeaderOperation {
    const { domain, secure, httpOnly, sameSite } = this.#options;
    return added(setCookie({ name, domain, value, secure, httpOnly, sameSite, maxAgeSecs }));
  }

  /** A former cookie may have been set with or without the domain, which browsers treat as two cookies. */
  #clearFormer(headers: HeaderList): readonly HeaderOperation[] {
    const { formerNames, domain } = this.#options;
    const shown = formerNames.filter((former) => hasCookie(headers, (name) => name === former));
    return shown.flatMap((name) => {
      const isOfHost = domain === null || /^__host-/i.test(name);
      return isOfHost ? [this.#clear(name)] : [this.#clear(name), this.#clear(name, domain)];
    });
  }

  #clear(name: string, domain: string | null = null): HeaderOperation {
    const { httpOnly, sameSite } = this.#options;
    const secure = this.#options.secure || namePrefix.test(name);
    return added(setCookie({ name, domain, value: '', secure, httpOnly, sameSite, maxAgeSecs: 0 }));
  }

  /** A redirect of the provider leads to the page that asks about the form, so the cookie is SameSite=Lax. */
  #keptForm(value: string, maxAgeSecs: number): HeaderOperation {
    const name = this.#formName;
    return added(setCookie({ name, value, secure: true, httpOnly: true, sameSite: 'Lax', maxAgeSecs }));
  }

  /** The response arrives from another site, so the cookie is SameSite=None, which requires Secure. */
  #binding(handleHash: string, value: string, maxAgeSecs: number): HeaderOperation {
    const name = this.#bindingName(handleHash);
    return added(setCookie({ name, value, secure: true, httpOnly: true, sameSite: 'None', maxAgeSecs }));
  }
}

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)];

const added = (value: string): HeaderOperation => ({ kind: 'add', name: 'Set-Cookie', value });
