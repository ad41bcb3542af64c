import { err, ok } from '../../shared/result.js';
import { decimal, type ScalarKind } from './scalar-kind.js';

/** Seconds, which may have a fraction, read as whole milliseconds. */
export const fractionalSeconds = (minimum: number, maximum: number): ScalarKind<number> => {
  const count = decimal(minimum, maximum);
  return {
    label: `seconds, ${minimum} to ${maximum}, fractions too`,
    fallback: Math.round(minimum * 1000),
    secret: false,
    read: (scalar) => {
      const read = count.read(scalar);
      return read.ok ? ok(Math.round(read.value * 1000)) : err(read.error);
    },
  };
};
