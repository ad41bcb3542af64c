/** A position in a trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** The parent span: 16 lower-case hexadecimal digits, not all zero. */
  readonly spanId: string;
  /** Whether the trace is recorded. */
  readonly isSampled: boolean;
  /** Whether the last 14 digits of the trace id are random (level 2, "random-trace-id flag"). */
  readonly hasRandomId: boolean;
}

/** Characters of version 00, a prefix of later versions: `00-<trace id>-<span id>-<flags>`. */
const knownLength = 55;

const sampledFlag = 1;
const randomIdFlag = 2;

/** Value of a lower-case hexadecimal digit, or -1. */
const digitValue = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
};

/** Whether the characters are digits and not all zero. */
const isId = (text: string, from: number, to: number): boolean => {
  let isZero = true;
  for (let index = from; index < to; index += 1) {
    const value = digitValue(text.charCodeAt(index));
    if (value < 0) return false;
    if (value > 0) isZero = false;
  }
  return !isZero;
};

/** The octet that two digits make, or -1. */
const octetAt = (text: string, at: number): number => {
  const high = digitValue(text.charCodeAt(at));
  const low = digitValue(text.charCodeAt(at + 1));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
};

const hasDash = (text: string, at: number): boolean => text.charCodeAt(at) === 0x2d;

/**
 * Parses a `traceparent` field (W3C Trace Context, levels 1 and 2). Null if malformed; the recipient then
 * starts a new trace. Reads the known part of later versions.
 */
export const parseTraceparent = (text: string): TraceContext | null => {
  if (text.length < knownLength) return null;
  const version = octetAt(text, 0);
  if (version < 0 || version === 0xff) return null;
  if (text.length > knownLength && (version === 0 || !hasDash(text, knownLength))) return null;
  if (!hasDash(text, 2) || !hasDash(text, 35) || !hasDash(text, 52)) return null;
  const flags = octetAt(text, 53);
  if (flags < 0 || !isId(text, 3, 35) || !isId(text, 36, 52)) return null;
  return {
    traceId: text.slice(3, 35),
    spanId: text.slice(36, 52),
    isSampled: (flags & sampledFlag) !== 0,
    hasRandomId: (flags & randomIdFlag) !== 0,
  };
};

/** Formats a `traceparent` field, version 00. */
export const formatTraceparent = ({ traceId, spanId, isSampled, hasRandomId }: TraceContext): string => {
  const flags = (isSampled ? sampledFlag : 0) + (hasRandomId ? randomIdFlag : 0);
  return `00-${traceId}-${spanId}-0${flags}`;
};
