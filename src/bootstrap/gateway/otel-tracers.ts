import type { OtelTracerParts } from '../../adapters/outbound/otel-tracing/otel-tracer.js';
import type { TracerFactory } from '../../application/ports/gateway/tracer.js';

/** Makes tracers by OpenTelemetry, which is loaded when the first one is wanted: a gateway that does not trace starts without it. */
export const otelTracers =
  (parts: OtelTracerParts): TracerFactory =>
  async (configuration, program) => {
    const { OtelTracer } = await import('../../adapters/outbound/otel-tracing/otel-tracer.js');
    return new OtelTracer(configuration, program, parts);
  };
