import type { LogConfiguration } from '../../../../domain/configuration/log-configuration.js';
import type { SocketAddress } from '../../../../domain/configuration/network-addresses.js';
import type { Result } from '../../../../domain/shared/result.js';
import type { ReloadFigures, TargetName } from '../../../ports/gateway/gateway-state.js';
import { notice, topic } from '../../../shared/worker-channel/worker-call.js';
import type { StopManner } from '../../run-gateway/stop-once-unused.js';
import type { ListeningAddresses } from '../../run-gateway/wanted-listeners.js';
import type { SerializedError, SerializedFailure } from './serialized-failure.js';

/** Command-line options that override keys of the configuration; null: the configuration decides. */
export interface CommandLineOverrides {
  readonly workerThreads: number | null;
}

/** The part of an order that is the same for all workers. */
export interface GatewayOrder {
  /** Path of the configuration, as given on the command line. */
  readonly configFile: string;
  readonly overrides: CommandLineOverrides;
  readonly log: LogConfiguration;
  /** When the gateway started; milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

/** Everything that a process needs to become a worker. */
export interface StartOrder extends GatewayOrder {
  /** Counts from 1. A replacement worker keeps the number. */
  readonly number: number;
  /** Number of workers. */
  readonly workers: number;
  /** The configuration in force, by path. Holds secrets in the clear: never print it. */
  readonly texts: ReadonlyMap<string, string>;
  /** True for the first worker that loads these texts: it logs their warnings. */
  readonly logsWarnings: boolean;
  readonly reloads: ReloadFigures;
  /** Targets that get no new requests. */
  readonly drainedTargets: readonly TargetName[];
}

/** The order to prepare another configuration. */
export type ReloadOrder = Pick<StartOrder, 'texts' | 'logsWarnings'>;

/** How a worker drains. */
export interface WorkerDrain {
  readonly graceMs: number;
  readonly manner: StopManner;
}

/** Makes a process a worker. The answer comes when it is prepared, before it accepts connections. */
export const startWorker = topic<StartOrder, Result<null, SerializedFailure>>('start-worker');

/** Makes a prepared worker accept connections. The answer comes when it does. */
export const beginServing = topic<null, Result<ListeningAddresses, SerializedFailure>>('begin-serving');

/** Checks that the worker's event loop runs. */
export const heartbeat = topic<null, null>('heartbeat');

/** Makes a worker prepare a configuration from its texts. One at a time: commit or abandon it before the next. */
export const prepareReload = topic<ReloadOrder, Result<null, SerializedFailure>>('prepare-reload');

/** Puts the prepared configuration in force. False: none was prepared. */
export const commitReload = topic<null, boolean>('commit-reload');

/** Abandons the configuration that is prepared or being prepared. */
export const abandonReload = topic<null, null>('abandon-reload');

/** After a reload that closed an audit log: the answer comes when the worker has written its last record. */
export const auditLogClosed = topic<null, null>('audit-left');

/** Makes a worker drain within `graceMs`, and end. */
export const drainWorker = notice<WorkerDrain>('drain-worker');

/** A worker requests a listening socket; the answer attaches it. See `ListeningSockets.open`. */
export const listeningSocket = topic<
  { readonly key: string; readonly address: SocketAddress; readonly name: string },
  Result<SocketAddress, SerializedError>
>('listening-socket');
