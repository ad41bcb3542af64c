import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import type { ReadGateway } from './read-gateway.js';
import { isWritten } from './tls-rules.js';

/** What the block `audit` has to be, besides each of its keys being what it has to be. */
export const checkAudit = ({ audit: { value } }: ReadGateway, report: ProblemReport): void => {
  if (value === null || !isWritten(value.output) || !isWritten(value.file)) return;
  report.add('"output" and "file" contradict each other: the audit log goes to one of them', {
    position: value.output.position,
    path: ['audit'],
    suggestion: 'leave out one of them',
  });
};
