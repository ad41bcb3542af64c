import { err, ok, type Result } from '../../../../domain/shared/result.js';
import { type LoadFailure, loadFailure } from '../../run-gateway/prepared-reload.js';
import { failureOf } from './plain-failure.js';
import type { SupervisedWorker } from './supervised-worker.js';
import type { SupervisionTimes } from './supervision-times.js';
import { abandonReload, auditLeft, commitReload, prepareReload, type ReloadOrder } from './worker-topics.js';

/** What came of asking one worker; null: it has ended meanwhile, and is left to its replacement. */
type Prepared = Result<null, LoadFailure> | null;

const prepareIn = async (
  worker: SupervisedWorker,
  order: () => ReloadOrder,
  { prepareMs, unansweredMs }: SupervisionTimes,
): Promise<Prepared> => {
  const answered = await worker.askAtLength(prepareReload, order(), prepareMs);
  if (answered.ok) return answered.value.ok ? ok(null) : err(failureOf(answered.value.error));
  const who = `worker ${worker.number}`;
  switch (answered.error) {
    case 'closed':
      return null;
    case 'silent':
      return err(loadFailure(`${who} does not answer since ${Math.round(unansweredMs / 1000)} s`));
    case 'timed_out':
      return err(loadFailure(`${who} did not prepare the configuration within ${Math.round(prepareMs / 1000)} s`));
    default:
      return err(loadFailure(`${who} did not prepare the configuration at all`));
  }
};

/**
 * Has workers prepare a configuration. Ok: those that have, and wait for `commitIn`; others have ended. An error is that of the first that could
 * not; then all have given it up.
 */
const prepareInAll = async (
  workers: readonly SupervisedWorker[],
  order: () => ReloadOrder,
  times: SupervisionTimes,
): Promise<Result<readonly SupervisedWorker[], LoadFailure>> => {
  const answers = await Promise.all(workers.map((worker) => prepareIn(worker, order, times)));
  const failed = answers.find((answer) => answer?.ok === false);
  if (failed?.ok !== false) return ok(workers.filter((_, at) => answers[at]?.ok === true));
  await abandonIn(workers, times);
  return failed;
};

/** How often workers that have come meanwhile are asked too. */
const mostRounds = 3;

/** The same for all that serve, those too that come meanwhile. Gives those that are prepared: at least one. `order`: asked for each of them. */
export const prepareWhoServes = async (
  serving: () => readonly SupervisedWorker[],
  order: () => ReloadOrder,
  times: SupervisionTimes,
): Promise<Result<readonly SupervisedWorker[], LoadFailure>> => {
  const prepared = new Set<SupervisedWorker>();
  for (let round = 0; round < mostRounds; round += 1) {
    const unprepared = serving().filter((worker) => !prepared.has(worker));
    if (unprepared.length === 0) break;
    const outcome = await prepareInAll(unprepared, order, times);
    if (!outcome.ok) {
      await abandonIn([...prepared], times);
      return outcome;
    }
    for (const worker of outcome.value) prepared.add(worker);
  }
  const ready = serving().filter((worker) => prepared.has(worker));
  return ready.length > 0 ? ok(ready) : err(loadFailure('every worker ended while it prepared the configuration'));
};

/** Those who do not answer give it up when they come to it: a worker prepares one configuration at a time. */
export const abandonIn = async (
  workers: readonly SupervisedWorker[],
  { abandonMs }: SupervisionTimes,
): Promise<void> => {
  await Promise.all(workers.map(({ channel }) => channel.ask(abandonReload, null, abandonMs)));
};

/** Gives back those that have not committed: whatever they serve, it is not the configuration in force. */
export const commitIn = async (
  workers: readonly SupervisedWorker[],
  deadlineMs: number,
): Promise<readonly SupervisedWorker[]> => {
  const answers = await Promise.all(workers.map(({ channel }) => channel.ask(commitReload, null, deadlineMs)));
  return workers.filter((_, at) => {
    const answered = answers[at];
    return answered?.ok !== true || !answered.value;
  });
};

/** Resolves when the audit logs of workers that have committed have their last records, or after the deadline. */
export const auditLeftIn = async (workers: readonly SupervisedWorker[], deadlineMs: number): Promise<void> => {
  await Promise.all(workers.map(({ channel }) => channel.ask(auditLeft, null, deadlineMs)));
};
