import { likeMatcher } from '../../like/like-matcher.js';
import type { SourceSpan } from '../../source-lines.js';
import type { LikePattern } from '../../syntax-tree.js';
import { type Compiled, derived } from '../compiled.js';
import { isError } from '../evaluation-error.js';
import { typeError } from '../evaluation-failures.js';

/** `like` */
export const like = (object: Compiled, pattern: LikePattern, span: SourceSpan): Compiled => {
  const matches = likeMatcher(pattern);
  return derived(span, [object], (request) => {
    const text = object.evaluate(request);
    if (typeof text === 'string') return matches(text);
    return isError(text) ? text : typeError('string', text, object.span);
  });
};

const ofTwo = (
  object: Compiled,
  part: Compiled,
  span: SourceSpan,
  holds: (text: string, part: string) => boolean,
): Compiled =>
  derived(span, [object, part], (request) => {
    const text = object.evaluate(request);
    if (isError(text)) return text;
    const sought = part.evaluate(request);
    if (isError(sought)) return sought;
    if (typeof text !== 'string') return typeError('string', text, object.span);
    return typeof sought === 'string' ? holds(text, sought) : typeError('string', sought, part.span);
  });

/** `startsWith` of the extended dialect. */
export const startsWith = (object: Compiled, part: Compiled, span: SourceSpan): Compiled =>
  ofTwo(object, part, span, (text, sought) => text.startsWith(sought));

/** `endsWith` of the extended dialect. */
export const endsWith = (object: Compiled, part: Compiled, span: SourceSpan): Compiled =>
  ofTwo(object, part, span, (text, sought) => text.endsWith(sought));
