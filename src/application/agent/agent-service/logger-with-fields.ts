import { joined } from '../../../domain/shared/joined.js';
import type { LogFields, Logger } from '../../ports/shared/logger.js';

const noFields: LogFields = {};

/** Adds the same fields to every log record. */
export class LoggerWithFields implements Logger {
  readonly #logger: Logger;
  readonly #fields: LogFields;

  constructor(logger: Logger, fields: LogFields) {
    this.#logger = logger;
    this.#fields = fields;
  }

  error(message: string, fields: LogFields = noFields): void {
    this.#logger.error(message, joined(fields, this.#fields));
  }

  warn(message: string, fields: LogFields = noFields): void {
    this.#logger.warn(message, joined(fields, this.#fields));
  }

  info(message: string, fields: LogFields = noFields): void {
    this.#logger.info(message, joined(fields, this.#fields));
  }

  debug(message: string, fields: LogFields = noFields): void {
    this.#logger.debug(message, joined(fields, this.#fields));
  }

  trace(message: string, fields: LogFields = noFields): void {
    this.#logger.trace(message, joined(fields, this.#fields));
  }
}
