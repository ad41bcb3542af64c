import { redisUrlFinding } from '../../configuration/schema/redis-url.js';
import { isToken } from '../../http/field-syntax.js';
import { agentDefaults } from './agent-configuration.js';
import type { SamlBlockOptions, SessionStoreOptions } from './saml-options.js';
import type { SamlReport } from './saml-report.js';

/** What stands in for a store that cannot be made out, while the rest is checked. */
const noStore: SessionStoreOptions = { kind: 'memory' };

/** Characters of the name of the session cookie, at the most: others have names that are made of it. */
const cookieNameLength = 100;

const redisStore = ({ sessionStoreUrl }: SamlBlockOptions, report: SamlReport): SessionStoreOptions => {
  if (sessionStoreUrl === null) {
    const suggestion = 'as in session-store-url "rediss://user:password@host:6379"';
    report.error('session-store-url is missing: redis needs it', 'session-store', suggestion);
    return noStore;
  }
  const { fault, risk } = redisUrlFinding(sessionStoreUrl.reveal());
  if (fault !== null) report.error(`session-store-url ${fault}`, 'session-store-url');
  if (risk !== null)
    report.warning(`session-store-url ${risk}`, 'session-store-url', 'use rediss://', 'store-in-the-clear');
  return { kind: 'redis', url: sessionStoreUrl };
};

/** Where sessions are kept. */
export const sessionStoreOptions = (saml: SamlBlockOptions, report: SamlReport): SessionStoreOptions => {
  const { sessionStore, sessionStorePath, sessionStoreUrl } = saml;
  if (sessionStorePath !== null && sessionStore !== 'sqlite') {
    report.error(`session-store-path has no effect with session-store "${sessionStore}"`, 'session-store-path');
  }
  if (sessionStoreUrl !== null && sessionStore !== 'redis') {
    report.error(`session-store-url has no effect with session-store "${sessionStore}"`, 'session-store-url');
  }
  if (sessionStore === 'redis') return redisStore(saml, report);
  if (sessionStore === 'memory') return { kind: 'memory' };
  return { kind: 'sqlite', path: sessionStorePath ?? agentDefaults.sessionStorePath };
};

/** Browsers take cookies of these names under conditions (RFC 6265bis, section 4.1.3). */
const checkPrefix = ({ cookieName, cookieSecure }: SamlBlockOptions, report: SamlReport): void => {
  if (cookieSecure || !/^__(?:host|secure)-/i.test(cookieName)) return;
  report.error('session-cookie-name has a prefix that asks for cookie-secure #true', 'session-cookie-name');
};

/** Checks cookie and times of sessions. */
export const checkSessions = (saml: SamlBlockOptions, report: SamlReport): void => {
  if (!isToken(saml.cookieName) || saml.cookieName.length > cookieNameLength) {
    const message = `session-cookie-name must be the name of a cookie: a token of ${cookieNameLength} characters at the most`;
    report.error(message, 'session-cookie-name');
  }
  checkPrefix(saml, report);
  if (saml.cookieSameSite === 'None' && !saml.cookieSecure) {
    report.error('cookie-same-site None needs cookie-secure #true: browsers drop the cookie else', 'cookie-same-site');
  } else if (!saml.cookieSecure) {
    const message =
      'cookie-secure is #false: the session cookie also goes by HTTP, where whoever is on the way can take it';
    report.warning(message, 'cookie-secure', undefined, 'session-cookie-in-the-clear');
  }
  if (!saml.cookieHttpOnly) {
    const message = 'cookie-http-only is #false: any script of a page can take the session cookie';
    report.warning(message, 'cookie-http-only', undefined, 'session-cookie-for-scripts');
  }
  if (saml.sessionIdleMs !== null && saml.sessionIdleMs >= saml.sessionTtlMs) {
    const message = 'session-idle-secs is not under session-ttl-secs: no session is ever idle for so long';
    report.warning(message, 'session-idle-secs');
  }
};
