import { UpstreamCounters } from '../../../src/adapters/outbound/prometheus-metrics/upstream-counters.js';
import type {
  BalancingRequest,
  ChosenTarget,
  TargetChoice,
} from '../../../src/application/gateway/choose-upstream/chosen-target.js';
import type { CurrentTlsContext } from '../../../src/application/gateway/choose-upstream/endpoint-set.js';
import type { LedgerRules, TargetLedger } from '../../../src/application/gateway/choose-upstream/target-ledger.js';
import { TargetLedgers } from '../../../src/application/gateway/choose-upstream/target-ledgers.js';
import { UpstreamTargets } from '../../../src/application/gateway/choose-upstream/upstream-targets.js';
import type { HealthProber } from '../../../src/application/ports/gateway/health-prober.js';
import type { Random } from '../../../src/application/ports/shared/random.js';
import { streamAddressText } from '../../../src/domain/configuration/schema/grpc-address.js';
import type { UpstreamConfiguration } from '../../../src/domain/gateway/configuration/gateway-configuration.js';
import { ok, type Result } from '../../../src/domain/shared/result.js';
import { ManualClock } from '../shared/manual-clock.js';
import { ManualScheduler } from '../shared/manual-scheduler.js';
import { RecordingLogger } from '../shared/recording-logger.js';
import { FakeHostResolver } from './fake-host-resolver.js';
import { FakeTargetClients } from './fake-target-clients.js';
import { plainUpstream } from './plain-configurations.js';

export const anybody: BalancingRequest = { clientIp: '192.0.2.1', headers: [], isSecure: false, tried: [] };

/** An upstream with these targets, each `host:port` or `host:port weight`. */
export const upstreamOf = (targets: readonly string[], more: Partial<UpstreamConfiguration> = {}) => ({
  ...plainUpstream('api', 1),
  targets: targets.map((text) => {
    const [address = '', weight = '1'] = text.split(' ');
    const colon = address.lastIndexOf(':');
    return {
      address: { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) },
      weight: Number(weight),
    };
  }),
  ...more,
});

/** Of a target that is neither checked nor left alone. */
export const noRules: LedgerRules = { breaker: null, sparesLast: false, probe: null };

/** What targets of upstreams need, in the hands of a test. */
export class TargetsWorld {
  readonly clock = new ManualClock();
  readonly scheduler = new ManualScheduler(this.clock);
  readonly logger = new RecordingLogger();
  readonly resolver = new FakeHostResolver();
  readonly clients = new FakeTargetClients();
  readonly ledgers = new TargetLedgers(this.clock);
  /** What checks come to, by `host:port` of the address that is checked. */
  readonly checks = new Map<string, Result<void, string>>();
  readonly #prober: HealthProber = {
    probe: async ({ address }) => this.checks.get(streamAddressText(address)) ?? ok(undefined),
  };
  readonly #random: Random;

  constructor(fraction: () => number = () => 0.5) {
    this.#random = { uuid: () => '', token: () => '', fraction } as Random;
  }

  /** That of a target that an upstream of some generation has. */
  ledgerOf(address: string): TargetLedger {
    const ledger = this.ledgers.acquire('api', address, noRules);
    this.ledgers.release('api', address);
    return ledger;
  }

  open(configuration: UpstreamConfiguration, idleLimit = 100, tls: CurrentTlsContext | null = null): UpstreamTargets {
    return new UpstreamTargets(configuration, idleLimit, tls, {
      ledgers: this.ledgers,
      createClient: this.clients.create,
      metrics: { upstream: () => new UpstreamCounters() },
      resolver: this.resolver,
      prober: this.#prober,
      clock: this.clock,
      random: this.#random,
      scheduler: this.scheduler,
      logger: this.logger,
    });
  }
}

/** The target of a choice that has to be one. */
export const chosenOf = (choice: TargetChoice): ChosenTarget => {
  if (choice.kind !== 'chosen') throw new Error(`nothing is chosen: ${JSON.stringify(choice)}`);
  return choice;
};

/** The address that a request is sent to, which is over at once and went well. */
export const visit = (targets: UpstreamTargets, wish: Partial<BalancingRequest> = {}): string => {
  const target = chosenOf(targets.choose({ ...anybody, ...wish }));
  target.ended('success');
  return target.address;
};
