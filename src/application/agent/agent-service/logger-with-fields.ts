import { mergeObjects } from '../../../domain/shared/merge-objects.js';
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
    this.#logger.error(message, mergeObjects(fields, this.#fields));
  }

  warn(message: string, fields: LogFields = noFields): void {
    this.#logger.warn(message, mergeObjects(fields, this.#fields));
  }

  info(message: string, fields: LogFields = noFields): void {
    this.#logger.info(message, mergeObjects(fields, this.#fields));
  }

  debug(message: string, fields: LogFields = noFields): void {
    this.#logger.debug(message, mergeObjects(fields, this.#fields));
  }

  trace(message: string, fields: LogFields = noFields): void {
    this.#logger.trace(message, mergeObjects(fields, this.#fields));
  }
}
