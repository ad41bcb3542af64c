/** Members of a log record: scalars, and never a secret. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  trace(message: string, fields?: LogFields): void;
}
