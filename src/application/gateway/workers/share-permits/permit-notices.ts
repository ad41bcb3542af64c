import type { PermitReports, PermitWords } from '../../../../domain/gateway/limits/permit-messages.js';
import { notice } from '../../../shared/worker-channel/worker-call.js';

/** A worker tells the supervisor. */
export const permitReports = notice<PermitReports>('permit-reports');

/** The supervisor tells a worker. */
export const permitWords = notice<PermitWords>('permit-words');
