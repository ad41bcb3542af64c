import { didYouMean } from '../../../configuration/schema/did-you-mean.js';
import { extensionSignatures, partialEvaluationFunction } from '../extensions/extension-signatures.js';
import { shortenedText } from '../shortened-text.js';
import type { SourceSpan } from '../source-span.js';
import type { PolicyDialect } from '../syntax-tree.js';
import type { TokenCursor } from './token-cursor.js';

/** Arguments of the methods that are part of the language itself. */
const methods: ReadonlyMap<string, number> = new Map([
  ['contains', 1],
  ['containsAll', 1],
  ['containsAny', 1],
  ['isEmpty', 0],
  ['getTag', 1],
  ['hasTag', 1],
]);

const extendedMethods: ReadonlyMap<string, number> = new Map([...methods, ['startsWith', 1], ['endsWith', 1]]);

const methodsOf = (dialect: PolicyDialect): ReadonlyMap<string, number> =>
  dialect === 'extended' ? extendedMethods : methods;

const extensionNames = (style: 'function' | 'method'): readonly string[] =>
  [...extensionSignatures].filter(([, signature]) => signature.style === style).map(([name]) => name);

const functionNames = extensionNames('function');
const extensionMethodNames = extensionNames('method');

/**
 * A method has to be known, and a method of the language has to have its number of arguments. As in Cedar, those of an
 * extension may have any number here: a wrong one is an error of the evaluation.
 */
export const checkMethodArity = (cursor: TokenCursor, name: string, given: number, span: SourceSpan): void => {
  const known = methodsOf(cursor.dialect);
  const wanted = known.get(name);
  if (wanted === given) return;
  if (wanted !== undefined) {
    const count = wanted === 1 ? 'one argument' : 'no argument';
    cursor.report(`\`${name}\` takes ${count}, found ${given}`, span);
    return;
  }
  const signature = extensionSignatures.get(name);
  if (signature?.style === 'method') return;
  if (signature !== undefined) {
    cursor.report(`\`${name}\` is a function, not a method`, span, `write \`${name}(..)\``);
  } else if (extendedMethods.has(name)) {
    cursor.report(`\`${name}\` is not a method of Cedar`, span, 'use `like` with a star');
  } else {
    const near = didYouMean(name, [...known.keys(), ...extensionMethodNames]);
    cursor.report(`there is no method \`${shortenedText(name)}\``, span, near);
  }
};

/**
 * A function has to be known; as in Cedar the number of its arguments is not looked at here, and `unknown` is read where the
 * language is that of Cedar and no more, to be an error of the evaluation.
 */
export const checkFunction = (cursor: TokenCursor, name: string, span: SourceSpan): void => {
  const signature = extensionSignatures.get(name);
  if (signature?.style === 'function') return;
  if (signature !== undefined || methodsOf(cursor.dialect).has(name)) {
    cursor.report(`\`${name}\` is a method, not a function`, span, `write \`value.${name}(..)\``);
    return;
  }
  if (name === partialEvaluationFunction) {
    if (cursor.dialect === 'cedar') return;
    cursor.report(`\`${name}\` is a function of partial evaluation, which is not part of this language`, span);
    return;
  }
  cursor.report(`there is no function \`${shortenedText(name)}\``, span, didYouMean(name, functionNames));
};
