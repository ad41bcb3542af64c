import { parseIpAddress } from '../../http/ip-address.js';
import { err, ok } from '../../shared/result.js';
import type { Setting, SettingScalar } from '../setting/setting.js';
import { foreignReference } from './foreign-reference.js';
import { refuseMembers, refuseRepetition } from './read-block.js';
import { decimal, type ScalarKind } from './scalar-kind.js';
import type { Field, Key, Located, ReadContext } from './schema.js';

/** A comparable form of a host: addresses by octets, names in lower case. */
export const hostKey = (host: string): string => parseIpAddress(host)?.join('.') ?? host.toLowerCase();

/** Seconds with an optional fraction. The value is in whole milliseconds. */
export const fractionalSeconds = (minimum: number, maximum: number): ScalarKind<number> => {
  const count = decimal(minimum, maximum);
  return {
    label: `seconds, ${minimum} to ${maximum}, with fractions`,
    fallback: Math.round(minimum * 1000),
    secret: false,
    read: (scalar) => {
      const read = count.read(scalar);
      return read.ok ? ok(Math.round(read.value * 1000)) : err(read.error);
    },
  };
};

const absent = <Value>(value: Value): Field<Value> => ({ value, given: false, sound: true, position: null });

const unsound = <Value>(value: Value, setting: Setting | undefined): Field<Value> => ({
  value,
  given: setting !== undefined,
  sound: false,
  position: setting?.position ?? null,
});

/** The only argument of a setting. A name without a value means true, as in JSON. */
const onlyArgument = (setting: Setting, context: ReadContext, secret: boolean): SettingScalar | null => {
  if (refuseMembers(setting, context, secret)) return null;
  const [first, second] = setting.args;
  if (first !== undefined && second === undefined && !setting.listed) return first;
  if (first === undefined && !setting.listed) return { value: true, position: setting.position, hidden: false };
  context.report.add(`"${setting.name}" takes exactly one value`, {
    position: second?.position ?? setting.position,
    path: [...context.path, setting.name],
  });
  return null;
};

const readScalar = <Value>(
  kind: ScalarKind<Value>,
  name: string,
  scalar: SettingScalar,
  position: Setting['position'],
  context: ReadContext,
): { readonly value: Value } | null => {
  if (scalar.unresolved === true) return null;
  const read = kind.read(scalar);
  const where = { position: scalar.position ?? position, path: [...context.path, name] };
  const found = scalar.hidden || typeof scalar.value !== 'string' ? null : foreignReference(scalar.value);
  if (read.ok) {
    if (found !== null) {
      const message = `"${name}" contains a variable, but text is literal`;
      const suggestion = `write ${found.instead}, and set the variable to the whole value`;
      context.report.add(message, { ...where, severity: 'warning', suggestion });
    }
    return read;
  }
  const suggestion = read.error.suggestion ?? (found === null || kind.secret ? null : `write ${found.instead}`);
  context.report.add(`"${name}" ${read.error.message}`, { ...where, suggestion });
  return null;
};

const readOnce = <Value>(
  kind: ScalarKind<Value>,
  name: string,
  settings: readonly Setting[],
  context: ReadContext,
): Field<Value> | null => {
  const [setting] = settings;
  if (setting === undefined) return null;
  refuseRepetition(settings, context, kind.secret);
  const scalar = onlyArgument(setting, context, kind.secret);
  if (scalar === null) return unsound(kind.fallback, setting);
  const read = readScalar(kind, name, scalar, setting.position, context);
  if (read === null) return unsound(kind.fallback, setting);
  return {
    value: read.value,
    given: true,
    sound: settings.length === 1,
    position: scalar.position ?? setting.position,
    hidden: scalar.hidden,
  };
};

const orNull = <Value>(kind: ScalarKind<Value>): ScalarKind<Value | null> => ({
  ...kind,
  read: (scalar) => (scalar.value === null ? ok(null) : kind.read(scalar)),
});

/** A required key. */
export const required = <Value>(kind: ScalarKind<Value>, meaning: string): Key<Value> => ({
  read: (name, settings, context) => {
    const field = readOnce(kind, name, settings, context);
    if (field !== null) return field;
    context.report.add(`"${name}" is missing`, { position: context.position, path: context.path });
    return unsound(kind.fallback, undefined);
  },
  document: { type: kind.label, default: 'required', meaning },
  shape: null,
  secret: kind.secret,
});

/** A key with a default. */
export const withDefault = <Value>(
  kind: ScalarKind<Value>,
  value: NoInfer<Value>,
  shown: string,
  meaning: string,
): Key<Value> => ({
  read: (name, settings, context) => readOnce(kind, name, settings, context) ?? absent(value),
  document: { type: kind.label, default: shown, meaning },
  shape: null,
  secret: kind.secret,
});

/** An optional key; `#null` means absent. */
export const optional = <Value>(kind: ScalarKind<Value>, meaning: string): Key<Value | null> =>
  withDefault(orNull(kind), null, 'none', meaning);

/** A key whose default applies later, so that its absence stays visible. The reference shows the default. */
export const documented = <Value>(key: Key<Value>, standard: string): Key<Value> => ({
  ...key,
  document: { ...key.document, default: standard },
});

/** A key with several values: as arguments, or with the key repeated. An empty list and `#null` mean no values. */
export const list = <Value>(
  kind: ScalarKind<Value>,
  meaning: string,
  standard: readonly NoInfer<Value>[] = [],
  shown = 'none',
): Key<readonly Located<Value>[]> => ({
  read: (name, settings, context) => {
    const [first] = settings;
    if (first === undefined) return absent(standard.map((value) => ({ value, position: null })));
    const values: Located<Value>[] = [];
    let sound = true;
    for (const setting of settings) {
      if (refuseMembers(setting, context, kind.secret)) sound = false;
      else if (setting.args.length === 0 && !setting.listed) {
        sound = false;
        context.report.add(`"${name}" needs at least one value`, { position: setting.position, path: context.path });
      }
      const [only] = setting.args;
      if (setting.args.length === 1 && only?.value === null && only.unresolved !== true) continue;
      for (const scalar of setting.args) {
        const read = readScalar(kind, name, scalar, setting.position, context);
        if (read === null) sound = false;
        else {
          const position = scalar.position ?? setting.position;
          values.push({ value: read.value, position, listed: setting.listed, hidden: scalar.hidden });
        }
      }
    }
    return { value: values, given: true, sound, position: first.position };
  },
  document: { type: `list of ${kind.label}`, default: shown, meaning },
  shape: null,
  secret: kind.secret,
});
