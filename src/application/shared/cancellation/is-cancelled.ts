import type { Cancellation } from '../../ports/shared/cancellation.js';

/** Whether nobody waits any more. */
export const isCancelled = (cancellation: Cancellation): boolean => {
  let called = false;
  const end = cancellation.onCancel(() => {
    called = true;
  });
  end();
  return called;
};
