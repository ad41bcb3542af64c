/** A place in a trace, as W3C Trace Context carries it from one program to the next. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits, not all zero: the span that is the parent of what follows. */
  readonly spanId: string;
  /** Whether the trace is recorded. */
  readonly isSampled: boolean;
  /** Whether the last 14 digits of the trace id were chosen by chance (level 2, "random-trace-id flag"). */
  readonly hasRandomId: boolean;
}
