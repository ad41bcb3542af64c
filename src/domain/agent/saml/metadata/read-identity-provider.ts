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
/** What each part counts, in the order of the parts; years and months as nobody needs them exactly. */
const unitsMs = [365 * dayMs, 30 * dayMs, dayMs, hourMs, minuteMs, secondMs] as const;

const form =
  /^P(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/;

/** Milliseconds of an xs:duration (XML Schema Part 2, section 3.2.6) that is not negative; null: the text is none. */
export const parseXmlDuration = (text: string): number | null => {
  const parts = form.exec(text)?.slice(1);
  if (parts === undefined || text.endsWith('T') || parts.every((part) => part === undefined)) return null;
  return unitsMs.reduce((sum, unitMs, index) => sum + Number(parts[index] ?? 0) * unitMs, 0);
};

/** How long metadata counts, and how soon it is to be fetched again (SAML metadata, section 2.3.1). */
interface MetadataTerm {
  /** The earliest validUntil of an element and those around it, in wall milliseconds; null: it counts without end. */
  readonly validUntilMs: number | null;
  /** The shortest cacheDuration of them, in milliseconds; null: none is said, or none that is a duration. */
  readonly cacheDurationMs: number | null;
}

/** An EntityDescriptor, and the term of it with all that is around it. */
interface DescribedEntity {
  readonly element: XmlElement;
  readonly term: MetadataTerm;
}

/** EntitiesDescriptors within one another, at most. */
const maximumDepth = 16;

const earlier = (first: number | null, second: number | null): number | null => {
  if (first === null || second === null) return first ?? second;
  return Math.min(first, second);
};

/** The term of an element within another; the error is one clause. */
const termOf = (element: XmlElement, around: MetadataTerm): Result<MetadataTerm, string> => {
  const validUntil = attributeOf(element, 'validUntil');
  const validUntilMs = validUntil === null ? null : parseDateTime(validUntil.trim());
  if (validUntil !== null && validUntilMs === null) return err('has a validUntil that is no date and time');
  const cacheDuration = attributeOf(element, 'cacheDuration');
  const cacheDurationMs = cacheDuration === null ? null : parseXmlDuration(cacheDuration.trim());
  return ok({
    validUntilMs: earlier(around.validUntilMs, validUntilMs),
    cacheDurationMs: earlier(around.cacheDurationMs, cacheDurationMs),
  });
};

const endless: MetadataTerm = { validUntilMs: null, cacheDurationMs: null };

/**
 * Every EntityDescriptor of a document, in its order: its root is one, or an EntitiesDescriptor. The error is one
 * clause.
 */
const entityDescriptors = (root: XmlElement): Result<readonly DescribedEntity[], string> => {
  const found: DescribedEntity[] = [];
  /** Those still to be looked into, the next one last. */
  const open: { readonly element: XmlElement; readonly around: MetadataTerm; readonly depth: number }[] = [
    { element: root, around: endless, depth: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { element, around, depth } = next;
    const isGroup = isNamed(element, xmlNamespaces.md, 'EntitiesDescriptor');
    if (!isGroup && !isNamed(element, xmlNamespaces.md, 'EntityDescriptor')) {
      if (depth === 0) return err('is no SAML metadata: its root is neither EntityDescriptor nor EntitiesDescriptor');
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

/** An identity provider as its metadata describes it, and how long that counts. */
export interface DescribedIdentityProvider extends MetadataTerm {
  /** Its certificates are not yet looked into. */
  readonly provider: IdentityProvider;
}

const { md, samlp } = xmlNamespaces;
/** Characters of an entity id, at most (SAML core, section 8.3.6). */
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

/**
 * The first endpoint of that kind that takes messages by HTTP-Redirect; where there is none, the first by HTTP-POST.
 */
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
 * Reads the identity provider out of metadata (SAML metadata, sections 2.3 and 2.4.3): the one named `entityId`, or,
 * with null, the only one. It has to take AuthnRequests by HTTP-Redirect, or else by HTTP-POST. Metadata that is over
 * is an error. The error is one clause, as in `names no certificate that signs`.
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
