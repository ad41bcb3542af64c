import { webUrlFault } from '../../../configuration/schema/web-url.js';
import { err, ok, type Result } from '../../../shared/result.js';
import { formatDateTime, parseDateTime } from '../../xml/date-time.js';
import { allChildElements, attributeOf, childElements, isNamed, type XmlElement } from '../../xml/element-access.js';
import { xmlNamespaces } from '../../xml/xml-name.js';
import type { IdentityProvider, LogoutService } from '../identity-provider.js';
import { postBinding, redirectBinding } from '../messages/bindings.js';
import { signingCertificates } from './signing-certificates.js';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Milliseconds per part of a duration, in order; years and months are approximate. */
const unitsMs = [365 * dayMs, 30 * dayMs, dayMs, hourMs, minuteMs, secondMs] as const;

const form =
  /^P(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/;

/** Milliseconds of a non-negative xs:duration (XML Schema Part 2, section 3.2.6); null if malformed. */
export const parseXmlDuration = (text: string): number | null => {
  const parts = form.exec(text)?.slice(1);
  if (parts === undefined || text.endsWith('T') || parts.every((part) => part === undefined)) return null;
  return unitsMs.reduce((sum, unitMs, index) => sum + Number(parts[index] ?? 0) * unitMs, 0);
};

/** Validity and refresh interval of metadata (SAML metadata, section 2.3.1). */
interface MetadataTerm {
  /** The earliest validUntil of an element and its ancestors, in wall milliseconds; null: unlimited. */
  readonly validUntilMs: number | null;
  /** The shortest cacheDuration of them, in milliseconds; null: absent or malformed. */
  readonly cacheDurationMs: number | null;
}

/** An EntityDescriptor, and its term including that of its ancestors. */
interface DescribedEntity {
  readonly element: XmlElement;
  readonly term: MetadataTerm;
}

/** Maximum nesting of EntitiesDescriptors. */
const maximumDepth = 16;

const earlier = (first: number | null, second: number | null): number | null => {
  if (first === null || second === null) return first ?? second;
  return Math.min(first, second);
};

/** The term of an element within another; the error is one clause. */
const termOf = (element: XmlElement, around: MetadataTerm): Result<MetadataTerm, string> => {
  const validUntil = attributeOf(element, 'validUntil');
  const validUntilMs = validUntil === null ? null : parseDateTime(validUntil.trim());
  if (validUntil !== null && validUntilMs === null) return err('has a malformed validUntil');
  const cacheDuration = attributeOf(element, 'cacheDuration');
  const cacheDurationMs = cacheDuration === null ? null : parseXmlDuration(cacheDuration.trim());
  return ok({
    validUntilMs: earlier(around.validUntilMs, validUntilMs),
    cacheDurationMs: earlier(around.cacheDurationMs, cacheDurationMs),
  });
};

const endless: MetadataTerm = { validUntilMs: null, cacheDurationMs: null };

/**
 * All EntityDescriptors of a document, in order. The root is one, or an EntitiesDescriptor. The error is one clause.
 */
const entityDescriptors = (root: XmlElement): Result<readonly DescribedEntity[], string> => {
  const found: DescribedEntity[] = [];
  /** The elements still to visit, the next one last. */
  const open: { readonly element: XmlElement; readonly around: MetadataTerm; readonly depth: number }[] = [
    { element: root, around: endless, depth: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { element, around, depth } = next;
    const isGroup = isNamed(element, xmlNamespaces.md, 'EntitiesDescriptor');
    if (!isGroup && !isNamed(element, xmlNamespaces.md, 'EntityDescriptor')) {
      if (depth === 0) return err('is not SAML metadata: its root is neither EntityDescriptor nor EntitiesDescriptor');
      continue;
    }
    if (depth > maximumDepth) return err('nests EntitiesDescriptor too deeply');
    const term = termOf(element, around);
    if (!term.ok) return term;
    if (!isGroup) found.push({ element, term: term.value });
    else {
      for (const child of allChildElements(element).toReversed()) {
        open.push({ element: child, around: term.value, depth: depth + 1 });
      }
    }
  }
  return ok(found);
};

/** An identity provider from metadata, and the term of the metadata. */
export interface DescribedIdentityProvider extends MetadataTerm {
  /** Its certificates are not checked. */
  readonly provider: IdentityProvider;
}

const { md, samlp } = xmlNamespaces;
/** Maximum characters of an entity id (SAML core, section 8.3.6). */
const maximumEntityIdLength = 1_024;

/** The roles of an entity as a SAML 2.0 identity provider. */
const rolesOf = ({ element }: DescribedEntity): readonly XmlElement[] =>
  childElements(element, md, 'IDPSSODescriptor').filter((role) =>
    (attributeOf(role, 'protocolSupportEnumeration') ?? '').split(/[ \t\r\n]/).includes(samlp),
  );

interface Endpoint {
  readonly element: XmlElement;
  readonly byPost: boolean;
}

/** The first endpoint of that kind with HTTP-Redirect, otherwise the first with HTTP-POST. */
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
    return err('has a SingleLogoutService whose location is not a web address');
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
      entityId === null ? 'has several identity providers: set idp-entity-id' : `has ${entityId} more than once`,
    );
  }
  return ok(chosen);
};

/**
 * Reads an identity provider from metadata (SAML metadata, sections 2.3 and 2.4.3): the one named `entityId`, or with
 * null the only one. It must accept AuthnRequests by HTTP-Redirect or HTTP-POST. Expired metadata is an error. The
 * error is one clause, as in `names no signing certificate`.
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
  if (validUntilMs !== null && nowMs >= validUntilMs) return err(`was valid until ${formatDateTime(validUntilMs)}`);

  const name = attributeOf(chosen.value.element, 'entityID') ?? '';
  if (name === '' || name.length > maximumEntityIdLength) return err('has an entityID that is empty or too long');
  const signOn = browserEndpoint(role, 'SingleSignOnService');
  if (signOn === null) return err('has no SingleSignOnService by HTTP-Redirect or HTTP-POST');
  const ssoUrl = attributeOf(signOn.element, 'Location');
  if (!isUrl(ssoUrl)) return err('has a SingleSignOnService whose location is not a web address');
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
