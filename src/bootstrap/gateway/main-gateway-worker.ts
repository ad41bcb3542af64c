import '../shared/debug-signal.js';

/** Whoever started this program has gone before it was ready. */
const ended = (): void => process.exit(0);

const main = async (): Promise<void> => {
  if (!process.connected) {
    process.stderr.write('error: this program is started by "gateway run" where worker-threads asks for it\n');
    process.exitCode = 2;
    return;
  }
  // A terminal sends them to all processes, a service manager may: the supervisor says what is to
  // happen, also while the rest is loaded.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined);
  process.once('disconnect', ended);
  const { runWorker } = await import('./gateway-worker.js');
  runWorker();
  process.off('disconnect', ended);
};

await main();
