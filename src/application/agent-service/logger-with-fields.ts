import type { LogFields, Logger } from '../ports/logger.js';

/** Writes every record to another logger, with the same members added to each. */
export class LoggerWithFields implements Logger {
  readonly #logger: Logger;
  readonly #fields: LogFields;

  constructor(logger: Logger, fields: LogFields) {
    this.#logger = logger;
    this.#fields = fields;
  }

  error(message: string, fields?: LogFields): void {
    this.#logger.error(message, { ...fields, ...this.#fields });
  }

  warn(message: string, fields?: LogFields): void {
    this.#logger.warn(message, { ...fields, ...this.#fields });
  }

  info(message: string, fields?: LogFields): void {
    this.#logger.info(message, { ...fields, ...this.#fields });
  }

  debug(message: string, fields?: LogFields): void {
    this.#logger.debug(message, { ...fields, ...this.#fields });
  }

  trace(message: string, fields?: LogFields): void {
    this.#logger.trace(message, { ...fields, ...this.#fields });
  }
}
