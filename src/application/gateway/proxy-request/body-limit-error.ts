import type { LimitViolation } from '../../../domain/gateway/limits/limit-violation.js';
import { BodyReadError } from '../../ports/gateway/body-source.js';

/** A body is over a limit of what agents are shown. */
export class BodyLimitError extends BodyReadError {
  readonly violation: LimitViolation;

  constructor(violation: LimitViolation) {
    super('aborted', `${violation.name} is ${violation.limit}`);
    this.name = 'BodyLimitError';
    this.violation = violation;
  }
}
