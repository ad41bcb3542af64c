/** How a gateway ends. Plain data: it passes between processes. */
export interface StopManner {
  /** How long everything is served as before first, though /ready says that the gateway goes; milliseconds. */
  readonly delayMs: number;
  /** Another process serves its addresses already, and has to be the one that answers on that of the admin endpoints. */
  readonly isReplaced: boolean;
}

/** It begins to drain now, and nobody takes its place. */
export const atOnce: StopManner = { delayMs: 0, isReplaced: false };
