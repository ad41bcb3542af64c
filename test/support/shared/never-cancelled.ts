import type { Cancellation } from '../../../src/application/ports/shared/cancellation.js';

/** Somebody waits for the outcome, however long it takes. */
export const neverCancelled: Cancellation = { onCancel: () => () => undefined };
