import { agentDefaults } from '../../../domain/agent/configuration/agent-configuration.js';
import type { CompleteAgentOptions } from '../../../domain/agent/configuration/agent-option-rules.js';
import { secretHeaders, tokenCookies } from '../../../domain/agent/configuration/secret-headers.js';
import { canonicalName } from '../../../domain/http/canonical-name.js';
import { alwaysOwned, omittedClaimsHeader } from '../../../domain/http/owned-headers.js';
import type { PreparedSessions } from './prepared-sessions.js';

/** The header of the client certificate, and the one that accompanies it (RFC 9440, section 2.3). */
const certificateHeaders = ({ mtls, clientCertHeader: name }: CompleteAgentOptions): string[] => {
  // The default name is always removed.
  if (mtls === null && name === agentDefaults.clientCertHeader) return [];
  return canonicalName(name) === 'client-cert' ? [name, 'Client-Cert-Chain'] : [name];
};

/** The headers that receive properties of signed-on users. */
const mappedHeaders = ({ saml, oidcLogins, claimMapping: common }: CompleteAgentOptions): string[] => [
  ...new Set(
    [saml?.attributeMapping ?? [], common, ...oidcLogins.map(({ claimMapping }) => claimMapping)].flatMap((mapping) =>
      mapping.map(({ header }) => header),
    ),
  ),
];

/** The headers that the gateway removes from client requests. It may set them itself afterwards. */
export const identityHeaderPatterns = (options: CompleteAgentOptions): readonly string[] => [
  options.userIdHeader,
  options.authMethodHeader,
  'X-Auth-Claim-*',
  omittedClaimsHeader,
  'X-Client-Cert-CN',
  'X-Client-Cert-DN',
  ...certificateHeaders(options),
  ...mappedHeaders(options),
  ...(options.identityToken === null ? [] : [options.identityToken.header]),
];

/**
 * The headers removed before the upstream: identity headers, and credentials that are not forwarded. A certificate is
 * forwarded only if `forward-credentials` is `all` and mtls is enabled: otherwise it is unchecked.
 */
export const removablePatterns = (options: CompleteAgentOptions): readonly string[] => {
  const { forwardCredentials, mtls, userIdHeader, authMethodHeader } = options;
  const certificates = certificateHeaders(options);
  const tokens = options.identityToken === null ? [] : [options.identityToken.header];
  if (forwardCredentials === 'all') {
    const forwarded = new Set(mtls === null ? [] : certificates.map(canonicalName));
    const others = alwaysOwned.filter((name) => !forwarded.has(canonicalName(name)));
    return [...others, userIdHeader, authMethodHeader, ...mappedHeaders(options), ...tokens];
  }
  const secrets = secretHeaders(options).map(({ name }) => name);
  const patterns = [
    ...alwaysOwned,
    userIdHeader,
    authMethodHeader,
    ...certificates,
    ...mappedHeaders(options),
    ...tokens,
    ...secrets,
  ];
  return forwardCredentials === 'none' ? [...patterns, 'Authorization'] : patterns;
};

/** The test for cookies that are credentials: those of sign-ons and of tokens. */
export const removedCookies = (
  { forwardCredentials, oidc }: CompleteAgentOptions,
  sessions: Pick<PreparedSessions, 'cookies'> | null,
): ((name: string) => boolean) | null => {
  const tokens = tokenCookies(oidc);
  if (forwardCredentials === 'all' || (sessions === null && tokens.size === 0)) return null;
  return (name) => tokens.has(name) || sessions?.cookies.owns(name) === true;
};
