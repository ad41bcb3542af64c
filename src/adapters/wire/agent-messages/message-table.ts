import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/shared/json.js';
import { type FieldKind, type FieldShape, type MessageShape, number, readObject, textKind } from './field-kinds.js';
import { MalformedMessage } from './json-payload.js';

/**
 * One row of the table that describes a message: the kind of a field and its names. The name in TypeScript is the key
 * of the row. A row without a JSON name is on gRPC alone; one without a gRPC name is on the socket alone. A transport
 * that has no place for a field gives what the kind reads where the field is missing.
 */
export interface MessageField<Value, Grpc, Name extends string | null> {
  readonly kind: FieldKind<Value, Grpc>;
  readonly json: string | null;
  readonly grpc: Name;
  /** Of the field in proto/agent-service-v2.proto. */
  readonly number: number;
}

/** @param json the name on the socket, where it differs; null: it is not there */
export const field = <Value, Grpc, const Name extends string>(
  kind: FieldKind<Value, Grpc>,
  grpc: Name,
  number: number,
  json: string | null = grpc,
): MessageField<Value, Grpc, Name> => ({ kind, json, grpc, number });

/** A field on the socket alone. */
export const socketField = <Value, Grpc>(
  kind: FieldKind<Value, Grpc>,
  json: string,
): MessageField<Value, Grpc, null> => ({
  kind,
  json,
  grpc: null,
  number: 0,
});

/** A field on gRPC alone. */
export const grpcField = <Value, Grpc, const Name extends string>(
  kind: FieldKind<Value, Grpc>,
  grpc: Name,
  number: number,
): MessageField<Value, Grpc, Name> => ({ kind, json: null, grpc, number });

/** When a message was made, in milliseconds since the Unix epoch. */
export const timestamp = (at: number) => ({ timestampMs: field(number('large'), 'timestamp_ms', at) });

/** Of a `Choice` whose members lie in the gRPC message itself: it is one of its oneofs. */
export const oneof = <Value, Grpc>(kind: FieldKind<Value, Grpc>, json: string): MessageField<Value, Grpc, '*'> => ({
  kind,
  json,
  grpc: '*',
  number: 0,
});

/**
 * A member on the socket that our side always writes alike, and does not keep.
 *
 * @param isFit whether a value that was read is another spelling of it; a missing one or null is
 */
