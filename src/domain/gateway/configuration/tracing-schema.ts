import { custom, optionalBlock } from '../../configuration/schema/block-keys.js';
import { refuseMembers } from '../../configuration/schema/read-block.js';
import { required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { checkedText, decimal, type ScalarKind, secret, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key, Located, ReadContext } from '../../configuration/schema/schema.js';
import type { Setting } from '../../configuration/setting/setting.js';
import { isFieldValue, isToken } from '../../http/field-syntax.js';
import { err } from '../../shared/result.js';
import type { Secret } from '../../shared/secret.js';

/** Destination and sampling of traces. */
export interface TracingConfiguration {
  /** URL that accepts spans by OTLP over HTTP, as in `http://127.0.0.1:4318/v1/traces`. */
  readonly endpoint: string;
  /** Fraction of requests to trace, 0 to 1. */
  readonly sampleRatio: number;
  readonly serviceName: string;
  /** Header fields for the collector, such as an API key. */
  readonly headers: readonly { readonly name: string; readonly value: Secret }[];
}

type CollectorHeader = TracingConfiguration['headers'][number];

/** Fields that the exporter sets. */
const exporterFields = [
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'host',
  'transfer-encoding',
];

const collectorField = checkedText('header name', (value) => {
  if (!isToken(value)) return { message: `must have a header name, not "${value.slice(0, 80)}"` };
  if (!exporterFields.includes(value.toLowerCase())) return null;
  return { message: `cannot be ${value}: the exporter sets it` };
});

const fieldValue: ScalarKind<Secret> = {
  ...secret,
  read: (scalar) => {
    const read = secret.read(scalar);
    if (!read.ok || isFieldValue(read.value.reveal())) return read;
    return err({ message: 'must have a valid header value' });
  },
};

/** One header; null: an error. */
const readHeader = (key: string, setting: Setting, context: ReadContext): CollectorHeader | null => {
  if (refuseMembers(setting, context, true)) return null;
  const refuse = (message: string, suggestion: string | null): null => {
    const { position } = setting;
    context.report.add(`"${key}" ${message}`, { position, path: [...context.path, key], suggestion, secret: true });
    return null;
  };
  const [first, second, third] = setting.args;
  if (first?.unresolved === true || second?.unresolved === true) return null;
  if (first === undefined || second === undefined || third !== undefined) {
    return refuse('needs a name and a value', `write ${key} "Authorization" (env)"COLLECTOR_AUTHORIZATION"`);
  }
  const name = collectorField.read(first);
  const value = fieldValue.read(second);
  if (!name.ok) return refuse(name.error.message, name.error.suggestion ?? null);
  if (!value.ok) return refuse(value.error.message, value.error.suggestion ?? null);
  return { name: name.value, value: value.value };
};

/** `collector-header "name" (env)"VALUE"`. The key is secret, so messages never show its line. */
const collectorHeader: Key<readonly Located<CollectorHeader>[]> = {
  ...custom(
    'name and value; may be repeated',
    'none',
    'Header to send to the collector, such as `Authorization`.',
    (key, settings, context) => {
      const headers: Located<CollectorHeader>[] = [];
      let sound = true;
      for (const setting of settings) {
        const header = readHeader(key, setting, context);
        if (header === null) sound = false;
        else headers.push({ value: header, position: setting.position, hidden: setting.args[0]?.hidden ?? false });
      }
      return { value: headers, given: settings.length > 0, sound, position: settings[0]?.position ?? null };
    },
  ),
  secret: true,
};

const serviceName = checkedText('printable text, at most 128 characters', (value) =>
  /^[\x20-\x7e]{1,128}$/.test(value) ? null : { message: 'must be printable ASCII, at most 128 characters' },
);

const shape = {
  endpoint: required(text, 'URL of the collector for OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`.'),
  'sample-ratio': withDefault(decimal(0, 1), 0.1, '0.1', 'Fraction of requests to trace. 1: all.'),
  'service-name': withDefault(
    serviceName,
    'portcullis-gateway',
    '`portcullis-gateway`',
    'Name of the gateway in traces (`service.name`).',
  ),
  'collector-header': collectorHeader,
};

export type TracingFields = Fields<typeof shape>;

export const tracing = optionalBlock(
  shape,
  'Send OpenTelemetry spans of requests, agent calls and upstream attempts. Without the block there are none.',
);

/** Converts a block `tracing` that has no errors. */
export const toTracing = (fields: TracingFields): TracingConfiguration => ({
  endpoint: fields.endpoint.value,
  sampleRatio: fields['sample-ratio'].value,
  serviceName: fields['service-name'].value,
  headers: fields['collector-header'].value.map(({ value }) => value),
});
