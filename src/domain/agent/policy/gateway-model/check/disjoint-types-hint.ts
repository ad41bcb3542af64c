import { quoteName } from '../../abbreviate-text.js';
import { parseIp } from '../../extensions/ip-address.js';
import type { ModelType } from '../model-types.js';
import { pathMistake } from '../possible/possible-path.js';
import { idAttribute, kindName } from '../type-words.js';
import { addressHint, roleHint } from './hints.js';
import { expressionText, type Operand } from './operand.js';
import { rewriteConstant } from './rewrite-constant.js';

const meant = (text: string): string => `did you mean ${text}?`;

const constantText = (type: ModelType): string | null =>
  type.kind === 'plain' && typeof type.constant === 'string' ? type.constant : null;

/** Suggests `contains` for a set that is compared with a possible element. */
const setHint = (set: Operand, other: ModelType): string => {
  const { type } = set;
  const element = type.kind !== 'set' ? null : rewriteConstant(type.element, other);
  return element === null ? roleHint : meant(`${expressionText(set.expression, 'the set')}.contains(${element})`);
};

const addressesHint = (address: Operand, other: ModelType): string => {
  const text = constantText(other);
  const parsed = text === null ? null : parseIp(text);
  if (text === null || parsed === null) return addressHint;
  const written = `ip(${quoteName(text)})`;
  const isRange = parsed.prefixLength < (parsed.version === 4 ? 32 : 128);
  return meant(isRange ? `${expressionText(address.expression, 'the address')}.isInRange(${written})` : written);
};

const entityHint = ({ type }: Operand, other: ModelType): string | null => {
  if (type.kind !== 'entities') return null;
  const text = constantText(other);
  const pattern = text !== null && type.types.includes('Resource') ? (pathMistake(text)?.pattern ?? null) : null;
  if (pattern !== null) return meant(`resource.path like ${pattern}`);
  const attribute = idAttribute(type.types);
  if (text === null && type.uid === null && kindName(other) === 'string' && attribute !== null) return meant(attribute);
  return null;
};

/** A suggestion for a comparison of two values whose types make them always unequal. */
export const disjointTypesHint = (left: Operand, right: Operand): string => {
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const kind = kindName(one.type);
    if (kind === 'set') return setHint(one, other.type);
    if (kind === 'ipaddr') return addressesHint(one, other.type);
    const hint = entityHint(one, other.type);
    if (hint !== null) return hint;
  }
  const constant = rewriteConstant(left.type, right.type) ?? rewriteConstant(right.type, left.type);
  return constant === null ? 'values of different types are never equal: Cedar converts nothing' : meant(constant);
};
