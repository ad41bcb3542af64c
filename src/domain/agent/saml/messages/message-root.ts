import { formatDateTime } from '../../xml/date-time.js';
import { xmlNamespaces } from '../../xml/xml-name.js';
import { markup, markupText } from './markup.js';

/** What every message has (SAML core, section 3.2). */
export interface SamlMessageRoot {
  /** An NCName, as `_` and a UUID is; never used before. */
  readonly id: string;
  readonly issueInstantMs: number;
  /** URL that the message goes to. */
  readonly destination: string;
  /** Ours. */
  readonly entityId: string;
}

/** An element of the assertion namespace with a text in it. */
export const samlMarkup = (name: string, attributes: Readonly<Record<string, string | null>>, text: string): string =>
  markup(name, { 'xmlns:saml': xmlNamespaces.saml, ...attributes }, markupText(text));

/** A message in canonical form, its Issuer first. */
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
