import type { GrpcProxyControl } from './grpc-reports.js';

const maintenance = 2;
/** Why a service ends; the numbers are those of the wire. */
export const shutdownReasons = { graceful: 1, immediate: 2 } as const;

/** @param nowMs here and below: milliseconds since the Unix epoch */
export const drainMessage = (graceMs: number, nowMs: number): GrpcProxyControl => ({
  drain: { duration_ms: graceMs, reason: maintenance, timestamp_ms: nowMs },
});

export const shutdownMessage = (reason: keyof typeof shutdownReasons, nowMs: number): GrpcProxyControl => ({
  shutdown: { reason: shutdownReasons[reason], grace_period_ms: 0, timestamp_ms: nowMs },
});
