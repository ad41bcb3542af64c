import type { PermitMessageBatch, PermitReports } from '../../../../domain/gateway/limits/permit-messages.js';
import { notice } from '../../../shared/worker-channel/worker-call.js';

/** From a worker to the supervisor. */
export const permitReports = notice<PermitReports>('permit-reports');

/** From the supervisor to a worker. */
export const permitMessages = notice<PermitMessageBatch>('permit-words');
