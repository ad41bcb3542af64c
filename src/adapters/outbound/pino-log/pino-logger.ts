import { type LevelWithSilent, type Logger as Pino, pino } from 'pino';
import type { LogFields, Logger } from '../../../application/ports/shared/logger.js';
import type { LogLevel } from '../../../domain/configuration/log-configuration.js';
import { isSecretName } from '../../../domain/shared/secret.js';
import type { LogOutput } from './log-output.js';
import { printableJson } from './printable-json.js';

/** Reserved members of a record. */
const recordMembers: ReadonlySet<string> = new Set(['time', 'level', 'message']);

/** The fields with credentials masked; names that collide with reserved members are changed. */
const maskedFields = (fields: LogFields, ownMembers: ReadonlySet<string> = recordMembers): LogFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      ownMembers.has(name) ? `${name}_` : name,
      isSecretName(name) && value !== null ? '[secret]' : value,
    ]),
  );

const pinoLevel = (level: LogLevel): LevelWithSilent => (level === 'off' ? 'silent' : level);

/**
 * Log records as JSON lines: `time` (ISO 8601), `level` (lower case), `worker` if several processes
 * write, `message`, then the fields.
 */
export class PinoLogger implements Logger {
  readonly #pino: Pino;
  readonly #ownMembers: ReadonlySet<string>;

  /** @param worker number of the worker; null for a single process or the supervisor */
  constructor(level: LogLevel, output: LogOutput, worker: number | null = null) {
    this.#ownMembers = worker === null ? recordMembers : new Set([...recordMembers, 'worker']);
    this.#pino = pino(
      {
        level: pinoLevel(level),
        base: worker === null ? null : { worker },
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
    if (this.#pino.isLevelEnabled(level)) this.#pino[level](maskedFields(fields, this.#ownMembers), message);
  }
}
