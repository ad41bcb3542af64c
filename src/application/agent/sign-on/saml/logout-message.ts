import {
  type FormFault,
  parseForm,
  parseQuery,
  type QueryParameter,
} from '../../../../domain/shared/form-urlencoded.js';
import { err, ok, type Result } from '../../../../domain/shared/result.js';
import type { ReceivedMessage, RedirectMessage } from '../../../ports/agent/saml-document-verifier.js';

/** A message at the logout path. */
export interface LogoutMessage {
  readonly kind: 'request' | 'response';
  readonly message: ReceivedMessage;
  /** Decoded; empty: none. */
  readonly relayState: string;
}

type Read<Value> = Result<Value, 'malformed_form'>;

const malformed: Result<never, 'malformed_form'> = err('malformed_form');

/** Maximum characters. The specification allows 80 octets (SAML bindings, section 3.4.3); some providers send more. */
const relayStateLength = 1024;
/** The only supported encoding of messages in URLs, which is the default (SAML bindings, section 3.4.4). */
const deflateEncoding = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';

/** The kind of the message, by its parameter; null: there is none. Both parameters together are malformed. */
const messageKind = (names: { has(name: string): boolean }): Read<LogoutMessage['kind'] | null> => {
  const isRequest = names.has('SAMLRequest');
  if (isRequest && names.has('SAMLResponse')) return malformed;
  if (isRequest) return ok('request');
  return ok(names.has('SAMLResponse') ? 'response' : null);
};

const parameterOf = { request: 'SAMLRequest', response: 'SAMLResponse' } as const;

const messageOf = (
  kind: LogoutMessage['kind'],
  message: ReceivedMessage,
  isEmpty: boolean,
  relayState: string,
): Read<LogoutMessage> =>
  isEmpty || relayState.length > relayStateLength ? malformed : ok({ kind, message, relayState });

const signatureOf = (parameters: ReadonlyMap<string, QueryParameter>): Read<RedirectMessage['signature']> => {
  const algorithm = parameters.get('SigAlg');
  const value = parameters.get('Signature');
  if (algorithm === undefined && value === undefined) return ok(null);
  if (algorithm === undefined || value === undefined) return malformed;
  return ok({ algorithm: algorithm.raw, value: value.raw });
};

/** Reads an HTTP-Redirect message from the request target; null: there is none. */
export const logoutMessageOfUri = (uri: string): Read<LogoutMessage | null> => {
  const mark = uri.indexOf('?');
  const parameters: Result<ReadonlyMap<string, QueryParameter>, FormFault> = parseQuery(
    mark < 0 ? '' : uri.slice(mark + 1),
  );
  if (!parameters.ok) return malformed;
  const kind = messageKind(parameters.value);
  if (!kind.ok || kind.value === null) return kind.ok ? ok(null) : kind;
  const signature = signatureOf(parameters.value);
  const encoding = parameters.value.get('SAMLEncoding')?.value ?? deflateEncoding;
  if (!signature.ok || encoding !== deflateEncoding) return malformed;
  const message = parameters.value.get(parameterOf[kind.value])?.raw ?? '';
  const relayState = parameters.value.get('RelayState');
  return messageOf(
    kind.value,
    { binding: 'redirect', message, relayState: relayState?.raw ?? null, signature: signature.value },
    message === '',
    relayState?.value ?? '',
  );
};

/** Reads an HTTP-POST message. */
export const logoutMessageOfForm = (form: Uint8Array): Read<LogoutMessage> => {
  const fields = parseForm(form);
  if (!fields.ok) return malformed;
  const kind = messageKind(fields.value);
  if (!kind.ok || kind.value === null) return malformed;
  const encoded = fields.value.get(parameterOf[kind.value]) ?? '';
  const relayState = fields.value.get('RelayState') ?? '';
  return messageOf(kind.value, { binding: 'post', encoded }, encoded === '', relayState);
};
