import { type LevelWithSilent, type Logger as Pino, pino } from 'pino';
import type { LogFields, Logger } from '../../../application/ports/logger.js';
import type { LogLevel } from '../../../domain/configuration/log-configuration.js';
import type { LogOutput } from './log-output.js';
import { maskedFields } from './masked-fields.js';
import { printableJson } from './printable-json.js';

const pinoLevel = (level: LogLevel): LevelWithSilent => (level === 'off' ? 'silent' : level);

/** Log records as JSON, a line each: `time` (ISO 8601), `level` (a lower-case word), `message`, then the fields. */
export class PinoLogger implements Logger {
  readonly #pino: Pino;

  constructor(level: LogLevel, output: LogOutput) {
    this.#pino = pino(
      {
        level: pinoLevel(level),
        base: null,
        messageKey: 'message',
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      { write: (line) => output.write(printableJson(line)) },
    );
  }

  error(message: string, fields: LogFields = {}): void {
    this.#log('error', message, fields);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#log('warn', message, fields);
  }

  info(message: string, fields: LogFields = {}): void {
    this.#log('info', message, fields);
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#log('debug', message, fields);
  }

  trace(message: string, fields: LogFields = {}): void {
    this.#log('trace', message, fields);
  }

  #log(level: Exclude<LogLevel, 'off'>, message: string, fields: LogFields): void {
    if (this.#pino.isLevelEnabled(level)) this.#pino[level](maskedFields(fields), message);
  }
}
