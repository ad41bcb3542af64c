/** Processes that serve: as the configuration says, or one for each core (0). At least one. */
export const workerCount = (configured: number, cores: number): number =>
  Math.max(1, Math.floor(configured === 0 ? cores : configured));

/** What is to be said of a reload that changes how many there should be; null where it does not. */
export const workerCountWarning = (running: number, configured: number, cores: number): string | null => {
  const wanted = workerCount(configured, cores);
  return wanted === running
    ? null
    : `worker-threads now asks for ${wanted} instead of ${running}; that is in force once the program is restarted or replaced (SIGUSR2)`;
};
