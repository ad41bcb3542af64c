import { agentDefaults, type CompleteAgentOptions } from '../../../domain/agent/configuration/agent-configuration.js';
import { canonicalName } from '../../../domain/http/canonical-name.js';
import { alwaysOwned, omittedClaimsHeader } from '../../../domain/http/owned-headers.js';

/** The header of the client certificate, with the one that may stand beside it (RFC 9440, section 2.3). */
const certificateHeaders = ({ mtls, clientCertHeader: name }: CompleteAgentOptions): string[] => {
  // The default name is removed everywhere.
  if (mtls === null && name === agentDefaults.clientCertHeader) return [];
  return canonicalName(name) === 'client-cert' ? [name, 'Client-Cert-Chain'] : [name];
};

/** The headers that receive attributes of single sign-on. */
const mappedHeaders = ({ saml }: CompleteAgentOptions): string[] =>
  saml?.attributeMapping.map(({ header }) => header) ?? [];

/** What the gateway strips from what clients send; what it sets itself afterwards is not touched. */
export const identityHeaderPatterns = (options: CompleteAgentOptions): readonly string[] => [
  options.userIdHeader,
  options.authMethodHeader,
  'X-Auth-Claim-*',
  omittedClaimsHeader,
  'X-Client-Cert-CN',
  'X-Client-Cert-DN',
  ...certificateHeaders(options),
  ...mappedHeaders(options),
];

/**
 * What is removed on the way to the upstream: whatever tells an identity, and the credentials that are not forwarded. A
 * certificate is one that is forwarded only where credentials are forwarded by name, and where certificates are read: else
 * nobody has checked it.
 */
export const removablePatterns = (options: CompleteAgentOptions): readonly string[] => {
  const { forwardCredentials, mtls, userIdHeader, authMethodHeader, apiKeyHeader } = options;
  const certificates = certificateHeaders(options);
  if (forwardCredentials === 'all') {
    const forwarded = new Set(mtls === null ? [] : certificates.map(canonicalName));
    const others = alwaysOwned.filter((name) => !forwarded.has(canonicalName(name)));
    return [...others, userIdHeader, authMethodHeader, ...mappedHeaders(options)];
  }
  const patterns = [...alwaysOwned, userIdHeader, authMethodHeader, ...certificates, ...mappedHeaders(options)];
  if (apiKeyHeader !== null) patterns.push(apiKeyHeader);
  return forwardCredentials === 'none' ? [...patterns, 'Authorization'] : patterns;
};
