import type { AdviceId } from '../../configuration/advice-kinds.js';
import type { OptionPlace } from '../../configuration/agent-option-problem.js';
import { webUrlFault } from '../../configuration/schema/web-url.js';
import { urlParts } from '../../http/absolute-uri.js';
import { dependsOnEmail } from '../oidc/checks/user-checks.js';
import { samlProviderName } from '../saml/session-of-assertion.js';
import { agentDefaults } from './agent-configuration.js';
import { issuerFault, tenantPlaceholder } from './issuer-fault.js';
import type { LoginCredentialOptions, OidcLoginBlockOptions, OidcLoginOptions } from './oidc-login-options.js';
import type { OptionReport } from './option-report.js';
import { pathFault } from './path-fault.js';
import type { SamlOptions } from './saml-options.js';
import { checkPathLists } from './saml-path-rules.js';
import type { TokenExchangeOptions } from './token-exchange-options.js';

/** Maximum logins of an agent: each has a key set to refresh. */
const maximumLogins = 16;
/** Maximum public URLs of a login. */
const maximumOrigins = 100;
/** Maximum mapped headers of an identity: user id and method use two more. */
const maximumMapped = 62;

/** Other endpoints of the agent; null if disabled. */
interface OtherEndpoints {
  readonly saml: Pick<SamlOptions, 'acsPath' | 'metadataPath' | 'logoutPath'> | null;
  readonly tokenExchange: Pick<TokenExchangeOptions, 'endpointPath' | 'jwksPath' | 'metadataPath'> | null;
}

/** Reports problems of one block; `key` is absent for the whole block. */
export interface LoginReport {
  error(message: string, key?: string, suggestion?: string): void;
  warning(message: string, key?: string, suggestion?: string, id?: AdviceId): void;
}

const loginReport = (block: number, label: string, error: OptionReport, warn: OptionReport): LoginReport => {
  const place = (key: string | undefined): OptionPlace => (key === undefined ? { block } : { block, key });
  return {
    error: (message, key, suggestion) => error('oidc-login', `${label}: ${message}`, suggestion, place(key)),
    warning: (message, key, suggestion, id) => warn('oidc-login', `${label}: ${message}`, suggestion, place(key), id),
  };
};

/** The name of a login in messages, or its number. */
const labelOf = ({ name }: OidcLoginBlockOptions, index: number): string =>
  name === null ? `login ${index + 1}` : `login "${name}"`;

const inTheClear = 'an attacker on the network can take codes, tokens and secrets';

/** URLs of a provider must be https. Loopback hosts are excepted. */
const checkUrl = (key: string, url: string, report: LoginReport): void => {
  const fault = webUrlFault(url, inTheClear);
  // The position of the block reveals nothing of the URL.
  if (fault !== null) report.error(`${key} ${fault.message}`, fault.secret ? undefined : key);
};

const checkProvider = ({ issuer, endpoints, jwksUrl }: OidcLoginBlockOptions, report: LoginReport): void => {
  checkUrl('issuer', issuer, report);
  if (issuer.includes('?')) report.error('issuer must not contain a query', 'issuer');
  const unfit =
    issuerFault(issuer) ??
    (issuer.includes(tenantPlaceholder)
      ? `issuer contains ${tenantPlaceholder}, but tokens name a single tenant`
      : null);
  if (unfit !== null) report.error(unfit, 'issuer', 'write the id of the tenant; each tenant needs a block');
  const urls = [
    ['authorization-url', endpoints.authorizationUrl],
    ['token-url', endpoints.tokenUrl],
    ['jwks-url', jwksUrl],
    ['userinfo-url', endpoints.userinfoUrl],
    ['end-session-url', endpoints.endSessionUrl],
  ] as const;
  for (const [key, url] of urls) if (url !== null) checkUrl(key, url, report);
};

const credentialOf = (
  { clientSecret, clientKeyFile }: OidcLoginBlockOptions,
  report: LoginReport,
): LoginCredentialOptions => {
  if (clientSecret !== null && clientKeyFile !== null) {
    report.error('client-secret and client-key-file are both set; a client has one of them', 'client-key-file');
  }
  if (clientSecret !== null) return { kind: 'secret', secret: clientSecret };
  return clientKeyFile === null ? { kind: 'public' } : { kind: 'key', keyFile: clientKeyFile };
};

/** Scheme and authority in lower case, without a default port, as browsers write origins. */
const normalOrigin = (url: string): string =>
  urlParts(url)
    .origin.toLowerCase()
    .replace(/^(https:\/\/.*):443$/, '$1')
    .replace(/^(http:\/\/.*):80$/, '$1');

