import type { HeaderList } from '../../../domain/http/header-list.js';
import { decodeBase64 } from '../../../domain/shared/base64.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/shared/json.js';
import { encodeBase64 } from './base64-encoding.js';
import { MalformedMessage } from './json-payload.js';

/**
 * Wire type of a field on gRPC: `small` is a number of at most 32 bits or a boolean, `smalls` a
 * list of them, `large` a number of 64 bits.
 */
export type FieldShape = 'small' | 'smalls' | 'large' | 'float' | 'double' | 'text' | 'octets' | MessageShape;

/** Fields of a gRPC message by number. INVARIANT: no message contains identity, at any depth. */
export interface MessageShape {
  readonly [field: number]: FieldShape;
}

/** Codec of one kind of value for both transports. Readers throw a MalformedMessage. */
export interface FieldKind<Value, Grpc> {
  readonly shape: FieldShape;
  /** @param value undefined if the member is missing */
  fromJson(value: JsonValue | undefined, name: string): Value;
  /** Undefined omits the member. */
  toJson(value: Value): JsonValue | undefined;
  /**
   * @param value undefined or null if missing: proto3 omits 0, false and empty values
   * @param isChecked the octets matched the shape and every text is UTF-8
   */
  fromGrpc(value: Grpc | null | undefined, name: string, isChecked: boolean): Value;
  toGrpc(value: Value): Grpc | null;
}

/** Replacement of decoders for invalid UTF-8. */
const replacement = '\ufffd';

export const refuse = (name: string, expected: string): never => {
  throw new MalformedMessage(`"${name}" is not a valid ${expected}`);
};

const identity = <Value>(value: Value): Value => value;

export const textKind: FieldKind<string, string> = {
  shape: 'text',
  fromJson: (value, name) => (typeof value === 'string' ? value : refuse(name, 'string')),
  toJson: identity,
  fromGrpc(value, name, isChecked) {
    const known = value ?? '';
    // Different invalid texts would become equal.
    return isChecked || !known.includes(replacement) ? known : refuse(name, 'UTF-8 text');
  },
  toGrpc: identity,
};

/** A finite number on the socket; any number of the field's type on gRPC. */
export const number = (shape: 'small' | 'large' | 'double'): FieldKind<number, number> => ({
  shape,
  fromJson: (value, name) => (typeof value === 'number' && Number.isFinite(value) ? value : refuse(name, 'number')),
  toJson: identity,
  fromGrpc: (value) => value ?? 0,
  toGrpc: identity,
});

/** A non-negative safe integer. With checked octets, gRPC rounds larger ones. */
export const count = (shape: 'small' | 'large'): FieldKind<number, number> => {
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
  return {
    shape,
    fromJson: (value, name) => (typeof value === 'number' && isCount(value) ? value : refuse(name, 'count')),
    toJson: identity,
    fromGrpc: (value, name, isChecked) => (isChecked || isCount(value ?? 0) ? (value ?? 0) : refuse(name, 'count')),
    toGrpc: identity,
  };
};

/** Reliable digits of a float, which has 24 bits. */
const floatDigits = 7;

/** A gRPC `float`, rounded to the intended number: 0.9 arrives as 0.8999999761581421. */
export const float: FieldKind<number, number> = {
  ...number('double'),
  shape: 'float',
  fromGrpc: (value, name) =>
    Number.isFinite(value ?? 0) ? Number((value ?? 0).toPrecision(floatDigits)) : refuse(name, 'number'),
};

export const flag: FieldKind<boolean, boolean> = {
  shape: 'small',
  fromJson: (value, name) => (typeof value === 'boolean' ? value : refuse(name, 'boolean')),
  toJson: identity,
  fromGrpc: (value) => value ?? false,
  toGrpc: identity,
};

/** Octets; base64 on the socket. */
export const octets: FieldKind<Uint8Array, Uint8Array> = {
  shape: 'octets',
  fromJson: (value, name) => decodeBase64(textKind.fromJson(value, name), 'standard') ?? refuse(name, 'base64'),
  toJson: encodeBase64,
  fromGrpc: (value) => value ?? new Uint8Array(0),
  toGrpc: identity,
};

