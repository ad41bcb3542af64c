import { err, ok, type Result } from '../../domain/shared/result.js';
import { type LoadFailure, loadFailure } from '../run-gateway/load-failure.js';
import { failureOf } from './plain-failure.js';
import type { SupervisedWorker } from './supervised-worker.js';
import type { SupervisionTimes } from './supervision-times.js';
import { abandonReload, commitReload, prepareReload } from './worker-topics.js';

/** What came of asking one worker; null: it has ended meanwhile, and is left to its replacement. */
type Prepared = Result<null, LoadFailure> | null;

const prepareIn = async (
  worker: SupervisedWorker,
  texts: ReadonlyMap<string, string>,
  deadlineMs: number,
): Promise<Prepared> => {
  const answered = await worker.correspondence.ask(prepareReload, texts, deadlineMs);
  if (answered.ok) return answered.value.ok ? ok(null) : err(failureOf(answered.value.error));
  if (answered.error === 'closed') return null;
  const seconds = Math.round(deadlineMs / 1000);
  const how = answered.error === 'timed_out' ? `within ${seconds} s` : 'at all';
  return err(loadFailure(`worker ${worker.number} did not prepare the configuration ${how}`));
};

/**
 * Has all of the workers prepare a configuration. Ok: those that have, and wait for `commitIn`. An error is that of the first that could not;
 * then all have given it up.
 */
export const prepareInAll = async (
  workers: readonly SupervisedWorker[],
  texts: ReadonlyMap<string, string>,
  { prepareMs, commitMs }: SupervisionTimes,
): Promise<Result<readonly SupervisedWorker[], LoadFailure>> => {
  const answers = await Promise.all(workers.map((worker) => prepareIn(worker, texts, prepareMs)));
  const failed = answers.find((answer) => answer?.ok === false);
  const prepared = workers.filter((_, at) => answers[at]?.ok === true);
  const failure =
    failed?.ok === false
      ? failed.error
      : prepared.length === 0
        ? loadFailure('every worker ended while it prepared the configuration')
        : null;
  if (failure === null) return ok(prepared);
  await abandonIn(workers, commitMs);
  return err(failure);
};

/** Those who do not answer give it up when they come to it: a worker prepares one configuration at a time. */
export const abandonIn = async (workers: readonly SupervisedWorker[], deadlineMs: number): Promise<void> => {
  await Promise.all(workers.map(({ correspondence }) => correspondence.ask(abandonReload, null, deadlineMs)));
};

/** Gives back those that have not committed: whatever they serve, it is not the configuration in force. */
export const commitIn = async (
  workers: readonly SupervisedWorker[],
  deadlineMs: number,
): Promise<readonly SupervisedWorker[]> => {
  const answers = await Promise.all(
    workers.map(({ correspondence }) => correspondence.ask(commitReload, null, deadlineMs)),
  );
  return workers.filter((_, at) => {
    const answered = answers[at];
    return answered?.ok !== true || !answered.value;
  });
};
