import type { SourceSpan } from '../../source-lines.js';
import type { LikePattern } from '../../syntax-tree.js';
import type { ModelReport } from '../model-report.js';
import { type ModelType, plain, setOfType, unknownType } from '../model-types.js';
import { impossiblePattern } from '../possible/impossible-text.js';
import { describeType, kindName } from '../type-words.js';
import { checkElement, checkElements } from './check-elements.js';
import { acceptsKind } from './check-operands.js';
import { addressHint } from './hints.js';
import { type MethodSignature, methodSignatures } from './method-signatures.js';
import type { Operand } from './operand.js';
import { rewriteConstant } from './rewrite-constant.js';

const star = { kind: 'any-text' } as const;

/** The `like` pattern equivalent to a string method. */
const patternOf = (name: string, text: string): LikePattern => {
  const pattern: LikePattern = [...(name === 'startsWith' ? [] : [star]), text, ...(name === 'endsWith' ? [] : [star])];
  return text === '' ? [star] : pattern;
};

const checkPart = (name: string, { type }: Operand, part: Operand, report: ModelReport): void => {
  if (type.kind !== 'plain' || type.from === null || part.type.kind !== 'plain') return;
  if (typeof part.type.constant !== 'string') return;
  const impossible = impossiblePattern(type.from, patternOf(name, part.type.constant));
  if (impossible !== null) report.add(part.expression.span, impossible.message, impossible.suggestion);
};

const wantedKind = (takesNow: MethodSignature['takes'][number], object: ModelType): string | null => {
  if (takesNow !== 'element') return takesNow;
  return kindName(object) === 'string' ? 'string' : null;
};

const wantedType = (kind: string): ModelType => {
  if (kind === 'set') return setOfType(unknownType);
  const known = (['string', 'decimal', 'ipaddr', 'datetime', 'duration'] as const).find((name) => name === kind);
  return known === undefined ? unknownType : plain(known);
};

/** Whether the argument can have the wanted type; adds a finding if not. */
const fits = (name: string, wanted: string | null, argument: Operand, report: ModelReport): boolean => {
  const kind = kindName(argument.type);
  if (wanted === null || kind === null || kind === wanted) return true;
  const message = `"${name}" takes an argument of type ${wanted}, not a value of type ${describeType(argument.type)}`;
  const constant = rewriteConstant(wantedType(wanted), argument.type);
  const otherwise = wanted === 'ipaddr' ? addressHint : `write a value of type ${wanted}`;
  report.fails(argument.expression.span, message, constant === null ? otherwise : `did you mean ${constant}?`);
  return false;
};

const countWords = (count: number): string => (count === 1 ? 'one argument' : 'no argument');

/** Checks the receiver and the arguments of a method call. Returns the result type. */
export const checkMethodCall = (
  name: string,
  object: Operand,
  operands: readonly Operand[],
  span: SourceSpan,
  report: ModelReport,
): ModelType => {
  const signature = methodSignatures.get(name);
  if (signature === undefined) return unknownType;
  if (name === 'getTag' || name === 'hasTag') {
    report.add(span, 'entities have no tags', 'the claims of a token are in principal.claims');
    return signature.gives;
  }
  if (!acceptsKind(name, signature.of, object, span, report)) return unknownType;
  const [wanted] = signature.takes;
  const [argument] = operands;
  if (operands.length !== signature.takes.length) {
    report.fails(
      span,
      `"${name}" takes ${countWords(signature.takes.length)}, not ${operands.length}`,
      `write it as ${name}(${signature.takes.length === 1 ? '..' : ''})`,
    );
  } else if (wanted !== undefined && argument !== undefined) {
    if (!fits(name, wantedKind(wanted, object.type), argument, report)) return signature.gives;
    if (wanted === 'element') checkElement(object, argument, report);
    if (wanted === 'set') checkElements(name, object, argument, report);
    checkPart(name, object, argument, report);
  }
  return signature.gives;
};
