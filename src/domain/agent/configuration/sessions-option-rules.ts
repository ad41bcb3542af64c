import type { AdviceId } from '../../configuration/advice-kinds.js';
import { redisUrlFinding } from '../../configuration/schema/redis-url.js';
import { urlParts } from '../../http/absolute-uri.js';
import { isToken } from '../../http/field-syntax.js';
import { agentDefaults } from './agent-configuration.js';
import type { OidcLoginOptions } from './oidc-login-options.js';
import type { OptionReport } from './option-report.js';
import type { SamlBlockOptions } from './saml-options.js';
import type {
  SessionCookieOptions,
  SessionKeys,
  SessionStoreOptions,
  SessionsBlockOptions,
  SignOnSessionOptions,
} from './sessions-options.js';

/** The names of the common keys in the two blocks. */
const keyNames = {
  store: { sessions: 'store', saml: 'session-store' },
  path: { sessions: 'path', saml: 'session-store-path' },
  url: { sessions: 'url', saml: 'session-store-url' },
  ttlMs: { sessions: 'ttl-secs', saml: 'session-ttl-secs' },
  idleMs: { sessions: 'idle-secs', saml: 'session-idle-secs' },
  cleanupIntervalMs: { sessions: 'cleanup-interval-secs', saml: 'cleanup-interval-secs' },
  cookieName: { sessions: 'cookie-name', saml: 'session-cookie-name' },
  cookieSecure: { sessions: 'cookie-secure', saml: 'cookie-secure' },
  cookieHttpOnly: { sessions: 'cookie-http-only', saml: 'cookie-http-only' },
  cookieSameSite: { sessions: 'cookie-same-site', saml: 'cookie-same-site' },
} as const satisfies Readonly<Record<keyof SessionKeys, Readonly<Record<'sessions' | 'saml', string>>>>;

const members = Object.keys(keyNames) as readonly (keyof SessionKeys)[];

/** Keys that only the `sessions` block has. */
type OwnKey = 'cookie-domain' | 'former-cookie-names' | 'return-hosts' | 'allow-origins';

/** Maximum characters of the session cookie's name: other cookie names extend it. */
const cookieNameLength = 100;
/** Maximum former names: each is looked up in every request without the current cookie. */
const maximumFormerNames = 8;
const maximumHosts = 1_000;

/** The blocks that configure sessions. */
export interface SessionBlocks {
  readonly sessions: SessionsBlockOptions | null;
  readonly saml: Pick<SamlBlockOptions, 'sessions' | 'entityId' | 'acsUrl'> | null;
  /** Scheme and authority of each public URL of a login. */
  readonly publicOrigins: readonly string[];
}

/** Reports problems at the block that has the key. */
class SessionsReport {
  readonly #blocks: SessionBlocks;
  readonly #reports: Readonly<Record<'error' | 'warning', OptionReport>>;

  constructor(blocks: SessionBlocks, error: OptionReport, warning: OptionReport) {
    this.#blocks = blocks;
    this.#reports = { error, warning };
  }

  /** The name of a key, where it is written or would be. */
  name(member: keyof SessionKeys): string {
    return keyNames[member][this.#blockOf(member)];
  }

  report(
    severity: 'error' | 'warning',
    member: keyof SessionKeys,
    message: string,
    suggestion?: string,
    id?: AdviceId,
  ): void {
    this.#reports[severity](this.#blockOf(member), message, suggestion, { key: this.name(member) }, id);
  }

  /** Reports a problem of a key that only the `sessions` block has. */
  own(severity: 'error' | 'warning', key: OwnKey, message: string, suggestion?: string, id?: AdviceId): void {
    this.#reports[severity]('sessions', message, suggestion, { key }, id);
  }

  #blockOf(member: keyof SessionKeys): 'sessions' | 'saml' {
    const { sessions, saml } = this.#blocks;
    if (saml === null) return 'sessions';
    return sessions === null || saml.sessions[member] !== null ? 'saml' : 'sessions';
  }
}

/** Refuses a key that both blocks set. */
const refuseTwins = ({ sessions, saml }: SessionBlocks, error: OptionReport): void => {
  if (sessions === null || saml === null) return;
  for (const member of members) {
    if (sessions[member] === null || saml.sessions[member] === null) continue;
    const names = keyNames[member];
    const message = `${names.sessions} is also set in saml, as ${names.saml}: remove one of the two`;
    const other = { option: 'saml', key: names.saml } as const;
    error('sessions', message, undefined, { key: names.sessions, other });
  }
};

/** Placeholder for an invalid store while the remaining options are checked. */
const noStore: SessionStoreOptions = { kind: 'memory' };

const redisStore = (url: SessionKeys['url'], report: SessionsReport): SessionStoreOptions => {
  const name = report.name('url');
  if (url === null) {
    const suggestion = `as in ${name} "rediss://user:password@host:6379"`;
    report.report('error', 'store', `${name} is missing: redis needs it`, suggestion);
    return noStore;
  }
  const { fault, risk } = redisUrlFinding(url.reveal());
  if (fault !== null) report.report('error', 'url', `${name} ${fault}`);
  if (risk !== null) report.report('warning', 'url', `${name} ${risk}`, 'use rediss://', 'store-in-the-clear');
  return { kind: 'redis', url };
};

