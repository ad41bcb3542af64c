import { outcomeOfFailure, outcomeOfStatus } from '../../../domain/circuit-breaking/failure-classification.js';
import type { BodySizeLimit } from '../../../domain/limits/request-limits.js';
import type { Scheduler } from '../../ports/scheduler.js';
import { type Soon, whenThere } from '../../ports/soon.js';
import type { Tunnel } from '../../ports/tunnel.js';
import type { UpstreamResponse } from '../../ports/upstream-client.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import { UpstreamFailureAnswers } from '../answer-upstream-failure.js';
import type { Exchange } from '../exchange.js';
import { type HeldResponse, holdResponse } from '../hold-response.js';
import type { JudgedResponse, ResponseJudge } from '../judge-response.js';
import { relayResponse } from '../relay-response.js';
import { relayTunnel } from '../relay-tunnel.js';
import type { ResponseFault } from '../response-fault.js';
import { type RouteBreaker, type RoutePass, uncountedPass } from '../route-breaker.js';
import type { Stage, StageOutcome } from '../stage.js';
import { type AttemptEnd, endOfAnswer, endOfFailure, endOfStatus, type UpstreamAttempt } from '../upstream-attempt.js';
import { type Attempted, UpstreamAttempts, type UpstreamAttemptsParts } from '../upstream-attempts.js';

export interface SendDependencies extends UpstreamAttemptsParts {
  readonly scheduler: Scheduler;
  readonly problems: ProblemAnswerer;
  /** What a request body may have. */
  readonly maxBodySize: BodySizeLimit;
  /** Null: requests are sent on however often they fail. */
  readonly routeBreaker: RouteBreaker | null;
  /** Octets of a response that are held before any of it goes on; null: it goes on as it comes. */
  readonly heldResponseOctets: number | null;
  /** Null where no agent of the route wants to see responses. */
  readonly responseJudge: ResponseJudge | null;
}

/** An answer on its way back: `finish` is told when its target has nothing more to do with it. */
interface Delivery {
  readonly exchange: Exchange;
  readonly attempt: UpstreamAttempt;
  readonly finish: (end: AttemptEnd) => void;
}

/** Sends the request to a target of the upstream, to others where it fails and may be sent again, and the answer to the client. */
export const sendToUpstream = (upstream: string, dependencies: SendDependencies): Stage => {
  const { problems, scheduler, routeBreaker, heldResponseOctets, responseJudge } = dependencies;
  const attempts = new UpstreamAttempts(upstream, dependencies);
  const answers = new UpstreamFailureAnswers(upstream, dependencies);

  const switchProtocols = ({ exchange, finish }: Delivery, response: UpstreamResponse, tunnel: Tunnel): void => {
    exchange.waitOver();
    const over = (): void => finish(endOfStatus(response.status));
    relayTunnel(exchange, response, tunnel, scheduler).then(over, over);
  };

  const hold = (exchange: Exchange, response: UpstreamResponse): Soon<HeldResponse> =>
    heldResponseOctets === null
      ? { kind: 'relay', response, isWhole: false }
      : holdResponse(exchange, response, heldResponseOctets);

  const relay = ({ exchange, finish }: Delivery, status: number, held: HeldResponse): Soon<ResponseFault | null> => {
    if (held.kind === 'broken') return held.fault;
    if (held.isWhole) finish(endOfStatus(status));
    return relayResponse(exchange, held.response);
  };

  /** The result is why the client did not get the answer, or not all of it. */
  const passOn = (delivery: Delivery, response: UpstreamResponse): Soon<ResponseFault | null> => {
    const { exchange, attempt } = delivery;
    const judged: Soon<JudgedResponse> =
      responseJudge === null
        ? { kind: 'relay', response }
        : responseJudge.judge(exchange, response, () => attempt.sent.cancel());
    return whenThere(judged, (each) =>
      each.kind === 'ended'
        ? each.fault
        : whenThere(hold(exchange, each.response), (held) => relay(delivery, response.status, held)),
    );
  };

  const passedOn = (
    { exchange, attempt, finish }: Delivery,
    status: number,
    fault: ResponseFault | null,
  ): StageOutcome => {
    const end = endOfAnswer(exchange, status, fault);
    finish(end);
    if (fault === null) {
      exchange.waitOver();
      return 'ended';
    }
    attempt.sent.cancel();
    if (end.outcome === 'failure' && fault.kind === 'upstream') attempts.countBroken();
    return answers.faulty(exchange, fault);
  };

  const deliver = (delivery: Delivery, response: UpstreamResponse): Soon<StageOutcome> => {
    if (response.tunnel !== null) {
      switchProtocols(delivery, response, response.tunnel);
      return 'ended';
    }
    return whenThere(passOn(delivery, response), (fault) => passedOn(delivery, response.status, fault));
  };

  /** A fault of the gateway's own: the target has nothing more to do with it. */
  const giveUp = ({ attempt, finish }: Delivery, error: unknown): never => {
    attempt.sent.cancel();
    finish(endOfFailure('cancelled', 'the gateway failed'));
    throw error;
  };

  const answer = (exchange: Exchange, pass: RoutePass, attempted: Attempted): Soon<StageOutcome> => {
    switch (attempted.kind) {
      case 'untried':
        // Targets that are left alone are known to be; a name without an address is as bad as one that cannot be reached.
        pass.ended(attempted.choice.kind === 'unresolved' ? 'failure' : 'neither');
        return answers.untried(exchange, attempted.choice);
      case 'failed':
        pass.ended(outcomeOfFailure(attempted.failure.code));
        return answers.failed(exchange, attempted.failure);
      case 'answered': {
        const { attempt, response } = attempted;
        attempt.answered(response.status);
        if (outcomeOfStatus(response.status) === 'success') pass.answered();
        const finish = (end: AttemptEnd): void => {
          attempt.end(end);
          pass.ended(end.outcome);
        };
        const delivery = { exchange, attempt, finish };
        try {
          const delivered = deliver(delivery, response);
          return delivered instanceof Promise
            ? delivered.catch((error: unknown) => giveUp(delivery, error))
            : delivered;
        } catch (error) {
          return giveUp(delivery, error);
        }
      }
    }
  };

  return (exchange) => {
    const pass = routeBreaker === null ? uncountedPass : routeBreaker.admit();
    if (pass === null) {
      const seconds = String(routeBreaker?.retryAfterSeconds);
      const detail = 'Requests of the route have failed too often to be sent on at the moment.';
      return problems.answer(exchange, 'circuit_open', detail, { upstream }, ['Retry-After', seconds]);
    }
    const fail = (error: unknown): never => {
      pass.ended('neither');
      throw error;
    };
    try {
      const outcome = whenThere(attempts.make(exchange), (attempted) => answer(exchange, pass, attempted));
      return outcome instanceof Promise ? outcome.catch(fail) : outcome;
    } catch (error) {
      return fail(error);
    }
  };
};