/** One of a closed set of names, encoded as numbers. */
export const code = <Name extends string>(codes: Readonly<Record<Name, number>>): FieldKind<Name, number> => {
  const namesByCode = new Map((Object.keys(codes) as Name[]).map((name) => [codes[name], name]));
  const nameOf = (value: unknown, name: string): Name => {
    const known = namesByCode.get(value as number);
    if (known === undefined) throw new MalformedMessage(`"${name}" is unknown`);
    return known;
  };
  return {
    shape: 'small',
    fromJson: nameOf,
    toJson: (known) => codes[known],
    fromGrpc: nameOf,
    toGrpc: (known) => codes[known],
  };
};

/** A kind whose value has another form in this program. */
export const mapped = <Inner, Value, Grpc>(
  kind: FieldKind<Inner, Grpc>,
  read: (inner: Inner) => Value,
  write: (value: Value) => Inner,
): FieldKind<Value, Grpc> => ({
  shape: kind.shape,
  fromJson: (value, name) => read(kind.fromJson(value, name)),
  toJson: (value) => kind.toJson(write(value)),
  fromGrpc: (value, name, isChecked) => read(kind.fromGrpc(value, name, isChecked)),
  toGrpc: (value) => kind.toGrpc(write(value)),
});

/** Null if the value is null or missing. */
export const optionalKind = <Value, Grpc>(kind: FieldKind<Value, Grpc>): FieldKind<Value | null, Grpc> => ({
  shape: kind.shape,
  fromJson: (value, name) => ((value ?? null) === null ? null : kind.fromJson(value, name)),
  toJson: (value) => (value === null ? null : kind.toJson(value)),
  fromGrpc: (value, name, isChecked) => ((value ?? null) === null ? null : kind.fromGrpc(value, name, isChecked)),
  toGrpc: (value) => (value === null ? null : kind.toGrpc(value)),
});

/**
 * A default if the member is null or missing, and on gRPC, which cannot distinguish it, also if it
 * is 0.
 */
export const kindWithDefault = <Value, Grpc>(
  kind: FieldKind<Value, Grpc>,
  byDefault: Value,
): FieldKind<Value, Grpc> => ({
  shape: kind.shape,
  fromJson: (value, name) => ((value ?? null) === null ? byDefault : kind.fromJson(value, name)),
  toJson: (value) => kind.toJson(value),
  fromGrpc: (value, name, isChecked) => (value ? kind.fromGrpc(value, name, isChecked) : byDefault),
  toGrpc: (value) => kind.toGrpc(value),
});

/** Null if the value is null or missing, on gRPC also if empty. */
export const filledText: FieldKind<string | null, string> = {
  ...optionalKind(textKind),
  fromGrpc: (value, name, isChecked) => textKind.fromGrpc(value, name, isChecked) || null,
};

const arrayOf = (value: JsonValue | undefined, name: string): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : refuse(name, 'array');

/** Empty where it is missing. */
export const listOf = <Value, Grpc>(kind: FieldKind<Value, Grpc>): FieldKind<readonly Value[], readonly Grpc[]> => ({
  shape: kind.shape,
  fromJson: (value, name) =>
    (value ?? null) === null ? [] : arrayOf(value, name).map((item) => kind.fromJson(item, name)),
  toJson: (values) => values.map((value) => kind.toJson(value) ?? null),
  fromGrpc: (values, name, isChecked) => values?.map((value) => kind.fromGrpc(value, name, isChecked)) ?? [],
  toGrpc: (values) => values.map((value) => kind.toGrpc(value) as Grpc),
});

const listOfPlain = <Value>(
  shape: FieldShape,
  isOne: (value: JsonValue) => boolean,
  complain: (name: string) => never,
): FieldKind<readonly Value[], readonly Value[]> => ({
  shape,
  fromJson(value, name) {
    const values = (value ?? null) === null ? [] : arrayOf(value, name);
    return values.every(isOne) ? (values as readonly unknown[] as readonly Value[]) : complain(name);
  },
  toJson: (values) => values as readonly JsonValue[],
  fromGrpc: (values) => values ?? [],
  toGrpc: identity,
});

