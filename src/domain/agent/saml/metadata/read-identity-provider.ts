import { webUrlFault } from '../../../configuration/schema/web-url.js';
import { err, ok, type Result } from '../../../shared/result.js';
import { formatDateTime } from '../../xml/date-time.js';
import { attributeOf, childElements } from '../../xml/element-access.js';
import type { XmlElement } from '../../xml/xml-element.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import type { IdentityProvider, LogoutService } from '../identity-provider.js';
import { postBinding, redirectBinding } from '../messages/bindings.js';
import { type DescribedEntity, entityDescriptors, type MetadataTerm, termOf } from './entity-descriptors.js';
import { signingCertificates } from './signing-certificates.js';

/** An identity provider as its metadata describes it, and how long that counts. */
export interface DescribedIdentityProvider extends MetadataTerm {
  /** Its certificates are not yet looked into. */
  readonly provider: IdentityProvider;
}

const { md, samlp } = xmlNamespaces;
/** Characters of an entity id, at the most (SAML core, section 8.3.6). */
const maximumEntityIdLength = 1_024;

/** The roles of an entity by which it is an identity provider that speaks SAML 2.0. */
const rolesOf = ({ element }: DescribedEntity): readonly XmlElement[] =>
  childElements(element, md, 'IDPSSODescriptor').filter((role) =>
    (attributeOf(role, 'protocolSupportEnumeration') ?? '').split(/[ \t\r\n]/).includes(samlp),
  );

interface Endpoint {
  readonly element: XmlElement;
  readonly byPost: boolean;
}

/** The first endpoint of that kind that takes messages by HTTP-Redirect; where there is none, the first by HTTP-POST. */
const browserEndpoint = (role: XmlElement, name: string): Endpoint | null => {
  const endpoints = childElements(role, md, name);
  for (const binding of [redirectBinding, postBinding]) {
    const element = endpoints.find((endpoint) => attributeOf(endpoint, 'Binding') === binding);
    if (element !== undefined) return { element, byPost: binding === postBinding };
  }
  return null;
};

const isUrl = (text: string | null): text is string => text !== null && webUrlFault(text, null) === null;

const logoutServiceOf = (role: XmlElement): Result<LogoutService | null, string> => {
  const endpoint = browserEndpoint(role, 'SingleLogoutService');
  if (endpoint === null) return ok(null);
  const location = attributeOf(endpoint.element, 'Location');
  const responseLocation = attributeOf(endpoint.element, 'ResponseLocation');
  if (!isUrl(location) || (responseLocation !== null && !isUrl(responseLocation))) {
    return err('has a SingleLogoutService whose location is no web address');
  }
  return ok({ location, responseLocation, ...(endpoint.byPost ? { byPost: true as const } : {}) });
};

const choose = (entities: readonly DescribedEntity[], entityId: string | null): Result<DescribedEntity, string> => {
  const providers = entities.filter((entity) => rolesOf(entity).length > 0);
  const [chosen, another] =
    entityId === null ? providers : providers.filter(({ element }) => attributeOf(element, 'entityID') === entityId);
  if (chosen === undefined) {
    return err(
      entityId === null ? 'has no identity provider for SAML 2.0' : `has no identity provider ${entityId} for SAML 2.0`,
    );
  }
  if (another !== undefined) {
    return err(
      entityId === null ? 'has several identity providers: say which one counts' : `has ${entityId} more than once`,
    );
  }
  return ok(chosen);
};

/**
 * Reads the identity provider out of metadata (SAML metadata, sections 2.3 and 2.4.3): the one named `entityId`, or, with null, the only
 * one. It has to take AuthnRequests by HTTP-Redirect, or else by HTTP-POST. Metadata that is over is an error. The error is one clause, as in `names no
 * certificate that signs`.
 *
 * @param nowMs wall milliseconds
 */
export const readIdentityProvider = (
  root: XmlElement,
  entityId: string | null,
  nowMs: number,
): Result<DescribedIdentityProvider, string> => {
  const entities = entityDescriptors(root);
  if (!entities.ok) return entities;
  const chosen = choose(entities.value, entityId);
  if (!chosen.ok) return chosen;
  const [role, anotherRole] = rolesOf(chosen.value);
  if (role === undefined || anotherRole !== undefined) return err('has two IDPSSODescriptors of one identity provider');
  const term = termOf(role, chosen.value.term);
  if (!term.ok) return term;
  const { validUntilMs } = term.value;
  if (validUntilMs !== null && nowMs >= validUntilMs)
    return err(`was valid until ${formatDateTime(validUntilMs)} only`);

  const name = attributeOf(chosen.value.element, 'entityID') ?? '';
  if (name === '' || name.length > maximumEntityIdLength) return err('has an entityID that is empty or too long');
  const signOn = browserEndpoint(role, 'SingleSignOnService');
  if (signOn === null) return err('has no SingleSignOnService by HTTP-Redirect or HTTP-POST');
  const ssoUrl = attributeOf(signOn.element, 'Location');
  if (!isUrl(ssoUrl)) return err('has a SingleSignOnService whose location is no web address');
  const logout = logoutServiceOf(role);
  if (!logout.ok) return logout;
  const certificates = signingCertificates(role);
  if (!certificates.ok) return certificates;
  return ok({
    provider: {
      entityId: name,
      ssoUrl,
      ...(signOn.byPost ? { ssoByPost: true as const } : {}),
      logout: logout.value,
      signingCertificates: certificates.value,
      wantsSignedRequests: ['true', '1'].includes(attributeOf(role, 'WantAuthnRequestsSigned')?.trim() ?? ''),
    },
    ...term.value,
  });
};
