/** Has the runtime give back memory that nothing uses any more. */
export interface MemoryReclaimer {
  /** Returns before it is done. Costs the time of a full collection; does nothing where the runtime offers no way. */
  reclaim(): void;
}
