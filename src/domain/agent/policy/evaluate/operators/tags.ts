import { abbreviateName } from '../../abbreviate-text.js';
import type { SourceSpan } from '../../source-lines.js';
import type { EntityUid } from '../../values/value.js';
import type { AuthorizationRequest, Entity } from '../authorization-request.js';
import { type Compiled, dependent } from '../compiled.js';
import { isEntity } from '../entity-targets.js';
import { type EvaluationError, isError, type Outcome } from '../evaluation-error.js';
import { entityMissing, typeError } from '../evaluation-failures.js';

const tagMissing = (type: string, span: SourceSpan): EvaluationError => ({
  kind: 'error',
  code: 'tag_missing',
  message: `this entity of type ${abbreviateName(type)} has no such tag`,
  span,
});

type Answer = (entity: Entity | undefined, uid: EntityUid, tag: string) => Outcome;

/** Evaluates both operands before it checks their types. */
const ofTag =
  (object: Compiled, name: Compiled, answer: Answer) =>
  (request: AuthorizationRequest): Outcome => {
    const uid = object.evaluate(request);
    if (isError(uid)) return uid;
    const tag = name.evaluate(request);
    if (isError(tag)) return tag;
    if (!isEntity(uid)) return typeError('entity', uid, object.span);
    if (typeof tag !== 'string') return typeError('string', tag, name.span);
    return answer(request.entities.get(uid), uid, tag);
  };

/** `hasTag`. An unknown entity has no tags. */
export const hasTag = (object: Compiled, name: Compiled, span: SourceSpan): Compiled =>
  dependent(
    span,
    ofTag(object, name, (entity, _uid, tag) => entity?.tags.has(tag) ?? false),
  );

/** `getTag` */
export const getTag = (object: Compiled, name: Compiled, span: SourceSpan): Compiled =>
  dependent(
    span,
    ofTag(object, name, (entity, { type }, tag) => {
      if (entity === undefined) return entityMissing(type, object.span);
      return entity.tags.get(tag) ?? tagMissing(type, span);
    }),
  );
