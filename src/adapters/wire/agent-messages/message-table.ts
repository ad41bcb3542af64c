import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/shared/json.js';
import { type FieldKind, type FieldShape, type MessageShape, number, readObject, textKind } from './field-kinds.js';
import { MalformedMessage } from './json-payload.js';

/**
 * One row of a message table: the kind of a field and its names. The key of the row is the name in
 * TypeScript. A row without a JSON name exists only on gRPC, one without a gRPC name only on the
 * socket. On a transport without the field, it reads as missing.
 */
export interface MessageField<Value, Grpc, Name extends string | null> {
  readonly kind: FieldKind<Value, Grpc>;
  readonly json: string | null;
  readonly grpc: Name;
  /** Field number in proto/agent-service-v2.proto. */
  readonly number: number;
}

/** @param json name on the socket if it differs; null: not on the socket */
export const field = <Value, Grpc, const Name extends string>(
  kind: FieldKind<Value, Grpc>,
  grpc: Name,
  number: number,
  json: string | null = grpc,
): MessageField<Value, Grpc, Name> => ({ kind, json, grpc, number });

/** A field only on the socket. */
export const socketField = <Value, Grpc>(
  kind: FieldKind<Value, Grpc>,
  json: string,
): MessageField<Value, Grpc, null> => ({
  kind,
  json,
  grpc: null,
  number: 0,
});

/** A field only on gRPC. */
export const grpcField = <Value, Grpc, const Name extends string>(
  kind: FieldKind<Value, Grpc>,
  grpc: Name,
  number: number,
): MessageField<Value, Grpc, Name> => ({ kind, json: null, grpc, number });

/** Creation time of a message, in milliseconds since the Unix epoch. */
export const timestamp = (at: number) => ({ timestampMs: field(number('large'), 'timestamp_ms', at) });

/** A `Choice` whose members are a oneof of the gRPC message itself. */
export const oneof = <Value, Grpc>(kind: FieldKind<Value, Grpc>, json: string): MessageField<Value, Grpc, '*'> => ({
  kind,
  json,
  grpc: '*',
  number: 0,
});

/**
 * A member on the socket with a fixed value, which is not kept.
 *
 * @param isValid whether a received value is acceptable; missing and null always are
 */
export const fixed = (
  json: string,
  written: JsonValue,
  isValid: (value: JsonValue) => boolean = () => true,
  fault = '',
): MessageField<never, never, null> => ({
  kind: {
    shape: {},
    fromJson(value) {
      if ((value ?? null) !== null && !isValid(value as JsonValue)) throw new MalformedMessage(fault);
      return undefined as never;
    },
    toJson: () => written,
    fromGrpc: () => undefined as never,
    toGrpc: () => null,
  },
  json,
  grpc: null,
  number: 0,
});

/** A value implied by the message type; neither transport carries it. */
export const constantField = <const Value extends string | number | null>(
  value: Value,
): MessageField<Value, never, null> => ({
  kind: { shape: {}, fromJson: () => value, toJson: () => undefined, fromGrpc: () => value, toGrpc: () => null },
  json: null,
  grpc: null,
  number: 0,
});

export type MessageFields = Readonly<Record<string, MessageField<unknown, unknown, string | null>>>;

type ValueOfField<F> = F extends { readonly kind: FieldKind<infer Value, infer _> } ? Value : never;
type GrpcOfField<F> = F extends { readonly kind: infer Kind } ? GrpcOfKind<Kind> : never;
/** The gRPC loader's type of a kind. */
export type GrpcOfKind<Kind> = Kind extends FieldKind<infer _, infer Grpc> ? Grpc : never;
type NameOfField<F> = F extends { readonly grpc: infer Name extends string } ? Exclude<Name, '*'> : never;
type OneofOf<F> = GrpcOfField<Extract<F[keyof F], { readonly grpc: '*' }>>;

/** The TypeScript type of a table's value. */
export type ValueOf<F> = {
  readonly [Key in keyof F as [ValueOfField<F[Key]>] extends [never] ? never : Key]: ValueOfField<F[Key]>;
};
/**
 * The gRPC loader's type of a table's message: names as in the proto, 64-bit numbers as doubles,
 * every member optional.
 */
