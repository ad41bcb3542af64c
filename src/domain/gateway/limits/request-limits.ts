import { type HeaderSummary, summaryOf } from '../../http/field-traits.js';
import type { HeaderList } from '../../http/header-list.js';
import { parseDecimal } from '../../shared/decimal.js';
import { err, ok, type Result } from '../../shared/result.js';
import type { LimitsConfiguration } from '../configuration/gateway-configuration.js';
import type { LimitViolation } from './limit-violation.js';

/** Largest request target in octets. RFC 9112, section 3, recommends at least 8000 for a request line. */
export const maxTargetBytes = 8192;

/** Octets of a field besides name and value: colon, space and line end. */
const fieldOverhead = 4;

const headerViolation = (name: string, limit: number, actual: number): LimitViolation => ({
  code: 'header_too_large',
  name,
  limit,
  actual,
});

/** Quick check that no field exceeds a limit: no value is longer than all lines together. */
const isSmall = ({ octets, longestName }: HeaderSummary, limits: LimitsConfiguration): boolean =>
  octets <= limits.maxHeaderSizeBytes &&
  octets <= limits.maxHeaderValueBytes &&
  longestName <= limits.maxHeaderNameBytes;

/**
 * The first limit that a head exceeds: count, then name, value and total size in octets.
 *
 * @param known a summary of these fields, or of others
 */
export const checkRequestHead = (
  headers: HeaderList,
  limits: LimitsConfiguration,
  known: HeaderSummary | null = null,
): LimitViolation | null => {
  const count = headers.length / 2;
  if (count > limits.maxHeaderCount) return headerViolation('max-header-count', limits.maxHeaderCount, count);
  const found = summaryOf(headers, known);
  if (found !== null && isSmall(found, limits)) return null;
  let total = 0;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = (headers[index] as string).length;
    const value = (headers[index + 1] as string).length;
    if (name > limits.maxHeaderNameBytes) {
      return headerViolation('max-header-name-bytes', limits.maxHeaderNameBytes, name);
    }
    if (value > limits.maxHeaderValueBytes) {
      return headerViolation('max-header-value-bytes', limits.maxHeaderValueBytes, value);
    }
    total += name + value + fieldOverhead;
  }
  return total > limits.maxHeaderSizeBytes
    ? headerViolation('max-header-size-bytes', limits.maxHeaderSizeBytes, total)
    : null;
};

export const checkTarget = (target: string): LimitViolation | null =>
  target.length > maxTargetBytes
    ? { code: 'target_too_long', name: 'max-target-bytes', limit: maxTargetBytes, actual: target.length }
    : null;

/** The body size limit of a route. */
export interface BodySizeLimit {
  /** The key of the limit. */
  readonly name: 'max-body-size-bytes' | 'max-body-size';
  readonly octets: number;
}

/** A limit of the route overrides that of the gateway, even if it is higher. */
export const bodySizeLimit = (maxBodySize: number | null, maxBodySizeBytes: number): BodySizeLimit =>
  maxBodySize === null
    ? { name: 'max-body-size-bytes', octets: maxBodySizeBytes }
    : { name: 'max-body-size', octets: maxBodySize };

/** Checks the declared or counted size of a body, in octets. */
export const checkBodySize = (octets: number, limit: BodySizeLimit): LimitViolation | null =>
  octets > limit.octets ? { code: 'body_too_large', name: limit.name, limit: limit.octets, actual: octets } : null;

/** More digits would not be exact. */
const maxLengthDigits = 15;

/**
 * The Content-Length of a message (RFC 9110, section 8.6); null: absent. Accepts digits only and one field only:
 * repeated fields are errors, even with equal values.
 */
export const parseContentLength = (values: readonly string[]): Result<number | null, 'malformed_request'> => {
  if (values.length === 0) return ok(null);
  const length = values.length === 1 ? parseDecimal(values[0] as string, maxLengthDigits) : null;
  return length === null ? err('malformed_request') : ok(length);
};
