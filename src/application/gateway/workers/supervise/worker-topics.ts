import type { LogConfiguration } from '../../../../domain/configuration/log-configuration.js';
import type { SocketAddress } from '../../../../domain/configuration/network-addresses.js';
import type { Result } from '../../../../domain/shared/result.js';
import type { ReloadFigures, TargetName } from '../../../ports/gateway/gateway-state.js';
import { notice, topic } from '../../../shared/worker-channel/worker-call.js';
import type { StopManner } from '../../run-gateway/stop-once-unused.js';
import type { ListeningAddresses } from '../../run-gateway/wanted-listeners.js';
import type { PlainError, PlainFailure } from './plain-failure.js';

/** What was said on the command line in the place of keys of the configuration; null: the configuration says it. */
export interface CommandLineOverrides {
  readonly workerThreads: number | null;
}

/** What every worker of a gateway is told alike. */
export interface GatewayOrder {
  /** Path of the configuration, as it was given. */
  readonly configFile: string;
  readonly instead: CommandLineOverrides;
  readonly log: LogConfiguration;
  /** When the gateway started; milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

/** All that a process has to know to become a worker. */
export interface StartOrder extends GatewayOrder {
  /** From 1 on. A worker that replaces another has its number. */
  readonly number: number;
  /** How many there are. */
  readonly workers: number;
  /** The configuration in force, by path. Holds secrets in the clear: never print it. */
  readonly texts: ReadonlyMap<string, string>;
  /** It is the first one that loads these texts, and says what loading them warns of. */
  readonly warns: boolean;
  readonly reloads: ReloadFigures;
  /** Those that are to get no new requests. */
  readonly drainedTargets: readonly TargetName[];
}

/** What a worker prepares: see `StartOrder`. */
export type ReloadOrder = Pick<StartOrder, 'texts' | 'warns'>;

/** How a worker drains. */
export interface WorkerDrain {
  readonly graceMs: number;
  readonly manner: StopManner;
}

/** The supervisor has a process become a worker; it is answered once that has all it needs but accepts nothing yet. */
export const startWorker = topic<StartOrder, Result<null, PlainFailure>>('start-worker');

/** A worker that is prepared begins to accept connections; it is answered once it does. */
export const beginServing = topic<null, Result<ListeningAddresses, PlainFailure>>('begin-serving');

/** The supervisor asks whether the worker's loop turns. */
export const heartbeat = topic<null, null>('heartbeat');

/** The supervisor has a worker build all of a configuration, by the texts of it. One at a time: it is committed or abandoned. */
export const prepareReload = topic<ReloadOrder, Result<null, PlainFailure>>('prepare-reload');

/** The prepared configuration comes into force. False: there was none. */
export const commitReload = topic<null, boolean>('commit-reload');

/** The prepared configuration, or the one that is being prepared, is given up. */
export const abandonReload = topic<null, null>('abandon-reload');

/** A configuration without an audit log is in force: answered once the worker's has its last record. */
export const auditLeft = topic<null, null>('audit-left');

/** The supervisor has a worker drain within so many milliseconds, and end. */
export const drainWorker = notice<WorkerDrain>('drain-worker');

/** A worker asks for a socket, which comes as the attachment; see `ListeningSockets.open`. */
export const listeningSocket = topic<
  { readonly key: string; readonly address: SocketAddress; readonly name: string },
  Result<SocketAddress, PlainError>
>('listening-socket');
