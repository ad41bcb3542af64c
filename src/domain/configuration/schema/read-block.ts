import { hasMembers, members, type Setting } from '../setting/setting.js';
import { misplacedKeyHint, otherProxyHint } from './key-hints.js';
import { type Fields, foreignType, type ReadContext, type Shape } from './schema.js';

/** Reads all members of a block, even if some have errors. Unknown keys are errors. */
export const readMembers = <S extends Shape>(
  shape: S,
  settings: readonly Setting[],
  context: ReadContext,
): Fields<S> => {
  const groups = new Map<string, Setting[]>();
  const known = Object.keys(shape).filter((name) => shape[name]?.document.type !== foreignType);
  const secretKeys = Object.entries(shape).flatMap(([name, key]) => (key.secret ? name : []));
  for (const setting of settings) {
    if (!Object.hasOwn(shape, setting.name)) {
      const near = context.report.nearMiss(setting.name, known);
      context.report.add(`unknown key "${setting.name.slice(0, 80)}"${place(context.path)}`, {
        position: setting.position,
        path: context.path,
        suggestion:
          misplacedKeyHint(setting.name, shape) ??
          otherProxyHint(setting.name) ??
          near ??
          `known keys: ${known.join(', ')}`,
        // A name that resembles no key, or a secret key, may introduce a secret.
        secret: secretKeys.length > 0 && (near === null || context.report.nearMiss(setting.name, secretKeys) !== null),
      });
      continue;
    }
    const group = groups.get(setting.name);
    if (group === undefined) groups.set(setting.name, [setting]);
    else group.push(setting);
  }
  const fields = Object.entries(shape).map(([name, key]) => [name, key.read(name, groups.get(name) ?? [], context)]);
  return Object.fromEntries(fields) as Fields<S>;
};

const place = (path: readonly string[]): string => {
  const block = path.at(-1);
  return block === undefined ? '' : ` in ${block}`;
};

/** Reports arguments of a block that takes none. `secret`: the block holds a secret. */
export const refuseArguments = (setting: Setting, context: ReadContext, secret = true): void => {
  if (setting.args.length === 0 && !setting.listed) return;
  context.report.add(`"${setting.name}" takes a block, not a value`, {
    position: setting.position,
    path: [...context.path, setting.name],
    suggestion: `write ${setting.name} { ... }`,
    secret,
  });
};

/** Reports a block or properties on a setting that takes only values. True: there was one. */
export const refuseMembers = (setting: Setting, context: ReadContext, secret: boolean): boolean => {
  if (!hasMembers(setting)) return false;
  const [first] = members(setting);
  context.report.add(`"${setting.name}" takes a value, not a block or properties`, {
    position: first?.position ?? setting.position,
    path: [...context.path, setting.name],
    secret,
  });
  return true;
};

/** Reports repetitions of a key that may occur once. */
export const refuseRepetition = (settings: readonly Setting[], context: ReadContext, secret: boolean): void => {
  const [first, ...others] = settings;
  for (const other of others) {
    const before = first?.position ?? null;
    context.report.add(`"${other.name}" is given twice`, {
      position: other.position,
      path: context.path,
      suggestion: before === null ? null : `the first one is at ${before.file}:${before.line}:${before.column}`,
      secret,
    });
  }
};

/** The context for the members of a setting. */
export const inside = (context: ReadContext, setting: Setting): ReadContext => ({
  report: context.report,
  path: [...context.path, setting.name],
  position: setting.position,
});
