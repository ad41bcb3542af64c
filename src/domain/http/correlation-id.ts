import { fieldTrait, type HeaderSummary, traitsOf } from './field-traits.js';
import { firstHeader, type HeaderList } from './header-list.js';

export const correlationIdHeader = 'X-Correlation-Id';

const maxLength = 128;

const isAllowed = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2d ||
  code === 0x2e ||
  code === 0x5f;

/**
 * The correlation id that the client sent, or undefined.
 *
 * @param known a summary of these or other fields
 */
export const sentCorrelationId = (headers: HeaderList, known: HeaderSummary | null): string | undefined =>
  (traitsOf(headers, known) & fieldTrait.correlationId) === 0 ? undefined : firstHeader(headers, 'x-correlation-id');

/** The inbound correlation id; null unless it has 1 to 128 letters, digits, `.`, `_` and `-`. */
export const acceptCorrelationId = (value: string | undefined): string | null => {
  if (value === undefined || value.length === 0 || value.length > maxLength) return null;
  for (let index = 0; index < value.length; index += 1) {
    if (!isAllowed(value.charCodeAt(index))) return null;
  }
  return value;
};