const storeOptions = ({ store, path, url }: SessionKeys, report: SessionsReport): SessionStoreOptions => {
  const kind = store ?? 'sqlite';
  const idle = (member: 'path' | 'url') =>
    report.report('error', member, `${report.name(member)} has no effect with ${report.name('store')} "${kind}"`);
  if (path !== null && kind !== 'sqlite') idle('path');
  if (url !== null && kind !== 'redis') idle('url');
  if (kind === 'redis') return redisStore(url, report);
  if (kind === 'memory') return { kind };
  return { kind, path: path ?? agentDefaults.sessionStorePath };
};

/** Whether a text can be the name of a session cookie. */
const isCookieName = (name: string): boolean => isToken(name) && name.length <= cookieNameLength;

const nameRule = `the name of a cookie: a token of at most ${cookieNameLength} characters`;

/** Browsers require conditions for names with a prefix (RFC 6265bis, section 4.1.3). */
const checkCookieName = ({ name, secure, domain }: SessionCookieOptions, report: SessionsReport): void => {
  const key = report.name('cookieName');
  if (!isCookieName(name)) report.report('error', 'cookieName', `${key} must be ${nameRule}`);
  if (!secure && /^__(?:host|secure)-/i.test(name)) {
    report.report('error', 'cookieName', `${key} has a prefix that requires cookie-secure #true`);
  }
  if (domain !== null && /^__host-/i.test(name)) {
    const message = `cookie-domain excludes the cookie name ${name}: browsers accept a __Host- cookie only without a domain`;
    report.own('error', 'cookie-domain', message, `set ${key} "__Secure-portcullis_session"`);
  }
};

/** Whether a cookie of this domain reaches the host (RFC 6265, section 5.1.3). */
const coversHost = (domain: string, host: string): boolean => host === domain || host.endsWith(`.${domain}`);

/** The host of an origin, in lower case, without its port. */
const hostOf = (origin: string): string =>
  origin
    .slice(origin.indexOf('://') + '://'.length)
    .replace(/:\d*$/, '')
    .toLowerCase();

const checkCookieDomain = (domain: string, { saml, publicOrigins }: SessionBlocks, report: SessionsReport): void => {
  const hosts = [
    ...(saml === null ? [] : [['acs-url', hostOf(urlParts(saml.acsUrl).origin)] as const]),
    ...publicOrigins.map((origin) => ['public-url', hostOf(origin)] as const),
  ];
  const outside = hosts.find(([, host]) => !coversHost(domain, host));
  if (outside !== undefined) {
    const [key, host] = outside;
    const message = `cookie-domain ${domain} does not include ${host}, the host of ${key}: browsers would drop the cookie`;
    report.own('error', 'cookie-domain', message, `write the host of ${key}, or a domain above it`);
    return;
  }
  const message = `cookie-domain: every host under ${domain} receives the session cookie, and can use it`;
  report.own('warning', 'cookie-domain', message, undefined, 'session-cookie-for-every-host');
};

const checkFormerNames = ({ name, formerNames }: SessionCookieOptions, report: SessionsReport): void => {
  const key = 'former-cookie-names';
  if (formerNames.length > maximumFormerNames) {
    report.own('error', key, `${key} has more than ${maximumFormerNames} names`);
  }
  const seen = new Set<string>();
  for (const [index, former] of formerNames.entries()) {
    const entry = `${key}: entry ${index + 1}`;
    if (!isCookieName(former)) report.own('error', key, `${entry} must be ${nameRule}`);
    if (former === name) report.own('error', key, `${entry} is the current name: ${report.name('cookieName')}`);
    if (seen.has(former)) report.own('error', key, `${entry} repeats an earlier one`);
    seen.add(former);
  }
};

const checkCookie = (cookie: SessionCookieOptions, blocks: SessionBlocks, report: SessionsReport): void => {
  checkCookieName(cookie, report);
  if (cookie.sameSite === 'None' && !cookie.secure) {
    const message = 'cookie-same-site None needs cookie-secure #true; otherwise browsers drop the cookie';
    report.report('error', 'cookieSameSite', message);
  } else if (!cookie.secure) {
    const message =
      'cookie-secure is #false: the session cookie is also sent over HTTP, where an attacker on the network can steal it';
    report.report('warning', 'cookieSecure', message, undefined, 'session-cookie-in-the-clear');
  }
  if (!cookie.httpOnly) {
    const message = 'cookie-http-only is #false: any script of a page can steal the session cookie';
    report.report('warning', 'cookieHttpOnly', message, undefined, 'session-cookie-for-scripts');
  }
  if (cookie.domain !== null) checkCookieDomain(cookie.domain, blocks, report);
  checkFormerNames(cookie, report);
};

