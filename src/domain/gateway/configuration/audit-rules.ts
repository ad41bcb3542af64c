import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { isWritten } from '../../configuration/schema/schema.js';
import type { ReadGateway } from './read-gateway.js';

/** Checks the keys of `audit` against each other. */
export const checkAudit = ({ audit: { value } }: ReadGateway, report: ProblemReport): void => {
  if (value === null || !isWritten(value.output) || !isWritten(value.file)) return;
  report.add('"output" and "file" exclude each other: the audit log has one destination', {
    position: value.output.position,
    path: ['audit'],
    suggestion: 'delete one of them',
  });
};
