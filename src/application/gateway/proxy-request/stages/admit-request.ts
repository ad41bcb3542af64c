import { addressGroup } from '../../../../domain/http/ip-address.js';
import type { GatewayMetrics } from '../../../ports/gateway/gateway-metrics.js';
import type { Clock } from '../../../ports/shared/clock.js';
import type { RequestAdmissions, SettledAdmission } from '../../admit/request-admissions.js';
import type { RequestSlot, RouteSlots } from '../../admit/request-slots.js';
import { answerViolation, type ProblemAnswerer } from '../answer-problem.js';
import type { StageExchange, StageOf, StageOutcome } from '../exchange.js';

export interface AdmissionOptions {
  readonly admissions: RequestAdmissions;
  /** The slots of the route. */
  readonly slots: RouteSlots;
  /** How long a request may queue; milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly problems: ProblemAnswerer;
  readonly metrics: GatewayMetrics;
}

type AdmittedExchange = StageExchange<'waitFor' | 'waitOver', 'admission' | 'queuedMs'>;

/**
 * The client whose requests are counted; null: none. Clients that connect directly are limited by their connections,
 * and a proxy that names no client acts for all of its clients.
 */
const countedClient = ({ client: { peerTrusted, source, address } }: AdmittedExchange): string | null =>
  peerTrusted && source !== 'connection' ? addressGroup(address) : null;

/** Takes a concurrency slot, queues for one, or refuses the request. */
export const admitRequest = (options: AdmissionOptions): StageOf<'waitFor' | 'waitOver', 'admission' | 'queuedMs'> => {
  const { admissions, slots } = options;
  return (exchange) => {
    // An exchange that is abandoned already would never release the slot.
    if (exchange.abandoned) return 'ended';
    const admission = admissions.admit(slots, countedClient(exchange));
    if (admission.kind === 'asked') return whenSettled(exchange, admission.settled, options);
    return applyAdmission(exchange, admission, options);
  };
};

/** Waits for the supervisor's decision. It comes soon, so the body need not be read meanwhile. */
const whenSettled = async (
  exchange: AdmittedExchange,
  settled: Promise<SettledAdmission>,
  options: AdmissionOptions,
): Promise<StageOutcome> => {
  const admission = await settled;
  if (!exchange.abandoned) return applyAdmission(exchange, admission, options);
  if (admission.kind === 'slot') admission.release();
  else if (admission.kind === 'full') admission.slot.giveUp();
  return 'ended';
};

const applyAdmission = (
  exchange: AdmittedExchange,
  admission: SettledAdmission,
  options: AdmissionOptions,
): StageOutcome | Promise<StageOutcome> => {
  switch (admission.kind) {
    case 'slot':
      exchange.admission = admission;
      return 'continue';
    case 'refused':
      return answerViolation(exchange, admission.violation, options.problems, options.metrics);
    case 'full':
      return waitForTurn(exchange, admission.slot, options);
  }
};

const waitForTurn = (
  exchange: AdmittedExchange,
  slot: RequestSlot,
  { admissions, timeoutMs, clock, problems, metrics }: AdmissionOptions,
): Promise<StageOutcome> =>
  new Promise((resolve) => {
    const sinceMs = clock.monotonicMs();
    const { body } = exchange.request;
    // Only reading notices a client that disconnects before the end of its body.
    body?.lookAhead(true);
    const leave = admissions.wait(slot, exchange.client.address, timeoutMs, (violation) => {
      exchange.waitOver();
      body?.lookAhead(false);
      if (violation === null) {
        exchange.admission = slot;
        exchange.queuedMs = clock.monotonicMs() - sinceMs;
        resolve('continue');
      } else resolve(answerViolation(exchange, violation, problems, metrics));
    });
    if (leave === null) return;
    exchange.waitFor(() => {
      leave();
      resolve('ended');
    });
  });
