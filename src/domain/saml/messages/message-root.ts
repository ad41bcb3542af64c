import { formatDateTime } from '../../xml/date-time.js';
import { escapeText } from '../../xml/escape-xml.js';
import { xmlNamespaces } from '../../xml/xml-names.js';
import { markup } from './markup.js';

/** What every message has (SAML core, section 3.2). */
export interface MessageHead {
  /** An NCName, as `_` and a UUID is; never used before. */
  readonly id: string;
  readonly issueInstantMs: number;
  /** URL that the message goes to. */
  readonly destination: string;
  /** Ours. */
  readonly entityId: string;
}

/** A message, its Issuer first. */
export const messageRoot = (
  name: string,
  { id, issueInstantMs, destination, entityId }: MessageHead,
  attributes: Readonly<Record<string, string | null>>,
  ...content: readonly string[]
): string =>
  markup(
    `samlp:${name}`,
    {
      'xmlns:samlp': xmlNamespaces.samlp,
      'xmlns:saml': xmlNamespaces.saml,
      ID: id,
      Version: '2.0',
      IssueInstant: formatDateTime(issueInstantMs),
      Destination: destination,
      ...attributes,
    },
    markup('saml:Issuer', {}, escapeText(entityId)),
    ...content,
  );
