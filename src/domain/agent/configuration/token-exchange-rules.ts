import { webUrlFault } from '../../configuration/schema/web-url.js';
import { urlParts } from '../../http/absolute-uri.js';
import { reservedClaims } from '../token-exchange/issued-claims.js';
import { exchangeExample } from './allowed-exchanges.js';
import { exchangeClients } from './exchange-client-rules.js';
import {
  allowsNothing,
  checkExchangeList,
  checkExchangePermissions,
  type ExchangeMethods,
  labelOfProvider,
} from './exchange-permission-rules.js';
import { keyRisk } from './key-set-url.js';
import { type ExchangeReport, exchangeReport, type OptionReport } from './option-report.js';
import { pathFault } from './path-fault.js';
import type { SamlOptions } from './saml-options.js';
import type { TokenExchangeBlockOptions, TokenExchangeOptions } from './token-exchange-options.js';

/** RFC 8414, section 3. */
const wellKnown = '/.well-known/oauth-authorization-server';

const exchangeRisk = 'an attacker on the network can steal tokens and client secrets';

/**
 * Whether a message about the issuer or the public URL may show its line: a query, user or password must not be logged.
 */
const isShownUrl = (url: string): boolean => !url.includes('?') && webUrlFault(url, exchangeRisk)?.secret !== true;

const withoutLastSlash = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text);

/** Checks the URL of the issuer or of its endpoints; false if it cannot be used. */
const checkUrl = (key: 'issuer' | 'public-url', url: string, risk: string, report: ExchangeReport): boolean => {
  const fault = webUrlFault(url, risk);
  if (fault !== null) {
    const place = fault.secret ? { concealed: key } : key;
    report[fault.severity](`${key} ${fault.message}`, place, undefined, fault.id);
  }
  if (fault?.severity === 'error') return false;
  if (url.includes('?')) report.error(`${key} must not contain a query`, { concealed: key });
  return !url.includes('?');
};

type Endpoints = Pick<TokenExchangeOptions, 'endpointPath' | 'endpointUrl' | 'jwksPath' | 'jwksUrl' | 'metadataPath'>;

/** The paths of single sign-on, including the signed-out page, by key. */
const pathsOfSaml = (saml: SamlOptions | null): readonly (readonly [string, string])[] => {
  if (saml === null) return [];
  const { acsPath, metadataPath, logoutPath, signedOutPath } = saml;
  return [
    ['acs-path of saml', acsPath],
    ['metadata-path of saml', metadataPath],
    ['logout-path of saml', logoutPath],
    ...(signedOutPath === null ? [] : [['signed-out-path of saml', signedOutPath] as const]),
  ];
};

/** Every path must be normalised and unique among the endpoints. */
const checkPaths = (
  { endpointPath, jwksPath, metadataPath }: Endpoints,
  saml: SamlOptions | null,
  hasIssuer: boolean,
  report: ExchangeReport,
): void => {
  const taken = new Map(pathsOfSaml(saml).map(([key, path]) => [path, key]));
  const check = (key: string, path: string, what: string): void => {
    const fault = pathFault(path);
    if (fault !== null) report.error(`${what} ${fault}`, key);
    const other = taken.get(path);
    if (other !== undefined) report.error(`${what} and ${other} are the same path`, key);
    taken.set(path, what);
  };
  check('endpoint-path', endpointPath, 'endpoint-path');
  check('jwks-path', jwksPath, 'jwks-path');
  if (hasIssuer) check('issuer', metadataPath, 'the metadata path, derived from issuer,');
};

/** With the same URL, an assertion for one endpoint would be valid at the other. */
const checkRecipient = ({ endpointUrl }: Endpoints, saml: SamlOptions | null, report: ExchangeReport): void => {
  if (saml?.acsUrl !== endpointUrl) return;
  const message = 'the URL of the endpoint equals acs-url of saml, so assertions of sign-ons could be exchanged';
  report.error(message, 'endpoint-path', 'use another endpoint-path or public-url');
};

/** Checks issuer and paths, and builds the public URLs. */
const exchangeEndpoints = (
  { issuer, publicUrl, endpointPath, jwksPath }: TokenExchangeBlockOptions,
  saml: SamlOptions | null,
  report: ExchangeReport,
): Endpoints => {
  const hasIssuer = checkUrl('issuer', issuer, keyRisk, report);
  if (publicUrl !== null) checkUrl('public-url', publicUrl, exchangeRisk, report);
  const parts = hasIssuer ? urlParts(issuer) : { origin: '', path: '/' };
  const before = withoutLastSlash(publicUrl ?? parts.origin);
  const endpoints: Endpoints = {
    endpointPath,
    endpointUrl: `${before}${endpointPath}`,
    jwksPath,
    jwksUrl: `${before}${jwksPath}`,
    metadataPath: `${wellKnown}${withoutLastSlash(parts.path)}`,
  };
  checkPaths(endpoints, saml, hasIssuer, report);
  checkRecipient(endpoints, saml, report);
  return endpoints;
};

