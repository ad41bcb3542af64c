import { hasMembers, members, type Setting } from '../setting/setting.js';
import { inside, readMembers, refuseArguments, refuseRepetition } from './read-block.js';
import {
  type Field,
  type Fields,
  foreignType,
  type Key,
  type Located,
  type ReadContext,
  replacedType,
  type Shape,
  secretKeyNames,
} from './schema.js';

/** Reads one block from several settings of the same name; their keys count together. */
const readTogether = <S extends Shape>(shape: S, settings: readonly Setting[], context: ReadContext): Fields<S> => {
  const [first] = settings;
  for (const setting of settings) refuseArguments(setting, context, secretKeyNames(shape).length > 0);
  return readMembers(shape, settings.flatMap(members), first === undefined ? context : inside(context, first));
};

const blockField = <Value>(settings: readonly Setting[], value: Value): Field<Value> => ({
  value,
  given: settings.length > 0,
  sound: true,
  position: settings[0]?.position ?? null,
});

/** A block that may occur once. If it is absent, its keys have their defaults, so none may be required. */
export const block = <S extends Shape>(shape: S, meaning: string): Key<Fields<S>> => ({
  read: (_name, settings, context) => {
    refuseRepetition(settings, context, false);
    return blockField(settings, readTogether(shape, settings.slice(0, 1), context));
  },
  document: { type: 'block', default: 'see its keys', meaning },
  shape,
  secret: false,
});

/** A block that may be absent. */
export const optionalBlock = <S extends Shape>(shape: S, meaning: string): Key<Fields<S> | null> => ({
  read: (_name, settings, context) => {
    refuseRepetition(settings, context, false);
    return blockField(settings, settings.length === 0 ? null : readTogether(shape, settings.slice(0, 1), context));
  },
  document: { type: 'block', default: 'none', meaning },
  shape,
  secret: false,
});

/** A repeatable block that only groups others, so that each included file may have one. */
export const group = <S extends Shape>(shape: S, meaning: string): Key<Fields<S>> => ({
  read: (_name, settings, context) => blockField(settings, readTogether(shape, settings, context)),
  document: { type: 'block, may be repeated', default: 'none', meaning },
  shape,
  secret: false,
});

/** A block with a name, as in `route "api" { ... }`. */
export interface NamedBlock<S extends Shape> {
  readonly name: Located<string>;
  readonly fields: Fields<S>;
  readonly setting: Setting;
}

/** Names appear in logs, labels and admin responses: no white space, no control characters, no quotes. */
const nameForm = /^[A-Za-z0-9_][A-Za-z0-9_.:/@-]{0,127}$/;

const readName = (setting: Setting, context: ReadContext): Located<string> => {
  const [first, second] = setting.args;
  const refuse = (message: string, suggestion: string | null = null): Located<string> => {
    context.report.add(message, {
      position: (second ?? first)?.position ?? setting.position,
      path: context.path,
      suggestion,
    });
    return { value: '', position: setting.position };
  };
  if (first === undefined) return refuse(`"${setting.name}" needs a name`, `write ${setting.name} "name" { ... }`);
  if (second !== undefined) return refuse(`"${setting.name}" takes one name`);
  if (first.hidden) return refuse(`write the name of "${setting.name}" as plain text: it appears in logs`);
  if (typeof first.value !== 'string' || !nameForm.test(first.value)) {
    return refuse(`the name of "${setting.name}" must contain only letters, digits and . _ : / @ -, at most 128`);
  }
  return { value: first.value, position: first.position };
};

/** Any number of named blocks; names must be unique. */
export const namedBlocks = <S extends Shape>(shape: S, meaning: string): Key<readonly NamedBlock<S>[]> => ({
  read: (kind, settings, context) => {
    const seen = new Map<string, Located<string>>();
    const blocks = settings.map((setting): NamedBlock<S> => {
      const name = readName(setting, context);
      const before = seen.get(name.value);
      if (before !== undefined && name.value !== '') {
        context.report.add(`${kind} "${name.value}" is defined twice`, {
          position: name.position,
          path: context.path,
          suggestion:
            before.position === null
              ? null
              : `the first one is at ${before.position.file}:${before.position.line}:${before.position.column}`,
        });
      }
      seen.set(name.value, before ?? name);
      if (!hasMembers(setting)) {
        context.report.add(`${kind} "${name.value}" has no block`, { position: setting.position, path: context.path });
      }
      const where: ReadContext = {
        report: context.report,
        path: [...context.path, name.value === '' ? kind : `${kind} "${name.value}"`],
        position: setting.position,
      };
      return { name, fields: readMembers(shape, members(setting), where), setting };
    });
    return blockField(settings, blocks);
  },
  document: { type: 'named block, may be repeated', default: 'none', meaning },
  shape,
  secret: false,
});

/** A key with a reader of its own. */
export const custom = <Value>(
  type: string,
  standard: string,
  meaning: string,
  read: Key<Value>['read'],
  shape: Shape | null = null,
): Key<Value> => ({ read, document: { type, default: standard, meaning }, shape, secret: false });

const refusal = (message: (name: string) => string, suggestion: string | null) =>
  ((name, settings, context) => {
    for (const setting of settings) {
      context.report.add(message(name), { position: setting.position, path: context.path, suggestion });
    }
    return blockField(settings, null);
  }) satisfies Key<null>['read'];

/** A key of another gateway: neither the reference nor a list of known keys shows it. */
export const isForeignKey = ({ document }: Key<unknown>): boolean => document.type === foreignType;

/** A key of another gateway. The error says what to use instead, or why there is no equivalent. */
export const foreign = (why: string, suggestion: string): Key<null> => ({
  read: refusal((name) => `"${name}" is not valid here: ${why}`, suggestion),
  document: { type: foreignType, default: 'none', meaning: why },
  shape: null,
  secret: false,
});

/** A key of earlier versions. The error names the current form. */
export const replaced = (by: string, suggestion: string): Key<null> => ({
  read: refusal((name) => `"${name}" is no longer a key: ${by}`, suggestion),
  document: { type: replacedType, default: 'none', meaning: `${by.slice(0, 1).toUpperCase()}${by.slice(1)}.` },
  shape: null,
  secret: false,
});
