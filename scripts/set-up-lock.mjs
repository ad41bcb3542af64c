import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from './paths.mjs';

const lock = inRoot('.set-up-lock');
const ownerFile = inRoot('.set-up-lock', 'owner');
const pollMs = 200;
const patienceMs = 15 * 60_000;
/** A lock without an owner this long after it was made belongs to a process that died in between. */
const nameless = 5_000;

const release = () => rmSync(lock, { recursive: true, force: true });

/** @returns {boolean} whether this process now holds the lock */
const take = () => {
  try {
    mkdirSync(lock);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(ownerFile, String(process.pid));
  return true;
};

/** @returns {number | null} the process that holds the lock; null where none does any more */
const owner = () => {
  try {
    const pid = Number(readFileSync(ownerFile, 'utf8'));
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code;
    if (code === 'EPERM') return 0;
    if (code === 'ESRCH') return null;
  }
  try {
    return Date.now() - statSync(lock).mtimeMs < nameless ? 0 : null;
  } catch {
    return null;
  }
};

/**
 * Does something that no second set-up of the same folder may do at the same time.
 * @template Value
 * @param {() => Promise<Value>} work
 * @returns {Promise<Value>}
 */
export const withSetUpLock = async (work) => {
  const givesUpMs = Date.now() + patienceMs;
  let told = false;
  while (!take()) {
    const holder = owner();
    if (holder === null) {
      release();
      continue;
    }
    if (Date.now() > givesUpMs) throw new Error(`another set-up (process ${holder}) does not end; remove ${lock}`);
    if (!told) console.log(`waiting for another set-up of this folder (process ${holder}) ...`);
    told = true;
    await sleep(pollMs);
  }
  process.on('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
};
