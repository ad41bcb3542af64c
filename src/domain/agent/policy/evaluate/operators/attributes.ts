import { abbreviateName, quoteName } from '../../abbreviate-text.js';
import type { SourceSpan } from '../../source-lines.js';
import type { Value } from '../../values/value.js';
import type { AuthorizationRequest } from '../authorization-request.js';
import { type Compiled, dependent } from '../compiled.js';
import { type EvaluationError, isError } from '../evaluation-error.js';
import { entityMissing, typeError } from '../evaluation-failures.js';

const expected = 'record or entity';

const attributeMissing = (owner: string, name: string, span: SourceSpan): EvaluationError => ({
  kind: 'error',
  code: 'attribute_missing',
  message: `${owner} has no attribute ${quoteName(name)}`,
  span,
});

/** `.name` and `["name"]` */
export const attribute = (object: Compiled, name: string, span: SourceSpan): Compiled => {
  const missing = attributeMissing('this record', name, span);
  return dependent(span, (request) => {
    const value = object.evaluate(request);
    if (typeof value !== 'object') return typeError(expected, value, object.span);
    switch (value.kind) {
      case 'error':
        return value;
      case 'record':
        return value.attributes.get(name) ?? missing;
      case 'entity': {
        const entity = request.entities.get(value);
        if (entity === undefined) return entityMissing(value.type, object.span);
        return (
          entity.attributes.get(name) ??
          attributeMissing(`this entity of type ${abbreviateName(value.type)}`, name, span)
        );
      }
      default:
        return typeError(expected, value, object.span);
    }
  });
};

/** Undefined if there is no such attribute. An unknown entity has no attributes. */
const attributeOf = (
  value: Value,
  name: string,
  request: AuthorizationRequest,
  span: SourceSpan,
): Value | EvaluationError | undefined => {
  if (typeof value !== 'object') return typeError(expected, value, span);
  if (value.kind === 'record') return value.attributes.get(name);
  if (value.kind === 'entity') return request.entities.get(value)?.attributes.get(name);
  return typeError(expected, value, span);
};

/**
 * `has a` and `has a.b.c`, which checks one level after the other. A value on the path that is neither a record nor an
 * entity is an error.
 */
export const has = (object: Compiled, path: readonly string[], span: SourceSpan): Compiled =>
  dependent(span, (request) => {
    let value = object.evaluate(request);
    for (const name of path) {
      if (isError(value)) return value;
      const next = attributeOf(value, name, request, object.span);
      if (next === undefined) return false;
      value = next;
    }
    return isError(value) ? value : true;
  });
