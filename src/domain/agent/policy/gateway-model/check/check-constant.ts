import type { SourceSpan } from '../../source-lines.js';
import type { ModelReport } from '../model-report.js';
import type { ModelType } from '../model-types.js';
import { impossibleValue } from '../possible/impossible-text.js';

/**
 * Where one of two values is a constant, and nothing that comes from where the other does is ever like it: a finding
 * there.
 */
export const checkConstant = (
  subject: ModelType,
  constant: { readonly type: ModelType; readonly span: SourceSpan },
  report: ModelReport,
): void => {
  const { type, span } = constant;
  if (subject.kind !== 'plain' || subject.from === null || type.kind !== 'plain' || type.constant === null) return;
  const impossible = impossibleValue(subject.from, type.constant);
  if (impossible !== null) report.add(span, impossible.message, impossible.suggestion);
};