const cookieRisk = 'browsers refuse the cookies of the sign-on, and an attacker on the network can take the session';

const originsOf = ({ publicUrls }: OidcLoginBlockOptions, report: LoginReport): readonly string[] => {
  const key = 'public-url';
  if (publicUrls.length === 0) {
    report.error('public-url is missing', undefined, 'as in public-url "https://portal.example.com"');
  }
  if (publicUrls.length > maximumOrigins) report.error(`public-url lists more than ${maximumOrigins}`, key);
  const origins: string[] = [];
  for (const [index, url] of publicUrls.entries()) {
    const entry = publicUrls.length === 1 ? key : `${key}: entry ${index + 1}`;
    const fault = webUrlFault(url, cookieRisk);
    if (fault !== null) {
      report.error(`${entry} ${fault.message}`, fault.secret ? undefined : key);
      continue;
    }
    if (urlParts(url).path !== '/' || url.includes('?')) {
      report.error(`${entry} must be an origin, without a path`, key, `write "${normalOrigin(url)}"`);
    }
    const origin = normalOrigin(url);
    if (origins.includes(origin)) report.error(`${entry} repeats an earlier one`, key);
    origins.push(origin);
  }
  return origins;
};

/** The page after a sign-out; at an endpoint of the login itself, the browser would be redirected without end. */
const checkPostLogout = (
  { postLogoutUrl: url, loginPath, logoutPath }: OidcLoginBlockOptions,
  origins: readonly string[],
  report: LoginReport,
): void => {
  if (url === null) return;
  const key = 'post-logout-url';
  checkUrl(key, url, report);
  const { path } = urlParts(url);
  if (!origins.includes(normalOrigin(url)) || (path !== loginPath && path !== logoutPath)) return;
  const endpoint = path === logoutPath ? 'logout-path' : 'login-path';
  report.error(`${key} is the ${endpoint} of this login`, key, 'name a page that needs no sign-on');
};

const checkScopes = ({ scopes }: OidcLoginBlockOptions, report: LoginReport): void => {
  if (!scopes.includes('openid')) {
    report.error('scopes lacks openid, without which the provider issues no ID token', 'scopes', 'add "openid"');
  }
  if (new Set(scopes).size < scopes.length) report.error('scopes repeats a scope', 'scopes');
};

const checkUsers = (login: OidcLoginBlockOptions, report: LoginReport): void => {
  const key = 'trust-unverified-email';
  if (login.claimMapping.length > maximumMapped) {
    report.error(`claim-mapping has more than ${maximumMapped} headers`, 'claim-mapping');
  }
  if (!login.trustsUnverifiedEmail) return;
  if (!dependsOnEmail(login)) {
    report.warning('trust-unverified-email has no effect: no rule depends on the e-mail address', key, 'remove it');
    return;
  }
  const message =
    'trust-unverified-email is #true: a user who registers a foreign e-mail address at the provider signs on as its owner';
  report.warning(message, key, 'remove it if the provider sends email_verified', 'unverified-email-is-trusted');
};

/** The paths at which a login answers, by key. */
export const endpointPaths = (
  login: Pick<
    OidcLoginOptions,
    'callbackPath' | 'loginPath' | 'logoutPath' | 'backchannelLogoutPath' | 'frontchannelLogoutPath'
  >,
): readonly (readonly [key: string, path: string])[] => [
  ['callback-path', login.callbackPath],
  ['login-path', login.loginPath],
  ['logout-path', login.logoutPath],
  ['backchannel-logout-path', login.backchannelLogoutPath],
  ['frontchannel-logout-path', login.frontchannelLogoutPath],
];

const checkPaths = (login: OidcLoginBlockOptions, callbackPath: string, report: LoginReport): void => {
  const taken = new Map<string, string>();
  for (const [key, path] of endpointPaths({ ...login, callbackPath })) {
    const fault = pathFault(path);
    if (fault !== null) report.error(`${key} ${fault}`, key);
    const other = taken.get(path);
    if (other !== undefined) report.error(`${key} and ${other} are the same path`, key);
    taken.set(path, key);
  }
  checkPathLists(login, report);
};

const noGrace = 'refresh-grace-secs has no effect with forward-access-token: without a valid token, requests get 503';

