import { entities, type ModelType, plain, setOfType, unknownType } from './model-types.js';
import { kindName } from './type-words.js';

/** The union of two types, widened to `unknownType` where necessary. */
export const unionType = (left: ModelType, right: ModelType): ModelType => {
  if (left.kind === 'entities' && right.kind === 'entities') {
    return entities([...new Set([...left.types, ...right.types])]);
  }
  if (left.kind === 'set' && right.kind === 'set') return setOfType(unionType(left.element, right.element));
  if (left.kind === 'record' && right.kind === 'record') return { kind: 'record', name: 'it', attributes: null };
  if (left.kind !== 'plain' || right.kind !== 'plain' || left.name !== right.name) return unknownType;
  return plain(left.name, { from: left.from === right.from ? left.from : null });
};

/** Whether no value has both types. Does not compare entity types, nor element types: any set may be empty. */
export const areDisjoint = (left: ModelType, right: ModelType): boolean => {
  const [first, second] = [kindName(left), kindName(right)];
  return first !== null && second !== null && first !== second;
};
