import { decodeUtf8 } from '../../shared/utf8.js';
import type { Session } from '../sessions/session.js';

/** How long a posted form is kept during the sign-on of its user, in milliseconds. */
export const keptFormMs = 10 * 60_000;

/** Maximum forms in a store; the oldest are evicted. */
export const maximumKeptForms = 1_000;

/** The largest form that is kept, in octets. */
export const keptFormOctets = 65_536;

/** A posted form that waits for the sign-on of its user, as stores keep it. Times are wall milliseconds. */
export interface KeptForm {
  /** SHA-256 of the handle, in lower-case hexadecimal. */
  readonly handleHash: string;
  /** The form, encrypted with a key that only the browser has. */
  readonly sealed: string;
  readonly createdMs: number;
  readonly expiresMs: number;
}

/** The user of a session, to whom a form belongs. */
export type FormOwner = Pick<Session, 'method' | 'provider' | 'userId'>;

/** A kept form before it is encrypted. No member has a line feed. */
export interface KeptFormContent {
  /** Scheme, host and port to which the form was posted. */
  readonly origin: string;
  /** Path and query to which it was posted. */
  readonly target: string;
  /** Path and query of the page with the form, of the same origin; `/` if the browser did not name it. */
  readonly page: string;
  /** SHA-256 of `ownerSaltText` of the ended session. */
  readonly salt: string;
  /** SHA-256 of `ownerMarkText` of the user of the ended session. */
  readonly owner: string;
  /** The form as posted. */
  readonly body: string;
}

/**
 * The text whose hash separates the marks of sessions. A session id has 256 random bits, so a mark does not reveal its
 * user.
 */
export const ownerSaltText = (sessionId: string): string => `owner of a form\n${sessionId}`;

/** The text whose hash identifies a user, for one ended session. */
export const ownerMarkText = (salt: string, { method, provider, userId }: FormOwner): string =>
  `${salt}\n${JSON.stringify([method, provider, userId])}`;

const memberCount = 6;

export const writeKeptForm = ({ origin, target, page, salt, owner, body }: KeptFormContent): string =>
  [origin, target, page, salt, owner, body].join('\n');

/** Null: the text is of another version. */
export const readKeptForm = (text: string): KeptFormContent | null => {
  const members = text.split('\n');
  const [origin, target, page, salt, owner, body] = members as [string, string, string, string, string, string];
  return members.length === memberCount ? { origin, target, page, salt, owner, body } : null;
};

/**
 * The octets of a form as a text; null: no browser writes such a form. Browsers percent-encode everything but visible
 * ASCII (URL Standard, section 5.2).
 */
export const formText = (octets: Uint8Array): string | null => {
  const text = decodeUtf8(octets);
  return text !== null && /^[\x21-\x7e]*$/.test(text) ? text : null;
};

/** The octets of such a text. */
export const formOctetsOf = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** What the user decides about a kept form: to send it again, or to go on without it. */
export type FormChoice = 'send' | 'drop';

/** The field of the confirmation page. */
export const choiceField = 'portcullis-form';

/** The value of the field for a choice. `token`: 64 hexadecimal digits that only the page and the agent know. */
export const choiceValue = (choice: FormChoice, token: string): string => `${choice}-${token}`;

const choiceForm = /^portcullis-form=(send|drop)-([0-9a-f]{64})$/;

/** Octets of every posted choice. */
export const choiceOctets = `${choiceField}=send-`.length + 64;

/** The choice that a posted form states; null: it is another form. */
export const readChoice = (octets: Uint8Array): { readonly choice: FormChoice; readonly token: string } | null => {
  if (octets.length !== choiceOctets) return null;
  const [, choice, token = ''] = choiceForm.exec(decodeUtf8(octets) ?? '') ?? [];
  return choice === 'send' || choice === 'drop' ? { choice, token } : null;
};
