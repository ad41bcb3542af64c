import type { SignOnRequest } from '../../../domain/agent/saml/sign-on/sign-on-request.js';
import { isRecord, parsedJson } from './parsed-json.js';

/** A request as Redis holds it, without the hash that it is found by; version 1. */
interface RequestRecord {
  readonly v: 1;
  readonly kind: SignOnRequest['kind'];
  readonly request: string;
  readonly binding: string | null;
  readonly returnTo: string;
  readonly created: number;
  readonly expires: number;
}

const isRequestRecord = (value: unknown): value is RequestRecord =>
  isRecord(value) &&
  value['v'] === 1 &&
  (value['kind'] === 'sign_on' || value['kind'] === 'sign_out' || value['kind'] === 'answered') &&
  typeof value['request'] === 'string' &&
  (value['binding'] === null || typeof value['binding'] === 'string') &&
  typeof value['returnTo'] === 'string' &&
  Number.isSafeInteger(value['created']) &&
  Number.isSafeInteger(value['expires']);

export const writeRequestRecord = (request: SignOnRequest): string => {
  const record: RequestRecord = {
    v: 1,
    kind: request.kind,
    request: request.requestId,
    binding: request.bindingHash,
    returnTo: request.returnTo,
    created: request.createdMs,
    expires: request.expiresMs,
  };
  return JSON.stringify(record);
};

/** Null: it is not what we write. */
export const readRequestRecord = (handleHash: string, text: string): SignOnRequest | null => {
  const record = parsedJson(text);
  if (!isRequestRecord(record)) return null;
  return {
    handleHash,
    kind: record.kind,
    requestId: record.request,
    bindingHash: record.binding,
    returnTo: record.returnTo,
    createdMs: record.created,
    expiresMs: record.expires,
  };
};