export type GrpcOf<F> = { readonly [Key in keyof F as NameOfField<F[Key]>]?: GrpcOfField<F[Key]> | null } & ([
  OneofOf<F>,
] extends [never]
  ? unknown
  : OneofOf<F>);

/** Checks that a table describes all fields of a value. */
export type Describes<Value> = Pick<FieldKind<Value, unknown>, 'fromJson' | 'toJson'>;

type Members = Record<string, unknown>;

interface Row extends MessageField<unknown, unknown, string | null> {
  readonly key: string;
}

const rowsOf = (fields: MessageFields): readonly Row[] => Object.entries(fields).map(([key, row]) => ({ key, ...row }));

/**
 * A message described by a table: its JSON codec, its gRPC mapping and the shape of its octets. It
 * is itself a kind of field.
 *
 * `WriteOnly` fields are written and not read; the writer passes their values separately.
 */
export class Message<F extends MessageFields, WriteOnly extends MessageFields>
  implements FieldKind<ValueOf<F>, GrpcOf<F> & GrpcOf<WriteOnly>>
{
  readonly fields: F;
  readonly shape: MessageShape;
  readonly #rows: readonly Row[];
  readonly #writeOnly: readonly Row[];

  constructor(fields: F, writeOnly: WriteOnly) {
    this.fields = fields;
    this.#rows = rowsOf(fields);
    this.#writeOnly = rowsOf(writeOnly);
    const shape: Record<number, FieldShape> = {};
    for (const { grpc, number, kind } of [...this.#rows, ...this.#writeOnly]) {
      if (grpc === '*') Object.assign(shape, kind.shape);
      else if (grpc !== null) shape[number] = kind.shape;
    }
    this.shape = shape;
  }

  fromJson(value: JsonValue | undefined, name = ''): ValueOf<F> {
    const object = readObject(value, name);
    const read: Members = {};
    for (const { key, json, kind } of this.#rows) {
      const member = json === null ? kind.fromJson(undefined, key) : kind.fromJson(object[json], json);
      if (member !== undefined) read[key] = member;
    }
    return read as ValueOf<F>;
  }

  toJson(value: ValueOf<F>, writeOnly: Partial<ValueOf<WriteOnly>> = {}): JsonObject {
    const written: Record<string, JsonValue> = {};
    for (const { key, json, kind } of this.#rows) {
      const member = json === null ? undefined : kind.toJson((value as Members)[key]);
      if (json !== null && member !== undefined) written[json] = member;
    }
    for (const { key, json, kind } of this.#writeOnly) {
      if (json !== null && key in writeOnly) written[json] = kind.toJson((writeOnly as Members)[key]) as JsonValue;
    }
    return written;
  }

  fromGrpc(message: (GrpcOf<F> & GrpcOf<WriteOnly>) | null | undefined, _name = '', isChecked = true): ValueOf<F> {
    const members = (message ?? {}) as Members;
    const read: Members = {};
    for (const { key, grpc, kind } of this.#rows) {
      const member = grpc === null ? undefined : grpc === '*' ? members : members[grpc];
      const value = kind.fromGrpc(member, grpc ?? key, isChecked);
      if (value !== undefined) read[key] = value;
    }
    return read as ValueOf<F>;
  }

  toGrpc(value: ValueOf<F>, writeOnly: Partial<ValueOf<WriteOnly>> = {}): GrpcOf<F> & GrpcOf<WriteOnly> {
    const written: Members = {};
    for (const { key, grpc, kind } of this.#rows) {
      if (grpc === null) continue;
      const member = kind.toGrpc((value as Members)[key]);
      if (grpc === '*') Object.assign(written, member);
      else written[grpc] = member;
    }
    for (const { key, grpc, kind } of this.#writeOnly) {
      if (grpc !== null && key in writeOnly) written[grpc] = kind.toGrpc((writeOnly as Members)[key]);
    }
    return written as GrpcOf<F> & GrpcOf<WriteOnly>;
  }

  /** Reads one JSON member, if others depend on it. */
  jsonMember<Key extends keyof F & string>(object: JsonObject, key: Key): ValueOfField<F[Key]> {
    const { json, kind } = this.fields[key] as F[Key];
    return kind.fromJson(object[json ?? ''], json ?? key) as ValueOfField<F[Key]>;
  }

  /** Reads one gRPC member. */
  grpcMember<Key extends keyof F & string>(message: GrpcOf<F>, key: Key): ValueOfField<F[Key]> {
    const { grpc, kind } = this.fields[key] as F[Key];
    return kind.fromGrpc((message as Members)[grpc ?? ''], grpc ?? key, true) as ValueOfField<F[Key]>;
  }
}

/** @param writeOnly fields that are written and not read */
export const message = <const F extends MessageFields, const WriteOnly extends MessageFields = Record<never, never>>(
  fields: F,
  writeOnly: WriteOnly = {} as WriteOnly,
): Message<F, WriteOnly> => new Message(fields, writeOnly);

/**
 * The name of the single member of a oneof; null if none or several. Correct writers never send
 * several, and readers differ on which counts.
 */
export const onlyMember = <Name extends string>(
  message: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
): Name | null => {
  let found: Name | null = null;
  for (const name of names) {
    if ((message[name] ?? null) === null) continue;
    if (found !== null) return null;
    found = name;
  }
  return found;
};

/** One case of a choice: its field in the oneof. */
type Case = MessageField<unknown, unknown, string>;

type Cases = Readonly<Record<string, Case>>;

/** The value of a case, tagged with its `kind`. */
export type CaseValue<C extends Cases> = {
  readonly [Kind in keyof C]: { readonly kind: Kind } & ValueOfField<C[Kind]>;
}[keyof C];

/** Encoding of the case, and errors for unknown cases. */
export interface ChoiceOptions {
  readonly jsonFault: string;
  readonly grpcFault: string;
  /**
   * Member that names the case on the socket. Without it, the object has one member, named after
   * the case.
   */
  readonly tag?: string;
}

/**
 * One of several cases. On gRPC it is a oneof of the surrounding message; a table names it with
 * `oneof`.
 */
export class Choice<C extends Cases> implements FieldKind<CaseValue<C>, GrpcOf<C>> {
  readonly shape: MessageShape;
  readonly #cases: ReadonlyMap<string, Case>;
  readonly #names: readonly string[];
  readonly #options: ChoiceOptions;

  constructor(cases: C, options: ChoiceOptions) {
    this.#cases = new Map(Object.entries(cases));
    this.#names = [...this.#cases.keys()];
    this.#options = options;
    this.shape = Object.fromEntries([...this.#cases.values()].map(({ number, kind }) => [number, kind.shape]));
  }

  fromJson(value: JsonValue | undefined, name: string): CaseValue<C> {
    const { tag, jsonFault } = this.#options;
    if (tag !== undefined) {
      const object = readObject(value, name);
      return this.#caseFromJson(textKind.fromJson(object[tag], tag), object);
    }
    const [kind, ...others] = isJsonObject(value) ? Object.keys(value) : [];
    if (kind === undefined || others.length > 0) throw new MalformedMessage(jsonFault);
    return this.#caseFromJson(kind, (value as JsonObject)[kind]);
  }

  toJson(value: CaseValue<C>): JsonValue {
    const { kind } = value as { readonly kind: string };
    const members = this.#cases.get(kind)?.kind.toJson(value) ?? {};
    const { tag } = this.#options;
    return tag === undefined ? { [kind]: members } : { [tag]: kind, ...(members as JsonObject) };
  }

  fromGrpc(message: GrpcOf<C> | null | undefined, _name = '', isChecked = true): CaseValue<C> {
    const members = (message ?? {}) as Members;
    const kind = onlyMember(members, this.#names);
    if (kind === null) throw new MalformedMessage(this.#options.grpcFault);
    const { kind: found } = this.#cases.get(kind) as Case;
    return { kind, ...(found.fromGrpc(members[kind], kind, isChecked) as object) } as CaseValue<C>;
  }

  toGrpc(value: CaseValue<C>): GrpcOf<C> {
    const { kind } = value as { readonly kind: string };
    return { [kind]: this.#cases.get(kind)?.kind.toGrpc(value) } as GrpcOf<C>;
  }

  #caseFromJson(kind: string, value: JsonValue | undefined): CaseValue<C> {
    const found = this.#cases.get(kind);
    if (found === undefined) throw new MalformedMessage(this.#options.jsonFault);
    return { kind, ...(found.kind.fromJson(value, kind) as object) } as CaseValue<C>;
  }
}