export const fixed = (
  json: string,
  written: JsonValue,
  isFit: (value: JsonValue) => boolean = () => true,
  fault = '',
): MessageField<never, never, null> => ({
  kind: {
    shape: {},
    fromJson(value) {
      if ((value ?? null) !== null && !isFit(value as JsonValue)) throw new MalformedMessage(fault);
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

/** A value that follows from the message alone: neither transport carries it. */
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
/** What the gRPC loader gives and takes for a kind. */
export type GrpcOfKind<Kind> = Kind extends FieldKind<infer _, infer Grpc> ? Grpc : never;
type NameOfField<F> = F extends { readonly grpc: infer Name extends string } ? Exclude<Name, '*'> : never;
type OneofOf<F> = GrpcOfField<Extract<F[keyof F], { readonly grpc: '*' }>>;

/** What a table says of the value in TypeScript. */
export type ValueOf<F> = {
  readonly [Key in keyof F as [ValueOfField<F[Key]>] extends [never] ? never : Key]: ValueOfField<F[Key]>;
};
/**
 * What a table says of the message as the gRPC loader gives and takes it: names as in the proto, 64-bit numbers as
 * doubles, and any member can be missing.
 */
export type GrpcOf<F> = { readonly [Key in keyof F as NameOfField<F[Key]>]?: GrpcOfField<F[Key]> | null } & ([
  OneofOf<F>,
] extends [never]
  ? unknown
  : OneofOf<F>);

/** That a table has all the fields of a value, as it has them. */
export type Describes<Value> = Pick<FieldKind<Value, unknown>, 'fromJson' | 'toJson'>;

type Members = Record<string, unknown>;

interface Row extends MessageField<unknown, unknown, string | null> {
  readonly key: string;
}

const rowsOf = (fields: MessageFields): readonly Row[] => Object.entries(fields).map(([key, row]) => ({ key, ...row }));

/**
 * A message that a table describes: the codec of its JSON, its mapping to gRPC and the shape of its octets, in one.
 * It is itself a kind of field.
 *
 * `Beside` are fields that our side does not read: a writer gives their values with the value.
 */
export class Message<F extends MessageFields, Beside extends MessageFields>
  implements FieldKind<ValueOf<F>, GrpcOf<F> & GrpcOf<Beside>>
{
  readonly fields: F;
  readonly shape: MessageShape;
  readonly #rows: readonly Row[];
  readonly #beside: readonly Row[];

  constructor(fields: F, beside: Beside) {
    this.fields = fields;
    this.#rows = rowsOf(fields);
    this.#beside = rowsOf(beside);
    const shape: Record<number, FieldShape> = {};
    for (const { grpc, number, kind } of [...this.#rows, ...this.#beside]) {
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

  toJson(value: ValueOf<F>, beside: Partial<ValueOf<Beside>> = {}): JsonObject {
    const written: Record<string, JsonValue> = {};
    for (const { key, json, kind } of this.#rows) {
      const member = json === null ? undefined : kind.toJson((value as Members)[key]);
      if (json !== null && member !== undefined) written[json] = member;
    }
    for (const { key, json, kind } of this.#beside) {
      if (json !== null && key in beside) written[json] = kind.toJson((beside as Members)[key]) as JsonValue;
    }
    return written;
  }

  fromGrpc(message: (GrpcOf<F> & GrpcOf<Beside>) | null | undefined, _name = '', isChecked = true): ValueOf<F> {
    const members = (message ?? {}) as Members;
    const read: Members = {};
    for (const { key, grpc, kind } of this.#rows) {
      const member = grpc === null ? undefined : grpc === '*' ? members : members[grpc];
      const value = kind.fromGrpc(member, grpc ?? key, isChecked);
      if (value !== undefined) read[key] = value;
    }
    return read as ValueOf<F>;
  }

  toGrpc(value: ValueOf<F>, beside: Partial<ValueOf<Beside>> = {}): GrpcOf<F> & GrpcOf<Beside> {
    const written: Members = {};
    for (const { key, grpc, kind } of this.#rows) {
      if (grpc === null) continue;
      const member = kind.toGrpc((value as Members)[key]);
      if (grpc === '*') Object.assign(written, member);
      else written[grpc] = member;
    }
    for (const { key, grpc, kind } of this.#beside) {
      if (grpc !== null && key in beside) written[grpc] = kind.toGrpc((beside as Members)[key]);
    }
    return written as GrpcOf<F> & GrpcOf<Beside>;
  }

  /** One member, where what it is like decides on how the others are read. */
  jsonMember<Key extends keyof F & string>(object: JsonObject, key: Key): ValueOfField<F[Key]> {
    const { json, kind } = this.fields[key] as F[Key];
    return kind.fromJson(object[json ?? ''], json ?? key) as ValueOfField<F[Key]>;
  }

  /** The same of gRPC. */
  grpcMember<Key extends keyof F & string>(message: GrpcOf<F>, key: Key): ValueOfField<F[Key]> {
    const { grpc, kind } = this.fields[key] as F[Key];
    return kind.fromGrpc((message as Members)[grpc ?? ''], grpc ?? key, true) as ValueOfField<F[Key]>;
  }
}

/** @param beside fields that our side does not read */
export const message = <const F extends MessageFields, const Beside extends MessageFields = Record<never, never>>(
  fields: F,
  beside: Beside = {} as Beside,
): Message<F, Beside> => new Message(fields, beside);

/**
 * The name of the only member of a oneof that a message has; null where it has none, or several: those cannot come
 * from a writer that keeps to the format, and readers differ in which of them counts.
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

/** `kind` says which case it is. */
export type CaseValue<C extends Cases> = {
  readonly [Kind in keyof C]: { readonly kind: Kind } & ValueOfField<C[Kind]>;
}[keyof C];

/** How the case is told, and what is wrong with a value that is none of them. */
export interface ChoiceOptions {
  readonly jsonFault: string;
  readonly grpcFault: string;
  /**
   * The member that names the case on the socket, beside those of the case; without it an object has one member, the
   * case.
   */
  readonly tag?: string;
}

/**
 * One of several cases. gRPC has a oneof for it; its members lie in the message around it, so that a table names it
 * with `oneof`.
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
