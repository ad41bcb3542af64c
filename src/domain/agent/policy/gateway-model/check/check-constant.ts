import type { SourceSpan } from '../../source-lines.js';
import type { ModelReport } from '../model-report.js';
import type { ModelType } from '../model-types.js';
import { impossibleValue } from '../possible/impossible-text.js';

/** Adds a finding if one of two compared values is a constant that the other value's source never produces. */
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