/** Empty where it is missing. */
export const texts = listOfPlain<string>(
  'text',
  (value) => typeof value === 'string',
  (name) => refuse(name, 'array of strings'),
);

/** Empty where it is missing. */
export const integers = listOfPlain<number>('smalls', Number.isInteger, (name) => {
  throw new MalformedMessage(`"${name}" holds no integers`);
});

type Texts = Readonly<Record<string, string>>;

export const readObject = (value: JsonValue | undefined, name: string): JsonObject =>
  isJsonObject(value) ? value : refuse(name, 'object');

/** Texts by name; empty if missing. */
export const textMap: FieldKind<Texts, Texts> = {
  shape: { 1: 'text', 2: 'text' },
  fromJson(value, name) {
    const object = (value ?? null) === null ? {} : readObject(value, name);
    for (const member of Object.values(object)) if (typeof member !== 'string') refuse(name, 'object of strings');
    return object as Texts;
  },
  toJson: identity,
  fromGrpc: (value) => value ?? {},
  toGrpc: identity,
};

/** A header on gRPC. */
export interface GrpcHeader {
  readonly name?: string;
  readonly value?: string;
}

type HeadersKind = FieldKind<HeaderList, readonly GrpcHeader[]>;

const headerShape: MessageShape = { 1: 'text', 2: 'text' };

const toGrpcHeaders = (headers: HeaderList): readonly GrpcHeader[] => {
  const fields: GrpcHeader[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    fields.push({ name: headers[index] as string, value: headers[index + 1] as string });
  }
  return fields;
};

/** Sets a member of any name: a plain assignment to `__proto__` would be lost. */
const define = (object: Record<string, string[]>, name: string, values: string[]): void => {
  if (name !== '__proto__') object[name] = values;
  else Object.defineProperty(object, name, { value: values, enumerable: true, configurable: true, writable: true });
};

const pushHeader = (headers: string[], name: string, value: JsonValue | undefined): void => {
  if (typeof value !== 'string') throw new MalformedMessage('a header value is not a string');
  headers.push(name, value);
};

/** `{ name: [value, ...] }` on the socket, values in order. Names become lower case. */
export const headerArrays: HeadersKind = {
  shape: headerShape,
  fromJson(value, objectName) {
    const fields = readObject(value, objectName);
    const list: string[] = [];
    for (const name of Object.keys(fields)) {
      const values = fields[name];
      if (!Array.isArray(values)) throw new MalformedMessage('the values of a header are not an array');
      const lowerName = name.toLowerCase();
      for (const value of values as readonly JsonValue[]) pushHeader(list, lowerName, value);
    }
    return list;
  },
  toJson(list) {
    const fields: Record<string, string[]> = {};
    for (let index = 0; index + 1 < list.length; index += 2) {
      const name = list[index] as string;
      const value = list[index + 1] as string;
      if (Object.hasOwn(fields, name)) (fields[name] as string[]).push(value);
      else define(fields, name, [value]);
    }
    return fields;
  },
  fromGrpc(fields, _name, isChecked) {
    const list: string[] = [];
    for (const { name, value } of fields ?? []) {
      list.push(textKind.fromGrpc(name, 'name', isChecked).toLowerCase(), textKind.fromGrpc(value, 'value', isChecked));
    }
    return list;
  },
  toGrpc: toGrpcHeaders,
};

/** `{ name: value }` on the socket; further values of a name are dropped. Names stay unchanged. */
export const singleHeaders: HeadersKind = {
  shape: headerShape,
  fromJson(value, objectName) {
    const fields = (value ?? null) === null ? {} : readObject(value, objectName);
    const list: string[] = [];
    for (const name of Object.keys(fields)) pushHeader(list, name, fields[name]);
    return list;
  },
  toJson(list) {
    const pairs = new Map<string, string>();
    for (let index = 0; index + 1 < list.length; index += 2) {
      const name = list[index] as string;
      if (!pairs.has(name)) pairs.set(name, list[index + 1] as string);
    }
    return Object.fromEntries(pairs);
  },
  fromGrpc(fields) {
    const list: string[] = [];
    for (const { name = '', value = '' } of fields ?? []) list.push(name, value);
    return list;
  },
  toGrpc: toGrpcHeaders,
};
