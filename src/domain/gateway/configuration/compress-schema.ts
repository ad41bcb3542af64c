import { list, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, checkedText, oneOf, type ScalarKind, size } from '../../configuration/schema/scalar-kind.js';
import type { Field, Fields, Key, Located } from '../../configuration/schema/schema.js';
import { switchedBlock, withSwitch } from '../../configuration/schema/switched-block.js';
import { ok } from '../../shared/result.js';
import { type CompressionCoding, compressionCodings } from '../route-transforms/accepted-coding.js';
import type { CompressionRules } from '../route-transforms/compression-rules.js';

const defaultTypes = ['text/*', 'application/json', 'application/javascript', 'application/xml', 'image/svg+xml'];
const defaultEncodings: readonly CompressionCoding[] = ['br', 'gzip'];

/** The lists of a block `compress` that is not written, by key, for `config print`. */
export const standardCompressionLists: Readonly<Record<string, readonly string[]>> = {
  types: defaultTypes,
  encodings: defaultEncodings,
};

/** `type/subtype`, `type/*` or any type. RFC 9110, section 8.3.1. */
const typeForm = /^(?:\*\/\*|[a-z0-9!#$&^_.+-]+\/(?:\*|[a-z0-9!#$&^_.+-]+))$/i;

const writtenType = checkedText('media type', (value) => {
  if (typeForm.test(value)) return null;
  const shown = value.slice(0, 80);
  if (value.includes(';')) {
    const suggestion = `write "${shown.split(';', 1)[0]?.trim()}"`;
    return { message: `must be a media type without parameters, not "${shown}"`, suggestion };
  }
  return { message: `must be a media type, not "${shown}"`, suggestion: 'write "application/json", "text/*" or "*/*"' };
});

const mediaType: ScalarKind<string> = {
  ...writtenType,
  label: 'media type, or `type/*`',
  read: (scalar) => {
    const read = writtenType.read(scalar);
    return read.ok ? ok(read.value.toLowerCase()) : read;
  },
};

const meantCodings: Readonly<Record<string, CompressionCoding>> = {
  brotli: 'br',
  deflate: 'gzip',
  'x-gzip': 'gzip',
  gz: 'gzip',
  zst: 'zstd',
  zstandard: 'zstd',
};

const coding = oneOf(compressionCodings, [], (text) =>
  Object.hasOwn(meantCodings, text.toLowerCase()) ? (meantCodings[text.toLowerCase()] ?? null) : null,
);

/** A list that has values, each once. */
const distinct = <Value extends string>(key: Key<readonly Located<Value>[]>): Key<readonly Located<Value>[]> => ({
  ...key,
  read: (name, settings, context) => {
    const field: Field<readonly Located<Value>[]> = key.read(name, settings, context);
    const refuse = (message: string, position: Field<unknown>['position'], suggestion: string): typeof field => {
      context.report.add(`"${name}" ${message}`, { position, path: [...context.path, name], suggestion });
      return { ...field, sound: false };
    };
    if (!field.given || !field.sound) return field;
    if (field.value.length === 0) return refuse('needs at least one value', field.position, `delete ${name}`);
    const seen = new Set<string>();
    for (const { value, position } of field.value) {
      if (seen.has(value)) return refuse(`names "${value}" twice`, position, 'write it once');
      seen.add(value);
    }
    return field;
  },
});

const shape = {
  enabled: withDefault(boolean, true, '`#true`', '`#false` turns compression off.'),
  types: distinct(
    list(
      mediaType,
      'Media types to compress: `type/subtype`, `type/*` or `*/*`. Event streams and gRPC are never compressed.',
      defaultTypes,
      defaultTypes.map((type) => `\`${type}\``).join(', '),
    ),
  ),
  'min-bytes': withDefault(
    size(0, Number.MAX_SAFE_INTEGER),
    1024,
    '1024',
    'Smallest body to compress. A body whose length is not known in time counts as long enough.',
  ),
  encodings: distinct(
    list(
      coding,
      'Content codings in order of preference; it decides between codings that a client accepts equally. `zstd` needs Node 22.15 or later.',
      defaultEncodings,
      defaultEncodings.map((encoding) => `\`${encoding}\``).join(', '),
    ),
  ),
};

type CompressFields = Fields<typeof shape>;

export const compress = withSwitch(
  switchedBlock(shape, null, {
    standard: 'none',
    meaning:
      'Compress responses for clients that accept it. An error on a route without an upstream. See the guide about secrets in compressed pages.',
  }),
);

/** Converts a block `compress` that has no errors; null: there is none. */
export const toCompressionRules = (fields: CompressFields | null): CompressionRules | null =>
  fields === null
    ? null
    : {
        types: fields.types.value.map(({ value }) => value),
        minOctets: fields['min-bytes'].value,
        encodings: fields.encodings.value.map(({ value }) => value),
      };

/** The codings of routes that this platform lacks. */
export const missingCodings = (
  routes: readonly { readonly id: string; readonly policies: { readonly compression: CompressionRules | null } }[],
  available: ReadonlySet<CompressionCoding>,
): readonly { readonly routeId: string; readonly message: string }[] =>
  routes.flatMap(({ id, policies: { compression } }) =>
    (compression?.encodings ?? [])
      .filter((encoding) => !available.has(encoding))
      .map((encoding) => ({
        routeId: id,
        message: `"encodings" of compress names "${encoding}", which this Node lacks: remove it, or use Node 22.15 or later`,
      })),
  );
