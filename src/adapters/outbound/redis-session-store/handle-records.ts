import type { KeptForm } from '../../../domain/agent/sign-on/kept-form.js';
import type { SignOnRequest } from '../../../domain/agent/sign-on/sign-on-request.js';
import { isRecord, parsedJson } from './session-record.js';

/** A request as Redis stores it, without the hash that is its key. Version 1. */
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

const writeRequestRecord = (request: SignOnRequest): string => {
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

/** Null: the text is not a valid record. */
const readRequestRecord = (handleHash: string, text: string): SignOnRequest | null => {
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

/** A kept form as Redis stores it, without the hash that is its key. Version 1. */
interface FormRecord {
  readonly v: 1;
  readonly sealed: string;
  readonly created: number;
  readonly expires: number;
}

const isFormRecord = (value: unknown): value is FormRecord =>
  isRecord(value) &&
  value['v'] === 1 &&
  typeof value['sealed'] === 'string' &&
  Number.isSafeInteger(value['created']) &&
  Number.isSafeInteger(value['expires']);

const writeFormRecord = ({ sealed, createdMs, expiresMs }: KeptForm): string => {
  const record: FormRecord = { v: 1, sealed, created: createdMs, expires: expiresMs };
  return JSON.stringify(record);
};

/** Null: the text is not a valid record. */
const readFormRecord = (handleHash: string, text: string): KeptForm | null => {
  const record = parsedJson(text);
  if (!isFormRecord(record)) return null;
  return { handleHash, sealed: record.sealed, createdMs: record.created, expiresMs: record.expires };
};

/** How Redis stores entries of one kind. */
export interface HandleRecords<Entry> {
  readonly write: (entry: Entry) => string;
  readonly read: (handleHash: string, text: string) => Entry | null;
}

export const requestRecords: HandleRecords<SignOnRequest> = { write: writeRequestRecord, read: readRequestRecord };
export const formRecords: HandleRecords<KeptForm> = { write: writeFormRecord, read: readFormRecord };
