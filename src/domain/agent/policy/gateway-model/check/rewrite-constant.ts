import { quoteName } from '../../abbreviate-text.js';
import { isError } from '../../evaluate/evaluation-error.js';
import { extensionFunction } from '../../extensions/extension-functions.js';
import { formatEntityUid } from '../../values/entity-uid.js';
import { longFromDecimalText } from '../../values/long.js';
import type { EntityType, ModelType, PlainTypeName } from '../model-types.js';
import { nearestMethod } from '../possible/possible-name.js';
import { nearestPath } from '../possible/possible-path.js';

const functionOf: Readonly<Partial<Record<PlainTypeName, string>>> = {
  decimal: 'decimal',
  ipaddr: 'ip',
  datetime: 'datetime',
  duration: 'duration',
};

const asEntity = ({ types: [type] }: EntityType, text: string): string | null => {
  if (type === 'Action') return nearestMethod(text) === null ? null : `Action::"${nearestMethod(text)}"`;
  if (type === 'Resource') {
    const path = nearestPath(text);
    return path === null ? null : formatEntityUid({ kind: 'entity', type, id: path });
  }
  return type === undefined ? null : formatEntityUid({ kind: 'entity', type, id: text });
};

const asPlain = (name: PlainTypeName, text: string): string | null => {
  if (name === 'string') return quoteName(text);
  if (name === 'bool') return text === 'true' || text === 'false' ? text : null;
  if (name === 'long') return longFromDecimalText(text) === null ? null : text;
  const call = functionOf[name];
  const made = call === undefined ? undefined : extensionFunction(call)?.([text]);
  return made === undefined || isError(made) ? null : `${call}(${quoteName(text)})`;
};

/** The text of a constant; null if it is not a constant. */
const textOf = (given: ModelType): string | null => {
  if (given.kind === 'entities') return given.uid?.id ?? null;
  if (given.kind !== 'plain' || given.constant === null || typeof given.constant === 'object') return null;
  return String(given.constant);
};

/** Rewrites a constant as the wanted type; null if that is not possible. */
export const rewriteConstant = (wanted: ModelType, given: ModelType): string | null => {
  const text = textOf(given);
  if (text === null) return null;
  if (wanted.kind === 'entities') return given.kind === 'entities' ? null : asEntity(wanted, text);
  if (wanted.kind === 'plain') return asPlain(wanted.name, text);
  if (wanted.kind !== 'set') return null;
  return `[${given.kind === 'entities' || (given.kind === 'plain' && given.name === 'string') ? quoteName(text) : text}]`;
};
