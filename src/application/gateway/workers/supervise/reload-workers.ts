import { err, ok, type Result } from '../../../../domain/shared/result.js';
import { type LoadFailure, loadFailure } from '../../run-gateway/prepared-reload.js';
import { deserializeFailure } from './serialized-failure.js';
import type { SupervisedWorker } from './supervised-worker.js';
import type { SupervisionTimes } from './supervision-times.js';
import { abandonReload, auditLogClosed, commitReload, prepareReload, type ReloadOrder } from './worker-topics.js';

/** The result for one worker; null: it has ended, and its replacement prepares instead. */
type Prepared = Result<null, LoadFailure> | null;

const prepareIn = async (
  worker: SupervisedWorker,
  order: () => ReloadOrder,
  { prepareMs, reloadHeartbeatMs }: SupervisionTimes,
): Promise<Prepared> => {
  const response = await worker.askMonitored(prepareReload, order(), prepareMs);
  if (response.ok) return response.value.ok ? ok(null) : err(deserializeFailure(response.value.error));
  const name = `worker ${worker.number}`;
  switch (response.error) {
    case 'closed':
      return null;
    case 'silent':
      return err(loadFailure(`${name} does not answer since ${Math.round(reloadHeartbeatMs / 1000)} s`));
    case 'timed_out':
      return err(loadFailure(`${name} did not prepare the configuration within ${Math.round(prepareMs / 1000)} s`));
    default:
      return err(loadFailure(`${name} did not prepare the configuration at all`));
  }
};

/**
 * Prepares a configuration in workers. Ok: the prepared workers, which wait for `commitWorkers`; the others have ended.
 * Error: the first failure; all workers have then abandoned the configuration.
 */
const prepareInAll = async (
  workers: readonly SupervisedWorker[],
  order: () => ReloadOrder,
  times: SupervisionTimes,
): Promise<Result<readonly SupervisedWorker[], LoadFailure>> => {
  const answers = await Promise.all(workers.map((worker) => prepareIn(worker, order, times)));
  const failed = answers.find((answer) => answer?.ok === false);
  if (failed?.ok !== false) return ok(workers.filter((_, index) => answers[index]?.ok === true));
  await abandonWorkers(workers, times);
  return failed;
};

/** Rounds that prepare newly started workers. */
const maximumRounds = 3;

/**
 * Prepares a configuration in all serving workers, including those that start meanwhile. Ok: the prepared workers, at
 * least one. `order` is called once for each worker.
 */
export const prepareServing = async (
  serving: () => readonly SupervisedWorker[],
  order: () => ReloadOrder,
  times: SupervisionTimes,
): Promise<Result<readonly SupervisedWorker[], LoadFailure>> => {
  const prepared = new Set<SupervisedWorker>();
  for (let round = 0; round < maximumRounds; round += 1) {
    const unprepared = serving().filter((worker) => !prepared.has(worker));
    if (unprepared.length === 0) break;
    const outcome = await prepareInAll(unprepared, order, times);
    if (!outcome.ok) {
      await abandonWorkers([...prepared], times);
      return outcome;
    }
    for (const worker of outcome.value) prepared.add(worker);
  }
  const ready = serving().filter((worker) => prepared.has(worker));
  return ready.length > 0 ? ok(ready) : err(loadFailure('every worker ended while it prepared the configuration'));
};

/** Abandons the prepared configuration. A worker that answers late abandons it later: it prepares one at a time. */
export const abandonWorkers = async (
  workers: readonly SupervisedWorker[],
  { abandonMs }: SupervisionTimes,
): Promise<void> => {
  await Promise.all(workers.map(({ channel }) => channel.ask(abandonReload, null, abandonMs)));
};

/** Commits the prepared configuration. Returns the workers that have not committed. */
export const commitWorkers = async (
  workers: readonly SupervisedWorker[],
  timeoutMs: number,
): Promise<readonly SupervisedWorker[]> => {
  const answers = await Promise.all(workers.map(({ channel }) => channel.ask(commitReload, null, timeoutMs)));
  return workers.filter((_, index) => {
    const response = answers[index];
    return response?.ok !== true || !response.value;
  });
};

/** Resolves when the audit logs of committed workers hold their last records, or at the timeout. */
export const waitForAuditLogs = async (workers: readonly SupervisedWorker[], timeoutMs: number): Promise<void> => {
  await Promise.all(workers.map(({ channel }) => channel.ask(auditLogClosed, null, timeoutMs)));
};
