import type { LimitsConfiguration } from '../configuration/gateway-configuration.js';
import type { LimitViolation } from './limit-violation.js';

/** The memory limit of the gateway. */
export interface MemoryLimit {
  /** The key of the lower limit. */
  readonly name: 'max-memory-bytes' | 'max-memory-percent';
  readonly bytes: number;
  /** Octets in one unit of the key. */
  readonly unitBytes: number;
}

/** Service resumes below this share of the limit, to avoid flapping. */
const recoveryShare = 0.9;

/**
 * The limit in octets; null: no limit.
 *
 * @param availableBytes memory of the system, or of the control group if that is less
 */
export const memoryLimit = (
  { maxMemoryBytes, maxMemoryPercent }: Pick<LimitsConfiguration, 'maxMemoryBytes' | 'maxMemoryPercent'>,
  availableBytes: number,
): MemoryLimit | null => {
  const absolute: MemoryLimit | null =
    maxMemoryBytes === null ? null : { name: 'max-memory-bytes', bytes: maxMemoryBytes, unitBytes: 1 };
  if (maxMemoryPercent === null) return absolute;
  const unitBytes = availableBytes / 100;
  const bytes = Math.floor(maxMemoryPercent * unitBytes);
  return absolute !== null && absolute.bytes <= bytes ? absolute : { name: 'max-memory-percent', bytes, unitBytes };
};

/** Whether memory is short: from above the limit until well below it. */
export const isMemoryShort = (wasShort: boolean, residentBytes: number, { bytes }: MemoryLimit): boolean =>
  wasShort ? residentBytes >= bytes * recoveryShare : residentBytes > bytes;

/** The violation while memory is short, in the unit of the key. A percentage has two decimal places. */
export const memoryViolation = (residentBytes: number, { name, bytes, unitBytes }: MemoryLimit): LimitViolation => {
  const inUnit = (octets: number): number => (unitBytes === 1 ? octets : Math.round((octets * 100) / unitBytes) / 100);
  return { code: 'memory_limit_reached', name, limit: inUnit(bytes), actual: inUnit(residentBytes) };
};
