import { formatDateTime } from '../../xml/date-time.js';
import { xmlNamespaces } from '../../xml/xml-name.js';
import { markup, markupText } from './markup.js';

/** The common fields of all messages (SAML core, section 3.2). */
export interface SamlMessageRoot {
  /** A unique NCName, such as `_` and a UUID. */
  readonly id: string;
  readonly issueInstantMs: number;
  /** The URL that the message is sent to. */
  readonly destination: string;
  /** The entity id of this service provider. */
  readonly entityId: string;
}

/** An element of the assertion namespace with text content. */
export const samlMarkup = (name: string, attributes: Readonly<Record<string, string | null>>, text: string): string =>
  markup(name, { 'xmlns:saml': xmlNamespaces.saml, ...attributes }, markupText(text));

/** A message in canonical form that begins with its Issuer. */
export const messageRoot = (
  name: string,
  { id, issueInstantMs, destination, entityId }: SamlMessageRoot,
  attributes: Readonly<Record<string, string | null>>,
  ...content: readonly string[]
): string =>
  markup(
    `samlp:${name}`,
    {
      'xmlns:samlp': xmlNamespaces.samlp,
      ID: id,
      Version: '2.0',
      IssueInstant: formatDateTime(issueInstantMs),
      Destination: destination,
      ...attributes,
    },
    samlMarkup('saml:Issuer', {}, entityId),
    ...content,
  );