const completeLogin = (login: OidcLoginBlockOptions, report: LoginReport): OidcLoginOptions => {
  if (login.name === null) report.error('it has no name', undefined, 'write oidc-login "corp" { ... }');
  const name = login.name ?? '';
  const callbackPath = login.callbackPath ?? `/oidc/callback/${name}`;
  checkProvider(login, report);
  checkScopes(login, report);
  checkUsers(login, report);
  // A forwarded token must be valid.
  if (login.forwardsAccessToken && login.refreshGraceMs !== null)
    report.error(noGrace, 'refresh-grace-secs', 'remove it');
  checkPaths(login, callbackPath, report);
  const publicOrigins = originsOf(login, report);
  checkPostLogout(login, publicOrigins, report);
  const { enabled: _enabled, clientSecret: _secret, clientKeyFile: _file, publicUrls: _urls, ...others } = login;
  return {
    ...others,
    name,
    callbackPath,
    refreshGraceMs: login.refreshGraceMs ?? agentDefaults.refreshGraceMs,
    credential: credentialOf(login, report),
    publicOrigins,
  };
};

/** Refuses a callback path of two logins, unless both tell their answers apart by the issuer (RFC 9207). */
const checkSharedCallbacks = (
  logins: readonly { readonly login: OidcLoginOptions; readonly report: LoginReport }[],
): void => {
  logins.forEach(({ login, report }, index) => {
    const other = logins
      .slice(0, index)
      .find(({ login: earlier }) => earlier.callbackPath === login.callbackPath)?.login;
    if (other === undefined || (other.requireIss && login.requireIss)) return;
    const message = `callback-path is also that of login "${other.name}", and their answers could be mixed up`;
    report.error(message, 'callback-path', 'use another path, or set require-iss #true in both');
  });
};

/** Refuses a path that one login uses for one purpose and another login for another. */
const checkSharedPaths = (
  logins: readonly { readonly login: OidcLoginOptions; readonly report: LoginReport }[],
): void => {
  const uses = new Map<string, string>();
  for (const { login, report } of logins) {
    for (const [key, path] of endpointPaths(login)) {
      const use = uses.get(path);
      if (use !== undefined && use !== key) report.error(`${key} is the ${use} of another login`, key);
      uses.set(path, use ?? key);
    }
  }
};

/** The paths of other endpoints of the agent, by key. */
const otherPaths = ({ saml, tokenExchange }: OtherEndpoints): ReadonlyMap<string, string> =>
  new Map([
    ...(saml === null
      ? []
      : [
          [saml.acsPath, 'acs-path of saml'] as const,
          [saml.metadataPath, 'metadata-path of saml'] as const,
          [saml.logoutPath, 'logout-path of saml'] as const,
        ]),
    ...(tokenExchange === null
      ? []
      : [
          [tokenExchange.endpointPath, 'endpoint-path of token-exchange'] as const,
          [tokenExchange.jwksPath, 'jwks-path of token-exchange'] as const,
          [tokenExchange.metadataPath, 'the metadata path of token-exchange'] as const,
        ]),
  ]);

/** Refuses names and paths of logins that SAML or other endpoints have. */
export const checkLoginPaths = (
  logins: readonly OidcLoginOptions[],
  others: OtherEndpoints,
  error: OptionReport,
): void => {
  const taken = otherPaths(others);
  for (const login of logins) {
    if (others.saml !== null && login.name === samlProviderName) {
      error('oidc-login', `login "${login.name}": saml is enabled and has that name`, 'use another name');
    }
    for (const [key, path] of endpointPaths(login)) {
      const other = taken.get(path);
      if (other !== undefined) error('oidc-login', `login "${login.name}": ${key} and ${other} are the same path`);
    }
  }
};

/** Checks the `oidc-login` blocks except the mapped headers, and returns the enabled ones. */
export const enabledLogins = (
  blocks: readonly OidcLoginBlockOptions[],
  error: OptionReport,
  warn: OptionReport,
): readonly OidcLoginOptions[] => {
  const names = new Set<string>();
  const logins = blocks.map((block, index) => {
    const report = loginReport(index, labelOf(block, index), error, warn);
    if (block.name !== null && names.has(block.name)) report.error('an earlier block already has that name', 'name');
    if (block.name !== null) names.add(block.name);
    if (!block.enabled) {
      report.warning(
        'it is disabled: users cannot sign on with it, and its sessions end',
        'enabled',
        'set enabled to #true',
      );
    }
    return { enabled: block.enabled, login: completeLogin(block, report), report };
  });
  const enabled = logins.filter((each) => each.enabled);
  if (enabled.length > maximumLogins) error('oidc-login', `there are more than ${maximumLogins} logins`);
  checkSharedCallbacks(enabled);
  checkSharedPaths(enabled);
  return enabled.map(({ login }) => login);
};
