/** The number of workers: the configured one, or one per core (0). At least one. */
export const workerCount = (configured: number, cores: number): number =>
  Math.max(1, Math.floor(configured === 0 ? cores : configured));

/** A warning if a reload changes the number of workers; null: it does not. */
export const workerCountWarning = (running: number, configured: number, cores: number): string | null => {
  const wanted = workerCount(configured, cores);
  return wanted === running
    ? null
    : `worker-threads is now ${wanted} instead of ${running}: restart or replace the program (SIGUSR2) to apply it`;
};
