import type { UpstreamConfiguration } from '../../../domain/configuration/gateway-configuration.js';
import type { GatewayProblemCode } from '../../../domain/http/gateway-problem.js';
import { chooseTarget, noTargetYet } from '../../../domain/load-balancing/choose-target.js';
import type { GatewayMetrics } from '../../ports/gateway-metrics.js';
import type { Scheduler } from '../../ports/scheduler.js';
import type { UpstreamClient, UpstreamFailure } from '../../ports/upstream-client.js';
import { answerBodyFailure } from '../answer-body-failure.js';
import type { ProblemAnswerer } from '../answer-problem.js';
import type { Exchange } from '../exchange.js';
import type { JudgedResponse, ResponseJudge } from '../judge-response.js';
import { relayResponse } from '../relay-response.js';
import { relayTunnel } from '../relay-tunnel.js';
import type { ResponseFault } from '../response-fault.js';
import type { Stage, StageOutcome } from '../stage.js';
import type { TargetLedger } from '../target-ledger.js';

export interface ForwardDependencies {
  readonly client: UpstreamClient;
  /** One for each target of the upstream. */
  readonly ledgers: readonly TargetLedger[];
  readonly scheduler: Scheduler;
  readonly problems: ProblemAnswerer;
  readonly metrics: GatewayMetrics;
  readonly maxBodyOctets: number;
  readonly timeoutMs: number;
  /** Null where no agent of the route wants to see responses. */
  readonly responseJudge: ResponseJudge | null;
}

const problemOf: Record<
  Exclude<UpstreamFailure['code'], 'request_body' | 'refused_request' | 'cancelled'>,
  [GatewayProblemCode, string]
> = {
  unreachable: ['upstream_unreachable', 'No connection to the upstream could be had, or it broke.'],
  invalid_response: ['upstream_invalid_response', 'What the upstream sent is no valid HTTP response.'],
  timed_out: ['upstream_timeout', 'The upstream did not answer in time.'],
  overloaded: ['upstream_overloaded', 'Every connection to the upstream is busy.'],
};

/** Sends the request to the target whose turn it is, and its answer to the client. */
export const forwardToUpstream = (upstream: UpstreamConfiguration, dependencies: ForwardDependencies): Stage => {
  const { client, ledgers, problems, metrics, responseJudge } = dependencies;
  const addresses = upstream.targets.map(({ address }) => `${address.host}:${address.port}`);
  const counters = metrics.upstream(upstream.name);
  let previous = noTargetYet;

  const fail = (exchange: Exchange, target: number, failure: UpstreamFailure): StageOutcome => {
    if (failure.code === 'cancelled' || exchange.abandoned) return 'ended';
    if (failure.code === 'request_body' || exchange.body?.failure) {
      return answerBodyFailure(exchange, dependencies.maxBodyOctets, problems, metrics);
    }
    if (failure.code === 'refused_request') {
      return problems.answer(exchange, 'internal_error', 'The request cannot be forwarded as it is.', {
        upstream: upstream.name,
        cause: failure.detail,
      });
    }
    counters.failed();
    (ledgers[target] as TargetLedger).failedRequests += 1;
    const [code, detail] = problemOf[failure.code];
    return problems.answer(exchange, code, detail, {
      upstream: upstream.name,
      target: exchange.target,
      cause: failure.detail,
    });
  };

  const failResponse = (exchange: Exchange, target: number, fault: ResponseFault): StageOutcome => {
    if (fault.kind === 'upstream') return fail(exchange, target, fault.failure);
    const whose = { upstream: upstream.name, target: exchange.target };
    if (fault.kind === 'uninspectable') {
      const detail = 'The agents of the route cannot inspect the response as it is.';
      return problems.answer(exchange, 'response_not_inspectable', detail, { ...whose, cause: fault.detail });
    }
    const { name, limit, actual } = fault.violation;
    metrics.limitExceeded('body_size');
    return problems.answer(exchange, 'response_too_large', `${name} is ${limit}.`, {
      ...whose,
      limit,
      limit_name: name,
      actual,
    });
  };

  return async (exchange) => {
    previous = chooseTarget(previous, addresses.length);
    const target = previous;
    exchange.target = addresses[target] ?? null;
    counters.attempted();
    exchange.upstreamAttempts += 1;
    (ledgers[target] as TargetLedger).totalRequests += 1;
    const sent = client.send(target, {
      method: exchange.request.method,
      target: exchange.query === null ? exchange.path : `${exchange.path}?${exchange.query}`,
      headers: exchange.headers,
      body: exchange.forwardedBody,
      upgradeToWebSocket: exchange.request.wantsWebSocket,
      timeoutMs: dependencies.timeoutMs,
    });
    exchange.waitFor(() => sent.cancel());
    const outcome = await sent.response;
    if (!outcome.ok) {
      exchange.waitOver();
      return fail(exchange, target, outcome.error);
    }
    const { value: response } = outcome;
    if (response.tunnel) {
      exchange.waitOver();
      relayTunnel(exchange, response, response.tunnel, dependencies.scheduler);
      return 'ended';
    }
    const judged: JudgedResponse =
      responseJudge === null
        ? { kind: 'relay', response }
        : await responseJudge.judge(exchange, response, () => sent.cancel());
    const fault = judged.kind === 'relay' ? await relayResponse(exchange, judged.response) : judged.fault;
    if (fault !== null) {
      sent.cancel();
      return failResponse(exchange, target, fault);
    }
    exchange.waitOver();
    return 'ended';
  };
};
