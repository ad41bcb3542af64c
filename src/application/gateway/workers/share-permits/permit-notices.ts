import type { PermitReports, PermitWords } from '../../../../domain/gateway/limits/permit-words.js';
import { notice } from '../../../shared/worker-channel/topic.js';

/** A worker tells the supervisor. */
export const permitReports = notice<PermitReports>('permit-reports');

/** The supervisor tells a worker. */
export const permitWords = notice<PermitWords>('permit-words');
