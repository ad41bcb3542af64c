import { webUrlFault } from '../../configuration/schema/web-url.js';
import { urlParts } from '../../http/url-parts.js';
import type { ExchangeReport } from './exchange-report.js';
import { keyRisk } from './key-set-url.js';
import { pathFault } from './path-fault.js';
import type { SamlOptions } from './saml-options.js';
import type { TokenExchangeBlockOptions, TokenExchangeOptions } from './token-exchange-options.js';

/** RFC 8414, section 3. */
const wellKnown = '/.well-known/oauth-authorization-server';

const exchangeRisk = 'whoever is on the way can take tokens and secrets of clients';

/** Whether a message about the issuer or the public URL may show its line: a query, a user or a password is not for logs. */
export const isShownUrl = (url: string): boolean =>
  !url.includes('?') && webUrlFault(url, exchangeRisk)?.secret !== true;

const withoutLastSlash = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text);

/** Checks a URL of the issuer or of its endpoints; false where it cannot be used. */
const checkUrl = (key: 'issuer' | 'public-url', url: string, risk: string, report: ExchangeReport): boolean => {
  const fault = webUrlFault(url, risk);
  if (fault !== null) {
    const place = fault.secret ? { concealed: key } : key;
    report[fault.severity](`${key} ${fault.message}`, place, undefined, fault.id);
  }
  if (fault?.severity === 'error') return false;
  if (url.includes('?')) report.error(`${key} must not hold a query`, { concealed: key });
  return !url.includes('?');
};

type Endpoints = Pick<TokenExchangeOptions, 'endpointPath' | 'endpointUrl' | 'jwksPath' | 'jwksUrl' | 'metadataPath'>;

/** The paths that single sign-on answers, or leaves to others, by their keys. */
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

/** Each path has to be one that requests can have, and no other endpoint may have it. */
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
    if (other !== undefined) report.error(`${what} and ${other} are one path`, key);
    taken.set(path, what);
  };
  check('endpoint-path', endpointPath, 'endpoint-path');
  check('jwks-path', jwksPath, 'jwks-path');
  if (hasIssuer) check('issuer', metadataPath, 'the path of the metadata, which the path of issuer ends,');
};

/** What a browser brings to the one would be good at the other, where both have one URL. */
const checkRecipient = ({ endpointUrl }: Endpoints, saml: SamlOptions | null, report: ExchangeReport): void => {
  if (saml?.acsUrl !== endpointUrl) return;
  const message = 'the URL of the endpoint is the acs-url of saml: assertions of sign-ons could be exchanged';
  report.error(message, 'endpoint-path', 'give the endpoint a path, or public-url, of its own');
};

/** Checks issuer and paths, and puts together the URLs that clients use. */
export const exchangeEndpoints = (
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
