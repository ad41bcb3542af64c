import type { BuiltinHandler } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { type AdminAnswer, adminProblem } from '../../shared/administration/admin-answer.js';
import type { StatusReports } from './status-reports.js';

/** The methods of every built-in endpoint. */
const allowedMethods = 'GET, HEAD';

/** Answers a request to a built-in endpoint, on a route or on the admin address. */
export const builtinAnswer = async (
  reports: StatusReports,
  handler: BuiltinHandler,
  method: string,
  correlationId: string,
): Promise<AdminAnswer> => {
  if (method !== 'GET' && method !== 'HEAD') {
    return adminProblem('method_not_allowed', `This endpoint accepts only ${allowedMethods}.`, correlationId, [
      'Allow',
      allowedMethods,
    ]);
  }
  return reports.report(handler, correlationId);
};
