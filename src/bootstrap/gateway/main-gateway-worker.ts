import '../shared/debug-signal.js';

/** The supervisor exited before this process was ready. */
const ended = (): void => process.exit(0);

const main = async (): Promise<void> => {
  if (!process.connected) {
    process.stderr.write('error: do not start this program: "gateway run" starts it for worker-threads\n');
    process.exitCode = 2;
    return;
  }
  // Terminals and service managers may signal all processes; the supervisor decides, also during
  // loading.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined);
  process.once('disconnect', ended);
  const { runWorker } = await import('./gateway-worker.js');
  runWorker();
  process.off('disconnect', ended);
};

await main();
