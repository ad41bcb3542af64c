import { err, ok, type Result } from '../../../shared/result.js';
import type { EntityUid } from '../values/value.js';
import { parseExpressionText } from './parse-expression-text.js';

/** Reads `Type::"id"`, as policies write it. The error says what was expected. */
export const parseEntityUid = (text: string): Result<EntityUid, string> => {
  const parsed = parseExpressionText(text, 'cedar');
  if (!parsed.ok) {
    const [problem] = parsed.error;
    const hint = problem?.suggestion;
    return err(`${problem?.message ?? 'not an entity'}${hint === null || hint === undefined ? '' : `; ${hint}`}`);
  }
  if (parsed.value.kind === 'entity') return ok(parsed.value.uid);
  return err('expected an entity, as in `User::"alice"`');
};
