import type { SourceSpan } from '../../source-lines.js';
import type { PolicyDialect } from '../../syntax-tree.js';
import type { Compiled } from '../compiled.js';
import { extensionCall } from './extension-call.js';
import { contains, containsAll, containsAny, containsOrHasText, isEmpty } from './sets.js';
import { getTag, hasTag } from './tags.js';
import { endsWith, startsWith } from './texts.js';

type BinaryMethod = (object: Compiled, argument: Compiled, span: SourceSpan) => Compiled;

const ofCedar: ReadonlyMap<string, BinaryMethod> = new Map([
  ['contains', contains],
  ['containsAll', containsAll],
  ['containsAny', containsAny],
  ['hasTag', hasTag],
  ['getTag', getTag],
]);

const methods: Readonly<Record<PolicyDialect, ReadonlyMap<string, BinaryMethod>>> = {
  cedar: ofCedar,
  extended: new Map([...ofCedar, ['contains', containsOrHasText], ['startsWith', startsWith], ['endsWith', endsWith]]),
};

/** `object.name(args)`: a built-in method, otherwise an extension method. */
export const methodOperator = (
  object: Compiled,
  name: string,
  args: readonly Compiled[],
  span: SourceSpan,
  dialect: PolicyDialect,
): Compiled => {
  const [argument] = args;
  if (name === 'isEmpty' && argument === undefined) return isEmpty(object, span);
  const binary = methods[dialect].get(name);
  return binary !== undefined && argument !== undefined && args.length === 1
    ? binary(object, argument, span)
    : extensionCall(name, [object, ...args], span);
};