const checkIdleTime = (
  { ttlMs, idleMs }: Pick<SignOnSessionOptions, 'ttlMs' | 'idleMs'>,
  report: SessionsReport,
): void => {
  if (idleMs === null || idleMs < ttlMs) return;
  const message = `${report.name('idleMs')} is not below ${report.name('ttlMs')}, so it has no effect`;
  report.report('warning', 'idleMs', message);
};

/** The keys as one block: of each, the one that is set. */
const mergeKeys = ({ sessions, saml }: SessionBlocks): SessionKeys => {
  const merged = Object.fromEntries(
    members.map((member) => [member, sessions?.[member] ?? saml?.sessions[member] ?? null]),
  );
  return merged as unknown as SessionKeys;
};

/** The origin of a URL as browsers write it: in lower case, without the default port. */
const serializedOrigin = (url: string): string =>
  urlParts(url)
    .origin.toLowerCase()
    .replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2');

/** Our https origins and the return hosts. Hosts of the cookie's domain have port 443 and the ports of sign-ons too. */
const returnOrigins = (hosts: readonly string[], domain: string | null, origins: readonly string[]): string[] => {
  const own = origins.filter((origin) => origin.startsWith('https:'));
  const ports = new Set(['', ...own.map((origin) => /:\d+$/.exec(origin)?.[0] ?? '')]);
  const shared = domain === null ? [] : Array.from(ports, (port) => [domain + port, `*.${domain}${port}`]).flat();
  return [...own, ...[...hosts, ...shared].map((host) => serializedOrigin(`https://${host}`))];
};

const checkAllowedOrigins = ({ allowOrigins }: SessionsBlockOptions, report: SessionsReport): void => {
  if (allowOrigins.length <= maximumHosts) return;
  report.own('error', 'allow-origins', `allow-origins has more than ${maximumHosts} origins`);
};

/** Checks the keys of sessions, wherever they are written, and fills in the defaults. */
export const checkedSessionOptions = (
  blocks: SessionBlocks,
  error: OptionReport,
  warn: OptionReport,
): SignOnSessionOptions => {
  const { sessions, saml, publicOrigins } = blocks;
  const keys = mergeKeys(blocks);
  const report = new SessionsReport(blocks, error, warn);
  const domain = sessions?.cookieDomain?.toLowerCase() ?? null;
  const ownOrigins = [...(saml === null ? [] : [serializedOrigin(saml.acsUrl)]), ...publicOrigins];
  refuseTwins(blocks, error);
  const options: SignOnSessionOptions = {
    store: storeOptions(keys, report),
    namespace: saml?.entityId ?? publicOrigins[0] ?? '',
    ttlMs: keys.ttlMs ?? agentDefaults.sessionTtlMs,
    idleMs: keys.idleMs,
    cleanupIntervalMs: keys.cleanupIntervalMs ?? agentDefaults.cleanupIntervalMs,
    cookie: {
      name: keys.cookieName ?? (saml === null ? agentDefaults.hostSessionCookieName : agentDefaults.sessionCookieName),
      formerNames: sessions?.formerCookieNames ?? [],
      domain,
      secure: keys.cookieSecure ?? true,
      httpOnly: keys.cookieHttpOnly ?? true,
      sameSite: keys.cookieSameSite ?? 'Lax',
    },
    keepsPostedForms: sessions?.keepPostedForms ?? false,
    returnOrigins: returnOrigins(sessions?.returnHosts ?? [], domain, ownOrigins),
    trustedOrigins: [...ownOrigins, ...(sessions?.allowOrigins ?? [])],
  };
  checkCookie(options.cookie, blocks, report);
  checkIdleTime(options, report);
  if ((sessions?.returnHosts.length ?? 0) > maximumHosts) {
    report.own('error', 'return-hosts', `return-hosts has more than ${maximumHosts} hosts`);
  }
  if (sessions !== null) checkAllowedOrigins(sessions, report);
  return options;
};

/** Checks the store of a `sessions` block without a way to sign on: it keeps the used proofs of tokens. */
export const storeWithoutSignOn = (
  sessions: SessionsBlockOptions,
  error: OptionReport,
  warn: OptionReport,
): SessionStoreOptions => {
  const blocks: SessionBlocks = { sessions, saml: null, publicOrigins: [] };
  const report = new SessionsReport(blocks, error, warn);
  checkAllowedOrigins(sessions, report);
  return storeOptions(mergeKeys(blocks), report);
};

/** Checks the sessions of an agent; null if no way to sign on is enabled, so that there are no sessions. */
export const enabledSessions = (
  { sessions, saml }: { readonly sessions?: SessionsBlockOptions; readonly saml?: SamlBlockOptions },
  logins: readonly Pick<OidcLoginOptions, 'publicOrigins'>[],
  error: OptionReport,
  warn: OptionReport,
): SignOnSessionOptions | null => {
  if (saml === undefined && logins.length === 0) return null;
  const publicOrigins = [...new Set(logins.flatMap((login) => login.publicOrigins))];
  const options = checkedSessionOptions({ sessions: sessions ?? null, saml: saml ?? null, publicOrigins }, error, warn);
  return saml?.enabled === true || logins.length > 0 ? options : null;
};
