import { custom, optionalBlock } from '../../configuration/schema/block-keys.js';
import { refuseMembers } from '../../configuration/schema/read-block.js';
import { required, withDefault } from '../../configuration/schema/scalar-keys.js';
import { checkedText, decimal, type ScalarKind, secret, text } from '../../configuration/schema/scalar-kind.js';
import type { Fields, Key, Located, ReadContext } from '../../configuration/schema/schema.js';
import type { Setting } from '../../configuration/setting/setting.js';
import { isFieldValue, isToken } from '../../http/field-syntax.js';
import { err } from '../../shared/result.js';
import type { Secret } from '../../shared/secret.js';

/** Where the traces of requests go. */
export interface TracingConfiguration {
  /** Where spans are posted by OTLP over HTTP, as in `http://127.0.0.1:4318/v1/traces`. */
  readonly endpoint: string;
  /** Part of the requests that is traced, 0 to 1. */
  readonly sampleRatio: number;
  readonly serviceName: string;
  /** Header fields for the collector, as a key of its own. */
  readonly headers: readonly { readonly name: string; readonly value: Secret }[];
}

type CollectorHeader = TracingConfiguration['headers'][number];

/** Fields that say how a message goes and what is in it. */
const exporterFields = [
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'host',
  'transfer-encoding',
];

const collectorField = checkedText('the name of a header', (value) => {
  if (!isToken(value)) return { message: `must have the name of a header, not "${value.slice(0, 80)}"` };
  if (!exporterFields.includes(value.toLowerCase())) return null;
  return { message: `cannot be ${value}: the exporter sets it` };
});

const fieldValue: ScalarKind<Secret> = {
  ...secret,
  read: (scalar) => {
    const read = secret.read(scalar);
    if (!read.ok || isFieldValue(read.value.reveal())) return read;
    return err({ message: 'must have a value that a header can have' });
  },
};

/** One header, or null where something is wrong with it. */
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
    return refuse('takes a name and a value', `write ${key} "Authorization" (env)"COLLECTOR_AUTHORIZATION"`);
  }
  const name = collectorField.read(first);
  const value = fieldValue.read(second);
  if (!name.ok) return refuse(name.error.message, name.error.suggestion ?? null);
  if (!value.ok) return refuse(value.error.message, value.error.suggestion ?? null);
  return { name: name.value, value: value.value };
};

/** `collector-header "name" (env)"VALUE"`. Its name is its own, so that no line that has it is ever shown. */
const collectorHeader: Key<readonly Located<CollectorHeader>[]> = {
  ...custom(
    'name and value; may be repeated',
    'none',
    'A header field for the collector, such as `Authorization`.',
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

const serviceName = checkedText('printable text, 128 characters at most', (value) =>
  /^[\x20-\x7e]{1,128}$/.test(value) ? null : { message: 'must be printable ASCII, 128 characters at most' },
);

const shape = {
  endpoint: required(text, 'URL that spans are posted to by OTLP over HTTP: `http://127.0.0.1:4318/v1/traces`.'),
  'sample-ratio': withDefault(decimal(0, 1), 0.1, '0.1', 'Part of the requests that is traced: 1 is all of them.'),
  'service-name': withDefault(
    serviceName,
    'portcullis-gateway',
    '`portcullis-gateway`',
    'What traces call the gateway (`service.name`).',
  ),
  'collector-header': collectorHeader,
};

export type TracingFields = Fields<typeof shape>;

export const tracing = optionalBlock(
  shape,
  'Spans of requests, agent calls and upstream attempts, sent by OpenTelemetry. Without the block none are made.',
);

/** A block `tracing` that was read without an error. */
export const toTracing = (fields: TracingFields): TracingConfiguration => ({
  endpoint: fields.endpoint.value,
  sampleRatio: fields['sample-ratio'].value,
  serviceName: fields['service-name'].value,
  headers: fields['collector-header'].value.map(({ value }) => value),
});
