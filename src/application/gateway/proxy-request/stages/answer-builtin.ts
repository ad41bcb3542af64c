import type { BuiltinHandler } from '../../../../domain/gateway/configuration/gateway-configuration.js';
import { correlationIdHeader } from '../../../../domain/http/correlation-id.js';
import { builtinAnswer as answer } from '../../report-status/builtin-answer.js';
import type { StatusReports } from '../../report-status/status-reports.js';
import type { StageOf, StageOutcome } from '../exchange.js';
import { sendOwn } from '../send-own.js';

/** Answers with a report of the gateway. */
export const answerBuiltin =
  (handler: BuiltinHandler, reports: StatusReports): StageOf<'request'> =>
  async (exchange): Promise<StageOutcome> => {
    const { method } = exchange.request;
    const { status, headers, body } = await answer(reports, handler, method, exchange.correlationId);
    exchange.outcome.status = status;
    if (exchange.abandoned) return 'ended';
    const all = [...headers, ...exchange.rateLimitFields, correlationIdHeader, exchange.correlationId];
    sendOwn(exchange, status, all, body, exchange.close);
    return 'ended';
  };
