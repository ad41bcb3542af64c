/**
 * Calls a function while no `OTEL_*` variable is set. OpenTelemetry adds what it finds there, header fields above all, to
 * whatever it is told otherwise, and has no option that keeps it from doing so. Everything happens in one step: nobody else
 * sees the environment meanwhile.
 */
export const withoutOtelVariables = <Made>(make: () => Made): Made => {
  const hidden = Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_'));
  for (const [name] of hidden) delete process.env[name];
  try {
    return make();
  } finally {
    for (const [name, value] of hidden) process.env[name] = value;
  }
};
