import type { IdentityTokenOptions } from './identity-token-block.js';
import type { OidcLoginOptions } from './oidc-login-options.js';
import { endpointPaths } from './oidc-login-rules.js';
import type { OptionReport } from './option-report.js';
import { pathFault } from './path-fault.js';
import type { ProtectedResource } from './resource-metadata-rules.js';
import type { SamlOptions } from './saml-options.js';
import type { TokenExchangeOptions } from './token-exchange-options.js';

/** The endpoints of an agent. */
interface ServedEndpoints {
  readonly saml: SamlOptions | null;
  readonly oidcLogins: readonly OidcLoginOptions[];
  readonly tokenExchange: TokenExchangeOptions | null;
  readonly identityToken: IdentityTokenOptions | null;
  readonly resources: readonly ProtectedResource[];
}

type Taken = readonly [path: string | null, key: string];

/** The paths of the other endpoints, with the keys that name them. */
const otherPaths = ({ saml, oidcLogins, tokenExchange }: ServedEndpoints): ReadonlyMap<string | null, string> => {
  const ofSaml: readonly Taken[] =
    saml === null
      ? []
      : [
          [saml.acsPath, 'acs-path of saml'],
          [saml.metadataPath, 'metadata-path of saml'],
          [saml.logoutPath, 'logout-path of saml'],
          [saml.signedOutPath, 'signed-out-path of saml'],
        ];
  const ofLogins = oidcLogins.flatMap((login) =>
    endpointPaths(login).map(([key, path]): Taken => [path, `${key} of login "${login.name}"`]),
  );
  const ofExchange: readonly Taken[] =
    tokenExchange === null
      ? []
      : [
          [tokenExchange.endpointPath, 'endpoint-path of token-exchange'],
          [tokenExchange.jwksPath, 'jwks-path of token-exchange'],
          [tokenExchange.metadataPath, 'the metadata path of token-exchange'],
        ];
  return new Map([...ofSaml, ...ofLogins, ...ofExchange]);
};

/** Refuses the path of a public document if it is not in normal form, or if another endpoint has it. */
export const checkDocumentPaths = (served: ServedEndpoints, error: OptionReport): void => {
  const { identityToken, resources } = served;
  const taken = otherPaths(served);
  const jwksPath = identityToken?.jwksPath ?? null;
  if (jwksPath !== null) {
    const place = { key: 'jwks-path' };
    const fault = pathFault(jwksPath);
    if (fault !== null) error('identity-token', `jwks-path ${fault}`, undefined, place);
    const other = taken.get(jwksPath);
    if (other !== undefined) {
      error('identity-token', `jwks-path and ${other} are the same path`, 'use another jwks-path', place);
    }
  }
  for (const [block, { metadataPath }] of resources.entries()) {
    const other = metadataPath === jwksPath ? 'jwks-path of identity-token' : taken.get(metadataPath);
    if (other === undefined) continue;
    error('resource-metadata', `the metadata path and ${other} are the same path`, undefined, {
      block,
      key: 'resource',
    });
  }
};