const maximumKeyFiles = 16;
/** Maximum names in `claims-copied`. */
const maximumClaims = 100;

const checkKeys = ({ signingKeyFiles, signingAlgorithm }: TokenExchangeBlockOptions, report: ExchangeReport): void => {
  const key = 'signing-key-file';
  if (signingKeyFiles.length === 0) report.error('signing-key-file is missing', key);
  checkExchangeList(key, signingKeyFiles, report, maximumKeyFiles);
  if (signingAlgorithm !== 'HS256') return;
  const message =
    'signing-algorithm is HS256: anyone who can verify a token can issue one, and no public key is published';
  report.warning(message, 'signing-algorithm', 'use RS256, PS256, ES256 or EdDSA');
};

const checkClaims = ({ claimsCopied }: TokenExchangeBlockOptions, report: ExchangeReport): void => {
  checkExchangeList('claims-copied', claimsCopied, report, maximumClaims);
  const reserved = claimsCopied.filter((name) => reservedClaims.includes(name));
  for (const name of new Set(reserved)) {
    report.error(`claims-copied names ${name}, which is never copied: it describes a single token`, 'claims-copied');
  }
};

const checkOpenness = (block: TokenExchangeBlockOptions, report: ExchangeReport): void => {
  if (block.clients !== null) return;
  report.warning('clients is not set: anyone with a token may exchange it', 'clients', 'set clients { ... }');
  if (block.allowedAudiences !== null) return;
  const message = 'allowed-audiences is not set: tokens can be requested for any audience';
  report.warning(message, 'allowed-audiences', 'list the allowed audiences');
};

/** Only the agent's keys verify tokens with its issuer, so a provider must not share the issuer. */
const checkIssuer = (
  { issuer, jwksPath }: TokenExchangeBlockOptions,
  { oidc }: ExchangeMethods,
  report: ExchangeReport,
): void => {
  const provider = oidc.find((other) => other.issuer === issuer);
  if (provider === undefined || provider.jwksUrl?.endsWith(jwksPath)) return;
  const message = `issuer is also that of ${labelOfProvider(provider)}, whose keys seem to differ: the endpoint verifies its tokens only with keys of the agent`;
  // The error about such an issuer does not show its line either.
  const place = isShownUrl(issuer) ? 'issuer' : ({ concealed: 'issuer' } as const);
  report.warning(message, place, 'use a separate issuer');
};

/**
 * Checks the `token-exchange` block, also against the methods; null if it is not enabled, and its other keys are then
 * ignored.
 */
export const enabledTokenExchange = (
  block: TokenExchangeBlockOptions | undefined,
  methods: ExchangeMethods,
  error: OptionReport,
  warning: OptionReport,
): TokenExchangeOptions | null => {
  if (block === undefined) return null;
  const report = exchangeReport({ error, warning });
  if (!block.enabled) {
    report.warning('it is disabled, so no token is exchanged', 'enabled', 'set enabled to #true');
    return null;
  }
  checkKeys(block, report);
  checkClaims(block, report);
  if (allowsNothing(block)) {
    const suggestion = `as in allowed-exchanges { ${exchangeExample} }`;
    report.error('allowed-exchanges is not set, so there is nothing to exchange', 'allowed-exchanges', suggestion);
  }
  checkExchangePermissions(block, methods, report);
  checkIssuer(block, methods, report);
  checkOpenness(block, report);
  return {
    issuer: block.issuer,
    ...exchangeEndpoints(block, methods.saml, report),
    signingKeyFiles: block.signingKeyFiles,
    signingAlgorithm: block.signingAlgorithm,
    tokenTtlMs: block.tokenTtlMs,
    limitLifetimeToSubject: block.limitLifetimeToSubject,
    maximumActors: block.maximumActors,
    claimsCopied: block.claimsCopied,
    defaultAudience: block.defaultAudience,
    samlOneTime: block.samlOneTime,
    rateLimit: block.rateLimit,
    allowedExchanges: block.allowedExchanges,
    allowedAudiences: block.allowedAudiences,
    allowedScopes: block.allowedScopes,
    clients: exchangeClients(block, methods, (client) => exchangeReport({ error, warning }, client)),
  };
};
